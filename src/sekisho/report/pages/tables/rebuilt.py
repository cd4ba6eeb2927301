"""What the report of a table tells of the people behind it: proven disclosures first, what may differ apart from them.

Nothing of it is on the page that may leave.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.names import name_label
from sekisho.gate.tables.people_adversary import PeopleFinding
from sekisho.report.kit.blocks import Block, Facts, Fold, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Words, format_count
from sekisho.report.pages.tables.story import LONGEST, rest_blocks
from sekisho.words import Said

TITLE = Said("Which people can be rebuilt")
PROVEN = Said("Proven, whoever reads the tables")
OPEN = Said("What may differ")
OPEN_MEANING = Said(
    "This holds only against a reader who has no other source and no prior: he cannot exclude so many other records."
)


def rebuilt_blocks(found: Sequence[PeopleFinding]) -> tuple[Block, ...]:
    """Return what each who tried to rebuild people found."""
    return tuple(block for each in found for block in _tell(each))


def _tell(found: PeopleFinding) -> list[Block]:
    dims = ", ".join(found.people.dims)
    return [
        Heading(text=TITLE),
        Paragraph(
            text=Said(
                "The adversary {adversary} read all tables together and looked for every set of people by {dims} that "
                "agrees with all of them.",
                adversary=name_label(found.label),
                dims=dims,
            )
        ),
        Heading(text=PROVEN, level=3),
        Facts(pairs=tuple(_list_proven(found))),
        *_list_known(found),
        Heading(text=OPEN, level=3),
        Paragraph(text=OPEN_MEANING),
        Facts(pairs=tuple(_list_open(found))),
    ]


def _list_proven(found: PeopleFinding) -> list[tuple[Words, Words]]:
    answer = found.answer
    unsettled = Said("not settled in the time")
    return [
        (Said("people"), format_count(found.size)),
        (Said("only one solution"), Said("yes") if answer.unique else Said("no")),
        (Said("people in every solution"), format_count(answer.certain) if answer.settled else unsettled),
        (Said("of these in cells of fewer than {few} people", few=found.few), format_count(found.known)),
    ]


def _list_open(found: PeopleFinding) -> list[tuple[Words, Words]]:
    answer = found.answer
    more = "" if answer.complete else "+"
    pairs: list[tuple[Words, Words]] = [(Said("solutions"), f"{format_count(answer.solutions)}{more}")]
    if answer.may_differ is not None:
        sure = "" if answer.settled else "≥ "
        pairs.append(
            (Said("records of the truth that a solution may lack"), f"{sure}{format_count(answer.may_differ)}")
        )
    exact = answer.two_at_most == answer.two_may_differ
    pairs.append(
        (
            Said("records by which two solutions may differ"),
            f"{'' if exact else '≥ '}{format_count(answer.two_may_differ)}",
        )
    )
    return pairs


def _list_known(found: PeopleFinding) -> list[Block]:
    cells, least = found.known_cells, found.answer.in_all
    if not len(cells) or least is None:
        return []
    head: tuple[Words, ...] = (*found.people.dims, Said("people in every solution"))
    rows = tuple((*found.people.keys[cell], format_count(int(least[cell]))) for cell in cells[:LONGEST].tolist())
    table = TableBlock(head=head, rows=rows, numeric=(len(head) - 1,))
    summary = Said("The {cells:,} {cells:cell|cells} of few people who are in every solution", cells=len(cells))
    return [Fold(summary=summary, blocks=(table, *rest_blocks(len(cells))))]

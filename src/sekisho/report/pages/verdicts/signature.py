"""One sheet of A4 to sign: what a run decided, what is sure of it, and the questions that a person must answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sekisho.gate.ending import Ending
from sekisho.gate.names import name_subject
from sekisho.gate.outcome import Reason, Statement, Verdict
from sekisho.report.kit.blocks import Block, Bullets, Facts, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Words
from sekisho.report.pages.verdicts.ending import put_ending_first
from sekisho.report.pages.verdicts.reasons import ASKS, describe_rule
from sekisho.words import Said

TITLE = Said("Sheet to sign")
SHOWN = 5
"""So many reasons and statements find room; the page of the run has them all."""
DIGITS = 16
LINE = "＿" * 8
QUESTIONS = (
    Said("☐ The columns named as keys are all that others could know of these people."),
    Said("☐ No value that is left is peculiar to somebody in public, such as a rare illness or office."),
    Said("☐ The receiver, the purpose and the contract (no re-identification, no handing on) are settled."),
    Said("☐ What left before about the same people does not complete this release."),
    Said("☐ What the law asks besides (announcement, notice, certification) is done."),
)
BY_COMMAND = Said(
    "Until two persons have decided with keys of their own, nothing lies in public: one by sekisho review DIR --ask, "
    "the other by --approve or --refuse with a reason, where DIR is the folder of the run."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRun:
    """What the sheet says of a run.

    Attributes:
        made: when the run was made.
        recipe: its file.
        inputs: the files that it read.
        releases: the files that leave, each with its SHA-256 in hexadecimal digits; none where nothing does.
        ending: how it ended, as its page and the terminal say.
        reasons: why it is no better.
        statements: what can be said of the release.
    """

    made: str
    recipe: str
    inputs: Sequence[str]
    releases: Mapping[str, str]
    ending: Ending
    reasons: Sequence[Reason]
    statements: Sequence[Statement]


def signature_blocks(run: SignedRun) -> tuple[Block, ...]:
    """Return the sheet: how the run ended, files, reasons, statements, open questions, two names."""
    facts: tuple[tuple[Words, Words], ...] = (
        (Said("files read"), ", ".join(run.inputs) or "–"),
        (Said("recipe"), run.recipe or "–"),
        (Said("date of the run"), run.made),
        (Said("file that leaves"), ", ".join(run.releases) or "–"),
        (Said("its digest begins with"), ", ".join(digest[:DIGITS] for digest in run.releases.values()) or "–"),
    )
    blocks = (
        Facts(pairs=facts),
        *_list_reasons(run.reasons),
        *_list_statements(run.statements),
        Heading(text=Said("What no program decides"), level=3),
        Bullets(items=QUESTIONS),
        *((Paragraph(text=BY_COMMAND),) if run.ending.verdict is Verdict.REVIEW else ()),
        _draw_lines(),
    )
    return put_ending_first(replace(run.ending, account=None), blocks)  # its sentence is the reason; one page of paper


def _list_reasons(reasons: Sequence[Reason]) -> tuple[Block, ...]:
    if not reasons:
        return ()
    items = tuple(
        dict.fromkeys(
            Said("{rule} ({asks})", rule=describe_rule(reason.rule), asks=ASKS[reason.verdict]) for reason in reasons
        )
    )
    return (Heading(text=Said("Why the verdict is no better"), level=3), Bullets(items=_shorten(items)))


def _list_statements(statements: Sequence[Statement]) -> tuple[Block, ...]:
    if not statements:
        return ()
    items = tuple(
        Said(
            "{subject}: {standing} ({figures})",
            subject=name_subject(one.subject),
            standing=one.standing.words,
            figures=one.detail,
        )
        for one in statements
    )
    return (Heading(text=Said("What is proven, and what is not"), level=3), Bullets(items=_shorten(items)))


def _shorten(items: tuple[Words, ...]) -> tuple[Words, ...]:
    """Return what finds room, and how many more there are."""
    if len(items) <= SHOWN:
        return items
    return (*items[:SHOWN], Said("and {more} more on the page of the run", more=len(items) - SHOWN))


def _draw_lines() -> TableBlock:
    rows = tuple((who, LINE, LINE, LINE) for who in (Said("prepared by"), Said("approved by, another person")))
    head = (Said("signature|role"), Said("signature|name"), Said("signature|date"), Said("signature|signature"))
    return TableBlock(head=head, rows=rows)

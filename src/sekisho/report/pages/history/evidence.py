"""What gave customers away: the columns without which more customers would fit, and the most revealing rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sekisho.attack.history.explain import ClaimExplanation
from sekisho.gate.names import translate_name
from sekisho.report.figures.bars import Bar, Bars
from sekisho.report.kit.blocks import Block, Figure, Fold, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Words, format_count, format_decimal
from sekisho.words import Said

ENDS = {True: Said("right"), False: Said("wrong"), None: Said("not judged")}
LONGEST_CELL = 40


def explanation_blocks(explanations: Sequence[ClaimExplanation], right: Mapping[int, bool]) -> tuple[Block, ...]:
    """Return the part of the report that tells how customers were found.

    ``right`` says by pseudonym whether the claim was.
    """
    if not explanations:
        return ()
    words = Said(
        "A few of the surest guesses. A customer fits a pseudonym if his purchases explain every row published under "
        "it. Each bar tells how many customers would fit if a column were hidden: a long bar means that this column "
        "gave the customer away."
    )
    return (
        Heading(text=Said("What gave customers away")),
        Paragraph(text=words),
        *(Fold(summary=_summary(each, ENDS[right.get(each.pseudonym)]), blocks=_parts(each)) for each in explanations),
    )


def telling_blocks(explanations: Sequence[ClaimExplanation]) -> tuple[Block, ...]:
    """Return which columns give people away, over all explained claims together: nobody is named."""
    if not explanations:
        return ()
    names = list(explanations[0].without)
    means = {name: sum(each.without[name] for each in explanations) / len(explanations) for name in names}
    start = sum(each.candidates for each in explanations) / len(explanations)
    bars = [Bar(name=Said("as published"), value=start, note=format_decimal(start, 1))]
    bars += [Bar(name=_without(name), value=value, note=format_decimal(value, 1)) for name, value in means.items()]
    if all(value == start for value in means.values()):
        return (
            Heading(text=Said("Which columns give people away")),
            Paragraph(text=_say_none_tells(start, len(explanations))),
        )
    figure = Bars(
        title=Said("Customers who would fit if a column were hidden"),
        desc=Said(
            "How many customers would fit on average if a column were hidden, over the {guesses} surest guesses of "
            "the strongest attack: a long bar means a telling column.",
            guesses=len(explanations),
        ),
        axis=Said("customers who would fit, on average"),
        bars=tuple(bars),
    )
    return (
        Heading(text=Said("Which columns give people away")),
        Figure(picture=figure, caption=figure.desc),
    )


def _say_none_tells(candidates: float, guesses: int) -> Said:
    fit = format_decimal(candidates, 1).removesuffix(".0")
    return Said(
        "None does: on average {fit} customers fit each of the {guesses} surest guesses of the strongest attack, and "
        "hiding any one column would not make them more.",
        fit=fit,
        guesses=guesses,
    )


def _summary(each: ClaimExplanation, end: Said) -> Said:
    return Said(
        "Pseudonym {pseudonym} is customer {customer}: {end}", pseudonym=each.pseudonym, customer=each.customer, end=end
    )


def _parts(each: ClaimExplanation) -> tuple[Block, ...]:
    bars = [Bar(name=Said("as published"), value=each.candidates, note=format_count(each.candidates))]
    bars += [Bar(name=_without(name), value=left, note=format_count(left)) for name, left in each.without.items()]
    figure = Bars(
        title=Said("Customers who fit pseudonym {pseudonym}", pseudonym=each.pseudonym),
        desc=_describe_fit(each),
        axis=Said("customers who would fit"),
        bars=tuple(bars),
    )
    return (Figure(picture=figure, caption=figure.desc), *((_rows(each),) if each.rows else ()))


def _describe_fit(each: ClaimExplanation) -> Said:
    telling = max(each.without, key=lambda name: each.without[name], default="")
    most = each.without.get(telling, each.candidates)
    if most == each.candidates:
        return Said(
            "{candidates:,} as published, and hiding any one column would not make it more.", candidates=each.candidates
        )
    column = translate_name(telling)
    return Said(
        "{candidates:,} as published; most, {most:,}, without {column}.",
        candidates=each.candidates,
        most=most,
        column=column,
    )


def _without(name: str) -> Said:
    column = translate_name(name)
    return Said("without {column}", column=column)


def _rows(each: ClaimExplanation) -> TableBlock:
    columns = tuple(each.rows[0].cells)
    head: tuple[Words, ...] = (
        Said("published row"),
        *map(translate_name, columns),
        Said("customers it leaves"),
    )
    rows = tuple(
        (format_count(row.row + 1), *(_shorten_cell(row.cells[name]) for name in columns), format_count(row.customers))
        for row in each.rows
    )
    return TableBlock(head=head, rows=rows, caption=Said("The most telling rows"), numeric=(len(head) - 1,))


def _shorten_cell(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}…"

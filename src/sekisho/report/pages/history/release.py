"""The release report of a purchase history: may it leave, and why.

It is made of plain findings; it protects, attacks and judges nothing itself.

What gave customers away: the columns without which more customers would fit, and the most revealing rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.explain import ClaimExplanation
from sekisho.data.frame.dataset import Dataset
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.gate.history.stage import HistoryCandidate
from sekisho.gate.names import translate_name
from sekisho.provenance import Provenance
from sekisho.report.figures.bars import Bar, Bars
from sekisho.report.figures.columns import Class, Columns
from sekisho.report.kit.blocks import Beside, Block, Facts, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition, withhold_secrets
from sekisho.report.kit.words import Words, format_count, format_decimal, format_out_of
from sekisho.report.pages.before_after import column_card, fates_table
from sekisho.report.pages.history.attacks import attack_blocks, statement_blocks, verdict_banner
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms
from sekisho.utility.score import Score
from sekisho.words import Said, bilingual

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
            "How many customers would fit on average if a column were hidden, over the {guesses} surest "
            "{guesses:guess|guesses} of the strongest attack: a long bar means a telling column.",
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


SIZE_CLASSES = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, None))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryCase:
    """Everything that the report of a history tells.

    Attributes:
        rules: the contest's, or one's own.
        original: the history.
        candidate: what became of it, with the gate's verdict.
        bound: which bound decides.
        origin: what made it all.
        edition: who may read it.
    """

    rules: HistoryTerms
    original: Dataset
    candidate: HistoryCandidate
    bound: Bound
    origin: tuple[Provenance, ...] = ()
    edition: Edition = Edition.CONFIDENTIAL

    def __post_init__(self) -> None:
        if len(self.original) != len(self.candidate.release.deleted):
            raise ParameterError("release", Said("have the original's rows"), len(self.candidate.release.deleted))

    @property
    def people(self) -> int:
        """How many people the original tells of."""
        return len(self.original.domain(self.rules.layout.holder.name))


def history_title(title: Title) -> Said:
    """Return the report's title."""
    return Said("Release report: {title}", title=bilingual(title.en, title.ja))


def history_blocks(case: HistoryCase) -> tuple[Block, ...]:
    """Return the report's blocks, the verdict first; the public edition without single claims and distributions."""
    public, names = case.edition is Edition.PUBLIC, [column.name for column in case.original.schema.attributes]
    return (
        verdict_banner(case.candidate, case.bound),
        *reason_blocks(case.candidate.reasons, edition=case.edition),
        *statement_blocks(case.candidate, str(case.rules.verdict.p)),
        _facts(case),
        *attack_blocks(case.candidate.attempts, case.rules, case.people),
        *error_blocks(case.candidate.score),
        *(fates_table(case.candidate.release, names) if public else _before_after(case)),
        *sharing_blocks(case.candidate.sharing),
        *telling_blocks(case.candidate.explanations),
        *(() if public else explanation_blocks(case.candidate.explanations, case.candidate.right)),
        *_origin(case),
    )


def _facts(case: HistoryCase) -> Facts:
    rows, gone = len(case.original), int(case.candidate.release.deleted.sum())
    pairs: list[tuple[Words, Words]] = [
        (Said("customers"), format_count(case.people)),
        (Said("rows of the original"), format_count(rows)),
        (Said("rows published"), format_out_of(rows - gone, rows)),
        (Said("method"), translate_name(case.candidate.label)),
        (
            Said("error U (0 = unchanged; less is better)"),
            format_decimal(case.candidate.score.value, 4),
        ),
    ]
    if len(case.candidate.sharing):
        pairs.append(
            (
                Said("fewest customers with one history"),
                format_count(int(case.candidate.sharing.min())),
            )
        )
    return Facts(pairs=tuple(pairs))


def error_blocks(score: Score) -> tuple[Block, ...]:
    """Return how far the released cells of each column are from the truth."""
    utility, columns = score.value, score.detail
    bars = [
        Bar(name=translate_name(name), value=error, note=format_decimal(error, 4)) for name, error in columns.items()
    ]
    mean = Bar(
        name=Said("all columns (U)"),
        value=utility,
        note=format_decimal(utility, 4),
    )
    worst = max(columns, key=lambda name: columns[name])
    named = translate_name(worst)
    figure = Bars(
        title=Said("What the protection costs"),
        desc=Said(
            "U is {utility:.4f}; the column that suffers most is {named} ({error:.4f}).",
            utility=utility,
            named=named,
            error=columns[worst],
        ),
        axis=Said("mean error of a cell: 0 as it was, 1 gone"),
        bars=(*bars, mean),
        high=max(1.0, *columns.values()),
    )
    words = Said(
        "How far the released cells are from the truth, on average. A suppressed cell and each cell of a deleted row "
        "count 1."
    )
    return (
        Heading(text=Said("What is still good about it")),
        Paragraph(text=words),
        Figure(picture=figure),
    )


def _before_after(case: HistoryCase) -> tuple[Block, ...]:
    cards = [
        column_card(case.original, case.candidate.release, column.name) for column in case.original.schema.attributes
    ]
    words = Said(
        "Filled: the original. Line: what a reader of the release would expect, a range or a set counted evenly over "
        "what it may be. The bar below tells what became of the cells."
    )
    return (
        Heading(text=Said("Before and after")),
        Paragraph(text=words),
        Beside(blocks=tuple(Figure(picture=card, caption=card.title) for card in cards)),
    )


def sharing_blocks(sharing: NDArray[np.int64]) -> tuple[Block, ...]:
    """Return how many customers share one published history.

    Args:
        sharing: of each published customer how many publish the very same rows.
    """
    if not len(sharing):
        return ()
    classes: list[Class] = []
    for low, high in SIZE_CLASSES:
        inside = int(((sharing >= low) & ((sharing <= high) if high is not None else True)).sum())
        name = f"{low}+" if high is None else str(low) if low == high else f"{low}–{high}"
        classes.append(
            Class(name=name, value=inside, note=format_count(inside), tone=Tone.BAD if high == 1 else Tone.PLAIN)
        )
    alone, whole = int(classes[0].value), len(sharing)
    figure = Columns(
        title=Said("Customers who share one published history"),
        desc=Said(
            "{alone:,} of {whole:,} published {whole:customer|customers} {alone:has|have} a history of their own.",
            alone=alone,
            whole=whole,
        ),
        x=Said("customers with the very same published rows"),
        y=Said("customers"),
        classes=tuple(classes),
    )
    words = Said(
        "Customers whose published rows are all the same cannot be told apart by anybody. Who stands alone can be "
        "found by one who knows his purchases."
    )
    return (
        Heading(text=Said("Who can hide among whom")),
        Paragraph(text=words),
        Figure(picture=figure, caption=figure.desc),
    )


def _origin(case: HistoryCase) -> tuple[Block, ...]:
    if not case.origin:
        return ()
    steps = withhold_secrets(case.origin) if case.edition is Edition.PUBLIC else case.origin
    summary = Said("What made this report, to run it again")
    return (Heading(text=Said("Provenance")), Fold(summary=summary, blocks=(Origin(steps=steps),)))

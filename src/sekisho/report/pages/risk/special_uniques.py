"""Special uniques on a page: which columns single people out, with how few of them, and who stands out most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sekisho.report.figures.gallery import Bar, Bars, Class, Columns
from sekisho.report.kit.blocks import Block, Facts, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count, format_percent
from sekisho.safety.records.record_risk import RecordRisk, SpecialFigures
from sekisho.safety.records.uniques.suda_scores import StandOut
from sekisho.words import Said, join_words

SHOWN_SETS = 3
"""So many sets of each size are shown, those with the most uniques; of sizes above this, one."""


def special_blocks(risk: RecordRisk, special: SpecialFigures) -> list[Block]:
    """Return what a page tells of special uniques."""
    if not special.alone:
        return []
    return [
        Heading(text=Said("Which columns single people out")),
        *(
            Figure(picture=picture, caption=picture.title)
            for picture in (
                draw_sets(risk, special),
                draw_contributions(risk, special),
                draw_minimal_sizes(special),
            )
        ),
        Facts(pairs=_list_facts(risk, special)),
        Heading(text=Said("Who stands out, and why")),
        Paragraph(
            text=Said(
                "The rows with the highest SUDA scores, and a smallest set of columns that nobody else shares with "
                "them. Scores order records; they are no chances."
            )
        ),
        _make_table(risk.stand_outs),
    ]


def choose_sets(special: SpecialFigures) -> list[tuple[tuple[int, ...], int]]:
    """Return of each size the sets with the most uniques, the smallest sets first."""
    pairs = list(zip(special.sets, special.uniques, strict=True))
    chosen: list[tuple[tuple[int, ...], int]] = []
    for size in range(1, special.largest + 1):
        of_size = [pair for pair in pairs if len(pair[0]) == size]
        chosen += sorted(of_size, key=lambda pair: (-pair[1], pair[0]))[: SHOWN_SETS if size <= SHOWN_SETS else 1]
    return chosen


def draw_sets(risk: RecordRisk, special: SpecialFigures) -> Bars:
    """Return the picture of how many are unique on which sets of columns."""
    bars = tuple(
        Bar(
            name=", ".join(risk.keys[key] for key in chosen),
            value=float(count),
            note=f"{count:,} ({format_percent(count / risk.rows)})",
            tone=Tone.BAD if count else Tone.PLAIN,
        )
        for chosen, count in choose_sets(special)
    )
    return Bars(
        title=Said("Records that a set of columns singles out"),
        desc=Said(
            "The sets that single out the most records: {sets} of each size up to {sets} "
            "{sets:column|columns}, one of each size up to {largest}.",
            sets=SHOWN_SETS,
            largest=special.largest,
        ),
        bars=bars,
        axis=Said("records that are unique on these columns"),
        high=float(risk.rows),
    )


def draw_contributions(risk: RecordRisk, special: SpecialFigures) -> Bars:
    """Return the picture of what each key contributes to the scores."""
    shares = special.compute_contributions()
    order = np.argsort(-shares, kind="stable").tolist()
    return Bars(
        title=Said("What each column contributes"),
        desc=Said(
            "{column} contributes most: {share} of the scores come from sets with it.",
            column=risk.keys[order[0]],
            share=format_percent(float(shares[order[0]])),
        ),
        bars=tuple(
            Bar(name=risk.keys[key], value=float(shares[key]), note=format_percent(float(shares[key]))) for key in order
        ),
        axis=Said("share of the SUDA scores from sets with the column"),
        high=1.0,
    )


def draw_minimal_sizes(special: SpecialFigures) -> Columns:
    """Return the picture of how many columns a minimal sample unique has."""
    counts = special.count_minimal()
    return Columns(
        title=Said("Minimal sample uniques by their number of columns"),
        desc=Said(
            "{sets:,} {sets:set of columns singles|sets of columns single} out a record and "
            "{sets:has|have} no part that does; the fewer columns, the more special.",
            sets=sum(counts),
        ),
        x=Said("columns"),
        y=Said("minimal sample uniques"),
        classes=tuple(
            Class(name=str(size), value=float(count), note=f"{count:,}", tone=Tone.WARN if size <= 2 else Tone.PLAIN)
            for size, count in enumerate(counts, 1)
        ),
    )


def _list_facts(risk: RecordRisk, special: SpecialFigures) -> tuple[tuple[Words, Words], ...]:
    fraction = f"{risk.fraction:.4g}"
    assumed = Said("{fraction}, assumed", fraction=fraction) if risk.people is None else fraction
    return (
        (Said("sets|minimal sample uniques"), format_count(sum(special.count_minimal()))),
        (Said("largest set looked at"), format_count(special.largest)),
        (Said("sampling fraction for DIS"), assumed),
        (
            Said("DIS: a match with a unique is right with"),
            f"{special.compute_dis(risk.fraction):.3g}",
        ),
        (
            Said("highest DIS-SUDA score"),
            f"{special.find_highest_dis_score(risk.fraction):.3g}",
        ),
    )


def _make_table(stand_outs: Sequence[StandOut]) -> TableBlock:
    return TableBlock(
        head=(
            Said("row"),
            Said("score"),
            Said("minimal sets"),
            Said("alone with"),
        ),
        rows=tuple(
            (f"{each.row + 1:,}", f"{each.score:,.6g}", f"{each.minimal:,}", _join_values(each)) for each in stand_outs
        ),
        numeric=(0, 1, 2),
    )


def _join_values(each: StandOut) -> Words:
    pairs = zip(each.columns, each.values, strict=True)
    parts = [join_words((name, " = ", Said("(missing)") if value is None else value)) for name, value in pairs]
    return join_words(parts, ", ", ", ")

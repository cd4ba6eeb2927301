"""The page that compares several releases beyond memory: classes, and every column's distribution."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.records.comparison import ORIGINAL
from sekisho.gate.records.large_comparison import CountedRelease
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Block, Figure, Fold, Heading, Origin, Paragraph
from sekisho.report.pages.risk.comparison import large_comparison_table, show_name, show_reviews
from sekisho.report.pages.risk.large_protection import LEFT_OUT, show_columns
from sekisho.words import Said


def large_comparison_blocks(compared: Sequence[CountedRelease], origin: Provenance) -> tuple[Block, ...]:
    """Return the page."""
    return (
        Paragraph(text=_introduce(compared)),
        *show_reviews(compared),
        Figure(picture=chance_scatter(compared), caption=_explain_chances()),
        large_comparison_table(compared),
        Paragraph(text=LEFT_OUT),
        Heading(text=Said("Before and after, column by column")),
        *(
            Fold(summary=show_name(one), blocks=(show_columns(one.columns),))
            for one in compared
            if one.name != ORIGINAL
        ),
        Heading(text=Said("What made this")),
        Origin(steps=(origin,)),
    )


def chance_scatter(compared: Sequence[CountedRelease]) -> Scatter:
    """Return the releases by how far their columns moved and by the average chance within a class."""
    return Scatter(
        title=Said("Chance of being found against loss"),
        desc=Said(
            "The original and {releases} releases by their columns' distributions and the average chance.",
            releases=len(compared) - 1,
        ),
        x=Axis(label=Said("columns (total variation)"), low=0.0),
        y=Axis(label=Said("average chance within one's class"), low=0.0),
        points=tuple(
            Mark(
                name=show_name(one),
                x=one.scores["marginals"].value,
                y=one.classes.reidentification.prosecutor.average,
            )
            for one in compared
        ),
        front=True,
    )


def _introduce(compared: Sequence[CountedRelease]) -> Said:
    return Said(
        "{releases} {releases:release|releases} of {rows:,} records beside the original: how small the classes of "
        "equal keys are, and how far the distributions of the columns moved.",
        releases=len(compared) - 1,
        rows=compared[0].classes.rows,
    )


def _explain_chances() -> Said:
    return Said(
        "Left is useful, low is safe. The chance is that of somebody who knows the keys as they are written and picks "
        "one of the records of the class; it is counted, no attack was tried."
    )

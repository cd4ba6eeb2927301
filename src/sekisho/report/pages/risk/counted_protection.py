"""The page about one release of records beyond memory: what is proven, the risk and every column before and after.

It is the page of a release in memory without what needs a record beside its release: attacks, losses cell by cell.

The page that compares several releases beyond memory: classes, and every column's distribution.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.ending import Ending
from sekisho.gate.names import translate_name
from sekisho.gate.records.comparison import ORIGINAL
from sekisho.gate.records.counted_comparison import MOST_TEXTS, CountedColumn, CountedRelease
from sekisho.gate.records.engine.release_figures import CountedFigures
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import (
    Banner,
    Beside,
    Block,
    Bullets,
    Facts,
    Figure,
    Fold,
    Heading,
    Origin,
    Paragraph,
    TableBlock,
    Tone,
)
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.words import Words, format_decimal, format_out_of
from sekisho.report.pages.before_after import counted_card
from sekisho.report.pages.risk.comparison import large_comparison_table, name_measure, show_name, show_reviews
from sekisho.report.pages.risk.promises import promise_blocks, say_disclosed, say_safety, say_usefulness
from sekisho.report.pages.risk.protection import (
    CONFIDENTIAL,
    PROTECTION_TITLE,
    draw_both_sizes,
    explain_sizes,
    risk_table,
)
from sekisho.report.pages.risk.record_risk import describe_remark
from sekisho.report.pages.verdicts.ending import put_ending_first
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.words import Language, Said, join_words

LEFT_OUT = Said(
    "Attacks, and what was lost cell by cell, are not on this page: the work was done beyond memory, and both need "
    "every record beside its release."
)
LIMITS: tuple[Words, ...] = (
    Said("Only the keys that were named count: whoever knows further columns may find more people."),
    Said("No attack was tried. A part of the file that is protected in memory shows what attackers find in that part."),
    CONFIDENTIAL,
)


def render_counted_page(
    figures: CountedFigures, origin: Provenance, *, ending: Ending | None = None, language: Language = Language.EN
) -> str:
    """Return the page, both languages in one HTML file; no identifier and no row of the original is on it."""
    blocks = put_ending_first(ending, counted_blocks(figures, origin))
    return render_page(PROTECTION_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)


def counted_blocks(figures: CountedFigures, origin: Provenance) -> list[Block]:
    """Return the page."""
    remarks = tuple(describe_remark(remark) for remark in figures.before.remarks)
    return [
        _state_verdict(figures),
        *review_blocks(figures.review),
        *([Bullets(items=remarks)] if remarks else []),
        Facts(pairs=_list_facts(figures, origin.name)),
        *promise_blocks(figures.recounts, 0, figures.review.derived),
        Heading(text=Said("Risk before and after")),
        risk_table(figures.before, figures.after),
        Figure(picture=draw_both_sizes(figures.before, figures.after), caption=explain_sizes()),
        Heading(text=Said("Use before and after")),
        Paragraph(text=LEFT_OUT),
        *list_measures(figures),
        Fold(
            summary=Said("Every column before and after"),
            blocks=(*say_left_out(figures.left_out), show_columns(figures.columns)),
        ),
        Heading(text=Said("What this does not say")),
        Bullets(items=LIMITS),
        Heading(text=Said("What made this")),
        Origin(steps=(origin,)),
    ]


def show_columns(columns: Sequence[CountedColumn]) -> Beside:
    """Return a card for each column, before and after."""
    return Beside(
        blocks=tuple(
            Figure(picture=counted_card(each.data, each.name, each.cells, (each.before, each.after)))
            for each in columns
        )
    )


def _state_verdict(figures: CountedFigures) -> Banner:
    """Return the verdict: green only if something is proven, nothing is told by itself, nobody must look at it."""
    good = not figures.review.needed and figures.hides_everybody and not figures.disclosed
    untried = Said(" No attack was tried: that is left out beyond memory.")
    words = join_words(
        (say_safety(figures.recounts, 0), untried, *_say_use(figures), *say_disclosed(figures.disclosed))
    )
    return Banner(text=words, tone=Tone.GOOD if good else Tone.WARN)


def _say_use(figures: CountedFigures) -> tuple[Said, ...]:
    ncp = figures.detail.get("ncp")
    if isinstance(ncp, float):
        return (say_usefulness(ncp, useful=figures.review.useful),)
    if not figures.scores:
        return ()
    moved = figures.scores["marginals"].value
    return (Said(" The distributions of the columns moved by {moved:.3f} on average, of at most 1.", moved=moved),)


def _list_facts(figures: CountedFigures, method: str) -> tuple[tuple[Words, Words], ...]:
    pairs: list[tuple[Words, Words]] = [
        (Said("way|method"), translate_name(method)),
        (Said("records released"), format_out_of(figures.after.rows, figures.before.rows)),
        (Said("keys"), ", ".join(figures.keys)),
    ]
    if figures.sensitive:
        pairs.append((Said("column|sensitive"), ", ".join(figures.sensitive)))
    return tuple(pairs)


def list_measures(figures: CountedFigures) -> tuple[TableBlock, ...]:
    """Return what was lost, as far as it is at hand: NCP where the method tells it, and the columns' distributions."""
    rows: list[tuple[Words, Words]] = []
    ncp = figures.detail.get("ncp")
    if isinstance(ncp, float):
        rows.append((name_measure("ncp"), format_decimal(ncp, 4)))
    rows += [(name_measure(name), format_decimal(score.value, 4)) for name, score in figures.scores.items()]
    if not rows:
        return ()
    caption = Said("What was lost: 0 is nothing")
    head = (Said("scale|measure"), Said("released"))
    return (TableBlock(head=head, rows=tuple(rows), caption=caption, numeric=(1,)),)


def say_left_out(names: Sequence[str]) -> tuple[Paragraph, ...]:
    """Return which columns have too many values for a picture; nothing where none has."""
    if not names:
        return ()
    listed = ", ".join(names)
    return (
        Paragraph(
            text=Said(
                "Without a picture, for they have more than {MOST_TEXTS:,} different values: {listed}.",
                MOST_TEXTS=MOST_TEXTS,
                listed=listed,
            )
        ),
    )


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
            "The original and {releases} {releases:release|releases} by their columns' distributions and "
            "the average chance.",
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
        "{releases} {releases:release|releases} of {rows:,} {rows:record|records} beside the original: "
        "how small the classes of equal keys are, and how far the distributions of the columns moved.",
        releases=len(compared) - 1,
        rows=compared[0].classes.rows,
    )


def _explain_chances() -> Said:
    return Said(
        "Left is useful, low is safe. The chance is that of somebody who knows the keys as they are written and picks "
        "one of the records of the class; it is counted, no attack was tried."
    )

"""What was tried: how the candidate on the page was chosen, and which ways to protect gave nothing, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sekisho.data.shape import Shape
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Candidate, Outcome, Verdict
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.lines import Mark, Scatter
from sekisho.report.kit.blocks import Block, Figure, Heading, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_decimal
from sekisho.report.pages.verdicts.ending import TONES
from sekisho.utility.kept import KeptFigure, average_loss, show_figure
from sekisho.words import Said, join_words

CHOSEN = Said(" – chosen")
SHOWN = Said(" – shown on this page")
ALONE = Said("One way to protect the data was tried.")
ALONE_TABLE = Said("One pattern was tried.")
BEST = Said(
    "Every way to protect the data that was tried. The one with the best verdict, and among those the least loss, was "
    "chosen."
)
BEST_KEPT = Said(
    "Every way to protect the data that was tried. The one with the best verdict was chosen, and among those the one "
    "that keeps best what must be kept; the usual loss decides between equals."
)
KEPT = Said(
    "What the recipe says must be kept: of a column its distribution, of two columns their association, and sums. "
    "A loss of 0 means that nothing changed. It ranks the releases that may leave; what is safe is decided without it."
)
KEPT_FIGURE = Said("A mean, a share of the most frequent value, an association or a total, as a reader would find it.")
UNTOLD = "–"
ALL_REFUSED = Said(
    "Every way to protect the data that was tried, and all of them are refused. This page shows the least harmful: the "
    "fewest reasons to refuse it, then the weakest strongest attack, and only then the least loss."
)


def name_candidate(outcome: Outcome[Any], each: Candidate[Any]) -> Words:
    """Return a candidate's name, with a mark on the one that the page tells of; what is refused is not chosen."""
    mark = "" if each is not outcome.best else SHOWN if outcome.verdict is Verdict.REFUSE else CHOSEN
    return join_words((translate_name(each.label), mark))


def tell_choice(outcome: Outcome[Any]) -> Said:
    """Return how the candidate that the page tells of was chosen."""
    if len(outcome.candidates) == 1:
        return ALONE_TABLE if outcome.shape is Shape.TABLE else ALONE
    if outcome.verdict is Verdict.REFUSE:
        return ALL_REFUSED
    return BEST_KEPT if outcome.best.kept else BEST


def tried_blocks(
    outcome: Outcome[Any], table: Sequence[tuple[Words, ...]], picture: Scatter, edition: Edition
) -> tuple[Block, ...]:
    """Return the candidates beside one another.

    Args:
        outcome: with all of them.
        table: a line for each, the head first, the method first and the verdict last.
        picture: of them, which is shown where there are several.
        edition: of the page.
    """
    head, *rows = add_kept(table, outcome)
    return (
        Heading(text=Said("ways|What was tried")),
        Paragraph(text=tell_choice(outcome)),
        TableBlock(head=head, rows=tuple(rows), numeric=tuple(range(1, len(head) - 1))),
        *((Figure(picture=picture),) if len(outcome.candidates) > 1 else ()),
        *impossible_blocks(outcome.impossible, edition=edition),
    )


def draw_tried(outcome: Outcome[Any], risks: Sequence[float], *, x: Axis, y: Axis) -> Scatter:
    """Return the candidates by their loss and their risks, each in the tone of its verdict."""
    return Scatter(
        title=Said("Utility and safety of what was tried"),
        desc=Said(
            "{candidates} {candidates:candidate|candidates}; to the left is more useful, further down is safer.",
            candidates=len(risks),
        ),
        x=x,
        y=y,
        points=tuple(
            Mark(name=translate_name(each.label), x=each.score.value, y=risk, tone=TONES[each.verdict])
            for each, risk in zip(outcome.candidates, risks, strict=True)
        ),
        front=True,
    )


def add_kept(rows: Sequence[tuple[Words, ...]], outcome: Outcome[Any]) -> tuple[tuple[Words, ...], ...]:
    """Return a table of candidates, its head first, with the loss of what must be kept after theirs, if anything."""
    if not any(each.kept for each in outcome.candidates):
        return tuple(rows)
    losses = [Said("loss of what must be kept")]
    losses += [format_decimal(average_loss(each.kept), 4) for each in outcome.candidates]
    return tuple((*row[:2], loss, *row[2:]) for row, loss in zip(rows, losses, strict=True))


def kept_blocks(figures: Sequence[KeptFigure], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return what became of what must be kept; the public edition without figures of the original."""
    if not figures:
        return ()
    own = edition is Edition.CONFIDENTIAL
    rows = tuple(
        (
            one.kept.words,
            *((show_figure(one.before), show_figure(one.after)) if own else ()),
            format_decimal(one.loss, 4),
            UNTOLD if one.kept.within is None else f"{one.kept.within:g}",
            UNTOLD if one.kept.within is None else Said("limit|kept") if one.holds else Said("limit|not kept"),
        )
        for one in figures
    )
    both = (Said("original"), Said("release")) if own else ()
    head = (Said("what must be kept"), *both, Said("loss"), Said("at most"), Said("the release has it"))
    table = TableBlock(head=head, rows=rows, numeric=tuple(range(1, len(head) - 1)))
    told = (Paragraph(text=KEPT_FIGURE),) if own else ()
    return (Heading(text=Said("What must be kept")), Paragraph(text=KEPT), table, *told)


def impossible_blocks(impossible: Mapping[str, str], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return the ways to protect that gave nothing; the public edition without the reasons, which tell of the data."""
    if not impossible:
        return ()
    own = edition is Edition.CONFIDENTIAL
    rows = tuple((translate_name(label), *((reason,) if own else ())) for label, reason in impossible.items())
    head = (Said("method"), *((Said("why"),) if own else ()))
    return (TableBlock(head=head, rows=rows, caption=Said("What could not be made")),)

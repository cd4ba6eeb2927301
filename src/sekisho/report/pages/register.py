"""What has already left, on a page: each release, and the least class alone and together as the releases add up."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.register.entries import Binding, RegisterEntry, Together
from sekisho.report.figures.gallery import Axis, LineChart, Series
from sekisho.report.kit.blocks import Block, Figure, Heading, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said

TITLE = Said("What has already left")
MEANT = Said(
    "Whoever keeps each release reads them together. A person's candidates are the rows that could be his: alone in "
    "one release, and together in all that he is in. The number says what is possible; it is no chance of being found."
)


def register_blocks(entries: Sequence[RegisterEntry], new: Together | None = None) -> tuple[Block, ...]:
    """Return what a page tells of a register.

    Args:
        entries: what has left.
        new: of a release that is about to leave, what it gives away together with those; None if there is none.
    """
    standings = [(str(entry.number), entry.together) for entry in entries]
    if new is not None:
        standings.append((str(len(entries) + 1), new))
    points = [(name, each) for name, each in standings if each.least_joint is not None]
    rows = tuple(_row(entry) for entry in entries)
    head = (
        Said("register|number"),
        Said("register|made"),
        Said("method"),
        Said("people"),
        Said("register|least class alone"),
        Said("register|together"),
        Said("values settled together"),
    )
    blocks: list[Block] = [Heading(text=TITLE), Paragraph(text=MEANT)]
    if len(points) > 1:
        blocks.append(Figure(picture=_draw(points)))
    if rows:
        blocks.append(TableBlock(head=head, rows=rows, numeric=(0, 3, 4, 5, 6)))
    else:
        blocks.append(Paragraph(text=Said("nothing has left yet")))
    return tuple(blocks)


def render_register_page(entries: Sequence[RegisterEntry], *, language: Language) -> str:
    """Return the page of a register; nothing on it names anybody, but it stays until somebody says otherwise."""
    return render_page(TITLE, register_blocks(entries)[1:], language=language, edition=Edition.CONFIDENTIAL)


def _row(entry: RegisterEntry) -> tuple[Words, ...]:
    together = entry.together
    people = Said("people|assumed") if entry.people.binding is Binding.ASSUMED else _tell(entry.people.count)
    return (
        str(entry.number),
        entry.made[:10],
        entry.method or Said("made elsewhere"),
        people,
        _tell(together.least_alone),
        _tell(together.least_joint),
        f"{together.disclosed_joint:,}",
    )


def _tell(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def _draw(points: Sequence[tuple[str, Together]]) -> LineChart:
    at = tuple(float(place) for place in range(1, len(points) + 1))
    alone = tuple(float(each.least_alone or 0) for _, each in points)
    joint = tuple(float(each.least_joint or 0) for _, each in points)
    return LineChart(
        title=Said("The least class over time"),
        desc=Said("For each release the least number of candidates alone, and together with all that left before."),
        x=Axis(label=Said("release"), low=0.5, high=len(points) + 0.5, ticks=_thin(at, points)),
        y=Axis(label=Said("least number of candidates"), low=0.0),
        series=(
            Series(name=Said("register|alone"), x=at, y=alone, dots=True),
            Series(name=Said("register|together with what left before"), x=at, y=joint, dots=True),
        ),
    )


def _thin(at: Sequence[float], points: Sequence[tuple[str, Together]]) -> tuple[tuple[float, Words], ...]:
    every = -(-len(points) // 12)
    return tuple((at[place], points[place][0]) for place in range(0, len(points), every))

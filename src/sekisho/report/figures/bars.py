"""Horizontal bars with their numbers, and intervals with a baseline beside each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sekisho.report.figures.axes import Axis, Scale, axis_below
from sekisho.report.figures.canvas import (
    SIZE,
    SMALL,
    WIDTH,
    Key,
    draw_svg,
    element,
    fold_text,
    label,
    legend,
    measure_text,
    shorten_text,
)
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said, translate

BASELINE = Said("baseline")
ROW = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its name, its length, the number as people read it; ``baseline`` is marked on it."""

    name: Words
    value: float
    note: Words
    tone: Tone = Tone.PLAIN
    baseline: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Horizontal bars from 0, in the order given."""

    title: Words
    desc: Words
    bars: tuple[Bar, ...]
    axis: Words = ""
    high: float | None = None

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return len(self.bars) > 1 and any(bar.value for bar in self.bars)

    def draw(self, language: Language) -> str:
        """Return the chart as SVG."""
        with_baseline = any(bar.baseline is not None for bar in self.bars)
        keys = [Key(name=BASELINE, kind="base")] if with_baseline else []
        parts, top = legend(keys, language, 2)
        names = side_names([bar.name for bar in self.bars], language)
        notes = max((measure_text(translate(bar.note, language), SMALL) for bar in self.bars), default=0.0)
        high = self.high or max((bar.value for bar in self.bars), default=1.0) or 1.0
        scale = Scale(low=0.0, high=high, start=names.room, end=WIDTH - notes - 14)
        y = top + 8
        for bar, lines in zip(self.bars, names.lines, strict=True):
            middle = y + names.row / 2
            parts += side_label(lines, middle)
            parts.append(
                element(
                    "rect",
                    class_=f"area {bar.tone}",
                    x=scale.start,
                    y=middle - 9,
                    width=max(1.0, scale.at(bar.value) - scale.start),
                    height=18.0,
                    rx=2.0,
                )
            )
            if bar.baseline is not None:
                parts.append(_tick(scale.at(bar.baseline), middle))
            parts.append(
                label(
                    scale.at(max(bar.value, bar.baseline or 0)) + 6, middle, translate(bar.note, language), size=SMALL
                )
            )
            y += names.row
        parts.append(element("line", class_="axis", x1=scale.start, y1=top + 6, x2=scale.start, y2=y + 2))
        axis = translate(self.axis, language)
        if axis:
            parts.append(
                label(scale.start, y + 14, shorten_text(axis, WIDTH - scale.start, SMALL), kind="muted", size=SMALL)
            )
        return draw_svg(self, language, y + (26 if axis else 8), parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate with its interval, and the baseline it must be read beside."""

    name: Words
    low: float
    middle: float
    high: float
    note: Words = ""
    tone: Tone = Tone.PLAIN
    baseline: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalPlot:
    """Estimates with intervals, one below the other, over one axis."""

    title: Words
    desc: Words
    rows: tuple[Interval, ...]
    axis: Axis

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return len(self.rows) > 1

    def draw(self, language: Language) -> str:
        """Return the chart as SVG."""
        with_baseline = any(row.baseline is not None for row in self.rows)
        keys = [Key(name=BASELINE, kind="base")] if with_baseline else []
        parts, top = legend(keys, language, 2)
        names = side_names([row.name for row in self.rows], language)
        notes = max((measure_text(translate(row.note, language), SMALL) for row in self.rows), default=0.0)
        values = [
            v for row in self.rows for v in (row.low, row.high, row.middle if row.baseline is None else row.baseline)
        ]
        scale = self.axis.scale(values, names.room + 6, WIDTH - notes - 16)
        bottom = top + 8 + names.row * len(self.rows)
        parts += axis_below(self.axis, scale, (top + 6, bottom), language)
        for place, (row, lines) in enumerate(zip(self.rows, names.lines, strict=True)):
            middle = top + 8 + names.row * (place + 0.5)
            parts += side_label(lines, middle)
            parts += _interval(row, scale, middle)
            parts.append(label(WIDTH - 4, middle, translate(row.note, language), anchor="end", size=SMALL))
        return draw_svg(self, language, bottom + 40, parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideNames:
    """Names folded into a column at the left: the column's width, a row's height, each name's lines."""

    room: float
    row: float
    lines: tuple[list[str], ...]


def side_names(names: Sequence[Words], language: Language) -> SideNames:
    """Return names folded so that they take at most two fifths of the width."""
    room = min(0.4 * WIDTH, max((measure_text(translate(name, language)) for name in names), default=0.0))
    lines = tuple(
        [shorten_text(line, room + 1) for line in fold_text(translate(name, language), room + 0.5)] for name in names
    )
    most = max(map(len, lines), default=1)
    return SideNames(room=room + 10, row=max(ROW, most * (SIZE + 3) + 10), lines=lines)


def side_label(lines: Sequence[str], middle: float) -> list[str]:
    """Return a folded name, centred on its row."""
    first = middle - (len(lines) - 1) * (SIZE + 3) / 2
    return [label(2, first + place * (SIZE + 3), line) for place, line in enumerate(lines)]


def _tick(x: float, middle: float) -> str:
    return element("line", class_="line base", x1=x, y1=middle - 12, x2=x, y2=middle + 12)


def _interval(row: Interval, scale: Scale, y: float) -> list[str]:
    low, high = scale.at(row.low), scale.at(row.high)
    path = f"M{low:.2f} {y - 5:.2f}v10M{low:.2f} {y:.2f}H{high:.2f}M{high:.2f} {y - 5:.2f}v10"
    parts = [_tick(scale.at(row.baseline), y)] if row.baseline is not None else []
    return [
        *parts,
        element("path", class_=f"line {row.tone}", d=path),
        element("circle", class_=f"dot {row.tone}", cx=scale.at(row.middle), cy=y, r=5.0),
    ]

"""Axes: scales, ticks that people count in, and the frame that lines, dots and columns stand in.

A heat map with its numbers: attacks on releases, correlations between measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from sekisho.errors import ParameterError
from sekisho.report.figures.canvas import SMALL, WIDTH, Box, draw_svg, element, label, measure_text, shorten_text
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said, translate


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What an axis shows.

    Attributes:
        label: what is measured, with its unit.
        low: where it starts; None lets the data say.
        high: where it ends; None lets the data say.
        log: whether it counts in powers of ten (values must be above 0).
        ticks: values with their words, for dates and names; empty for numbers.
    """

    label: Words
    low: float | None = None
    high: float | None = None
    log: bool = False
    ticks: tuple[tuple[float, Words], ...] = ()

    def scale(self, values: Iterable[float], start: float, end: float) -> Scale:
        """Return the scale that shows all the values between two places of the drawing."""
        held = [value for value in values if not self.log or value > 0]
        low = self.low if self.low is not None else min(held, default=0.0)
        high = self.high if self.high is not None else max(held, default=1.0)
        if self.log and low <= 0:
            raise ParameterError("low", Said("be above 0 on a logarithmic axis"), low)
        if not low < high:
            low, high = (low / 2, low * 2) if self.log else (low - 0.5, low + 0.5)
        if not self.log:
            step = nice_step(high - low, 5)
            low = low if self.low is not None else floor(low / step) * step
            high = high if self.high is not None else ceil(high / step - 1e-9) * step
        return Scale(low=low, high=high, start=start, end=end, log=self.log)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """From values to places."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value; a value outside stands on the edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return at most about so many round values between low and high."""
        if self.log:
            return self._powers(most)
        step = nice_step(self.high - self.low, most)
        first = ceil(self.low / step - 1e-9)
        return [place * step for place in range(first, floor(self.high / step + 1e-9) + 1)]

    def _powers(self, most: int) -> list[float]:
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        parts = (1, 2, 5) if 3 * (len(decades) - 1) <= most else (1,)
        values = [part * 10.0**decade for decade in decades for part in parts]
        return [value for value in values if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)]


def nice_step(reach: float, most: int) -> float:
    """Return the least of 1, 2, 5 times a power of ten that cuts a reach into at most so many steps."""
    rough = reach / most
    power = 10.0 ** floor(log10(rough))
    return next(part * power for part in (1, 2, 5, 10) if part * power >= rough * (1 - 1e-9))


def format_ticks(values: Sequence[float]) -> list[str]:
    """Return round values as words, with as many decimals as they need and no more."""
    digits = next((d for d in range(9) if all(abs(v - round(v, d)) < 1e-9 * max(1.0, abs(v)) for v in values)), 9)
    return [f"{round(value, digits) + 0.0:,.{digits}f}" for value in values]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Where the data stand: two scales, and the drawn axes around them."""

    x: Scale
    y: Scale
    parts: tuple[str, ...]

    @property
    def area(self) -> Box:
        """The rectangle that the data may use."""
        return Box(self.x.start, self.y.end, self.x.end, self.y.start)


def build_frame(
    x: Axis,
    y: Axis,
    data: tuple[Sequence[float], Sequence[float]],
    *,
    language: Language,
    top: float,
    height: float,
    width: float = WIDTH,
) -> Frame:
    """Return the frame of a chart between ``top`` and ``top + height``, its left margin as wide as its labels need."""
    ceiling, floor_ = top + 26, top + height - 40
    upright = y.scale(data[1], floor_, ceiling)
    marks = _list_ticks(y, upright, 5, language)
    left = 10 + max((measure_text(words, SMALL) for _, words in marks), default=0)
    across = x.scale(data[0], left, width - 12)
    parts = [label(2, top + 9, shorten_text(translate(y.label, language), width - 4, SMALL), kind="muted", size=SMALL)]
    for value, words in marks:
        place = upright.at(value)
        parts.append(element("line", class_="grid", x1=left, y1=place, x2=width - 12, y2=place))
        parts.append(label(left - 6, place, words, anchor="end", kind="muted", size=SMALL))
    parts += _axis_parts(x, across, floor_, language, width)
    return Frame(x=across, y=upright, parts=tuple(parts))


def _list_ticks(axis: Axis, scale: Scale, most: int, language: Language) -> list[tuple[float, str]]:
    if axis.ticks:
        return [(value, translate(words, language)) for value, words in axis.ticks if scale.low <= value <= scale.high]
    values = scale.ticks(most)
    return list(zip(values, format_ticks(values), strict=True))


def axis_below(axis: Axis, scale: Scale, reach: tuple[float, float], language: Language) -> list[str]:
    """Return an axis under rows that stand between two heights, with grid lines through them."""
    top, bottom = reach
    lines = [
        element("line", class_="grid", x1=scale.at(value), y1=top, x2=scale.at(value), y2=bottom)
        for value, _ in _list_ticks(axis, scale, 5, language)
    ]
    return [*lines, *_axis_parts(axis, scale, bottom, language, WIDTH, most=5)]


def _axis_parts(
    axis: Axis, scale: Scale, floor_: float, language: Language, width: float, *, most: int = 7
) -> list[str]:
    parts = [element("line", class_="axis", x1=scale.start, y1=floor_, x2=scale.end, y2=floor_)]
    free = -1.0
    for value, words in _list_ticks(axis, scale, most, language):
        half = measure_text(words, SMALL) / 2
        place = scale.at(value)
        middle = min(max(place, half), width - half)
        parts.append(element("line", class_="axis", x1=place, y1=floor_, x2=place, y2=floor_ + 4))
        if middle - half < free:
            continue
        free = middle + half + 6
        parts.append(label(middle, floor_ + 14, words, anchor="middle", kind="muted", size=SMALL))
    name = shorten_text(translate(axis.label, language), width - 8, SMALL)
    half = measure_text(name, SMALL) / 2
    middle = min(max((scale.start + scale.end) / 2, half + 2), width - half - 2)
    parts.append(label(middle, floor_ + 31, name, anchor="middle", kind="muted", size=SMALL))
    return parts


TALL = 30.0
NARROWEST = 34.0
TURN = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: how strong its colour is (0 to 1), what is written in it, and whether it is set off by a frame."""

    strength: float
    text: str
    tone: Tone = Tone.PLAIN
    framed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """Cells in rows and columns; a number in every cell, so that colour never speaks alone."""

    title: Words
    desc: Words
    rows: tuple[Words, ...]
    columns: tuple[Words, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    down: Words = ""
    across: Words = ""

    def __post_init__(self) -> None:
        if len(self.cells) != len(self.rows) or any(len(row) != len(self.columns) for row in self.cells):
            raise ParameterError(
                "cells",
                Said("be {rows} rows of {columns}", rows=len(self.rows), columns=len(self.columns)),
                len(self.cells),
            )

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return len(self.rows) * len(self.columns) > 1

    def draw(self, language: Language) -> str:
        """Return the map as SVG; the drawing grows with the number of columns."""
        names = [translate(name, language) for name in self.rows]
        left = min(0.35 * WIDTH, max((measure_text(name, SMALL) for name in names), default=0.0)) + 14
        widest = max((measure_text(cell.text, SMALL) for row in self.cells for cell in row if cell), default=0.0) + 8
        wide = max(NARROWEST, widest, (WIDTH - left - 4) / max(1, len(self.columns)) if len(self.columns) > 3 else 72.0)
        heads = [translate(name, language) for name in self.columns]
        slanted = any(measure_text(head, SMALL) > wide - 4 for head in heads)
        lift = (
            min(110.0, max((measure_text(head, SMALL) for head in heads), default=0.0)) * 0.72 + 12 if slanted else 18.0
        )
        top = 20.0 + lift
        width = max(WIDTH, left + wide * len(self.columns) + (lift if slanted else 4))
        parts = [
            label(
                2,
                10,
                _corner(translate(self.down, language), translate(self.across, language)),
                kind="muted",
                size=SMALL,
            )
        ]
        for place, head in enumerate(heads):
            parts.append(_head(head, left + wide * (place + 0.5), top - 9, slanted=slanted))
        for row, (name, cells) in enumerate(zip(names, self.cells, strict=True)):
            y = top + TALL * row
            parts.append(label(left - 8, y + TALL / 2, shorten_text(name, left - 8, SMALL), anchor="end", size=SMALL))
            for column, cell in enumerate(cells):
                if cell is not None:
                    parts += _cell(cell, left + wide * column, y, wide)
        return draw_svg(self, language, top + TALL * len(self.rows) + 6, parts, width=width)


def _corner(down: str, across: str) -> str:
    return f"{down} ↓  {across} →" if down and across else down or across


def _head(text: str, x: float, y: float, *, slanted: bool) -> str:
    if not slanted:
        return label(x, y, text, anchor="middle", size=SMALL)
    turned = label(0, 0, shorten_text(text, 110, SMALL), size=SMALL)
    return element("g", turned, transform=f"translate({x:.2f} {y:.2f}) rotate(-45)")


def _cell(cell: Cell, x: float, y: float, wide: float) -> list[str]:
    strength = min(1.0, max(0.0, cell.strength))
    box = {"x": x + 1, "y": y + 1, "width": wide - 2, "height": TALL - 2, "rx": 2.0}
    parts = [
        element("rect", class_="sheet", **box),
        element("rect", class_=f"area {cell.tone}", fill_opacity=_opacity(strength), **box),
    ]
    if cell.framed:
        parts.append(element("rect", class_="axis", stroke_width=2.0, **box))
    kind = "inverse" if strength > TURN else ""
    return [*parts, label(x + wide / 2, y + TALL / 2, cell.text, anchor="middle", kind=kind, size=SMALL)]


def _opacity(strength: float) -> float:
    """Return a colour's opacity.

    Weak ones bear dark words, strong ones light words, and none lies between, where neither can be read.
    """
    return 0.06 + 0.8 * strength if strength <= TURN else 0.78 + 0.22 * (strength - TURN) / (1 - TURN)

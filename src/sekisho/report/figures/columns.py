"""Upright columns: histograms over a numeric axis, and counts of named classes.

Before and after of one column: its distribution in the original and in the release, and the fate of its cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sekisho.errors import ParameterError
from sekisho.report.figures.axes import Axis, Frame, build_frame
from sekisho.report.figures.canvas import (
    SMALL,
    WIDTH,
    Key,
    draw_svg,
    element,
    format_coordinate,
    label,
    legend,
    measure_text,
)
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words, format_percent
from sekisho.words import Language, Said, translate

HEIGHT = 220.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """One distribution over the bins of a histogram."""

    name: Words
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """One or two distributions over the same bins: the first filled, the second drawn as an outline over it."""

    title: Words
    desc: Words
    x: Axis
    y: Axis
    edges: tuple[float, ...]
    counts: tuple[Counts, ...]
    height: float = HEIGHT

    def __post_init__(self) -> None:
        check_bins(self.edges, self.counts)

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return len(self.edges) > 2

    def draw(self, language: Language) -> str:
        """Return the chart as SVG."""
        parts, top = histogram_keys(self.counts, language, 2)
        parts += histogram_body(self, language, top)
        return draw_svg(self, language, top + self.height, parts)


def check_bins(edges: Sequence[float], counts: Sequence[Counts]) -> None:
    """Refuse edges that do not grow and distributions that do not fit them."""
    if len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise ParameterError("edges", Said("be at least two and grow"), edges)
    if not 1 <= len(counts) <= 2:
        raise ParameterError("counts", Said("be one or two"), len(counts))
    for each in counts:
        if len(each.values) != len(edges) - 1:
            raise ParameterError(
                "counts", Said("have one value for each of the {bins} bins", bins=len(edges) - 1), len(each.values)
            )


def histogram_keys(counts: Sequence[Counts], language: Language, top: float) -> tuple[list[str], float]:
    """Return the legend of a histogram, none where there is one distribution."""
    kinds = [Key(name=counts[0].name, kind="s0", shape="soft")]
    kinds += [Key(name=each.name, kind="s1") for each in counts[1:]]
    return legend(kinds if len(counts) > 1 else [], language, top)


def histogram_body(histogram: Histogram, language: Language, top: float) -> list[str]:
    """Return the axes and columns of a histogram."""
    values = [0.0, *(value for each in histogram.counts for value in each.values)]
    data = (histogram.edges, values)
    frame = build_frame(histogram.x, histogram.y, data, language=language, top=top, height=histogram.height)
    alone = len(histogram.counts) == 1
    parts = [*frame.parts, *_draw_bars(histogram.edges, histogram.counts[0].values, frame, "area" if alone else "soft")]
    parts += [_draw_outline(histogram.edges, each.values, frame) for each in histogram.counts[1:]]
    return parts


def _draw_bars(edges: Sequence[float], values: Sequence[float], frame: Frame, kind: str) -> list[str]:
    base = frame.y.start
    parts: list[str] = []
    for left, right, value in zip(edges, edges[1:], values, strict=False):
        start, end, top = frame.x.at(left), frame.x.at(right), frame.y.at(value)
        if value > 0:
            gap = min(1.0, 0.15 * (end - start))
            parts.append(
                element(
                    "rect", class_=f"{kind} s0", x=start, y=top, width=end - start - gap, height=max(0.5, base - top)
                )
            )
    return parts


def _draw_outline(edges: Sequence[float], values: Sequence[float], frame: Frame) -> str:
    path = f"M{format_coordinate(frame.x.at(edges[0]))} {format_coordinate(frame.y.start)}" + "".join(
        f"V{format_coordinate(frame.y.at(value))}H{format_coordinate(frame.x.at(right))}"
        for right, value in zip(edges[1:], values, strict=True)
    )
    return element("path", class_="line s1", d=f"{path}V{format_coordinate(frame.y.start)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """One named column and the number on top of it."""

    name: Words
    value: float
    note: Words
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Named columns beside one another, each with its number on top where there is room."""

    title: Words
    desc: Words
    x: Words
    y: Words
    classes: tuple[Class, ...]

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return sum(each.value > 0 for each in self.classes) > 1

    def draw(self, language: Language) -> str:
        """Return the chart as SVG."""
        places = len(self.classes)
        ticks = tuple((place + 0.5, each.name) for place, each in enumerate(self.classes))
        across = Axis(label=self.x, low=0.0, high=float(max(1, places)), ticks=ticks)
        highest = max((each.value for each in self.classes), default=1.0) or 1.0
        upright = Axis(label=self.y, low=0.0, high=highest * 1.12)
        frame = build_frame(across, upright, ([], []), language=language, top=2, height=HEIGHT)
        parts = list(frame.parts)
        free = 0.0
        for place, each in enumerate(self.classes):
            start, end = frame.x.at(place + 0.12), frame.x.at(place + 0.88)
            top = frame.y.at(each.value)
            if each.value > 0:
                parts.append(
                    element(
                        "rect",
                        class_=f"area {each.tone}",
                        x=start,
                        y=top,
                        width=end - start,
                        height=max(0.5, frame.y.start - top),
                    )
                )
            note, middle = translate(each.note, language), (start + end) / 2
            half = measure_text(note, SMALL) / 2
            if middle - half >= free and middle + half <= WIDTH:
                parts.append(label(middle, top - 9, note, anchor="middle", kind="halo", size=SMALL))
                free = middle + half + 3
        return draw_svg(self, language, HEIGHT + 2, parts)


FATES = (
    ("exact", Said("exact"), "good"),
    ("range", Said("range"), "s0"),
    ("set", Said("set"), "s3"),
    ("suppressed", Said("cells|suppressed"), "s1"),
    ("deleted", Said("row deleted"), "faint"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fates:
    """What became of a column's cells: how many of each kind."""

    exact: int = 0
    range: int = 0
    set: int = 0
    suppressed: int = 0
    deleted: int = 0

    def __post_init__(self) -> None:
        wrong = [name for name, *_ in FATES if getattr(self, name) < 0]
        if wrong:
            raise ParameterError("fates", Said("be counts"), wrong)

    @property
    def whole(self) -> int:
        """How many cells there are."""
        return self.exact + self.range + self.set + self.suppressed + self.deleted

    @property
    def counts(self) -> tuple[int, ...]:
        """How many cells of each kind, in the order of ``FATES``."""
        return (self.exact, self.range, self.set, self.suppressed, self.deleted)

    def parts(self) -> list[tuple[Said, str, int]]:
        """Return the kinds that occur: words, colour, count."""
        return [(words, kind, getattr(self, name)) for name, words, kind in FATES if getattr(self, name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnCard:
    """A column's distribution before and after over a bar of what became of its cells."""

    histogram: Histogram
    fates: Fates

    @property
    def title(self) -> Words:
        """What it is, in a few words."""
        return self.histogram.title

    @property
    def desc(self) -> Words:
        """What can be seen in it."""
        return self.histogram.desc

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return True

    def draw(self, language: Language) -> str:
        """Return the card as SVG."""
        parts, top = histogram_keys(self.histogram.counts, language, 2)
        parts += histogram_body(self.histogram, language, top)
        bar = top + self.histogram.height + 6
        x = 4.0
        keys: list[Key] = []
        for words, kind, cells in self.fates.parts():
            wide = (WIDTH - 8) * cells / self.fates.whole
            parts.append(element("rect", class_=f"area {kind}", x=x, y=bar, width=max(0.5, wide - 1), height=20.0))
            note = format_percent(cells / self.fates.whole)
            if measure_text(note, SMALL) + 6 < wide:
                parts.append(label(x + wide / 2, bar + 10, note, anchor="middle", kind="inverse", size=SMALL))
            keys.append(Key(name=_add_count(words, cells), kind=kind, shape="area"))
            x += wide
        below, bottom = legend(keys, language, bar + 26)
        return draw_svg(self, language, bottom + 2, [*parts, *below])


def _add_count(words: Said, cells: int) -> Said:
    return Said("{fate} {cells:,}", fate=words, cells=cells)

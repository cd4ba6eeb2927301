"""Lines and steps, with points marked on them: the threshold curve and the attacks that lie over or under it.

Points in the plane: releases by utility and safety, the front that none of them beats, the line through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from sekisho.errors import ParameterError
from sekisho.report.figures.axes import Axis, Frame, build_frame
from sekisho.report.figures.canvas import (
    DASHES,
    SERIES,
    Key,
    Spot,
    draw_svg,
    element,
    format_coordinate,
    legend,
    place_labels,
)
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said, translate

HEIGHT = 270.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One line; ``step`` holds each value until the next x; ``dots`` marks its points."""

    name: Words
    x: tuple[float, ...]
    y: tuple[float, ...]
    step: bool = False
    dots: bool = False

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or not self.x:
            raise ParameterError("series", Said("have one y for each x, and at least one"), (len(self.x), len(self.y)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point with a name.

    Attributes:
        name: written beside it where there is room.
        x: its place.
        y: its place.
        tone: of its colour.
        link: the address that a click on it leads to; empty for none.
        words: what the link says to those who hear it.
        chosen: whether it is the one that is looked at.
    """

    name: Words
    x: float
    y: float
    tone: Tone = Tone.PLAIN
    link: str = ""
    words: Words = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """Lines over one axis, at most four, each with its colour and dashes; marks are labelled where there is room."""

    title: Words
    desc: Words
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()

    def __post_init__(self) -> None:
        if len(self.series) > len(SERIES):
            raise ParameterError("series", Said("be at most {most}", most=len(SERIES)), len(self.series))

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return bool(self.marks) or any(len(each.x) > 1 for each in self.series)

    def draw(self, language: Language) -> str:
        """Return the chart as SVG."""
        keys = [Key(name=line.name, kind=SERIES[place], dash=DASHES[place]) for place, line in enumerate(self.series)]
        parts, top = legend(keys if len(keys) > 1 else [], language, 2)
        data = (
            [*(v for line in self.series for v in line.x), *(mark.x for mark in self.marks)],
            [*(v for line in self.series for v in line.y), *(mark.y for mark in self.marks)],
        )
        frame = build_frame(self.x, self.y, data, language=language, top=top, height=HEIGHT)
        parts += frame.parts
        for place, line in enumerate(self.series):
            parts.append(
                element("path", class_=f"line {SERIES[place]}", d=_path(line, frame), stroke_dasharray=DASHES[place])
            )
            parts += _dots(line, frame, SERIES[place]) if line.dots else []
        parts += draw_marks(self.marks, frame, language, ink=list(_trace_ink(self.series, frame)))
        return draw_svg(self, language, top + HEIGHT, parts)


def draw_marks(
    marks: Sequence[Mark], frame: Frame, language: Language, *, ink: Sequence[tuple[float, float]] = ()
) -> list[str]:
    """Return points with their labels and tool tips."""
    spots = [
        Spot(x=frame.x.at(mark.x), y=frame.y.at(mark.y), text=translate(mark.name, language), kind="") for mark in marks
    ]
    dots = [_draw_mark(mark, spot, language) for spot, mark in zip(spots, marks, strict=True)]
    named = [spot for spot in spots if spot.text]
    return [*place_labels(named, frame.area, ink=[*ink, *((s.x, s.y) for s in spots)]), *dots]


def _draw_mark(mark: Mark, spot: Spot, language: Language) -> str:
    title = element("title", escape(spot.text)) if spot.text else ""
    if not mark.link:
        return element("circle", title, class_=f"dot {mark.tone}", cx=spot.x, cy=spot.y, r=5.0)
    dot = element("circle", class_=f"dot {mark.tone}", cx=spot.x, cy=spot.y, r=6.0)
    around = element("circle", class_="line base", cx=spot.x, cy=spot.y, r=10.0) if mark.chosen else ""
    reach = element("circle", cx=spot.x, cy=spot.y, r=14.0, fill="transparent")
    words = escape(translate(mark.words or mark.name, language))
    current = ' aria-current="true"' if mark.chosen else ""
    return f'<a href="{escape(mark.link)}" aria-label="{words}"{current}>{reach}{dot}{around}</a>'


def _path(line: Series, frame: Frame) -> str:
    previous = frame.y.at(line.y[0])
    steps = [f"M{format_coordinate(frame.x.at(line.x[0]))} {format_coordinate(previous)}"]
    for x, y in zip(line.x[1:], line.y[1:], strict=True):
        across, height = format_coordinate(frame.x.at(x)), frame.y.at(y)
        if not line.step:
            steps.append(f"L{across} {format_coordinate(height)}")
        elif height != previous:
            steps.append(f"H{across}V{format_coordinate(height)}")
        previous = height
    return "".join(steps) + (f"H{format_coordinate(frame.x.at(line.x[-1]))}" if line.step else "")


def _dots(line: Series, frame: Frame, kind: str) -> list[str]:
    return [
        element("circle", class_=f"dot {kind}", cx=frame.x.at(x), cy=frame.y.at(y), r=4.0)
        for x, y in zip(line.x, line.y, strict=True)
    ]


def _trace_ink(series: Iterable[Series], frame: Frame) -> Iterable[tuple[float, float]]:
    for line in series:
        yield from trace_line([(frame.x.at(x), frame.y.at(y)) for x, y in zip(line.x, line.y, strict=True)])


def trace_line(corners: Sequence[tuple[float, float]]) -> Iterable[tuple[float, float]]:
    """Yield points a few pixels apart along a line, for labels to keep away from."""
    for (x0, y0), (x1, y1) in pairwise(corners):
        pieces = max(1, int(max(abs(x1 - x0), abs(y1 - y0)) // 4))
        yield from ((x0 + (x1 - x0) * i / pieces, y0 + (y1 - y0) * i / pieces) for i in range(pieces))


SCATTER_HEIGHT = 320.0
FRONT = Said("best of both: nothing beats these")
KEPT = Said("best of both among what is not broken")
FIT_DASH = "7 4"
FIT = Said("straight line of least squares")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """Named points.

    Attributes:
        points: drawn and labelled where there is room.
        fit: slope and intercept of a straight line through them.
        front: show the points that no other beats, where less is better on both axes; a bad one beats nothing.
        allowed: the largest y that is allowed, drawn as a line; None for none.
    """

    title: Words
    desc: Words
    x: Axis
    y: Axis
    points: tuple[Mark, ...]
    fit: tuple[float, float] | None = None
    front: bool = False
    allowed: float | None = None

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it."""
        return len({(point.x, point.y) for point in self.points}) > 1

    def draw(self, language: Language) -> str:
        """Return the chart as SVG."""
        front = self._find_front() if self.front else []
        keys = [Key(name=KEPT if self._some_bad() else FRONT, kind="s1")] if front else []
        keys += [Key(name=FIT, kind="s3", dash=FIT_DASH)] if self.fit else []
        parts, top = legend(keys, language, 2)
        limits = [] if self.allowed is None else [self.allowed]
        data = ([point.x for point in self.points], [*(point.y for point in self.points), *limits])
        frame = build_frame(self.x, self.y, data, language=language, top=top, height=SCATTER_HEIGHT)
        parts += frame.parts
        paths = [_find_ends(self.fit, frame)] if self.fit else []
        paths += [_stairs(frame, front)] if front else []
        for path, kind in zip(paths, (["s3"] if self.fit else []) + ["s1"], strict=False):
            parts.append(_draw_path(path, kind))
        parts += [_draw_limit(frame, limit, language) for limit in limits]
        ink = [place for path in paths for place in trace_line(path)]
        parts += draw_marks(self.points, frame, language, ink=ink)
        role = "group" if any(point.link for point in self.points) else "img"
        return draw_svg(self, language, top + SCATTER_HEIGHT, parts, role=role)

    def _find_front(self) -> list[tuple[float, float]]:
        return find_front([(point.x, point.y) for point in self.points if point.tone is not Tone.BAD])

    def _some_bad(self) -> bool:
        return any(point.tone is Tone.BAD for point in self.points)


def find_front(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points that no other beats, where less is better in both, from left to right."""
    front: list[tuple[float, float]] = []
    for x, y in sorted(points):
        if not front or y < front[-1][1]:
            front.append((x, y))
    return front


def _draw_limit(frame: Frame, limit: float, language: Language) -> str:
    height = frame.y.at(limit)
    ends = f"M{format_coordinate(frame.area.left)} {format_coordinate(height)}H{format_coordinate(frame.area.right)}"
    words = escape(Said("allowed: {limit:.3g}", limit=limit).say(language))
    return element("path", class_="line bad", d=ends, stroke_dasharray="6 4") + element(
        "text", words, class_="muted", x=frame.area.right - 2, y=height - 5, text_anchor="end", font_size=12.0
    )


def _stairs(frame: Frame, front: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the border of what the front beats: from the top of the frame over its points to the right edge."""
    corners = [(frame.x.at(x), frame.y.at(y)) for x, y in front]
    if not corners:
        return []
    turns = [((x1, y0), (x1, y1)) for (_, y0), (x1, y1) in pairwise(corners)]
    steps = [corner for turn in turns for corner in turn]
    return [(corners[0][0], frame.area.top), corners[0], *steps, (frame.area.right, corners[-1][1])]


def _find_ends(fit: tuple[float, float], frame: Frame) -> list[tuple[float, float]]:
    slope, intercept = fit
    ends = [frame.x.low, frame.x.high]
    if slope:  # cut the line where it leaves the frame
        crossing = sorted((y - intercept) / slope for y in (frame.y.low, frame.y.high))
        ends = [max(ends[0], crossing[0]), min(ends[1], crossing[1])]
    return [(frame.x.at(x), frame.y.at(intercept + slope * x)) for x in ends] if ends[0] < ends[1] else []


def _draw_path(path: Sequence[tuple[float, float]], kind: str) -> str:
    points = " ".join(f"{format_coordinate(x)},{format_coordinate(y)}" for x, y in path)
    return element("polyline", class_=f"line {kind}", points=points, stroke_dasharray=FIT_DASH if kind == "s3" else "")

"""Points in the plane: releases by utility and safety, the front that none of them beats, the line through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from sekisho.report.figures.axes import Axis, Frame, build_frame
from sekisho.report.figures.canvas import Key, draw_svg, element, format_coordinate, legend
from sekisho.report.figures.lines import Mark, draw_marks, trace_line
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said

HEIGHT = 320.0
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
        frame = build_frame(self.x, self.y, data, language=language, top=top, height=HEIGHT)
        parts += frame.parts
        paths = [_find_ends(self.fit, frame)] if self.fit else []
        paths += [_stairs(frame, front)] if front else []
        for path, kind in zip(paths, (["s3"] if self.fit else []) + ["s1"], strict=False):
            parts.append(_draw_path(path, kind))
        parts += [_draw_limit(frame, limit, language) for limit in limits]
        ink = [place for path in paths for place in trace_line(path)]
        parts += draw_marks(self.points, frame, language, ink=ink)
        role = "group" if any(point.link for point in self.points) else "img"
        return draw_svg(self, language, top + HEIGHT, parts, role=role)

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

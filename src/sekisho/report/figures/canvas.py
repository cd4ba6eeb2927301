"""What every figure is drawn with: SVG elements as strings, the width of words, places for labels without overlap.

Said widths are estimated from a table of character classes, a little too wide rather than too narrow, so that a label
that fits here fits in any of the fonts a browser may take.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from math import hypot

from sekisho.report.kit.blocks import Picture
from sekisho.report.kit.style import read_figure_style
from sekisho.report.kit.words import Words
from sekisho.words import Language, translate

WIDTH = 480.0
SIZE = 13.0
SMALL = 12.0
SERIES = ("s0", "s1", "s2", "s3")
DASHES = ("", "7 4", "2 3", "9 3 2 3")
NARROW = frozenset("iIjl.,:;'|!()[] /-ftr")
PUSH = 12.0
NEAR = 2.5
BROAD = frozenset("mwMW%@&")


def format_coordinate(value: float) -> str:
    """Return a coordinate with at most two decimals and no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, content: str = "", /, **attributes: str | float) -> str:
    """Return one SVG element; ``_`` in an attribute's name stands for ``-``, a trailing one is dropped.

    Content is SVG already.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}="
        f'"{escape(value) if isinstance(value, str) else format_coordinate(value)}"'
        for key, value in attributes.items()
        if value != ""
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def measure_text(text: str, size: float = SIZE) -> float:
    """Return about how wide a text stands, rather too wide than too narrow."""
    return size * sum(map(_character_width, text))


@cache
def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if character in NARROW:
        return 0.38
    if character in BROAD:
        return 0.95
    return 0.7 if character.isupper() or ord(character) > 0x2000 else 0.6


def label(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "", size: float = SIZE) -> str:
    """Return a line of text; ``y`` is its middle."""
    return (
        element("text", escape(text), x=x, y=y + 0.35 * size, text_anchor=anchor, class_=kind, font_size=size)
        if text
        else ""
    )


def shorten_text(text: str, room: float, size: float = SIZE) -> str:
    """Return a text cut with an ellipsis until it fits."""
    if measure_text(text, size) <= room:
        return text
    while text and measure_text(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def fold_text(text: str, room: float, size: float = SIZE) -> list[str]:
    """Return a text in lines that fit; breaks at spaces, and anywhere in full-width text."""
    lines, line = [], ""
    for piece in _split_pieces(text):
        if line.strip() and measure_text((line + piece).rstrip(), size) > room:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()]


def _split_pieces(text: str) -> Iterator[str]:
    word = ""
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            yield from (part for part in (word, character) if part)
            word = ""
        elif character == " ":
            yield word + character
            word = ""
        else:
            word += character
    if word:
        yield word


def draw_svg(
    picture: Picture,
    language: Language,
    height: float,
    parts: Iterable[str],
    *,
    width: float = WIDTH,
    role: str = "img",
) -> str:
    """Return a whole picture with its title and description for those who hear it; one with links is a group."""
    title = element("title", escape(translate(picture.title, language)))
    desc = element("desc", escape(translate(picture.desc, language)))
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sekisho-figure" role="{role}" lang="{language}" '
        f'viewBox="0 0 {format_coordinate(width)} {format_coordinate(height)}">{title}{desc}\n{body}\n</svg>'
    )


def draw_standalone(picture: Picture, *, language: Language = Language.EN) -> str:
    """Return a picture as an SVG file of its own, with its style sheet and its paper inside."""
    drawn = picture.draw(language)
    close = drawn.index(">") + 1
    sheet = element("rect", class_="sheet", width="100%", height="100%")
    return f"{drawn[:close]}<style>{read_figure_style()}</style>{sheet}{drawn[close:]}\n"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that something takes up."""

    left: float
    top: float
    right: float
    bottom: float

    def hits(self, other: Box) -> bool:
        """Tell whether two rectangles overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def inside(self, other: Box) -> bool:
        """Tell whether this lies within another."""
        return (
            other.left <= self.left
            and self.right <= other.right
            and other.top <= self.top
            and self.bottom <= other.bottom
        )

    def push_into(self, other: Box, most: float) -> Box:
        """Return this moved into another, where a small push is enough; otherwise as it is."""
        right = max(0.0, other.left - self.left) - max(0.0, self.right - other.right)
        down = max(0.0, other.top - self.top) - max(0.0, self.bottom - other.bottom)
        if max(abs(right), abs(down)) > most:
            return self
        return Box(self.left + right, self.top + down, self.right + right, self.bottom + down)

    def reach(self, x: float, y: float) -> float:
        """Return how far a point is from the rectangle; 0 within."""
        return hypot(max(self.left - x, 0.0, x - self.right), max(self.top - y, 0.0, y - self.bottom))

    def holds(self, x: float, y: float) -> bool:
        """Tell whether a point lies within."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A point that wants a label."""

    x: float
    y: float
    text: str
    kind: str = ""
    radius: float = 5.0


def place_labels(spots: Sequence[Spot], area: Box, *, ink: Sequence[tuple[float, float]] = ()) -> list[str]:
    """Return the labels of points, none over another or over a point, each away from the ink where it can be.

    Places near the point are tried first, then farther ones with a leader line. No label stands nearer to another point
    than to its own, where it would be read as the other's, and no leader crosses the ink. A label that fits nowhere is
    left out: the figure's table says it.
    """
    taken = [Box(s.x - s.radius, s.y - s.radius, s.x + s.radius, s.y + s.radius) for s in spots]
    drawn: list[str] = []
    for spot in spots:
        best = _choose_box(spot, area, taken, ink, others=[other for other in spots if other is not spot])
        if best is None:
            continue
        taken.append(best)
        middle = (best.top + best.bottom) / 2
        if _is_far(spot, best):
            end = min(max(spot.x, best.left), best.right)
            edge = best.top if best.top > spot.y else best.bottom
            drawn.append(
                element("line", class_="leader", x1=spot.x, y1=spot.y, x2=end, y2=min(max(spot.y, best.top), edge))
            )
        drawn.append(label(best.left + 2, middle, spot.text, kind=f"halo {spot.kind}".strip(), size=SMALL))
    return drawn


def _choose_box(
    spot: Spot, area: Box, taken: Sequence[Box], ink: Sequence[tuple[float, float]], *, others: Sequence[Spot]
) -> Box | None:
    best, least = None, float("inf")
    for rank, wanted in enumerate(_list_boxes(spot)):
        box = wanted.push_into(area, PUSH)
        if not box.inside(area) or any(box.hits(other) for other in taken) or _misleads(spot, box, others):
            continue
        crossed = _count_crossed(spot, box, ink) if _is_far(spot, box) else 0
        cost = 0.12 * rank + sum(box.holds(x, y) for x, y in ink) + 4 * crossed
        if cost < least:
            best, least = box, cost
    return best


def _misleads(spot: Spot, box: Box, others: Sequence[Spot]) -> bool:
    """Tell whether a label stands nearer to another point than to its own, so that it would be read as the other's."""
    own = box.reach(spot.x, spot.y)
    return any(box.reach(other.x, other.y) < own for other in others)


def _count_crossed(spot: Spot, box: Box, ink: Sequence[tuple[float, float]]) -> int:
    """Return how much ink the leader from a point to its label would cross, what is near the point itself aside."""
    end = (min(max(spot.x, box.left), box.right), min(max(spot.y, box.top), box.bottom))
    length = max(hypot(end[0] - spot.x, end[1] - spot.y), 1e-9)
    across = ((end[0] - spot.x) / length, (end[1] - spot.y) / length)
    crossed = 0
    for x, y in ink:
        along = (x - spot.x) * across[0] + (y - spot.y) * across[1]
        aside = abs((x - spot.x) * across[1] - (y - spot.y) * across[0])
        crossed += spot.radius + 1 < along < length and aside <= NEAR
    return crossed


def _list_boxes(spot: Spot) -> Iterator[Box]:
    wide, high = measure_text(spot.text, SMALL) + 4, SMALL + 4
    for reach in (1.0, 14.0, 28.0, 44.0, 62.0, 84.0):
        away = spot.radius + reach
        for right, down in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)):
            left = spot.x + right * away - (0 if right > 0 else wide if right < 0 else wide / 2)
            top = spot.y + down * away - (0 if down > 0 else high if down < 0 else high / 2)
            yield Box(left, top, left + wide, top + high)


def _is_far(spot: Spot, box: Box) -> bool:
    gap = max(box.left - spot.x, spot.x - box.right, box.top - spot.y, spot.y - box.bottom)
    return gap > spot.radius + 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One entry of a legend."""

    name: Words
    kind: str
    dash: str = ""
    shape: str = "line"


def legend(keys: Sequence[Key], language: Language, top: float, *, width: float = WIDTH) -> tuple[list[str], float]:
    """Return the legend's parts, in as many lines as needed, and where it ends."""
    parts: list[str] = []
    x, y = 4.0, top + 9
    for key in keys:
        text = shorten_text(translate(key.name, language), width - 44, SMALL)
        room = 26 + measure_text(text, SMALL) + 14
        if x > 4.0 and x + room > width:
            x, y = 4.0, y + 19
        parts.append(_swatch(key, x, y))
        parts.append(label(x + 26, y, text, size=SMALL))
        x += room
    return parts, (y + 13 if keys else top)


def _swatch(key: Key, x: float, y: float) -> str:
    if key.shape == "dot":
        return element("circle", class_=f"dot {key.kind}", cx=x + 10, cy=y, r=5.0)
    if key.shape == "line":
        return element("line", class_=f"line {key.kind}", x1=x, y1=y, x2=x + 20, y2=y, stroke_dasharray=key.dash)
    return element("rect", class_=f"{key.shape} {key.kind}", x=x + 3, y=y - 6, width=14.0, height=12.0)

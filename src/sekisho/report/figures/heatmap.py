"""A heat map with its numbers: attacks on releases, correlations between measures."""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.errors import ParameterError
from sekisho.report.figures.canvas import SMALL, WIDTH, draw_svg, element, label, measure_text, shorten_text
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said, translate

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

"""A report for the terminal: plain text in one language, aligned also where characters are two columns wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from sekisho.report.kit.edition import BADGES, Badge, Edition, choose_badge, origin_facts
from sekisho.report.kit.words import Words, display_width, pad_text, wrap_text
from sekisho.words import Language, translate

SIGNS = {Tone.GOOD: "[OK]", Tone.WARN: "[!!]", Tone.BAD: "[NO]", Tone.PLAIN: "[--]"}
NARROWEST = 10


def render_text(
    title: Words,
    blocks: Sequence[Block],
    *,
    language: Language = Language.EN,
    width: int = 88,
    edition: Edition | None = None,
    badge: Badge | None = None,
) -> str:
    """Return the whole report as plain text in one language; on top the badge, or the usual one of its edition."""
    medium = Plain(language=language, width=width)
    shown = choose_badge(badge, edition)
    top = "" if shown is None else f"[{translate(BADGES[shown], language)}]"
    parts = [top, Heading(text=title, level=1).render(medium), *(block.render(medium) for block in blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """Shows blocks as plain text, in so many columns."""

    language: Language
    width: int = 88

    def heading(self, block: Heading, /) -> str:
        """Show a heading, underlined."""
        text = translate(block.text, self.language)
        line = {1: "=", 2: "-"}.get(block.level)
        return f"{text}\n{line * min(self.width, display_width(text))}" if line else text

    def paragraph(self, block: Paragraph, /) -> str:
        """Show a paragraph."""
        return "\n".join(wrap_text(translate(block.text, self.language), self.width))

    def bullets(self, block: Bullets, /) -> str:
        """Show a list."""
        return "\n".join(self._hung("- ", item) for item in block.items)

    def verdict(self, block: Banner, /) -> str:
        """Show a verdict."""
        sign = SIGNS[block.tone] + " "
        lead = " " * display_width(sign)
        lines = [words for words in (block.headline, block.text, block.below) if words]
        return "\n".join(self._hung(lead if number else sign, words) for number, words in enumerate(lines))

    def facts(self, block: Facts, /) -> str:
        """Show labels and values in two columns."""
        labels = [translate(label, self.language) for label, _ in block.pairs]
        side = min(max(map(display_width, labels), default=0), self.width // 2)
        return "\n".join(
            self._hung(pad_text(label, side) + "  ", value)
            for label, (_, value) in zip(labels, block.pairs, strict=True)
        )

    def table(self, block: TableBlock, /) -> str:
        """Show a table; words and heads are folded until it fits, numbers never."""
        head = [translate(cell, self.language) for cell in block.head]
        rows = [[translate(cell, self.language) for cell in row] for row in block.rows]
        widths = self._widths([head, *rows], block.numeric)
        lines = [self.paragraph(Paragraph(text=block.caption))] if block.caption else []
        lines.append(_format_line(head, widths, block.numeric))
        lines.append("  ".join("-" * width for width in widths))
        lines += [_format_line(row, widths, block.numeric) for row in rows]
        return "\n".join(lines)

    def _widths(self, rows: Sequence[Sequence[str]], numeric: Sequence[int]) -> list[int]:
        widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
        least = [
            max(_find_least_width(cell, whole=place in numeric and row > 0) for row, cell in enumerate(column))
            for place, column in enumerate(zip(*rows, strict=True))
        ]
        body = [max((display_width(cell) for cell in column[1:]), default=0) for column in zip(*rows, strict=True)]
        for floor in ([max(pair) for pair in zip(least, body, strict=True)], least):  # heads are folded before cells
            for _ in range(sum(widths) + 2 * (len(widths) - 1) - self.width):
                widest = max(range(len(widths)), key=lambda place: (widths[place] > floor[place]) * widths[place])
                widths[widest] -= widths[widest] > floor[widest]
        return widths

    def figure(self, block: Figure, /) -> str:
        """Show what can be seen in a figure, in words."""
        what = f"[{translate(block.picture.title, self.language)}]"
        words = dict.fromkeys(translate(part, self.language) for part in (block.picture.desc, block.caption) if part)
        return "\n".join([what, *(line for part in words for line in wrap_text(part, self.width))])

    def beside(self, block: Beside, /) -> str:
        """Show blocks below one another."""
        return "\n\n".join(part.render(self) for part in block.blocks)

    def fold(self, block: Fold, /) -> str:
        """Show blocks unfolded."""
        return "\n\n".join([translate(block.summary, self.language), *(part.render(self) for part in block.blocks)])

    def origin(self, block: Origin, /) -> str:
        """Show what made the result."""
        return "\n\n".join(f"{name}\n{self.facts(facts)}" for name, facts in origin_facts(block.steps))

    def _hung(self, lead: str, words: Words) -> str:
        indent = display_width(lead)
        lines = wrap_text(translate(words, self.language), max(NARROWEST, self.width - indent))
        return lead + f"\n{' ' * indent}".join(lines)


def _find_least_width(cell: str, *, whole: bool) -> int:
    """Return the narrowest column that a cell fits: a number is never broken, words are broken where they may be."""
    return max(map(display_width, [cell] if whole else wrap_text(cell, 1)), default=0)


def _format_line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[int]) -> str:
    folded = [
        [cell] if display_width(cell) <= width else wrap_text(cell, width)
        for cell, width in zip(cells, widths, strict=True)
    ]
    lines: list[str] = []
    for level in range(max(map(len, folded), default=0)):
        parts = [
            pad_text(lines_of[level] if level < len(lines_of) else "", width, right=place in numeric)
            for place, (lines_of, width) in enumerate(zip(folded, widths, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)

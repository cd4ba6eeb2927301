"""Before and after of one column: its distribution in the original and in the release, and the fate of its cells."""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.errors import ParameterError
from sekisho.report.figures.canvas import SMALL, WIDTH, Key, draw_svg, element, label, legend, measure_text
from sekisho.report.figures.columns import Histogram, histogram_body, histogram_keys
from sekisho.report.kit.words import Words, format_percent
from sekisho.words import Language, Said

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

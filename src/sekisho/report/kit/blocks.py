"""What a report is made of: blocks that say what they hold, not how it looks.

A block is a frozen value; ``render(medium)`` hands it to the medium (:class:`sekisho.report.kit.html.Html` or
:class:`sekisho.report.kit.text.Plain`), which knows how it looks. Words are bilingual
  (:class:`sekisho.report.kit.words.Said`) or plain strings
where both languages say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said


class Tone(StrEnum):
    """How good the news is."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    PLAIN = "plain"


class Picture(Protocol):
    """A chart: what it shows, in words and as SVG."""

    @property
    def title(self) -> Words:
        """What it is, in a few words."""
        ...

    @property
    def desc(self) -> Words:
        """What can be seen in it, for those who cannot see it."""
        ...

    @property
    def has_content(self) -> bool:
        """Whether there is anything to compare in it: one bar or one point says no more than its figure does."""
        ...

    def draw(self, language: Language) -> str:
        """Return the picture as one SVG element in one language."""
        ...


class Block(Protocol):
    """A part of a report."""

    def render(self, medium: Medium) -> str:
        """Return the block as the medium shows it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading; level 1 is the report's own."""

    text: Words
    level: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.level <= 4:
            raise ParameterError("level", Said("lie between 1 and 4"), self.level)

    def render(self, medium: Medium) -> str:
        """Return the heading as the medium shows it."""
        return medium.heading(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph of running words."""

    text: Words

    def render(self, medium: Medium) -> str:
        """Return the paragraph as the medium shows it."""
        return medium.paragraph(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """A list without order."""

    items: tuple[Words, ...]

    def render(self, medium: Medium) -> str:
        """Return the list as the medium shows it."""
        return medium.bullets(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner:
    """One sentence that settles the question, and how good the news is.

    Attributes:
        text: the sentence.
        tone: how good the news is.
        headline: the answer itself in large letters, above the sentence; empty if there is none.
        below: what to do about it, below the sentence; empty if there is nothing.
    """

    text: Words
    tone: Tone
    headline: Words = ""
    below: Words = ""

    def render(self, medium: Medium) -> str:
        """Return the verdict as the medium shows it."""
        return medium.verdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Labels and values, side by side."""

    pairs: tuple[tuple[Words, Words], ...]

    def render(self, medium: Medium) -> str:
        """Return the facts as the medium shows them."""
        return medium.facts(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBlock:
    """A table.

    Attributes:
        head: the columns' names.
        rows: each as long as the head; the first cell names the row.
        caption: what the table shows.
        numeric: the positions of the columns that are set flush right.
    """

    head: tuple[Words, ...]
    rows: tuple[tuple[Words, ...], ...]
    caption: Words = ""
    numeric: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.head):
                raise ParameterError(
                    f"row {number}", Said("have {cells} cells as the head has", cells=len(self.head)), len(row)
                )
        wrong = [place for place in self.numeric if not 0 <= place < len(self.head)]
        if wrong:
            raise ParameterError("numeric", Said("name columns 0 to {last}", last=len(self.head) - 1), wrong)

    def render(self, medium: Medium) -> str:
        """Return the table as the medium shows it."""
        return medium.table(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture with its caption."""

    picture: Picture
    caption: Words = ""

    def render(self, medium: Medium) -> str:
        """Return the figure as the medium shows it."""
        return medium.figure(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Blocks that stand beside one another where there is room, below one another where there is not."""

    blocks: tuple[Block, ...]

    def render(self, medium: Medium) -> str:
        """Return the blocks as the medium shows them."""
        return medium.beside(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Blocks that a reader opens when he wants them; print and terminal show them open."""

    summary: Words
    blocks: tuple[Block, ...]

    def render(self, medium: Medium) -> str:
        """Return the folded blocks as the medium shows them."""
        return medium.fold(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What made the result: the steps' provenance."""

    steps: tuple[Provenance, ...]

    def render(self, medium: Medium) -> str:
        """Return the provenance as the medium shows it."""
        return medium.origin(self)


class Medium(Protocol):
    """Something that shows blocks."""

    def heading(self, block: Heading, /) -> str:
        """Show a heading."""
        ...

    def paragraph(self, block: Paragraph, /) -> str:
        """Show a paragraph."""
        ...

    def bullets(self, block: Bullets, /) -> str:
        """Show a list."""
        ...

    def verdict(self, block: Banner, /) -> str:
        """Show a verdict."""
        ...

    def facts(self, block: Facts, /) -> str:
        """Show labels and values."""
        ...

    def table(self, block: TableBlock, /) -> str:
        """Show a table."""
        ...

    def figure(self, block: Figure, /) -> str:
        """Show a figure."""
        ...

    def beside(self, block: Beside, /) -> str:
        """Show blocks beside one another."""
        ...

    def fold(self, block: Fold, /) -> str:
        """Show blocks that can be folded."""
        ...

    def origin(self, block: Origin, /) -> str:
        """Show what made the result."""
        ...

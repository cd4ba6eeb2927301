"""Rules of a law, guideline or handbook beside what was done: source, what helps with each, what is not seen."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.recipes.keys import Standard
from sekisho.report.kit.blocks import Block, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Words
from sekisho.words import Said, bilingual


def standard_blocks(standards: Sequence[Standard]) -> tuple[Block, ...]:
    """Return the rules that a recipe is meant to help with; nothing where it names none."""
    if not standards:
        return ()
    words = Said(
        "The recipe names these rules. What stands here says what helps with each and what is not seen; it does not "
        "say that the release suffices in law, which no program can."
    )
    head = (
        Said("law|rule"),
        Said("source"),
        Said("what helps with it"),
        Said("what is not seen"),
    )
    names = ("rule", "source", "helped_by", "limits")
    rows = tuple(tuple(_tell(standard, name) for name in names) for standard in standards)
    heading = Heading(text=Said("Rules of law and handbooks"))
    return (heading, Paragraph(text=words), TableBlock(head=head, rows=rows))


def _tell(standard: Standard, name: str) -> Words:
    title = standard.read(name)
    return "–" if title is None else bilingual(title.en, title.ja)

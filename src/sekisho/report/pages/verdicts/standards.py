"""Rules of a law, guideline or handbook beside what was done: source, what helps with each, what is not seen."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.recipes.keys import Standard
from sekisho.report.kit.blocks import Block, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Text, Words


def standard_blocks(standards: Sequence[Standard]) -> tuple[Block, ...]:
    """Return the rules that a recipe is meant to help with; nothing where it names none."""
    if not standards:
        return ()
    words = Text(
        "The recipe names these rules. What stands here says what helps with each and what is not seen; it does not "
        "say that the release suffices in law, which no program can.",
        "レシピに挙げられた基準です。それぞれに役立つ処理と、確認できないことを示します。"
        "法的に十分であることを示すものではありません（プログラムには判断できません）。",
    )
    head = (
        Text("rule", "基準"),
        Text("source", "出典"),
        Text("what helps with it", "役立つ処理"),
        Text("what is not seen", "確認できないこと"),
    )
    names = ("rule", "source", "helped_by", "limits")
    rows = tuple(tuple(_tell(standard, name) for name in names) for standard in standards)
    heading = Heading(text=Text("Rules of law and handbooks", "法令・ガイドラインの基準"))
    return (heading, Paragraph(text=words), TableBlock(head=head, rows=rows))


def _tell(standard: Standard, name: str) -> Words:
    title = standard.read(name)
    return "–" if title is None else Text(title.en, title.ja)

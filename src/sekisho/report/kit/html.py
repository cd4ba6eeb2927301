"""A report as one HTML file: no script, nothing loaded, two languages, light and dark, screen, phone and paper.

Both languages are in the file; two radio buttons and sibling selectors of the style sheet show one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

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
from sekisho.report.kit.style import read_page_style
from sekisho.report.kit.words import Words
from sekisho.words import Language, Said, translate

PAPER_COLUMNS = 9
"""A table with more columns is split on paper."""
LANGUAGE_NAMES = {Language.EN: "English", Language.JA: "日本語"}
SIGNS = {
    Tone.GOOD: ("✓", Said("Good")),
    Tone.WARN: ("!", Said("Take care")),
    Tone.BAD: ("✗", Said("Bad")),
    Tone.PLAIN: ("·", Said("Note")),
}


def render_inline(words: Words) -> str:
    """Return words as HTML, each language in its own element."""
    english, japanese = (translate(words, language) for language in Language)
    if english == japanese:
        return escape(english)
    return f'<span lang="en">{escape(english)}</span><span lang="ja">{escape(japanese)}</span>'


def render_page(
    title: Words,
    blocks: Sequence[Block],
    *,
    language: Language = Language.EN,
    edition: Edition | None = None,
    badge: Badge | None = None,
    one_sheet: bool = False,
) -> str:
    """Return the whole report as one HTML file that opens in the given language.

    On top stands the badge, or if none is given the usual one of its edition. One that is to be a single sheet of A4 is
    printed smaller.
    """
    medium = Html()
    names = dict.fromkeys(translate(title, each) for each in (language, *Language))
    body, sheet = "\n".join(block.render(medium) for block in blocks), ' class="sheet"' if one_sheet else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"{sheet}>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(' / '.join(names))}</title>\n<style>\n{read_page_style()}</style>\n</head>\n<body>\n"
        f"{_switch(language)}<main>\n{_show_badge(badge, edition)}<h1>{render_inline(title)}</h1>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _show_badge(asked: Badge | None, edition: Edition | None) -> str:
    badge = choose_badge(asked, edition)
    return "" if badge is None else f'<p class="edition {badge}">{render_inline(BADGES[badge])}</p>\n'


def _switch(chosen: Language) -> str:
    return "".join(
        f'<input type="radio" name="language" class="switch" id="in-{language}"'
        f"{' checked' if language is chosen else ''}>"
        f'<label for="in-{language}" lang="{language}">{LANGUAGE_NAMES[language]}</label>\n'
        for language in Language
    )


def open_in_language(page: str, language: Language) -> str:
    """Return a page as a reader of a language opens it; the other one stays a click away."""
    for each in Language:
        page = page.replace(_switch(each), _switch(language), 1)
        page = page.replace(f'<html lang="{each}"', f'<html lang="{language}"', 1)
    return page


def frame_table(whole: str, pieces: Sequence[str]) -> str:
    """Return a table that scrolls on a screen, by keys too; on paper its pieces stand instead, where it has several."""
    if len(pieces) < 2:
        return f'<div class="scroll" tabindex="0">{whole}</div>'
    on_paper = "".join(f"<div>{piece}</div>" for piece in pieces)
    return f'<div class="scroll screen" tabindex="0">{whole}</div><div class="paper">{on_paper}</div>'


def split_table(block: TableBlock, most: int) -> list[TableBlock]:
    """Return a table as pieces of at most so many columns, the first column in each."""
    columns = range(1, len(block.head))
    if len(block.head) <= most:
        return [block]
    pieces: list[TableBlock] = []
    for start in range(1, len(block.head), most - 1):
        chosen = (0, *columns[start - 1 : start + most - 2])
        pieces.append(
            TableBlock(
                head=tuple(block.head[place] for place in chosen),
                rows=tuple(tuple(row[place] for place in chosen) for row in block.rows),
                numeric=tuple(at for at, place in enumerate(chosen) if place in block.numeric),
            )
        )
    return pieces


class Html:
    """Shows blocks as HTML; everything that comes from outside is escaped."""

    def heading(self, block: Heading, /) -> str:
        """Show a heading."""
        return f"<h{block.level}>{render_inline(block.text)}</h{block.level}>"

    def paragraph(self, block: Paragraph, /) -> str:
        """Show a paragraph."""
        return f"<p>{render_inline(block.text)}</p>"

    def bullets(self, block: Bullets, /) -> str:
        """Show a list."""
        return f"<ul>{''.join(f'<li>{render_inline(item)}</li>' for item in block.items)}</ul>"

    def verdict(self, block: Banner, /) -> str:
        """Show a verdict; its sign and its hidden word say what the colour says."""
        sign, word = SIGNS[block.tone]
        head = f'<p class="headline">{render_inline(block.headline)}</p>' if block.headline else ""
        below = f'<p class="below">{render_inline(block.below)}</p>' if block.below else ""
        return (
            f'<div class="verdict {block.tone}" role="note"><span class="sign" aria-hidden="true">{sign}</span>'
            f'<div>{head}<p><span class="unseen">{render_inline(word)}: </span>{render_inline(block.text)}</p>'
            f"{below}</div></div>"
        )

    def facts(self, block: Facts, /) -> str:
        """Show labels and values."""
        pairs = "".join(
            f"<div><dt>{render_inline(label)}</dt><dd>{render_inline(value)}</dd></div>" for label, value in block.pairs
        )
        return f'<dl class="facts">{pairs}</dl>'

    def table(self, block: TableBlock, /) -> str:
        """Show a table; it scrolls by itself where it is wider than the screen, and is split where it is than paper."""
        first, *others = split_table(block, PAPER_COLUMNS)
        pieces = [self._table(first, block.caption), *(self._table(other, "") for other in others)]
        return frame_table(self._table(block, block.caption), pieces)

    def _table(self, block: TableBlock, caption: Words) -> str:
        sides = [' class="number"' if place in block.numeric else "" for place in range(len(block.head))]
        head = "".join(
            f'<th scope="col"{side}>{render_inline(cell)}</th>' for side, cell in zip(sides, block.head, strict=True)
        )
        rows = "\n".join(f"<tr>{self._row(row, sides)}</tr>" for row in block.rows)
        words = f"<caption><div>{render_inline(caption)}</div></caption>" if caption else ""
        return f"<table>{words}<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"

    def _row(self, row: Sequence[Words], sides: Sequence[str]) -> str:
        first = f'<th scope="row"{sides[0]}>{render_inline(row[0])}</th>' if row else ""
        return first + "".join(
            f"<td{side}>{render_inline(cell)}</td>" for side, cell in zip(sides[1:], row[1:], strict=True)
        )

    def figure(self, block: Figure, /) -> str:
        """Show a figure under its title, drawn once for each language, for labels differ in length.

        Where there is nothing to compare, the words say it all, and nothing is drawn.
        """
        if not block.picture.has_content:
            return self.paragraph(Paragraph(text=block.picture.desc))
        drawn = "".join(f'<div lang="{language}">{block.picture.draw(language)}</div>' for language in Language)
        more = block.caption if block.caption != block.picture.title else ""
        caption = f"<figcaption>{render_inline(more)}</figcaption>" if more else ""
        return f'<figure><p class="name">{render_inline(block.picture.title)}</p>{drawn}{caption}</figure>'

    def beside(self, block: Beside, /) -> str:
        """Show blocks beside one another."""
        return f'<div class="beside">{"".join(f"<div>{part.render(self)}</div>" for part in block.blocks)}</div>'

    def fold(self, block: Fold, /) -> str:
        """Show blocks that can be folded."""
        inside = "\n".join(part.render(self) for part in block.blocks)
        return f"<details><summary>{render_inline(block.summary)}</summary>\n{inside}\n</details>"

    def origin(self, block: Origin, /) -> str:
        """Show what made the result."""
        return "\n".join(
            f'<section class="origin"><h3>{escape(name)}</h3>{self.facts(facts)}</section>'
            for name, facts in origin_facts(block.steps)
        )

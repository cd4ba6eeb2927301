"""The page must be whole, harmless and complete in both languages."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.gallery import TRAP, blocks, pictures

from sekisho.report.kit.blocks import Facts, Figure, Heading, Paragraph, TableBlock
from sekisho.report.kit.html import PAPER_COLUMNS, Html, render_inline, render_page, split_table
from sekisho.words import Language, bilingual, translate

TITLE = bilingual("Report", "報告書")
VOID = {"meta", "input", "br"}
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


class Reader(HTMLParser):
    """Collects the texts of each language and checks that elements nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.texts: dict[str, list[str]] = {"en": [], "ja": []}
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            language = dict(attrs).get("lang") or (self.open[-1][1] if self.open else "")
            self.open.append((tag, language))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self.open and data.strip() and self.open[-1][0] != "style":
            self.texts[self.open[-1][1]].append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    text = render_page(TITLE, blocks())
    found = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert found == {"http://www.w3.org/2000/svg"}  # a name, never fetched
    assert not re.search(r"url\(|@import", text)
    reader = read(text)
    assert not reader.attributes & {"src", "href", "xlink:href", "srcset", "action"}
    assert not any(name.startswith("on") for name in reader.attributes)
    assert not reader.tags & {"script", "link", "iframe", "img", "object", "embed"}


def test_every_japanese_text_is_marked_as_japanese() -> None:
    reader = read(render_page(TITLE, blocks()))
    english = [text for text in reader.texts["en"] if JAPANESE.search(text)]
    assert english == ["Report / 報告書"]  # the window's title cannot be switched
    assert any("公開" in text for text in reader.texts["ja"])


def test_both_languages_are_complete() -> None:
    text = render_page(TITLE, blocks())
    assert text.count('<span lang="en">') == text.count('<span lang="ja">')
    assert text.count('<div lang="en">') == text.count('<div lang="ja">') == len(pictures())


@pytest.mark.parametrize("language", Language)
def test_the_page_opens_in_the_language_asked_for(language: Language) -> None:
    text = render_page(TITLE, [], language=language)
    assert f'<html lang="{language}">' in text
    assert f'id="in-{language}" checked' in text


def test_what_comes_from_outside_is_escaped_everywhere() -> None:
    assert "<b>" not in render_page(TRAP, blocks())
    assert TRAP not in render_page(TRAP, blocks())


def test_the_same_blocks_give_the_same_bytes() -> None:
    assert render_page(TITLE, blocks()) == render_page(TITLE, blocks())


@given(st.text(), st.text())
def test_any_words_give_a_page_part_that_parses(one: str, other: str) -> None:
    words = bilingual(one.replace("\r", "").replace("\0", ""), other.replace("\r", "").replace("\0", ""))
    html = "".join(
        block.render(Html())
        for block in (
            Heading(text=words),
            Paragraph(text=words),
            Facts(pairs=((words, words),)),
            TableBlock(head=(words,), rows=((words,),), caption=words),
        )
    )
    read(f'<div lang="en">{html}</div>')


def test_equal_words_are_written_once() -> None:
    assert render_inline(bilingual("U", "U")) == "U"


def test_table_parts_are_well_formed() -> None:
    table = TableBlock(head=("a", "b"), rows=(("x", "1"), ("y", "2")), numeric=(1,)).render(Html())
    tree = ET.fromstring(table)
    assert [cell.get("class") for cell in tree.iter("td")] == ["number", "number"]
    assert [cell.get("scope") for cell in tree.iter("th")] == ["col", "col", "row", "row"]


def test_every_figure_bears_its_title_for_all_to_see_and_says_it_once() -> None:
    picture = pictures()[0]
    title = translate(picture.title, Language.EN)
    bare = Figure(picture=picture).render(Html())
    assert re.findall(r'<p class="name">(.*?)</p>', bare) == [render_inline(picture.title)]
    again = Figure(picture=picture, caption=picture.title).render(Html())
    assert "<figcaption>" not in again
    assert re.sub(r"<svg.*?</svg>", "", again, flags=re.DOTALL).count(title) == 1


def test_a_wide_table_scrolls_on_a_screen_and_is_split_on_paper() -> None:
    head = tuple(f"column {n}" for n in range(20))
    wide = TableBlock(head=head, rows=(head,), caption="all of them", numeric=(3, 12))
    pieces = split_table(wide, PAPER_COLUMNS)
    assert [len(piece.head) for piece in pieces] == [9, 9, 4]
    assert {piece.head[0] for piece in pieces} == {"column 0"}  # every piece says whose rows they are
    assert [name for piece in pieces for name in piece.head[1:]] == list(head[1:])
    assert [piece.numeric for piece in pieces] == [(3,), (4,), ()]
    html = wide.render(Html())
    assert html.count("<table>") == 1 + len(pieces)
    assert html.count("all of them") == 2
    assert '<div class="scroll screen" tabindex="0">' in html  # keys scroll it too
    narrow = TableBlock(head=head[:9], rows=(head[:9],)).render(Html())
    assert narrow.count("<table>") == 1
    assert 'class="paper"' not in narrow

"""The terminal's columns must line up in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.gallery import blocks

from sekisho.errors import ParameterError
from sekisho.report.kit.blocks import Facts, Heading, TableBlock
from sekisho.report.kit.text import Plain, render_text
from sekisho.report.kit.words import display_width
from sekisho.words import Language, bilingual

ENGLISH, JAPANESE = (Plain(language=language, width=60) for language in Language)


def test_columns_line_up_under_double_width_names() -> None:
    table = TableBlock(
        head=(bilingual("attack", "攻撃"), bilingual("hits", "的中")),
        rows=((bilingual("unique", "一意な行"), "512"), ("x", "1")),
        numeric=(1,),
    )
    assert table.render(ENGLISH) == "attack  hits\n------  ----\nunique   512\nx          1"
    assert table.render(JAPANESE) == "攻撃      的中\n--------  ----\n一意な行   512\nx            1"


names = st.text(alphabet="ab関所、 x", min_size=1, max_size=30).map(lambda text: text.strip() or "a")


@given(st.lists(st.tuples(names, st.integers(0, 10**6)), min_size=1, max_size=6), st.integers(30, 60))
def test_the_last_column_ends_at_one_width(rows: list[tuple[str, int]], width: int) -> None:
    table = TableBlock(head=("n", "count"), rows=tuple((name, str(number)) for name, number in rows), numeric=(1,))
    lines = table.render(Plain(language=Language.JA, width=width)).splitlines()
    assert all(display_width(line) <= width for line in lines)
    full = display_width(lines[1])
    assert sum(display_width(line) == full for line in lines) >= len(rows) + 2  # head, rule, one line of each row


def test_values_of_facts_begin_at_one_column() -> None:
    facts = Facts(pairs=(("人数", "1,000"), ("rows", "81,776"))).render(JAPANESE)
    assert facts == "人数  1,000\nrows  81,776"


@pytest.mark.parametrize("language", Language)
def test_no_line_is_wider_than_asked(language: Language) -> None:
    text = render_text(bilingual("Gallery", "見本"), blocks(), language=language, width=80)
    assert max(map(display_width, text.splitlines())) <= 84  # a digest is never broken
    assert ("公開できます" in text) == (language is Language.JA)


def test_a_heading_is_underlined_as_wide_as_it_stands() -> None:
    assert Heading(text="関所").render(JAPANESE) == "関所\n----"


def test_ragged_tables_are_refused() -> None:
    with pytest.raises(ParameterError, match="row 1 must have 2 cells"):
        TableBlock(head=("a", "b"), rows=(("1",),))
    with pytest.raises(ParameterError, match="numeric"):
        TableBlock(head=("a",), rows=(), numeric=(1,))
    with pytest.raises(ParameterError, match="level"):
        Heading(text="x", level=5)

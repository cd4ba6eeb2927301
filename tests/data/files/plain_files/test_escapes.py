"""Any text survives inside a generalised cell, and ordinary texts stay readable."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.plain_files.form import escape_marks, restore_marks

# texts that look like codes, beside any text at all
texts = st.text() | st.text("%;{}*0123B257DAF \r\n", max_size=8)


def test_only_what_the_grammar_would_misread_is_written_in_code() -> None:
    values = ["tea", "50% off", "a;b", "{x}", "*", "2 * 3", "%3B", "100%25", "[1]", "line\nbreak", "%%2A"]
    coded = ["tea", "50% off", "a%3Bb", "%7Bx%7D", "%2A", "2 * 3", "%253B", "100%2525", "[1]", "line%0Abreak", "%%252A"]
    assert escape_marks(pl.Series(values)).to_list() == coded
    assert restore_marks(pl.Series(coded)).to_list() == values


@given(st.lists(texts, max_size=5))
def test_reading_undoes_writing_and_no_mark_is_left(values: list[str]) -> None:
    coded = escape_marks(pl.Series("item", values, dtype=pl.String))
    assert coded.name == "item"
    assert restore_marks(coded).to_list() == values
    assert not any(set(text) & set(";{}\r\n\x00") or text == "*" for text in coded.to_list())

"""The distinct texts of a column give the column back."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.values import find_distinct_texts

texts = st.lists(st.text("ab*[;]", max_size=14))


@given(texts, texts)
def test_every_row_finds_its_text_once_whatever_categories_are_alive(column: list[str], others: list[str]) -> None:
    alive = pl.Series(others, dtype=pl.Categorical)  # takes codes, so that those of the column have gaps
    words = find_distinct_texts(pl.Series(column, dtype=pl.String))
    assert words.text.gather(words.place).to_list() == column
    assert len(set(words.place.tolist())) == len(set(column))
    assert len(alive) == len(others)


def test_a_column_without_rows_has_no_places() -> None:
    assert find_distinct_texts(pl.Series([], dtype=pl.String)).place.dtype == np.intp

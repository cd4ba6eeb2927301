"""A number is its digits: nothing is lost in a float, and nothing is guessed."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.files.plain_files.numbers import (
    count_digits,
    read_numbers,
    round_numbers,
    spell_out_exponents,
    write_numbers,
)


@pytest.mark.parametrize(
    ("text", "decimals", "mark", "value"),
    [
        ("12", 0, ".", 12),
        ("-12.50", 2, ".", -1250),
        ("+0012,5", 2, ",", 1250),
        (" 7 ", 0, ".", 7),
        (".5", 1, ".", 5),
        ("5.", 1, ".", 50),
        ("3.0", 0, ".", 3),  # as frames of floats write whole numbers
        ("9007199254.740993", 5, ".", None),  # six decimals do not fit five
        ("9007199254.74099", 5, ".", 900719925474099),  # beyond what a float times 10**5 is sure of
        ("1,234", 2, ".", 123400),
        ("1.234", 0, ",", 1234),
        ("1.234.567,89", 2, ",", 123456789),
        ("1'234.50", 2, ".", 123450),
        ("1 000", 0, ".", 1000),
        ("-12 345 678,9", 1, ",", -123456789),
        ("1\u202f000", 0, ",", 1000),
        ("1.5", 1, ",", None),
        ("1,23", 2, ".", None),  # a group has three digits
        ("1,2345", 4, ".", None),
        ("0,123", 3, ".", None),  # no number begins with a group of nothing
        ("1234,567", 3, ".", None),
        ("1,234 567", 0, ".", None),  # one mark between all groups
        ("1,234.567,8", 4, ".", None),
        ("1.234", 3, "", None),  # with a point one number, with a comma another
        ("1,5", 1, "", None),
        ("1 000", 0, "", 1000),
        ("", 0, ".", None),
        (".", 1, ".", None),
        ("-", 0, ".", None),
        ("1234567890123456", 0, ".", None),  # sixteen digits
        ("１２", 0, ".", None),
    ],
)
def test_what_a_text_means(text: str, decimals: int, mark: str, value: int | None) -> None:
    values, readable = read_numbers(pl.Series([text]), decimals, mark)
    assert (int(values[0]) if readable[0] else None) == value


@given(st.lists(st.integers(-(10**15) + 1, 10**15 - 1), max_size=5), st.integers(0, 9), st.sampled_from(".,"))
@example([-1], 2, ",")  # -0,01: the whole part has no sign of its own
def test_reading_undoes_writing(values: list[int], decimals: int, mark: str) -> None:
    grid = pl.Series(values, dtype=pl.Int64).to_numpy()
    again, readable = read_numbers(write_numbers(grid, decimals, mark), decimals, mark)
    assert readable.all()
    assert again.tolist() == values


def test_exponents_are_written_out_and_long_numbers_rounded() -> None:
    plain = spell_out_exponents(pl.Series(["1e-7", "1.5E+3", "tea", "1e99", "2"]), ".")
    assert plain.to_list() == ["0.0000001", "1500", "tea", "1e99", "2"]
    assert count_digits(pl.Series(["0.30000000000000004", "12", "x"]), ".") == (2, 17)
    rounded, count = round_numbers(pl.Series(["0.30000000000000004", "0.125", "0.1", "x"]), 2, ".")
    assert (rounded.to_list(), count) == (["0.30", "0.12", "0.1", "x"], 2)

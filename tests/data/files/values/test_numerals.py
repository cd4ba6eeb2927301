"""A number is read exactly or refused with the true limit."""

from __future__ import annotations

import re
from fractions import Fraction

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.files.values import describe_numeral, read_numerals
from sekisho.data.frame.dataset import Kind

digits = st.text("0123456789", min_size=1, max_size=14)


@given(digits, digits | st.just(""), st.integers(1, 9))
@example("34", "1234567", 6)
@example("34", "123456", 6)
@example("1234567", "1", 6)
def test_a_decimal_is_read_exactly_within_the_limits_that_its_words_tell(whole: str, part: str, decimals: int) -> None:
    text = f"{whole}.{part}" if part else whole
    values, readable = read_numerals(pl.Series([text]), Kind.DECIMAL, decimals)
    before, after = map(int, re.findall("[0-9]+", describe_numeral(Kind.DECIMAL, decimals)))
    assert bool(readable[0]) == (len(whole) <= before and len(part) <= after)
    if readable[0]:
        assert Fraction(int(values[0]), 10**decimals) == Fraction(text)


@given(digits)
def test_a_whole_number_likewise(text: str) -> None:
    values, readable = read_numerals(pl.Series([text]), Kind.INTEGER, 0)
    (most,) = map(int, re.findall("[0-9]+", describe_numeral(Kind.INTEGER, 0)))
    assert bool(readable[0]) == (len(text) <= most)
    assert not readable[0] or int(values[0]) == int(text)

"""A written number is taken exactly, or refused before it costs anything."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.values import LONGEST, parse_exact


@given(st.fractions(max_denominator=10**9))
def test_what_is_written_is_meant(number: Fraction) -> None:
    assert parse_exact(str(number)) == number


@pytest.mark.parametrize(("text", "value"), [("0.5", Fraction(1, 2)), ("-2e-1", Fraction(-1, 5)), ("1e099", 10**99)])
def test_decimals_and_exponents(text: str, value: Fraction) -> None:
    assert parse_exact(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "1/0", "0/-1", "nan", "1e100", "1e999999999", "1E-9_9_9_9", "9" * (LONGEST + 1)]
)
def test_what_is_no_number_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|Fraction"):
        parse_exact(text)

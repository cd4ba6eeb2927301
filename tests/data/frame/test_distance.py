"""A column of one value has no spread, however large the value: nothing is divided by what rounding leaves of it."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.distance import range_error
from sekisho.data.frame.spread import measure_spread, standard_deviation


@given(st.integers(-(2**62), 2**62), st.integers(1, 40))
@example(2**53 - 1, 5)  # numpy's deviation of five such numbers is 1, not 0
def test_one_value_has_no_spread(value: int, rows: int) -> None:
    column = np.full(rows, value)
    assert standard_deviation(column) == 0
    suppressed = np.arange(rows) % 2 == 1
    cells = RangeCells(lower=column, upper=column, suppressed=suppressed)
    assert range_error(column, cells, standard_deviation(column)).tolist() == suppressed.tolist()


def test_no_rows_have_no_spread() -> None:
    assert standard_deviation(np.zeros(0, dtype=np.int64)) == 0


@given(st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=60), st.randoms(use_true_random=False))
@example([0, 1, 10**15], None)  # squares beyond 64 bits
def test_neither_order_nor_counting_changes_a_digit(values: list[int], shuffler: Random | None) -> None:
    column = np.array(values)
    moved = values.copy()
    if shuffler is not None:
        shuffler.shuffle(moved)
    distinct, counts = np.unique(column, return_counts=True)
    deviation = standard_deviation(column)
    assert standard_deviation(np.array(moved)) == deviation
    assert measure_spread(distinct, counts) == (min(values), max(values), deviation)
    exact = Fraction(sum(value * value for value in values), len(values)) - Fraction(sum(values), len(values)) ** 2
    assert deviation == pytest.approx(float(exact) ** 0.5, rel=1e-15)

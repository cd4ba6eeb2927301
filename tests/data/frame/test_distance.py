"""A column of one value has no spread, however large the value: nothing is divided by what rounding leaves of it."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.distance import range_error, standard_deviation


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

"""The range that is published must be the cheapest of all that hold the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.distance import range_error
from sekisho.protect.history.shared_cells import gain, widen_ranges

TOP = 24


def compute_cost(values: list[int], low: int, high: int) -> float:
    """Return what a range costs its values, by the definition: the mean distance to its grid points."""
    points = np.arange(low, high + 1)
    return float(sum(np.abs(points - value).mean() for value in values))


@given(st.lists(st.integers(0, TOP), min_size=1, max_size=7))
def test_no_range_within_the_column_is_cheaper(values: list[int]) -> None:
    low, high = min(values), max(values)
    best = min(compute_cost(values, first, last) for first in range(low + 1) for last in range(high, TOP + 1))
    ends = widen_ranges(
        np.array(values),
        np.zeros(len(values), dtype=np.int64),
        np.array([low]),
        np.array([high]),
        within=(0, TOP),
    )
    first, last = (int(end[0]) for end in ends)
    assert first <= low <= high <= last
    assert compute_cost(values, first, last) == pytest.approx(best, abs=1e-9)
    held = np.array(values, dtype=np.float64)
    saved = gain(low, high, len(held), held.sum(), (held**2).sum(), 1.0, TOP)
    assert compute_cost(values, low, high) - saved == pytest.approx(best, abs=1e-9)


def test_two_and_one_worked_by_hand() -> None:
    # 10, 10, 20: R = 2 (10 * 11 + 10 * 11 + 0) = 440, R / 3 = 146.7, the smallest m with m (m + 1) at least that is 12
    # (11 * 12 = 132): [9;20], one step below the smallest range.
    values = np.array([10, 10, 20])
    ends = widen_ranges(values, np.zeros(3, dtype=np.int64), np.array([10]), np.array([20]), within=(0, 30))
    assert [int(end[0]) for end in ends] == [9, 20]
    cells = RangeCells(lower=np.full(3, 9), upper=np.full(3, 20), suppressed=np.zeros(3, dtype=np.bool_))
    assert float(range_error(values, cells, 1.0).sum()) == pytest.approx(compute_cost([10, 10, 20], 9, 20))
    # Nothing below 10 was ever seen: the range stays.
    ends = widen_ranges(values, np.zeros(3, dtype=np.int64), np.array([10]), np.array([20]), within=(10, 30))
    assert [int(end[0]) for end in ends] == [10, 20]

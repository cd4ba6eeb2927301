"""The assignment must be a cheapest one, and an early stop must never hide a cheap one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sekisho.protect.history.grouping.assignment import bid_for_columns, solve_assignment

shapes = st.tuples(st.integers(1, 7), st.integers(0, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))
smooth = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.floats(-10, 10, width=32)))
tied = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 3).map(float)))


def optimum(cost: NDArray[np.float64]) -> float:
    return float(cost[linear_sum_assignment(cost)].sum())


def test_two_by_two_by_hand() -> None:
    # Straight costs 1 + 9, crossed 2 + 3.
    columns, _, _, total = solve_assignment(np.array([[1.0, 2.0], [3.0, 9.0]]), np.inf)
    assert columns.tolist() == [1, 0]
    assert total == 5


@given(st.one_of(smooth, tied))
def test_it_is_the_optimum_and_the_duals_prove_it(cost: NDArray[np.float64]) -> None:
    columns, u, v, total = solve_assignment(cost, np.inf)
    assert len(set(columns.tolist())) == len(cost)
    assert total == pytest.approx(optimum(cost), abs=1e-9)
    assert cost[np.arange(len(cost)), columns].sum() == pytest.approx(total, abs=1e-9)
    assert (u[:, None] + v[None, :] <= cost + 1e-9).all()
    assert (v <= 1e-12).all()


@given(st.one_of(smooth, tied), st.floats(-20, 40))
def test_a_value_above_the_limit_is_still_a_lower_bound(cost: NDArray[np.float64], limit: float) -> None:
    value = solve_assignment(cost, limit)[3]
    assert value <= optimum(cost) + 1e-9
    if value <= limit:
        assert value == pytest.approx(optimum(cost), abs=1e-9)


@given(st.one_of(smooth, tied), st.sampled_from((0.01, 0.1, 1.0)))
def test_an_auction_misses_the_least_total_by_its_tolerance_at_most(
    cost: NDArray[np.float64], tolerance: float
) -> None:
    columns, total = bid_for_columns(cost, tolerance)
    assert len(set(columns.tolist())) == len(cost)
    assert total == pytest.approx(cost[np.arange(len(cost)), columns].sum())
    assert optimum(cost) - 1e-9 <= total <= optimum(cost) + len(cost) * tolerance + 1e-4  # bids are in 32 bits

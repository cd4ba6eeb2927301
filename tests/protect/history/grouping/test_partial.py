"""What aligning fewer rows costs must never be overstated: bounds stand on it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.laws import try_examples
from tests.protect.every_release import draw_history

from sekisho.data.history.arrays import History
from sekisho.protect.history.grouping.assignment import build_pair_matrix, compute_pairs
from sekisho.protect.history.grouping.partial import PartialCosts, charge_shortest
from sekisho.protect.history.grouping.program import PairCosts
from sekisho.protect.history.grouping.rows import lay_out_rows, stretch_rows


def compute_all(seed: int, people: int, most: int) -> PartialCosts:
    rows = lay_out_rows(History.of(draw_history(seed, people, most)))
    partial = PartialCosts(PairCosts.of(stretch_rows(rows, 3)), rows)
    half = np.zeros((people, people), dtype=np.bool_)
    half[0] = True
    partial.compute(half)  # in two parts, so that tables are appended
    partial.compute(~half)
    return partial


def find_least(cost: np.ndarray, count: int) -> float:
    """Return the cheapest assignment of some rows, by trying all choices of them."""
    return min(
        float(chosen[linear_sum_assignment(chosen)].sum())
        for rows in combinations(range(len(cost)), count)
        for chosen in [cost[list(rows)]]
    )


@try_examples(30)
@given(st.integers(0, 10**6))
def test_tables_stay_below_the_truth_and_reach_it_at_the_end(seed: int) -> None:
    partial = compute_all(seed, 4, 5)
    costs, tables = partial.costs, partial.tables
    for one, two in combinations(range(4), 2):
        short, long = (one, two) if tables.lengths[one] <= tables.lengths[two] else (two, one)
        matrix = build_pair_matrix(costs.rows, short, long)
        start = tables.starts[tables.number[one, two]]
        values = tables.values[start : start + len(matrix) + 1]
        truth = [find_least(matrix, count) for count in range(len(matrix) + 1)]
        assert (values <= np.array(truth) + 1e-9).all()
        assert values[-1] == pytest.approx(truth[-1], abs=1e-9)
    first, second = np.triu_indices(4, 1)
    # The alignment is the stretched rows' best, so without stretching it costs what the pair does, or a little more.
    plain = compute_pairs(partial.rows, first, second, np.full(6, np.inf))
    assert (partial.plain[first, second] >= plain - 1e-9).all()
    assert (partial.plain[first, second] <= costs.cost[first, second] + 1e-6).all()
    assert costs.cost[first, second] == pytest.approx(
        compute_pairs(costs.rows, first, second, np.full(6, np.inf)), abs=1e-6
    )


@try_examples(30)
@given(st.integers(0, 10**6))
def test_the_shortest_charges_what_the_longer_two_lose_at_most(seed: int) -> None:
    partial = compute_all(seed, 3, 6)
    tables = partial.tables
    one, two, three = np.argsort(tables.lengths, kind="stable").tolist()
    slots, most = int(tables.lengths[one]), int(tables.lengths[two])
    matrix = build_pair_matrix(partial.costs.rows, two, three)
    truth = find_least(matrix, slots) + 8 * (most - slots) - find_least(matrix, most)
    for order in ((one, two, three), (two, three, one), (three, one, two), (two, one, three)):
        assert 0 <= charge_shortest(tables, *order) <= truth + 1e-9


def test_a_pair_that_was_not_computed_is_charged_nothing() -> None:
    rows = lay_out_rows(History.of(draw_history(1, 3, 6)))
    assert charge_shortest(PartialCosts(PairCosts.of(rows), rows).tables, 0, 1, 2) == 0

"""Where whole numbers tell no more than real ones: told from the table's equations, and true by brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tables.instances import filled, grid, instance
from tests.tables.oracle import interval

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import TOTAL, Status, Table
from sekisho.tables.model.whole_numbers import WholeNumbers, is_same_as_real, judge_whole_numbers

TREE = Dimension(name="r", parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "s1": "s", "s2": "s"})
FLAT = Dimension.flat("c", ["c1", "c2"])
OTHER = Dimension(name="d", parent={"x": TOTAL, "y": TOTAL, "x1": "x", "x2": "x"})
GROUPED = Dimension(name="r", parent=dict.fromkeys("abcd", TOTAL), groupings={"ab": ("a", "b"), "bc": ("b", "c")})
TOP = 3


def make(*dimensions: Dimension, seed: int = 0, high: int = 5) -> Table:
    return filled(list(dimensions), np.random.default_rng(seed), high=high)


@pytest.mark.parametrize(
    ("table", "same"),
    [
        (make(FLAT), True),
        (make(TREE), True),
        (make(FLAT, Dimension.flat("d", ["d1", "d2", "d3"])), True),
        (make(TREE, FLAT), True),
        (make(FLAT, TREE), True),
        (make(TREE, OTHER), False),  # a tree in both: the argument fails, and nothing is claimed
        (make(GROUPED), False),  # ab and bc overlap
        (make(FLAT, replace(OTHER, name="e"), TREE), False),
        (grid((2, 2, 2), np.random.default_rng(0)), False),
        (instance("linked", 0), False),
    ],
)
def test_one_dimension_or_two_with_at_most_one_tree(table: Table, same: bool) -> None:  # noqa: FBT001
    assert is_same_as_real(table) is same
    assert judge_whole_numbers(table) is (WholeNumbers.SAME_AS_REAL if same else WholeNumbers.NOT_CONSIDERED)


def test_bounds_and_values_must_be_whole_and_the_table_complete() -> None:
    table = make(TREE, FLAT)
    assert is_same_as_real(replace(table, upper=table.value + 7))
    assert not is_same_as_real(replace(table, upper=table.value + 7.5))
    assert not is_same_as_real(replace(table, matrix=table.matrix[:-1], equations=table.equations[:-1]))
    assert not is_same_as_real(replace(table, matrix=2 * table.matrix))
    halves = replace(table, value=table.value / 2)
    assert judge_whole_numbers(halves) is WholeNumbers.NO_WHOLE_NUMBERS
    hidden = table.status.copy()
    hidden[-1] = Status.UNPUBLISHED
    assert not is_same_as_real(replace(table, status=hidden))


def list_whole_tables(table: Table, hidden: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return all whole tables that agree with what is shown, by trying every filling of the leaves up to ``TOP``."""
    totals = np.any(table.matrix.toarray() < 0, axis=0)
    leaves = np.flatnonzero(~totals)
    spread = np.linalg.lstsq(
        np.vstack([table.matrix.toarray(), np.eye(len(table))[leaves]]),
        np.vstack([np.zeros((table.matrix.shape[0], len(leaves))), np.eye(len(leaves))]),
        rcond=None,
    )[0]
    choices = [range(TOP + 1) if hidden[leaf] else [int(table.value[leaf])] for leaf in leaves.tolist()]
    every = np.array(list(product(*choices)), dtype=np.float64) @ np.rint(spread).T
    return every[np.all(hidden | (every == table.value), axis=1)]


@pytest.mark.parametrize("seed", range(25))
def test_intervals_in_two_dimensions_are_those_over_all_whole_tables(seed: int) -> None:
    """Every hidden cell, leaf or total, of any pattern: both ends by scipy's program, and by listing whole tables."""
    rng = np.random.default_rng(seed)
    shapes = ((TREE, FLAT), (FLAT, TREE), (FLAT, Dimension.flat("d", ["d1", "d2", "d3", "d4"])), (TREE,))
    dimensions = shapes[seed % len(shapes)]
    keys = list(product(*(dimension.leaves for dimension in dimensions)))
    table = from_inner(dimensions, keys, rng.integers(0, TOP + 1, len(keys)).astype(np.float64))
    totals = np.any(table.matrix.toarray() < 0, axis=0)
    table = replace(table, upper=np.where(totals, np.inf, TOP))
    hidden = rng.random(len(table)) < rng.choice([0.5, 0.7, 0.9])
    possible = list_whole_tables(table, hidden)
    for cell in np.flatnonzero(hidden).tolist():
        low, high = interval(table, hidden, cell)
        assert (possible[:, cell].min(), possible[:, cell].max()) == pytest.approx((low, high), abs=1e-6)

"""Totals are counted by how high they stand: a hidden grand total must not look like any other hidden cell."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.tables.instances import KINDS, filled, grid, instance

from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.heights import measure_heights
from sekisho.tables.model.table import TOTAL
from sekisho.tables.suppress.optimiser import MarginCount, count_margins


def test_each_dimension_and_each_level_of_a_tree_adds_one() -> None:
    flat = grid((2, 3, 2), np.random.default_rng(1))
    heights = measure_heights(flat)
    assert all(heights[at] == key.count(TOTAL) for at, key in enumerate(flat.keys))
    tree = Dimension(name="r", parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "s1": "s", "s2": "s"})
    table = filled([tree, Dimension.flat("c", ["c1", "c2"])], np.random.default_rng(1))
    of = dict(zip(table.keys, measure_heights(table).tolist(), strict=True))
    assert [of["n1", "c1"], of["n", "c1"], of["n1", TOTAL], of["n", TOTAL], of[TOTAL, TOTAL]] == [0, 1, 1, 2, 3]


@given(st.sampled_from(KINDS), st.integers(0, 30))
def test_a_total_stands_above_each_of_its_parts(kind: str, seed: int) -> None:
    table = instance(kind, seed)
    heights = measure_heights(table)
    for row in range(table.matrix.shape[0]):
        at = slice(table.matrix.indptr[row], table.matrix.indptr[row + 1])
        cells, signs = table.matrix.indices[at], table.matrix.data[at]
        assert heights[cells[signs < 0]].min() > heights[cells[signs > 0]].max()


def test_hidden_totals_are_counted_from_the_grand_total_down() -> None:
    table = grid((2, 3), np.random.default_rng(1))
    hidden = np.array([key in {(TOTAL, TOTAL), ("00", TOTAL), ("00", "10")} for key in table.keys])
    counts = count_margins(table.suppress_cells(hidden))
    # 1 grand total; 2 row totals and 3 column totals, one of them hidden; inner cells are no totals
    assert counts == [MarginCount(height=2, cells=1, hidden=1), MarginCount(height=1, cells=5, hidden=1)]

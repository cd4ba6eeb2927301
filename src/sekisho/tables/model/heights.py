"""How high each cell stands above the inner ones: 0 for an inner cell, 1 for a total of inner cells, and so on.

The grand total of a table of two flat dimensions stands at 2, that of three at 3; each level of a tree adds one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.table import Table

Ints = NDArray[np.int64]


def measure_heights(table: Table) -> Ints:
    """Return, for each cell, the length of the longest chain of equations from it down to parts that are no totals.

    The total of an equation is the one cell whose sign differs from all others'; an equation without such a cell (or a
    circle of equations, which no table of sums has) raises nobody.
    """
    totals, parts = _list_sums(table)
    heights = np.zeros(len(table), dtype=np.int64)
    for _ in range(len(table)):
        lifted = heights.copy()
        np.maximum.at(lifted, totals, heights[parts] + 1)
        if np.array_equal(lifted, heights) or lifted.max(initial=0) >= len(table):
            break
        heights = lifted
    return heights


def _list_sums(table: Table) -> tuple[Ints, Ints]:
    """Return each pair of a total and one of its parts."""
    matrix = table.matrix
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    below = np.bincount(row_of, weights=matrix.data < 0, minlength=matrix.shape[0])
    above = np.bincount(row_of, weights=matrix.data > 0, minlength=matrix.shape[0])
    sign = np.where(below == 1, -1.0, np.where(above == 1, 1.0, 0.0))
    is_total = np.sign(matrix.data) == sign[row_of]
    total_of_row = np.full(matrix.shape[0], -1, dtype=np.int64)
    total_of_row[row_of[is_total]] = matrix.indices[is_total]
    kept = ~is_total & (total_of_row[row_of] >= 0)
    return total_of_row[row_of[kept]], matrix.indices[kept].astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginCount:
    """How many cells of a height there are, and how many of them are hidden."""

    height: int
    cells: int
    hidden: int


def count_margins(table: Table) -> list[MarginCount]:
    """Return how many margins of each height a pattern hides, the highest first; cells of no published table aside."""
    heights = measure_heights(table)
    own, hidden = ~table.unpublished, table.suppressed
    top = int(heights[own].max(initial=0))
    return [
        MarginCount(
            height=height,
            cells=int((own & (heights == height)).sum()),
            hidden=int((own & hidden & (heights == height)).sum()),
        )
        for height in range(top, 0, -1)
    ]

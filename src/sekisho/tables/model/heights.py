"""How high each cell stands above the inner ones: 0 for an inner cell, 1 for a total of inner cells, and so on.

The grand total of a table of two flat dimensions stands at 2, that of three at 3; each level of a tree adds one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.table import Table

Ints = NDArray[np.int64]


def measure_heights(table: Table) -> Ints:
    """Return, for each cell, the length of the longest chain of equations from it down to parts that are no totals.

    The total of an equation is the one cell whose sign differs from all others'; an equation without such a cell (or a
    circle of equations, which no table of sums has) raises nobody.
    """
    totals, parts = list_sums(table)
    heights = np.zeros(len(table), dtype=np.int64)
    for _ in range(len(table)):
        lifted = heights.copy()
        np.maximum.at(lifted, totals, heights[parts] + 1)
        if np.array_equal(lifted, heights) or lifted.max(initial=0) >= len(table):
            break
        heights = lifted
    return heights


def list_sums(table: Table) -> tuple[Ints, Ints]:
    """Return each pair of a total and one of its parts."""
    matrix = table.matrix
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    total = find_totals(table)[row_of]
    kept = (total >= 0) & (total != matrix.indices)
    return total[kept], matrix.indices[kept].astype(np.int64)


def find_totals(table: Table) -> Ints:
    """Return the total of each equation, -1 where it has none: the one cell whose sign differs from all others'."""
    matrix = table.matrix
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    below = np.bincount(row_of, weights=matrix.data < 0, minlength=matrix.shape[0])
    above = np.bincount(row_of, weights=matrix.data > 0, minlength=matrix.shape[0])
    sign = np.where(below == 1, -1.0, np.where(above == 1, 1.0, 0.0))
    is_total = np.sign(matrix.data) == sign[row_of]
    totals = np.full(matrix.shape[0], -1, dtype=np.int64)
    totals[row_of[is_total]] = matrix.indices[is_total]
    return totals


def sum_inner(table: Table, inner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return whole numbers at the cells of height 0 summed up into every total; what stands at totals is not read."""
    heights, matrix = measure_heights(table), table.matrix
    totals = find_totals(table)
    first = {int(total): row for row, total in reversed(list(enumerate(totals.tolist()))) if total >= 0}
    summed = np.where(heights == 0, inner, 0).astype(np.int64)
    for height in range(1, int(heights.max(initial=0)) + 1):
        cells = np.flatnonzero(heights == height)
        rows = np.array([first[cell] for cell in cells.tolist()])
        own = matrix[rows]
        sign = own[np.arange(len(rows)), cells]
        parts = np.rint(own @ np.where(heights < height, summed, 0).astype(np.float64)).astype(np.int64)
        summed[cells] = -parts * np.asarray(sign).astype(np.int64)
    return summed

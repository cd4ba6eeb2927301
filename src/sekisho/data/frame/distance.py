"""How far a generalised cell, or a record, is from the truth: what protection, attack and utility all measure with.

Cell error Err(x, y) of the contest of 2018, for the true value x and the published cell y:

========================================  =============================================
``*``                                     1
equal value                               0
another number                            abs(x - y) / sd
another category                          1
set of s items                            1 - 1/s; 1 where x is not among them
range [a; b] with x inside, grid 1        ((a-x)^2 + (b-x)^2 + (b-a)) / (2 (b-a+1) sd)
range [a; b] with x outside               abs(x - (a+b)/2) / sd
missing, where x is not, or the reverse   1
========================================  =============================================

The error of a range or set is the expected distance to a value drawn uniformly from it: over the population standard
deviation of the original column for numbers, Hamming for categories. It is not clipped. The contest admits only cells
that hold the truth; methods that change values, as swapping does, are measured by the same definition.
Source: PWS Cup 2018, rules, utility; report, section 2.4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, SetCells, find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.frame.spread import Spread

ELSEWHERE = -1
"""The code of a value that no cell of a release has."""


def range_error(x: NDArray[np.int64], cells: RangeCells, deviation: float) -> NDArray[np.float64]:
    """Return Err for each row of a numeric column.

    Where the column has no spread, a range that is not exact costs 1, as ``*``. A missing cell is another value than
    every number, which costs 1 either way.
    """
    low, high = (cells.lower - x).astype(np.float64), (cells.upper - x).astype(np.float64)
    width = high - low
    outside = _find_outside(low, high)
    from_middle = np.abs(low[outside] + high[outside]) / 2.0
    distance = np.square(low, out=low)  # from here in place: a new array a step would take three times as long
    distance += np.square(high, out=high)
    distance += width
    width += 1.0
    width *= 2.0
    distance /= width
    distance[outside] = from_middle
    error = np.divide(distance, deviation, out=distance) if deviation > 0 else (distance > 0).astype(np.float64)
    error[cells.suppressed | (find_gaps(x) != find_gaps(cells.lower))] = 1.0
    return error


def _find_outside(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows whose value lies outside their range, told by both ends less the value; mostly there are none."""
    if not len(low) or (low.max() <= 0 and high.min() >= 0):
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero((low > 0) | (high < 0))


def set_error(x: NDArray[np.int32], domain: tuple[str, ...], cells: SetCells) -> NDArray[np.float64]:
    """Return Err for each row of a category column; ``domain`` is what the true codes stand for."""
    codes = x
    if cells.domain != domain:
        place = {value: code for code, value in enumerate(cells.domain)}
        codes = np.array([place.get(value, ELSEWHERE) for value in domain], dtype=np.int32)[x]
    admitted = cells.admits(codes) & ~cells.suppressed
    error = np.divide(admitted, np.maximum(cells.sizes(), 1))
    return np.subtract(1.0, error, out=error)


def cell_errors(
    original: Dataset, table: MaskedTable, spreads: Mapping[str, Spread] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Return Err of every cell, by column; a suppressed cell, also one of a deleted row, costs 1.

    Args:
        original: the true values.
        table: what became of them, row by row.
        spreads: of the numeric columns, where the rows are only some of the original's.
    """
    return dict(walk_cell_errors(original, table, spreads))


def walk_cell_errors(
    original: Dataset, table: MaskedTable, spreads: Mapping[str, Spread] | None = None
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield each column's name with Err of its cells, so that one column's are held at a time."""
    for column in original.schema.attributes:
        name = column.name
        if column.kind.numeric:
            grid = original.grid(name)
            deviation = original.deviation(name) if spreads is None else spreads[name].deviation
            yield name, range_error(grid, table.numbers(name), deviation)
        else:
            yield name, set_error(original.codes(name), original.domain(name), table.sets(name))

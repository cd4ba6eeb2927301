"""Which cells of a column are equal: work on a column of cells is done once for each distinct one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells


def number_cells(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return which distinct cell each row has, from 0, and a row that has each; suppressed cells are all equal."""
    number = _number_ranges(cells) if isinstance(cells, RangeCells) else _number_sets(cells)
    _, first, place = np.unique(number, return_index=True, return_inverse=True)
    return place.reshape(-1).astype(np.int64), first


def _number_ranges(cells: RangeCells) -> NDArray[np.int64]:
    """Return a number for each row, the same where the ranges are."""
    lower, upper = (np.where(cells.suppressed, 0, ends) for ends in (cells.lower, cells.upper))
    starts, low = np.unique(lower, return_inverse=True)
    ends, high = np.unique(upper, return_inverse=True)
    pair = low.reshape(-1).astype(np.int64) * len(ends) + high.reshape(-1)
    return np.where(cells.suppressed, len(starts) * len(ends), pair)


def _number_sets(cells: SetCells) -> NDArray[np.int64]:
    """Return a number for each row, the same where the sets are: sets of one size are told apart value by value."""
    sizes = cells.sizes()
    number, width = sizes.astype(np.int64), max(1, len(cells.domain))
    for place in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > place)
        pair = number[rows] * width + cells.codes[cells.offsets[rows] + place]
        refined = np.unique(pair, return_inverse=True)[1].reshape(-1)
        # sets that end before this value keep their numbers, which the new ones must not repeat
        number[rows] = refined + 1 + int(number.max())
        number = np.unique(number, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number

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
    """Return a number for each row, the same where the sets are.

    Sets are sorted by the sum of a random word for each value, and each is then compared with the first of its sum; if
    two different sets share a sum, they are told apart value by value.
    """
    sizes = cells.sizes()
    words = _mix(np.arange(len(cells.domain), dtype=np.uint64))
    ends = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(words[cells.codes], dtype=np.uint64)])
    sums = ends[cells.offsets[1:]] - ends[cells.offsets[:-1]]
    _, first, place = np.unique(sums, return_index=True, return_inverse=True)
    place = place.reshape(-1).astype(np.int64)
    return place if _agree(cells, sizes, first[place]) else _refine_sets(cells, sizes)


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a word of 64 bits for each number that looks random (the finaliser of splitmix64, Steele et al. 2014)."""
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _agree(cells: SetCells, sizes: NDArray[np.int64], other: NDArray[np.intp]) -> bool:
    """Tell whether every row has the same set as another row."""
    if not np.array_equal(sizes, sizes[other]):
        return False
    step = np.arange(len(cells.codes)) - np.repeat(cells.offsets[:-1], sizes)
    return np.array_equal(cells.codes, cells.codes[np.repeat(cells.offsets[other], sizes) + step])


def _refine_sets(cells: SetCells, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each row, the same where the sets are: sets of one size are told apart value by value."""
    number, width = sizes.astype(np.int64), max(1, len(cells.domain))
    for place in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > place)
        pair = number[rows] * width + cells.codes[cells.offsets[rows] + place]
        refined = np.unique(pair, return_inverse=True)[1].reshape(-1)
        # sets that end before this value keep their numbers, which the new ones must not repeat
        number[rows] = refined + 1 + int(number.max())
        number = np.unique(number, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number

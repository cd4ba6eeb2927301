"""The one value that all records of a group bear."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def find_means(grid: NDArray[np.int64], owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the mean of each group, rounded to the grid, halves up."""
    least = int(grid.min())
    sums = np.bincount(owner, weights=(grid - least).astype(np.float64))
    return least + np.floor(sums / np.bincount(owner) + 0.5).astype(np.int64)


def find_medians(grid: NDArray[np.int64], owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the median of each group; of an even number of records the lower of the middle two."""
    order = np.lexsort((grid, owner))
    sizes = np.bincount(owner)
    return grid[order][np.cumsum(sizes) - sizes + (sizes - 1) // 2]


def find_modes(codes: NDArray[np.int32], owner: NDArray[np.int64], values: int) -> NDArray[np.int64]:
    """Return the most frequent code of each group; of equals the first."""
    pairs, counts = np.unique(owner * values + codes, return_counts=True)
    group, code = np.divmod(pairs, values)
    order = np.lexsort((code, -counts, group))
    first = np.searchsorted(group[order], np.arange(int(owner.max()) + 1))
    return code[order][first]

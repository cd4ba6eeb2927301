"""How far the values of a numeric column lie apart: what cell errors are measured in."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import drop_gaps, find_gaps

EXACT = 1 << 63
"""Sums below this are exact in whole numbers of 64 bits."""


class Spread(NamedTuple):
    """What all rows together say of a numeric column, on its grid.

    Attributes:
        low: its smallest value.
        high: its largest.
        deviation: its population standard deviation.
    """

    low: int
    high: int
    deviation: float


def measure_spread(values: NDArray[np.int64], counts: NDArray[np.int64] | None = None) -> Spread:
    """Return the spread of a column that has rows; missing cells have no say, and a column of none but them has none.

    Args:
        values: of each row, or the distinct ones.
        counts: how many rows have each of the distinct values.
    """
    if counts is not None:
        counts = counts[~find_gaps(values)]
    values = drop_gaps(values)
    if not len(values):
        return Spread(0, 0, 0.0)
    return Spread(int(values.min()), int(values.max()), standard_deviation(values, counts))


def standard_deviation(values: NDArray[np.int64], counts: NDArray[np.int64] | None = None) -> float:
    """Return the population standard deviation of a column on its grid; exactly 0 where it has one value only.

    Sums are exact, so neither the order of the rows changes the last digit, nor whether equal values are counted.
    """
    if counts is not None:
        counts = counts[~find_gaps(values)]
    values = drop_gaps(values)
    if not len(values):
        return 0.0
    low = int(values.min())
    span = int(values.max()) - low
    if counts is None and span * span * len(values) >= EXACT:
        values, counts = np.unique(values, return_counts=True)
    if counts is None:
        steps = values - low
        rows, total, squares = len(values), int(steps.sum()), int(np.dot(steps, steps))
    else:
        weights = [int(count) for count in counts.tolist()]
        offsets = [int(value) - low for value in values.tolist()]
        rows = sum(weights)
        total = sum(weight * step for weight, step in zip(weights, offsets, strict=True))
        squares = sum(weight * step * step for weight, step in zip(weights, offsets, strict=True))
    return sqrt((rows * squares - total * total) / (rows * rows))

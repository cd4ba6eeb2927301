"""Records as points: numbers in units of their standard deviation, categories by whether they are equal.

The squared distance of two records is the sum of squared differences of the numbers plus 1 for every category that
differs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import find_gaps
from sekisho.kernels import njit


class MixedPoints(NamedTuple):
    """Records as points.

    Attributes:
        numbers: records by numbers.
        labels: records by categories, as codes.
        starts: where the codes of each category begin, and the end of the last.
    """

    numbers: NDArray[np.float64]
    labels: NDArray[np.int32]
    starts: NDArray[np.int64]


def standardise(columns: list[NDArray[np.int64]], rows: int) -> NDArray[np.float64]:
    """Return columns of numbers in units of their standard deviation, 0 where they are constant or missing."""
    numbers = np.zeros((rows, len(columns)))
    for place, column in enumerate(columns):
        present = ~find_gaps(column)
        values = column[present].astype(np.float64)
        values -= values.mean() if len(values) else 0.0
        deviation = float(np.sqrt((values * values).mean())) if len(values) else 0.0
        numbers[present, place] = values / deviation if deviation > 0 else 0.0
    return numbers


@njit(cache=True, nogil=True)
def measure_from_point(points: MixedPoints, rows: NDArray[np.int64], centre: int, away: NDArray[np.float64]) -> None:
    """Write the squared distance of each row from one record."""
    for place in range(len(rows)):
        total, row = 0.0, rows[place]
        for column in range(points.numbers.shape[1]):
            step = points.numbers[row, column] - points.numbers[centre, column]
            total += step * step
        for column in range(points.labels.shape[1]):
            if points.labels[row, column] != points.labels[centre, column]:
                total += 1.0
        away[place] = total


@njit(cache=True, nogil=True)
def measure_from_mean(
    points: MixedPoints,
    rows: NDArray[np.int64],
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    away: NDArray[np.float64],
) -> None:
    """Write the squared distance of each row from the mean of all of them.

    Categories count as points of a simplex with sides of length 1: half of 1 - 2 p + the sum of all p squared.
    """
    rest = float(len(rows))
    even = np.zeros(points.labels.shape[1])
    for column in range(points.labels.shape[1]):
        for code in range(points.starts[column], points.starts[column + 1]):
            even[column] += (counts[code] / rest) ** 2
    for place in range(len(rows)):
        total, row = 0.0, rows[place]
        for column in range(points.numbers.shape[1]):
            step = points.numbers[row, column] - sums[column] / rest
            total += step * step
        for column in range(points.labels.shape[1]):
            share = counts[points.starts[column] + points.labels[row, column]] / rest
            total += (1.0 - 2.0 * share + even[column]) / 2.0
        away[place] = total

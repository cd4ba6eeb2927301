"""Records as points, and groups of them: numbers in units of their standard deviation, categories equal or not.

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


@njit(cache=True, nogil=True)
def group_by_distance(points: MixedPoints, k: int) -> NDArray[np.int64]:
    """Return the group of each record, numbered from 0."""
    records = len(points.numbers)
    owner, groups = np.full(records, -1, np.int64), 0
    rows, away = np.arange(records), np.empty(records)
    sums, counts = points.numbers.sum(axis=0), np.zeros(points.starts[-1])
    for column in range(points.labels.shape[1]):
        for code in points.labels[:, column]:
            counts[points.starts[column] + code] += 1.0
    while len(rows) >= 2 * k:
        measure_from_mean(points, rows, sums, counts, away)
        far = rows[np.argmax(away[: len(rows)])]
        measure_from_point(points, rows, far, away)
        farthest = rows[np.argmax(away[: len(rows)])]
        pair = len(rows) >= 3 * k
        rows = _take_nearest(points, rows, away, k, owner, groups, sums, counts)
        groups += 1
        if pair:
            if owner[farthest] >= 0:  # all records are alike
                farthest = rows[0]
            measure_from_point(points, rows, farthest, away)
            rows = _take_nearest(points, rows, away, k, owner, groups, sums, counts)
            groups += 1
    for row in rows:
        owner[row] = groups
    return owner


@njit(cache=True, nogil=True)
def _take_nearest(
    points: MixedPoints,
    rows: NDArray[np.int64],
    away: NDArray[np.float64],
    k: int,
    owner: NDArray[np.int64],
    group: int,
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Put the k nearest rows into a group, take them out of the sums, and return the others in their order."""
    limit = np.partition(away[: len(rows)], k - 1)[k - 1]
    closer = 0
    for place in range(len(rows)):
        closer += away[place] < limit
    ties, kept = k - closer, 0
    left = np.empty(len(rows) - k, np.int64)
    for place in range(len(rows)):
        row = rows[place]
        taken = away[place] < limit
        if away[place] == limit and ties > 0:
            taken, ties = True, ties - 1
        if not taken:
            left[kept] = row
            kept += 1
            continue
        owner[row] = group
        for column in range(points.numbers.shape[1]):
            sums[column] -= points.numbers[row, column]
        for column in range(points.labels.shape[1]):
            counts[points.starts[column] + points.labels[row, column]] -= 1.0
    return left


def group_by_halving(numbers: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the group of each record, made by a k-d tree."""
    owner, groups = np.zeros(len(numbers), dtype=np.int64), 0
    waiting = [np.arange(len(numbers))]
    while waiting:
        rows = waiting.pop()
        if len(rows) < 2 * k:
            owner[rows] = groups
            groups += 1
            continue
        part = numbers[rows]
        axis = int(np.argmax(part.var(axis=0)))
        order = np.argsort(part[:, axis], kind="stable")
        middle = max(k, len(rows) // 2 // k * k)
        waiting += [rows[order[middle:]], rows[order[:middle]]]
    return owner


def group_along_line(numbers: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the group of each record, made by the best cuts of the records in the order of their main direction."""
    centred = numbers - numbers.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    main = directions[:, -1] * (1.0 if directions[np.argmax(np.abs(directions[:, -1])), -1] > 0 else -1.0)
    order = np.argsort(centred @ main, kind="stable")
    runs = _cut_line(np.ascontiguousarray(centred[order]), k)
    owner = np.empty(len(numbers), dtype=np.int64)
    owner[order] = runs
    return owner


@njit(cache=True, nogil=True)
def _cut_line(points: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the run of each point such that the sum of squares within runs of k to 2k - 1 is least."""
    size, width = points.shape
    squares, sums = np.zeros(size + 1), np.zeros((size + 1, width))
    for place in range(size):
        squares[place + 1] = squares[place] + (points[place] ** 2).sum()
        sums[place + 1] = sums[place] + points[place]
    least, before = np.full(size + 1, np.inf), np.zeros(size + 1, np.int64)
    least[0] = 0.0
    for end in range(k, size + 1):
        for start in range(max(0, end - 2 * k + 1), end - k + 1):
            if least[start] == np.inf:
                continue
            total = sums[end] - sums[start]
            cost = least[start] + squares[end] - squares[start] - (total**2).sum() / (end - start)
            if cost < least[end]:
                least[end], before[end] = cost, start
    run, end, number = np.empty(size, np.int64), size, 0
    while end > 0:
        run[before[end] : end] = number
        number, end = number + 1, before[end]
    return run

"""MDAV: the record farthest from the mean takes its k - 1 nearest, then the record farthest from that one does.

While 3k or more records are left: r is the one farthest from their mean, s the one farthest from r; r with its k - 1
nearest is a group, then s with its nearest among the rest. With 2k or more left, r with its nearest is a group and the
rest is the last; with fewer the rest is. Of equally far records the first counts. Groups have k to 2k - 1 records.

Source: Domingo-Ferrer, Mateo-Sanz, "Practical data-oriented microaggregation", TKDE 14(1), 2002; Domingo-Ferrer, Torra,
"Ordinal, continuous and heterogeneous k-anonymity through microaggregation", DMKD 11(2), 2005, algorithm 3.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.aggregation.points import MixedPoints, measure_from_mean, measure_from_point


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

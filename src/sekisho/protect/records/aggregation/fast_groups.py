"""Two faster ways to group records: halving along the widest direction, and the best cuts of a line.

- tree: records are cut in two where they stand, in the order of the number that varies most among them, again and again
  while both halves keep k; the cut is the one near the middle that leaves multiples of k (a k-d tree whose leaves have
  k to 2k - 1 records). Time n log n.
- line: records are put in the order of their first principal component, and the line is cut into runs of k to 2k - 1
  whose sum of squares is the least possible (Hansen and Mukherjee). Of one column these are the best groups of all.

Sources: Hansen, Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", TKDE 15(4), 2003;
Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe, "Efficient multivariate data-oriented microaggregation", VLDB J.
15(4), 2006.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit


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

"""The assignment problem, compiled: each row of a cost matrix gets a column of its own at the least total cost.

Rectangular matrices with at most as many rows as columns. Shortest augmenting paths with dual variables: u_i + v_j <=
c_ij everywhere, equality on the assigned pairs, v_j <= 0, and v_j = 0 on free columns; then sum(u) + sum(v) is at most
the optimum at every stage (v <= 0 pays for columns left free) and equal to it at the end. That gives a sound early
stop: once the dual value is above a limit, so is the optimum.

Where many problems need only good assignments, :func:`bid_for_columns` is several times as fast: an auction, in which
free rows bid for the column that is cheapest with its price, by as much as the second cheapest allows and a tolerance.
Each row then has its cheapest column up to the tolerance, and columns that nobody wanted still cost nothing, so the
total misses the least one by at most the tolerance times the rows.

Source: Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
Computing 38 (1987), 325-340 (row reduction, augmenting row reduction, augmentation); Crouse, "On implementing 2D
rectangular assignment algorithms", IEEE Transactions on Aerospace and Electronic Systems 52 (2016), 1679-1696
(rectangular case); Bertsekas, Castañon, "A forward/reverse auction algorithm for asymmetric assignment problems",
Computational Optimization and Applications 1 (1992), 277-297 (the auction).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit

FREE = -1
PASSES = 2
FAR = 1e300
TAKEN = np.float32(1e30)


@njit(cache=True, nogil=True)
def solve_assignment(
    cost: NDArray[np.float64], limit: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], float]:
    """Return each row's column, the duals u and v, and the dual value; stop early once that value is above the limit.

    After an early stop some columns are ``FREE`` (-1) and the value is a lower bound of the optimum.
    """
    rows, columns = cost.shape
    column_of = np.full(rows, FREE)
    row_of = np.full(columns, FREE)
    u = np.empty(rows)
    v = np.zeros(columns)
    value = _reduce_rows(cost, column_of, row_of, u)
    if value > limit:
        return column_of, u, v, value
    for _ in range(PASSES):
        _reduce_augmenting(cost, column_of, row_of, u, v)
    value = u.sum() + v.sum()
    whole = np.empty(columns, dtype=np.int64)
    work = (np.empty(columns), np.empty(columns), np.empty(columns), whole, np.empty_like(whole))
    for row in range(rows):
        if column_of[row] == FREE:
            if value > limit:
                return column_of, u, v, value
            value += _augment(cost, row, column_of, row_of, u, v, work)
    return column_of, u, v, value


@njit(cache=True, nogil=True)
def _reduce_rows(
    cost: NDArray[np.float64], column_of: NDArray[np.int64], row_of: NDArray[np.int64], u: NDArray[np.float64]
) -> float:
    rows, columns = cost.shape
    total = 0.0
    for row in range(rows):
        best, least = 0, cost[row, 0]
        for column in range(1, columns):
            if cost[row, column] < least:
                best, least = column, cost[row, column]
        u[row] = least
        total += least
        if row_of[best] == FREE:
            row_of[best], column_of[row] = row, best
    return total


@njit(cache=True, nogil=True)
def _reduce_augmenting(
    cost: NDArray[np.float64],
    column_of: NDArray[np.int64],
    row_of: NDArray[np.int64],
    u: NDArray[np.float64],
    v: NDArray[np.float64],
) -> None:
    """Let each free row bid for its cheapest column; the row it drives out bids next if the price rose."""
    rows, columns = cost.shape
    bids = 0
    for start in range(rows):
        row = start if column_of[start] == FREE else FREE
        while row != FREE and bids < 4 * rows:
            bids += 1
            first, second = np.inf, np.inf
            best = 0
            for column in range(columns):
                reduced = cost[row, column] - v[column]
                if reduced < second:
                    if reduced < first:
                        first, second, best = reduced, first, column
                    else:
                        second = reduced
            u[row] = min(second, first) if columns == 1 else second
            driven = row_of[best]
            if driven == FREE:
                # A free column keeps v = 0: the row takes it at its own price.
                u[row] = first
                row_of[best], column_of[row] = row, best
                break
            if not first < second:
                u[row] = first
                break
            v[best] -= second - first
            row_of[best], column_of[row] = row, best
            column_of[driven] = FREE
            row = driven


@njit(cache=True, fastmath=True)
def _relax(
    line: NDArray[np.float64],
    price: NDArray[np.float64],
    offset: float,
    row: int,
    reached: NDArray[np.float64],
    before: NDArray[np.int64],
) -> float:
    """Shorten the ways to the open columns through one row; return the shortest.

    Free of branches, so that it runs in lanes.
    """
    least = FAR
    for column in range(len(line)):
        length = offset + line[column] - price[column]
        shorter = length < reached[column]
        before[column] = row if shorter else before[column]
        reached[column] = length if shorter else reached[column]
        least = min(least, reached[column])
    return least


@njit(cache=True, nogil=True)
def _nearest(reached: NDArray[np.float64], least: float, row_of: NDArray[np.int64]) -> int:
    """Return a column at the least distance, a free one if there is one: it ends the search."""
    nearest = FREE
    for column in range(len(reached)):
        if reached[column] == least:
            nearest = column
            if row_of[column] == FREE:
                break
    return nearest


@njit(cache=True, nogil=True)
def _augment(
    cost: NDArray[np.float64],
    start: int,
    column_of: NDArray[np.int64],
    row_of: NDArray[np.int64],
    u: NDArray[np.float64],
    v: NDArray[np.float64],
    work: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]],
) -> float:
    """Assign one free row along a shortest path of reduced costs; return by how much the dual value rises."""
    reached, price, far, before, seen = work
    reached[:] = FAR
    price[:] = v
    row, reach, count, sink = start, 0.0, 0, FREE
    while sink == FREE:
        reach = _relax(cost[row], price, reach - u[row], row, reached, before)
        nearest = _nearest(reached, reach, row_of)
        far[nearest], reached[nearest], price[nearest] = reach, FAR, -FAR  # settled: no way to it can be shorter
        seen[count] = nearest
        count += 1
        if row_of[nearest] == FREE:
            sink = nearest
        else:
            row = row_of[nearest]
    u[start] += reach
    for place in range(count - 1):
        column = seen[place]
        u[row_of[column]] += reach - far[column]
        v[column] -= reach - far[column]
    column = sink
    while True:
        row = before[column]
        row_of[column] = row
        column_of[row], column = column, column_of[row]
        if row == start:
            return reach


@njit(cache=True, nogil=True)
def bid_for_columns(cost: NDArray[np.float64], tolerance: float) -> tuple[NDArray[np.int64], float]:
    """Return each row's column and the total, which is at most ``tolerance`` per row above the least."""
    rows, columns = cost.shape
    rough = cost.astype(np.float32)
    price, offer = np.zeros(columns, dtype=np.float32), np.empty(columns, dtype=np.float32)
    column_of, row_of = np.full(rows, FREE), np.full(columns, FREE)
    waiting = np.arange(rows)[::-1].copy()
    left = rows
    while left:
        left -= 1
        row = waiting[left]
        first = _add_prices(rough[row], price, offer)
        best = 0
        while offer[best] != first:
            best += 1
        offer[best] = TAKEN
        price[best] += _find_least(offer) - first + np.float32(tolerance) if columns > 1 else np.float32(0.0)
        if row_of[best] != FREE:
            column_of[row_of[best]] = FREE
            waiting[left] = row_of[best]
            left += 1
        row_of[best], column_of[row] = row, best
    total = 0.0
    for row in range(rows):
        total += cost[row, column_of[row]]
    return column_of, total


@njit(cache=True, fastmath=True)
def _add_prices(line: NDArray[np.float32], price: NDArray[np.float32], offer: NDArray[np.float32]) -> np.float32:
    """Write what each column costs with its price; return the least."""
    least = TAKEN
    for column in range(len(line)):
        offer[column] = line[column] + price[column]
        least = min(least, offer[column])
    return least


@njit(cache=True, fastmath=True)
def _find_least(offer: NDArray[np.float32]) -> np.float32:
    least = TAKEN
    for value in offer:
        least = min(least, value)
    return least

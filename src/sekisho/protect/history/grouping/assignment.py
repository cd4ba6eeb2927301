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

What it costs to publish two people's rows alike, compiled: row against row, and person against person.

Two rows x and y that share a slot cost, per number, both members' error of the range [x; y], which is |x - y| / sd
together, or 2 with ``*`` if that is less; per category 0 if equal, else 2 (1 - 1/2) = 1, or 2 where no set may hold
two. A surplus row of the longer history costs 1 per column. Aligning never costs more than deleting, so the shorter
history is published whole (docs/proofs/history-groups.md).
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.history.grouping.rows import HistoryRows

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


Real = TypeVar("Real", np.float32, np.float64)

SAFE = 1.0 - 1e-5
"""Bounds are summed from 32-bit numbers; each term is off by less than 1e-6 of itself, this pays for it."""

RATIO = 3.0
"""A pair whose lengths differ more is bounded by its surplus rows alone.

They cost more than two such histories are worth.
"""


def bound_pairs(rows: HistoryRows) -> NDArray[np.float32]:
    """Return for all pairs of people a lower bound of their cost, symmetric, infinite on the diagonal.

    Surplus rows, and as many cheapest partners as the shorter history has rows, seen from either side; the larger of
    the two.
    """
    lengths = np.diff(rows.starts).astype(np.float32)
    nearest = _sum_nearest(rows.starts, rows.scaled.astype(np.float32), rows.codes, rows.apart, RATIO)
    surplus = np.abs(lengths[:, None] - lengths[None, :]) * (len(rows.scaled) + len(rows.codes))
    bound = surplus + np.float32(SAFE) * np.maximum(nearest, nearest.T)
    np.fill_diagonal(bound, np.inf)
    return bound


def compute_pairs(
    rows: HistoryRows, first: NDArray[np.int64], second: NDArray[np.int64], limit: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the costs of some pairs of people; where a cost is above its limit, a lower bound that is above it too.

    With a tolerance of the rows, what the pairs cost at most.
    """
    return _compute_pairs(rows, first, second, limit)


@njit(cache=True, fastmath=True)
def _write_line(
    scaled: NDArray[Real],
    codes: NDArray[np.int32],
    apart: float,
    row: int,
    low: int,
    high: int,
    out: NDArray[Real],
) -> None:
    """Write what one row costs against the rows from low to high."""
    zero, two, other = scaled.dtype.type(0.0), scaled.dtype.type(2.0), scaled.dtype.type(apart)
    size = high - low
    for place in range(size):
        out[place] = zero
    for column in range(scaled.shape[0]):
        value = scaled[column, row]
        others = scaled[column, low:high]
        for place in range(size):
            out[place] += min(two, abs(others[place] - value))
    for column in range(codes.shape[0]):
        code = codes[column, row]
        kinds = codes[column, low:high]
        for place in range(size):
            out[place] += zero if kinds[place] == code else other


@njit(cache=True, nogil=True, fastmath=True)
def _sum_nearest(
    starts: NDArray[np.int64], scaled: NDArray[np.float32], codes: NDArray[np.int32], apart: float, ratio: float
) -> NDArray[np.float32]:
    """Return for all i, j the sum over i's rows of the cost to j's nearest row.

    The cheapest n_j of them if j is shorter.

    0 where one is more than ``ratio`` times as long as the other.
    """
    people = len(starts) - 1
    lengths = starts[1:] - starts[:-1]
    line = np.empty(lengths.max(), dtype=np.float32)
    least = np.empty(lengths.max(), dtype=np.float32)
    found = np.zeros((people, people), dtype=np.float32)
    for one in range(people):
        for two in range(one):
            short, long = (one, two) if lengths[one] <= lengths[two] else (two, one)
            if lengths[long] > ratio * lengths[short]:
                continue
            low, high = starts[long], starts[long + 1]
            least[: high - low] = 1e30
            rowwise = 0.0
            for row in range(starts[short], starts[short + 1]):
                _write_line(scaled, codes, apart, row, low, high, line)
                nearest = line[0]
                for place in range(high - low):
                    nearest = min(nearest, line[place])
                    least[place] = min(least[place], line[place])
                rowwise += nearest
            found[short, long] = rowwise
            found[long, short] = np.sort(least[: high - low])[: lengths[short]].sum()
    return found


@njit(cache=True, nogil=True)
def build_pair_matrix(rows: HistoryRows, short: int, long: int) -> NDArray[np.float64]:
    """Return the costs of all rows of one person against all rows of another."""
    low, high = rows.starts[long], rows.starts[long + 1]
    first = rows.starts[short]
    cost = np.empty((rows.starts[short + 1] - first, high - low))
    for place in range(len(cost)):
        _write_line(rows.scaled, rows.codes, rows.apart, first + place, low, high, cost[place])
    return cost


@njit(cache=True, nogil=True)
def _compute_pairs(
    rows: HistoryRows, first: NDArray[np.int64], second: NDArray[np.int64], limit: NDArray[np.float64]
) -> NDArray[np.float64]:
    width = rows.scaled.shape[0] + rows.codes.shape[0]
    lengths = rows.starts[1:] - rows.starts[:-1]
    found = np.empty(len(first))
    for pair in range(len(first)):
        short, long = first[pair], second[pair]
        if lengths[short] > lengths[long]:
            short, long = long, short
        surplus = width * (lengths[long] - lengths[short])
        cost = build_pair_matrix(rows, short, long)
        if rows.tolerance > 0:
            found[pair] = surplus + bid_for_columns(cost, rows.tolerance)[1]
        else:
            found[pair] = surplus + solve_assignment(cost, limit[pair] - surplus)[3]
    return found

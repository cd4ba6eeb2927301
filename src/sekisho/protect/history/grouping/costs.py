"""What it costs to publish two people's rows alike, compiled: row against row, and person against person.

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
from sekisho.protect.history.grouping.assignment import bid_for_columns, solve_assignment
from sekisho.protect.history.grouping.rows import HistoryRows

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

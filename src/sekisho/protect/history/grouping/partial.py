"""What it costs two people at least to publish only m of their rows alike, for every m.

A group publishes as many slots as its shortest member has rows. Two of its longer members then share fewer slots than
the two alone would, and delete the rest: the shorter the third, the more they pay. The duals u, v of their assignment
problem tell how much: v <= 0, so m assigned rows cost at least the m smallest u and all v together
(docs/proofs/history-groups.md, section 4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.history.grouping.assignment import build_pair_matrix, solve_assignment
from sekisho.protect.history.grouping.program import PairCosts
from sekisho.protect.history.grouping.rows import HistoryRows


class Tables(NamedTuple):
    """One table per pair, one after another; a named tuple, because kernels take those.

    Attributes:
        number: of each pair, -1 where it has no table.
        starts: of each table.
        values: the least cost of aligning 0, 1, 2, ... rows.
        lengths: of the people's histories.
        drop: what two people pay for a slot less, both rows deleted.
    """

    number: NDArray[np.int32]
    starts: NDArray[np.int64]
    values: NDArray[np.float64]
    lengths: NDArray[np.int64]
    drop: float


class PartialCosts:
    """Stretched pair costs together with the tables of the pairs that were computed here.

    Attributes:
        costs: what is known of the pairs.
        tables: what they cost with fewer rows.
        rows: without stretching.
        plain: what the pairs' alignments cost without stretching, surplus rows included; where a
            pair was not computed, its bound put to that scale.
    """

    def __init__(self, costs: PairCosts, rows: HistoryRows) -> None:
        self.costs = costs
        self.rows = rows
        lengths = np.diff(costs.rows.starts)[costs.people]
        self.tables = Tables(
            number=np.full((len(lengths), len(lengths)), -1, dtype=np.int32),
            starts=np.zeros(1, dtype=np.int64),
            values=np.zeros(0),
            lengths=lengths,
            drop=2.0 * (len(costs.rows.scaled) + len(costs.rows.codes)),
        )
        surplus = self.tables.drop / 2 * np.abs(lengths[:, None] - lengths[None, :])
        self.plain = surplus + (costs.cost - surplus) * rows.apart / costs.rows.apart

    def compute(self, wanted: NDArray[np.bool_]) -> int:
        """Compute the wanted pairs that are not known; return how many."""
        costs, tables = self.costs, self.tables
        first, second = np.nonzero(np.triu((wanted | wanted.T) & ~costs.known, 1))
        if not len(first):
            return 0
        shorter = np.minimum(tables.lengths[first], tables.lengths[second])
        ends = np.cumsum(shorter + 1)
        values, plain = _tabulate_pairs(costs.rows, self.rows, costs.people[first], costs.people[second], ends)
        surplus = tables.drop / 2 * np.abs(tables.lengths[first] - tables.lengths[second])
        self.plain[first, second] = self.plain[second, first] = plain + surplus
        found = np.maximum(values[ends - 1] + surplus, costs.cost[first, second])
        costs.cost[first, second] = costs.cost[second, first] = found
        costs.known[first, second] = costs.known[second, first] = True
        number = len(tables.starts) - 1 + np.arange(len(first))
        tables.number[first, second] = tables.number[second, first] = number
        self.tables = tables._replace(
            starts=np.append(tables.starts, tables.starts[-1] + ends), values=np.append(tables.values, values)
        )
        return len(first)


@njit(cache=True, nogil=True)
def _tabulate_pairs(
    rows: HistoryRows,
    unstretched: HistoryRows,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the tables one after another, and what each pair's alignment costs without stretching."""
    values, plain = np.zeros(ends[-1]), np.zeros(len(first))
    lengths = rows.starts[1:] - rows.starts[:-1]
    place = 0
    for pair in range(len(first)):
        short, long = first[pair], second[pair]
        if lengths[short] > lengths[long]:
            short, long = long, short
        column, u, v, _ = solve_assignment(build_pair_matrix(rows, short, long), np.inf)
        plain[pair] = _cost_rows(unstretched, int(rows.starts[short]), rows.starts[long] + column)
        total = v.sum()
        place += 1
        for price in np.sort(u):
            total += price
            values[place] = max(0.0, total)
            place += 1
    return values, plain


@njit(cache=True, nogil=True)
def _cost_rows(rows: HistoryRows, first: int, others: NDArray[np.int64]) -> float:
    """Return what rows from the first on cost against others, one by one."""
    total = 0.0
    for place in range(len(others)):
        for column in range(rows.scaled.shape[0]):
            total += min(2.0, abs(rows.scaled[column, first + place] - rows.scaled[column, others[place]]))
        for column in range(rows.codes.shape[0]):
            total += rows.apart * (rows.codes[column, first + place] != rows.codes[column, others[place]])
    return total


@njit(cache=True, nogil=True)
def charge_shortest(tables: Tables, one: int, two: int, three: int) -> float:
    """Return by how much the pair of the two longer members costs more because the shortest has so few rows."""
    lengths = tables.lengths
    if lengths[two] < lengths[one]:
        one, two = two, one
    if lengths[three] < lengths[one]:
        one, three = three, one
    number = tables.number[two, three]
    if number < 0:
        return 0.0
    start, slots, most = tables.starts[number], lengths[one], min(lengths[two], lengths[three])
    return max(0.0, tables.values[start + slots] + tables.drop * (most - slots) - tables.values[start + most])

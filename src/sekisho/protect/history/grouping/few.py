"""Few people: the best of all ways to group them, by trying every group.

Tables over all groups of k to 2k - 1 people (larger ones fall apart without loss): what each costs at most, by
alignment, and what it costs at least, by its pairs' stretched costs. The cheapest partition into groups and deleted
people, a table over all sets of people, gives a release from the one and a lower bound of every release from the other.
Groups of the partition that bounds are aligned exactly and take the place of both, until the partition that bounds is a
release: then it is the best of all. Otherwise the bound is what remains.

Source of the partition: Held, Karp, "A dynamic programming approach to sequencing problems", J. SIAM 10 (1962) (tables
over subsets).

The best alignment of a small group, proven: every way to fill a slot is a variable of a whole-number program.

The shortest member is published whole (docs/proofs/history-groups.md, section 1), so each of his rows is a slot, filled
by one row of every other member; each row fills one slot at most. Solved by branch and bound (HiGHS through scipy), to
``FINE`` of a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import cast

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sekisho.kernels import njit
from sekisho.protect.history.grouping.align import build_slot_matrix
from sekisho.protect.history.grouping.assignment import compute_pairs
from sekisho.protect.history.grouping.rows import HistoryRows, lift_limits, stretch_rows
from sekisho.protect.history.grouping.walk import POLISH, Polish

FINE = 1e-6
NODES = 1000
"""Branches after which a group is left unproven."""


def count_fillings(rows: HistoryRows, people: NDArray[np.int64]) -> int:
    """Return how many ways there are to fill the slots of a group, one at a time: the size of its program."""
    return int(np.prod(np.diff(rows.starts)[people].astype(np.float64)))


def align_exactly(rows: HistoryRows, people: NDArray[np.int64]) -> tuple[float, NDArray[np.int64]] | None:
    """Return the least cost of a group and its rows (one line per member in the order given).

    None where it was not proven.
    """
    lengths = np.diff(rows.starts)[people]
    order = np.argsort(lengths, kind="stable")
    members = people[order]
    grid = np.indices(tuple(lengths[order])).reshape(len(people), -1)
    ways = rows.starts[members][:, None] + grid
    last = int(lengths[order[-1]])
    cost = build_slot_matrix(rows, np.ascontiguousarray(ways[:-1, ::last]), int(members[-1])).ravel()
    slots = int(lengths.min())
    limits = [_mark_uses(grid[place], int(lengths[order[place]])) for place in range(len(people))]
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., scipy.optimize.OptimizeResult]", scipy.optimize.milp)(
        cost,
        integrality=np.ones(len(cost)),
        bounds=(0, 1),
        constraints=[
            scipy.optimize.LinearConstraint(limits[0], 1, 1),
            scipy.optimize.LinearConstraint(vstack(limits[1:]).tocsr(), -np.inf, 1),
        ],
        options={"mip_rel_gap": 0.0, "node_limit": NODES},
    )
    if solved.status != 0 or solved.fun - solved.mip_dual_bound > FINE:
        return None
    chosen = np.flatnonzero(np.asarray(solved.x) > 0.5)
    aligned = np.empty((len(people), slots), dtype=np.int64)
    aligned[order] = ways[:, chosen]
    return cost_alignment(rows, people, aligned), aligned


def cost_alignment(rows: HistoryRows, people: NDArray[np.int64], aligned: NDArray[np.int64]) -> float:
    """Return what a group costs whose rows are aligned, one line per member."""
    last = int(people[-1])
    cost = build_slot_matrix(rows, np.ascontiguousarray(aligned[:-1]), last)
    slots = aligned.shape[1]
    surplus = rows.deletion[people].sum() - float((len(rows.scaled) + len(rows.codes)) * aligned.size)
    return float(surplus + cost[np.arange(slots), aligned[-1] - rows.starts[last]].sum())


def _mark_uses(place: NDArray[np.int64], count: int) -> csr_array:
    """Return one line per row of a member with a 1 for every filling that uses it."""
    return csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=(count, len(place)))


FEW = 12
"""So many people have at most 4,095 groups."""
LARGEST, BUDGET = 5_000, 60_000
"""The largest program of one group, and of all groups together, that exact alignments may take: some seconds."""


def is_few(rows: HistoryRows, k: int, effort: float) -> bool:
    """Tell whether all groups of some people can be aligned within an effort, counted as the search counts it."""
    lengths = np.diff(rows.starts)
    if len(lengths) > FEW:
        return False
    longest = float(lengths.max())
    count = sum(1 for _ in _list_groups(len(lengths), k))
    return count * POLISH * k * longest**2 * (1 + longest / 50) <= max(effort, 1e7)


def _list_groups(people: int, k: int) -> Iterator[NDArray[np.int64]]:
    for size in range(k, min(people, 2 * k - 1) + 1):
        for chosen in combinations(range(people), size):
            yield np.array(chosen)


class Few:
    """Everything about the groups of a few people.

    Three tables over the groups: what each costs at most (``_most``), at least (``_inner``), and at least if ranges
    might reach beyond their columns' smallest and largest values, which other releases may do and ours do not
    (``_least``).
    """

    def __init__(self, polish: Polish, k: int) -> None:
        self._polish = polish
        self._own = polish.rows.deletion
        self._groups = {_encode_group(group): group for group in _list_groups(len(self._own), k)}
        self._most = np.full(1 << len(self._own), np.inf)
        for mask, group in self._groups.items():
            self._most[mask] = polish.align(group)[0]
        self._least = self._most.copy()
        for size in sorted({len(group) for group in self._groups.values()}):
            self._bound_groups(stretch_rows(polish.rows, size), size)
        self._inner = self._least.copy()
        self._tried: set[int] = set()
        self._spent = 0

    def _bound_groups(self, rows: HistoryRows, size: int) -> None:
        people = len(self._own)
        first, second = np.triu_indices(people, 1)
        pair = np.zeros((people, people))
        pair[first, second] = compute_pairs(rows, first, second, np.full(len(first), np.inf))
        for mask, group in self._groups.items():
            if len(group) == size:
                self._least[mask] = pair[np.ix_(group, group)].sum() / (size - 1)

    def improve(self) -> Iterator[tuple[list[NDArray[np.int64]], float, float]]:
        """Give better and better groups, what they cost, and what no release can cost less than."""
        while True:
            chosen, cost = self._cheapest(self._most)
            wanted, _ = self._cheapest(self._inner)
            outer, bound = self._cheapest(self._least)
            yield [self._groups[mask] for mask in chosen], cost, min(bound, cost)
            open_groups = {*wanted, *outer} - self._tried
            if cost <= bound or not open_groups:
                return
            for mask in sorted(open_groups):
                self._prove(mask)

    def _cheapest(self, cost: NDArray[np.float64]) -> tuple[list[int], float]:
        total, choice = find_cheapest_partition(cost, self._own)
        chosen: list[int] = []
        left = len(cost) - 1
        while left:
            if cost[choice[left]] < np.inf:
                chosen.append(int(choice[left]))
            left &= ~int(choice[left])
        return chosen, total

    def _prove(self, mask: int) -> None:
        """Align a group exactly, if that is not too much work."""
        self._tried.add(mask)
        group, rows = self._groups[mask], self._polish.rows
        size = count_fillings(rows, group)
        if size > LARGEST or self._spent + size > BUDGET:
            return
        self._spent += size
        if (freest := align_exactly(lift_limits(rows), group)) is None:
            return
        self._least[mask] = self._inner[mask] = freest[0]
        mine = cost_alignment(rows, group, freest[1]), freest[1]
        if mine[0] > freest[0] + FINE and (best := align_exactly(rows, group)) is not None:
            mine, self._inner[mask] = best, best[0]
        self._polish.keep(group, *mine)
        self._most[mask] = self._polish.align(group)[0]


def _encode_group(group: NDArray[np.int64]) -> int:
    return int((1 << group).sum())


@njit(cache=True, nogil=True)
def find_cheapest_partition(cost: NDArray[np.float64], own: NDArray[np.float64]) -> tuple[float, NDArray[np.int64]]:
    """Return the least cost of everybody in groups or alone, and for each set the part that holds its first person.

    Groups are numbers whose bits are their members; one that is not allowed costs infinity, and so does the cost of one
    person, for whom ``own`` counts.
    """
    least = np.zeros(len(cost))
    choice = np.zeros(len(cost), dtype=np.int64)
    for people in range(1, len(cost)):
        head = people & -people
        place = 0
        while head >> place > 1:
            place += 1
        rest = people ^ head
        least[people], choice[people] = own[place] + least[rest], head
        others = rest
        while others:
            total = cost[head | others] + least[rest ^ others]
            if total <= least[people]:
                least[people], choice[people] = total, head | others
            others = (others - 1) & rest
    return least[len(cost) - 1], choice

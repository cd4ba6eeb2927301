"""The same questions as mixed programs, for blocks that a search by depth does not settle.

Unary code: of a target with ``t`` records in a cell, ``h = s_1 + .. + s_t + rest`` with ordered binaries and ``rest``
only if all are 1; the sum of all ``s`` is what a solution has of the target. Of two solutions the records of one that
the other lacks are ``d <= h - h' + M (1 - y)``, ``d <= hi y``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, coo_array, csr_array, hstack, vstack

from sekisho.tables.solvers.highs import Program, Solution, SolveStatus

Wholes = NDArray[np.int64]


class PeopleBlock(NamedTuple):
    """Rows, the least and greatest sum of each, the least and greatest value of each unknown."""

    rows: csr_array
    low: NDArray[np.int64 | np.float64]
    high: NDArray[np.int64 | np.float64]
    lo: NDArray[np.int64 | np.float64]
    hi: NDArray[np.int64 | np.float64]

    def make_program(self, cost: NDArray[np.float64], *, whole: bool) -> Program:
        """Return the program that makes a cost least."""
        return Program(
            cost=cost,
            lower=self.lo.astype(np.float64),
            upper=self.hi.astype(np.float64),
            rows=self.rows.astype(np.float64),
            row_lower=self.low.astype(np.float64),
            row_upper=self.high.astype(np.float64),
            whole=np.ones(len(cost), dtype=np.bool_) if whole else None,
        )

    def solve(self, cost: NDArray[np.float64], seconds: float) -> Solution:
        """Return the whole point of least cost that is found in time."""
        program = self.make_program(cost, whole=True)
        program.limit(seconds=seconds, gap=0.0)
        return program.solve()

    def settle(self, x: NDArray[np.float64]) -> Wholes | None:
        """Return a point in whole numbers if it is a solution."""
        point = np.rint(x).astype(np.int64)
        sums = self.rows @ point
        right = np.all(point >= self.lo) and np.all(point <= self.hi)
        right = right and np.all(sums >= self.low) and np.all(sums <= self.high)
        return point if right else None


def find_fewest_whole(block: PeopleBlock, cell: int, seconds: float) -> Wholes | None:
    """Return a solution with as little of a cell as any (any solution for cell -1); None if none is found in time."""
    cost = np.zeros(len(block.lo))
    if cell >= 0:
        cost[cell] = 1.0
    solution = block.solve(cost, seconds)
    return block.settle(solution.x) if solution.status is SolveStatus.OPTIMAL else None


class FewestProgram:
    """The linear program of a block, kept for one cell after the other: what it leaves a cell, every solution has."""

    def __init__(self, block: PeopleBlock) -> None:
        self._block, self._charged = block, -1
        self._program: Program | None = None

    def find_fewest(self, cell: int) -> tuple[int, Wholes | None]:
        """Return what no solution has less of than in a cell, and a solution with so few if the corner is one."""
        if self._program is None:
            self._program = self._block.make_program(np.zeros(len(self._block.lo)), whole=False).primal()
        if self._charged >= 0:
            self._program.charge([self._charged], [0.0])
        self._program.charge([cell], [1.0])
        self._charged = cell
        solution = self._program.solve()
        if solution.status is not SolveStatus.OPTIMAL:
            return int(self._block.lo[cell]), None
        return int(np.ceil(solution.objective - 1e-6)), self._block.settle(solution.x)


def find_farthest_whole(block: PeopleBlock, target: Wholes, seconds: float) -> tuple[Wholes | None, bool]:
    """Return the solution that lacks the most records of a target, and whether none lacks more."""
    rows, low, high, lo, hi = block
    own = [(cell, int(target[cell])) for cell in np.flatnonzero((target > 0) & (hi > 0)).tolist()]
    count, extra = len(lo), sum(min(held, int(hi[cell])) for cell, held in own)
    lines, columns, data, least = list[int](), list[int](), list[float](), list[float]()
    place, line = count, 0

    def add(at: int, value: float) -> None:
        lines.append(line)
        columns.append(at)
        data.append(value)

    for cell, held in own:
        units = list(range(place, place + min(held, int(hi[cell]))))
        place += len(units)
        for one, two in pairwise(units):  # ordered
            add(one, 1.0)
            add(two, -1.0)
            least.append(0.0)
            line += 1
        # h = sum s + rest, 0 <= rest <= (hi - t) s_t: two rows
        add(cell, 1.0)
        for unit in units:
            add(unit, -1.0)
        least.append(0.0)
        line += 1
        add(cell, -1.0)
        for unit in units:
            add(unit, 1.0)
        add(units[-1], float(max(0, int(hi[cell]) - len(units))))
        least.append(0.0)
        line += 1
    coded = csr_array(coo_array((data, (lines, columns)), shape=(line, count + extra)))
    wide = csr_array(hstack([rows, csr_array((rows.shape[0], extra), dtype=np.int64)]))
    coding = PeopleBlock(
        csr_array(vstack([wide, coded])),
        np.concatenate([low, least]),
        np.concatenate([high, np.full(line, np.inf)]),
        np.concatenate([lo, np.zeros(extra)]),
        np.concatenate([hi, np.ones(extra)]),
    )
    solution = coding.solve(np.concatenate([np.zeros(count), np.ones(extra)]), seconds)
    if not solution.x.size:
        return None, False
    return block.settle(solution.x[:count]), solution.status is SolveStatus.OPTIMAL


def find_pair_whole(block: PeopleBlock, most: int, seconds: float) -> tuple[tuple[Wholes, Wholes] | None, int]:
    """Return two solutions that differ by as many records as any, and what no two differ by more than."""
    rows, low, high, lo, hi = block
    count, lines = len(lo), rows.shape[0]
    eye = csr_array(np.eye(count))
    nothing = csr_array((count, count))
    # columns: one solution, the other, records of the one that the other lacks, whether they count
    lacked = hstack([-eye, eye, eye, csr_array(np.diag(hi.astype(np.float64)))])  # d - h + h' + hi y <= hi
    counted = hstack([nothing, nothing, eye, csr_array(np.diag(-hi.astype(np.float64)))])
    twice = hstack([block_diag([rows, rows]), csr_array((2 * lines, 2 * count))])
    pair = PeopleBlock(
        csr_array(vstack([twice, lacked, counted])),
        np.concatenate([low, low, np.full(2 * count, -np.inf)]),
        np.concatenate([high, high, hi, np.zeros(count)]),
        np.concatenate([lo, lo, np.zeros(2 * count)]),
        np.concatenate([hi, hi, hi, np.ones(count)]),
    )
    solution = pair.solve(np.concatenate([np.zeros(2 * count), -np.ones(count), np.zeros(count)]), seconds)
    bound = min(most, int(np.floor(-solution.bound + 1e-6))) if np.isfinite(solution.bound) else most
    if not solution.x.size:
        return None, bound
    one, two = block.settle(solution.x[:count]), block.settle(solution.x[count : 2 * count])
    return (None if one is None or two is None else (one, two)), bound

"""People behind published tables, block by block: how much of a population its tables give away.

The adversary has the tables and nothing else. Unknown is the joint histogram ``h`` over all dimensions at once, whole
and not below 0; every published cell is a row ``low <= M h <= high`` by its statement
(:mod:`sekisho.tables.audit.statements`). Of each block it is told

- how many histograms agree with all tables (``solutions``, up to a cap): one means that the people are known;
- how many records every solution has (``certain = sum_i min h_i``): these people are known though the table is not;
- how many records of the truth a solution may lack (``may_differ``: the holder can say it, who knows the truth);
- how many records two solutions may differ by (``two_may_differ``: anybody can say it).

"Unique" and "certain" are proven disclosures. That records may differ proves only that an attacker without other
sources and without a prior cannot exclude it.

Sources: Abowd and others, "A simulated reconstruction and reidentification attack on the 2010 U.S. Census", Harvard
Data Science Review (2025), with ``solvar`` for the distance; Garfinkel, Abowd and Martindale, "Understanding database
reconstruction attacks on public data", Communications of the ACM 62 (2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.tables.reconstruct.block_search import (
    DOWN,
    UP,
    BlockRows,
    Wholes,
    find_farthest,
    find_widest,
    limit_pair,
    list_solutions,
    pass_bounds,
)
from sekisho.tables.reconstruct.programs import (
    FewestProgram,
    PeopleBlock,
    find_farthest_whole,
    find_fewest_whole,
    find_pair_whole,
)
from sekisho.words import Said

MOST = 1 << 40
"""A number that stands for no end."""
PAIRS = 400
"""Of so many solutions all pairs are compared."""
TURNS = 8
"""How often the farthest solution of the farthest one is asked for."""
QUICK = 400
"""So many nodes are tried for one cell before a linear program is asked."""
STARTS = 12
"""From so many solutions, at most, that is begun."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleSystem:
    """The rows that published cells are of the joint histogram, the same for every block.

    Attributes:
        matrix: a row for each published cell, a column for each joint cell, 1 where the cell counts it.
        group: of each row; the rows of one group have no joint cell in common and together have all.
    """

    matrix: csr_array
    group: Wholes

    @classmethod
    def of(cls, matrix: csr_array) -> PeopleSystem:
        """Return the system of some rows, put into groups; a group that lacks cells gets a row without statement."""
        groups: list[NDArray[np.bool_]] = []
        number = np.zeros(matrix.shape[0], dtype=np.int64)
        for row, cells in enumerate(np.split(matrix.indices, matrix.indptr[1:-1])):
            at = next((each for each, taken in enumerate(groups) if not np.any(taken[cells])), len(groups))
            if at == len(groups):
                groups.append(np.zeros(matrix.shape[1], dtype=np.bool_))
            groups[at][cells] = True
            number[row] = at
        lacking = [at for at, taken in enumerate(groups) if not taken.all()]
        rest = csr_array(np.array([~groups[at] for at in lacking], dtype=np.int64).reshape(-1, matrix.shape[1]))
        whole = csr_array(vstack([matrix.astype(np.int64), rest])) if lacking else csr_array(matrix.astype(np.int64))
        return cls(matrix=whole, group=np.concatenate([number, np.array(lacking, dtype=np.int64)]))

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def by_cell(self) -> csc_array:
        """The rows by joint cell."""
        return csc_array(self.matrix.tocsc())

    def fill_bounds(self, low: Wholes, high: Wholes) -> tuple[Wholes, Wholes]:
        """Return the bounds of all rows, given those of the published cells, block by block."""
        more = self.matrix.shape[0] - low.shape[1]
        return (
            np.concatenate([low, np.zeros((len(low), more), dtype=np.int64)], axis=1),
            np.concatenate([high, np.full((len(high), more), MOST, dtype=np.int64)], axis=1),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAnswer:
    """What the tables of one block leave possible.

    Attributes:
        possible: whether people are known who agree with all tables; if not, all else is 0, and the tables contradict
            each other if the search was ``complete``.
        people: how many people there are, at least and at most (None: without end), by the statements group by group.
        solutions: how many histograms agree, up to the cap.
        complete: whether these are all.
        may_differ: how many records of the truth a solution may lack; None if the truth is not known.
        two_may_differ: by how many records two solutions found differ.
        two_at_most: what no two solutions differ by more than; the same where it is settled, None where the tables do
            not bound the people of every kind.
        certain: how many records every solution has.
        in_all: the same by joint cell.
        settled: whether ``certain`` and ``may_differ`` are proven; else they are an upper and a lower bound.
        witnesses: solutions by joint cell: any, the farthest from the truth if that is known, two that differ by
            ``two_may_differ``.
    """

    possible: bool
    people: tuple[int, int | None] = (0, 0)
    solutions: int = 0
    complete: bool = True
    may_differ: int | None = None
    two_may_differ: int = 0
    two_at_most: int | None = 0
    certain: int = 0
    in_all: Wholes | None = None
    settled: bool = True
    witnesses: tuple[Wholes, ...] = ()

    @property
    def unique(self) -> bool:
        """Whether only one histogram agrees: the people are known."""
        return self.possible and self.complete and self.solutions == 1

    @property
    def disclosing(self) -> bool:
        """Whether some person is known for certain."""
        return self.possible and self.settled and self.certain > 0


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Reconstructor:
    """How far a reconstruction looks.

    Attributes:
        solutions: the cap on the solutions that are counted.
        nodes: how many nodes a search may take before a mixed program is asked instead.
        seconds: how long each such program may take; 0: none is asked, and answers are bounds where a search was cut.
        total: after so many seconds of a block no further cell is asked by a program; None: all are.
    """

    solutions: int = 1000
    nodes: int = 4_000
    seconds: float = 5.0
    total: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("solutions", self.solutions), ("nodes", self.nodes)):
            if value < 2:
                raise ParameterError(name, Said("be at least {least}", least=2), value)

    def answer_blocks(
        self, system: PeopleSystem, low: Wholes, high: Wholes, truth: Wholes | None = None
    ) -> Iterator[BlockAnswer]:
        """Yield the answer of each block.

        Args:
            system: the published cells' rows.
            low: the least number of people in each row, block by block.
            high: the greatest.
            truth: the true joint histograms, block by block, where they are known.
        """
        lows, highs = system.fill_bounds(low, high)
        for at in range(len(lows)):
            yield self.answer(system, lows[at], highs[at], None if truth is None else truth[at])

    def answer(self, system: PeopleSystem, low: Wholes, high: Wholes, truth: Wholes | None = None) -> BlockAnswer:
        """Return the answer of one block, given the bounds of all rows; the truth must agree with them."""
        block = BlockData(system, low, high, truth)
        if not block.possible:
            return BlockAnswer(possible=False)
        until = inf if self.total is None else monotonic() + self.total
        out = np.empty((self.solutions, len(block.cells)), dtype=np.int64)
        found, complete = list_solutions(block.rows, block.low, block.high, out, self.nodes * 10, UP)
        solutions, own = out[:found], None if truth is None else truth[block.cells]
        if not found and not complete:
            first = own if own is not None else find_fewest_whole(block.program, -1, self.seconds)
            if first is None:
                return BlockAnswer(possible=False, complete=False, settled=False)
            solutions = first[None, :]
        if not len(solutions):
            return BlockAnswer(possible=False)
        return self._measure(block, solutions, own, complete=complete, until=until)

    def _measure(
        self, block: BlockData, solutions: Wholes, truth: Wholes | None, *, complete: bool, until: float
    ) -> BlockAnswer:
        seen = _Seen(solutions)
        may, far, far_settled = None, None, True
        if truth is not None:
            may, far, far_settled = self._leave_out(block, truth, seen, complete=complete)
        least, settled = (seen.least, True) if complete else self._find_certain(block, seen, until)
        two, at_most, pair = self._spread(block, seen, least, complete=complete, known=far)
        witnesses = [solutions[0], *([] if far is None else [far]), *pair]
        return BlockAnswer(
            possible=True,
            people=block.people if block.bounded else (block.people[0], None),
            solutions=len(solutions),
            complete=complete and block.bounded,
            may_differ=may,
            two_may_differ=two,
            two_at_most=at_most if block.bounded else None,
            certain=int(block.settled.sum() + least.sum()),
            in_all=block.spread(least),
            settled=settled and far_settled,
            witnesses=tuple(block.spread(each) for each in witnesses),
        )

    def _leave_out(self, block: BlockData, target: Wholes, seen: _Seen, *, complete: bool) -> tuple[int, Wholes, bool]:
        """Return how many records of a target a solution may lack, the solution, and whether no other lacks more."""
        lacks = np.maximum(0, target - seen.solutions).sum(axis=1)
        best, before = seen.solutions[int(np.argmax(lacks))].copy(), int(lacks.max())
        if complete:
            return before, best, True
        other = best.copy()
        far, settled, most = find_farthest(block.rows, block.low, block.high, target, other, self.nodes)
        if far >= 0:
            seen.add(other)
        best, far = (other, far) if far > before else (best, before)
        if not settled and self.seconds:
            found, settled = find_farthest_whole(block.program, target, self.seconds)
            if found is not None:
                seen.add(found)
                now = int(np.maximum(0, target - found).sum())
                best, far = (found, now) if now > far else (best, far)
        return far, best, settled or far >= most

    def _find_certain(self, block: BlockData, seen: _Seen, until: float) -> tuple[Wholes, bool]:
        """Return the least that every solution has of each cell, and whether that is proven.

        Asked are the search, a linear program (what it cannot go below, no solution can) and a mixed one, in turn.
        """
        settled, one = True, np.empty((1, len(block.low)), dtype=np.int64)
        relaxed = FewestProgram(block.program)
        for cell in range(len(block.low)):
            while seen.least[cell] > block.low[cell]:
                less = block.high.copy()
                less[cell] = seen.least[cell] - 1
                nodes = min(self.nodes, QUICK) if self.seconds else self.nodes
                found, complete = list_solutions(block.rows, block.low, less, one, nodes, DOWN)
                if found:
                    seen.add(one[0])
                    continue
                if complete:
                    break
                if not self.seconds or monotonic() > until:
                    settled = False
                    break
                least, point = relaxed.find_fewest(cell)
                if point is not None and point[cell] < seen.least[cell]:
                    seen.add(point)
                    continue
                if least >= seen.least[cell]:
                    break
                other = find_fewest_whole(block.program, cell, self.seconds)
                if other is not None:
                    seen.add(other)
                settled &= other is not None
                break
        return seen.least, settled

    def _spread(
        self, block: BlockData, seen: _Seen, least: Wholes, *, complete: bool, known: Wholes | None
    ) -> tuple[int, int, list[Wholes]]:
        """Return by how much two solutions found differ, by how much any two may, and two that do."""
        if complete and len(seen.solutions) <= PAIRS:
            far, one, two = find_widest(seen.solutions)
            return far, far, [seen.solutions[one], seen.solutions[two]]
        most = limit_pair(block.rows, np.maximum(block.low, least), block.high)
        best, pair = -1, [seen.solutions[0]] * 2
        for start in self._list_starts(seen, known):
            far, apart = self._alternate(block, start, seen, most)
            if far > best:
                best, pair = far, apart
            if best >= most:
                break
        if best < most and self.seconds:
            found, bound = find_pair_whole(block.program, most, self.seconds)
            most = min(most, bound)
            if found is not None:
                now = int(np.maximum(0, found[0] - found[1]).sum())
                best, pair = (now, list(found)) if now > best else (best, pair)
        return max(best, 0), max(best, most), pair

    @staticmethod
    def _list_starts(seen: _Seen, known: Wholes | None) -> list[Wholes]:
        """Return solutions far from each other in the list, from which a pair is looked for."""
        places = np.linspace(0, len(seen.solutions) - 1, min(STARTS, len(seen.solutions))).astype(np.int64)
        return [*([] if known is None else [known]), *(seen.solutions[at] for at in places[::-1])]

    def _alternate(self, block: BlockData, here: Wholes, seen: _Seen, most: int) -> tuple[int, list[Wholes]]:
        """Return two solutions, each the farthest found of the other, and how far they are apart."""
        best, pair = -1, [here, here]
        for _ in range(TURNS):
            other = here.copy()
            far, _, _ = find_farthest(block.rows, block.low, block.high, here, other, self.nodes // 10)
            if far <= best:
                break
            seen.add(other)
            best, pair, here = far, [here, other], other
            if best >= most:
                break
        return best, pair


class _Seen:
    """Solutions of a block, and the least that all of them have of each cell."""

    def __init__(self, solutions: Wholes) -> None:
        self.solutions, self.least = solutions, solutions.min(axis=0)

    def add(self, solution: Wholes) -> None:
        self.least = np.minimum(self.least, solution)


class BlockData:
    """One block without the cells that its rows settle at once: those under a row of 0, and all that follow.

    A cell that no row bounds from above needs no more than the largest ``low`` of its rows: whatever a solution has
    beyond that can be taken away without another cell's change. One more is left to it, so that its value is open, and
    what the truth has.

    Attributes:
        possible: whether the bounds alone leave anything.
        bounded: whether every cell is bounded from above.
        cells: the joint cells that are left open.
        settled: of all joint cells the number of people where it is settled, 0 elsewhere.
        rows: the rows of the open cells, less what is settled.
        low: the least number of people in each of them by bounds alone.
        high: the greatest.
        people: how many people there are, at least and at most, by each group's sums.
    """

    def __init__(self, system: PeopleSystem, low: Wholes, high: Wholes, truth: Wholes | None = None) -> None:
        matrix = system.matrix
        most = np.full(matrix.shape[1], MOST, dtype=np.int64)
        np.minimum.at(most, matrix.indices, np.repeat(high, np.diff(matrix.indptr)))
        endless = most >= MOST
        self.bounded = not bool(endless.any())
        if not self.bounded:
            needed = np.zeros(matrix.shape[1], dtype=np.int64)
            np.maximum.at(needed, matrix.indices, np.repeat(low, np.diff(matrix.indptr)))
            most[endless] = np.maximum(needed, 0 if truth is None else truth)[endless] + 1
        limit = np.minimum(high, matrix @ most)
        every = BlockRows.of(matrix, system.by_cell, low, limit, system.group, system.groups)
        least = np.zeros(len(most), dtype=np.int64)
        self.possible = bool(np.all(low <= high)) and bool(pass_bounds(every, least, most, -1))
        self.people = _count_people(system, low, limit) if self.possible else (0, 0)
        self.cells = np.flatnonzero(most > least)
        self.settled = np.where(most > least, 0, least)
        self.low, self.high = least[self.cells], most[self.cells]
        part, fixed = csr_array(system.by_cell[:, self.cells].tocsr()), matrix @ self.settled
        live = np.flatnonzero(np.diff(part.indptr) > 0)
        self._part = csr_array(part[live])
        ends = (low - fixed)[live], np.minimum((high - fixed)[live], self._part @ self.high)
        self.rows = BlockRows.of(self._part, csc_array(self._part.tocsc()), *ends, system.group[live], system.groups)

    @property
    def program(self) -> PeopleBlock:
        """The block as a mixed program has it."""
        return PeopleBlock(self._part, self.rows.low, self.rows.high, self.low, self.high)

    def spread(self, solution: Wholes) -> Wholes:
        """Return a solution over all joint cells."""
        out = self.settled.copy()
        out[self.cells] = solution
        return out


def _count_people(system: PeopleSystem, low: Wholes, high: Wholes) -> tuple[int, int]:
    ends = [np.bincount(system.group, each, system.groups) for each in (low, high)]
    return int(ends[0].max(initial=0)), int(ends[1].min())

"""Audit: the exact interval of every suppressed cell of any pattern, ours or another tool's.

The adversary is an outsider: he sees what is published, knows the equations and, for every cell, bounds (for counts:
not below 0). For each hidden cell he solves two linear programs, least and greatest. What can be seen without a program
is done first (:mod:`sekisho.tables.audit.reduction`), then each part that no equation joins with others is asked
(:mod:`sekisho.tables.audit.intervals`).

Counts are whole numbers, and in three or more dimensions the interval over whole tables can be narrower than over all
tables: the whole-number audit computes that one.

How far the groups of a part can move, both ways: exact, with as few programs as possible.

Every point found speaks for all groups, and one that stands where its equations end is settled unasked. So first a few
programs push many groups at once, up, down and then each with a weight of its own, as long as that settles many; what
is left is asked one by one. Which groups nothing stops is found out before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.tables.audit.attacker import DOWN, UP, Attacker, is_whole, room
from sekisho.tables.audit.reduction import Part, Places, Reduction, reduce_cells
from sekisho.tables.audit.survey import Needs
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.solvers.highs import SolveStatus
from sekisho.words import Said

CLOSE, RELATIVE = 1e-6, 1e-9
"""How near to its last possible place a group must be seen: solvers answer within a tolerance."""
WORTH = 0.1
"""A push must settle this part of the open ends, or it was the last one."""
GOLDEN = 0.6180339887498949
AWAY = 1e-6


class Ends:
    """What is known of the ends of one part's groups; asked of some of them only, if said.

    Attributes:
        down: how far down each group has been seen to move; once settled, how far it can.
        up: the same upwards.
        down_settled: whether ``down`` is known to be the end, or nobody asks.
        up_settled: the same for ``up``.
    """

    def __init__(self, part: Part, *, whole: bool, asked: Mask | None = None) -> None:
        self.whole = whole
        floor = np.floor if whole else np.positive
        self._most: dict[int, Floats] = {DOWN: floor(part.most_down), UP: floor(part.most_up)}
        exact = part.exact
        self.down, self.up = (self._most[way].copy() if exact else np.zeros(len(part)) for way in (DOWN, UP))
        idle = np.zeros(len(part), dtype=np.bool_) if asked is None else ~asked
        self.down_settled, self.up_settled = (idle | exact for _ in range(2))
        self._part = part

    @property
    def open(self) -> int:
        """How many ends are not settled."""
        return int((~self.down_settled).sum() + (~self.up_settled).sum())

    def steps(self, *, until: float) -> Iterator[None]:
        """Settle end after end; what the time was too short for stays as it was seen."""
        part = self._part
        if not self.open:
            return
        self._endless(until)
        attacker = Attacker(part, np.arange(len(part)), part.down, part.up)
        yield from self._pushed(attacker, until)
        for way, settled, seen in ((DOWN, self.down_settled, self.down), (UP, self.up_settled, self.up)):
            for at in range(len(part)):
                if settled[at]:
                    continue
                if monotonic() > until or not self._asked(attacker, at, way, seen, until):
                    return
                yield

    def _asked(self, attacker: Attacker, at: int, way: int, seen: Floats, until: float) -> bool:
        """Settle one end; return False if the time was over first."""
        most, settled = self._most[way], self.down_settled if way == DOWN else self.up_settled
        solution = attacker.end(at, way, until=until)
        if solution.status is SolveStatus.UNBOUNDED:
            # groups that move against each other leave the sum of the cone's question at 0
            most[at], seen[at], settled[at] = np.inf, np.inf, True
            return True
        if solution.status is SolveStatus.OPTIMAL and self.whole and not is_whole(solution.x):
            most[at] = min(most[at], np.floor(way * solution.x[at] + CLOSE))
            if seen[at] >= most[at]:  # from a whole table seen before
                seen[at], settled[at] = most[at], True
                return True
            solution = attacker.whole_end(at, way, until=until)
        if solution.status is not SolveStatus.OPTIMAL:
            return False
        point = np.rint(solution.x) if self.whole else solution.x
        most[at] = max(seen[at], way * point[at])
        self._see(point)
        return True

    def _pushed(self, attacker: Attacker, until: float) -> Iterator[None]:
        turn, before = 0, np.inf
        while self.open and self.open <= (1 - WORTH) * before and monotonic() <= until:
            before = self.open
            point = attacker.along(self._direction(turn), until=until)
            if point is None:
                return
            if not self.whole or is_whole(point):
                self._see(point)
            turn += 1
            yield

    def _direction(self, turn: int) -> Floats:
        """Return where to push: every group towards an open end.

        First all up, then all down, then by weights spread evenly.
        """
        spread = np.arange(1, len(self._part) + 1) * (turn + 1) * GOLDEN % 1.0
        first = np.full(len(spread), turn == 0) if turn < 2 else spread < 0.5
        rise = np.where(self.down_settled, True, first) & ~self.up_settled
        fall = ~rise & ~self.down_settled
        weight = np.ones(len(spread)) if turn < 2 else spread * 2 % 1.0 + AWAY
        return np.where(rise, weight, np.where(fall, -weight, 0.0))

    def _see(self, point: Floats) -> None:
        """Learn from a point."""
        for way, settled, seen in ((DOWN, self.down_settled, self.down), (UP, self.up_settled, self.up)):
            np.maximum(seen, way * point, out=seen, where=~settled)
            most = self._most[way]
            there = ~settled & (seen >= most - CLOSE - RELATIVE * np.where(np.isfinite(most), most, 0.0))
            seen[there], settled[there] = most[there], True

    def _endless(self, until: float) -> None:
        """Settle the ends that nothing stops: those of the cone of moves that can go on for ever.

        In that cone only what has no bound moves, at most by 1 here. As long as some open group can still be pushed in
        it, that group has no end; when their sum can no longer leave 0, all others have one.
        """
        part = self._part
        fixed = np.isfinite(part.down), np.isfinite(part.up)
        for way, settled, seen in ((DOWN, self.down_settled, self.down), (UP, self.up_settled, self.up)):
            doubt = np.isinf(self._most[way]) & ~settled
            if not doubt.any():
                continue
            cone = Attacker(part, np.arange(len(part)), *(np.where(each, 0.0, 1.0) for each in fixed))
            while doubt.any() and monotonic() <= until:
                point = cone.along(way * doubt.astype(np.float64), until=until)
                if point is None:
                    return
                found = doubt & (way * point > AWAY)
                if not found.any():
                    break
                seen[found], settled[found] = np.inf, True
                doubt &= ~found


STEPS = 100
"""About how often a long audit tells how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The attacker's intervals.

    Attributes:
        table: with the pattern audited.
        cells: the suppressed cells, ascending; cells that stand in no published table are not among them.
        low: the least value that he must think possible, per suppressed cell.
        high: the greatest, infinity if there is none.
        whole: whether only whole tables were considered.
        certain: whether both ends are proven, per suppressed cell. Where the time was too short, the interval is what
            has been seen possible: the attacker's own is as wide or wider.
    """

    table: Table
    cells: NDArray[np.intp]
    low: Floats
    high: Floats
    whole: bool
    certain: Mask

    @property
    def disclosed(self) -> NDArray[np.intp]:
        """The suppressed cells whose value he knows exactly."""
        return self.cells[self.certain & (self.high - self.low < CLOSE)]

    @property
    def unsettled(self) -> NDArray[np.intp]:
        """The suppressed cells whose interval is not certain: with any, a pattern must not be called safe."""
        return self.cells[~self.certain]

    @property
    def narrow(self) -> NDArray[np.intp]:
        """The primaries whose interval misses one of their levels for certain."""
        needs = Needs.of(self.table)
        at = np.searchsorted(self.cells, needs.cells)
        value = self.table.value[needs.cells]
        return needs.cells[self.certain[at] & ~needs.met(value - self.low[at], self.high[at] - value)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditStep:
    """How far an audit has come.

    Attributes:
        done: of how many suppressed cells both ends are certain.
        total: how many there are.
        audit: the intervals so far.
    """

    done: int
    total: int
    audit: Audit


@checked_call
def audit(table: Table, *, whole: bool = False, seconds: float | None = None) -> Audit:
    """Return the interval of every suppressed cell; with a time limit, of as many as it allows.

    Raises:
        ParameterError: a whole-number audit is asked of a table whose values are not whole.
    """
    *_, last = audit_steps(table, whole=whole, seconds=seconds)
    return last.audit


def audit_steps(table: Table, *, whole: bool = False, seconds: float | None = None) -> Iterator[AuditStep]:
    """Audit step by step; each step holds all that is certain so far, the last one is the answer."""
    if whole and not table.whole:
        own = bool(np.all(table.value[~table.unpublished] % 1 == 0))
        what = "a joint table for which none was found" if own else "values with a fraction"
        raise ParameterError("whole", Said("be asked of tables of whole numbers only"), what)
    if seconds is not None and seconds <= 0:
        raise ParameterError("seconds", Said("be above 0"), seconds)
    return _steps(table, whole=whole, until=np.inf if seconds is None else monotonic() + seconds)


def _steps(table: Table, *, whole: bool, until: float) -> Iterator[AuditStep]:
    cells = np.flatnonzero(table.suppressed)
    own = ~table.unpublished[cells]
    down, up = (each[cells] for each in room(table))
    equations = csr_array(table.matrix.tocsc()[:, cells].tocsr())
    value = table.value[cells]
    for move in settle_moves(equations, down, up, asked=own, whole=whole, until=until):
        found = Audit(
            table=table,
            cells=cells[own],
            low=tidy_values(value - move.down)[own],
            high=tidy_values(value + move.up)[own],
            whole=whole,
            certain=move.certain[own],
        )
        yield AuditStep(done=int(found.certain.sum()), total=len(found.cells), audit=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMoves:
    """How far each cell has been seen to move from a possible table.

    Attributes:
        down: how far down; once certain, how far it can.
        up: the same upwards.
        certain: whether both are known to be its ends.
    """

    down: Floats
    up: Floats
    certain: Mask


def settle_moves(
    equations: csr_array, down: Floats, up: Floats, *, asked: Mask, whole: bool, until: float
) -> Iterator[CellMoves]:
    """Find, step by step, how far each cell can move from a possible table; the last step is the answer.

    Args:
        equations: between the cells, a row each.
        down: how far each may lie below its value, by what is said of it alone.
        up: how far above.
        asked: the cells whose ends are wanted; the others may move and are not settled for their own sake.
        whole: whether only moves by whole numbers count; the table that they start from is then whole.
        until: when to stop at the latest.
    """
    down, up = (np.floor(each) if whole else each for each in (down, up))
    less = reduce_cells(equations, down, up)
    of_group = np.zeros(len(less.down), dtype=np.bool_)
    of_group[less.group[(less.group >= 0) & asked]] = True
    ends = [(part.groups, Ends(part, whole=whole, asked=of_group[part.groups])) for part in less.parts()]
    total = open_ends = sum(each.open for _, each in ends)
    yield _gather_moves(less, ends)
    for _, each in ends:
        before = each.open
        for _ in each.steps(until=until):
            if (open_ends - before + each.open) * STEPS < total * (STEPS - 1):
                total = open_ends - before + each.open
                yield _gather_moves(less, ends)
        open_ends -= before - each.open
    yield _gather_moves(less, ends)


def _gather_moves(less: Reduction, ends: list[tuple[Places, Ends]]) -> CellMoves:
    """Return what is known now: how far the groups move tells how far their cells do."""
    groups = len(less.down)
    seen_down, seen_up = np.zeros(groups), np.zeros(groups)
    certain = np.zeros(groups, dtype=np.bool_)
    for at, each in ends:
        seen_down[at], seen_up[at] = each.down, each.up
        certain[at] = each.down_settled & each.up_settled
    down, up = less.of_cells(seen_down, seen_up)
    return CellMoves(down=down, up=up, certain=np.append(certain, np.True_)[less.group])


def tidy_values(values: Floats) -> Floats:
    """Return values without the solver's tolerance: what is within a billionth of a whole number is that number."""
    finite = np.where(np.isfinite(values), values, 0.0)
    near = np.rint(finite)
    return np.where(np.isfinite(values) & (np.abs(finite - near) < 1e-9 * np.maximum(1.0, np.abs(near))), near, values)

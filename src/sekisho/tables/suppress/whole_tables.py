"""A pattern that is safe from attackers who compute with real numbers, made safe from those who know cells are whole.

A pattern is safe from them if for every primary there are whole tables that agree with all that is published and lie
as far from the truth as its levels ask: witnesses (:mod:`sekisho.tables.audit.witness`). Where the pattern has none, a
whole-number program finds the cheapest further cells, about, whose suppression makes one; what was seen of other
primaries stays seen, since hiding more excludes no table. Then cells that no witness needs are published again, the
most expensive first. No pattern that is safe from these attackers costs less than the bound of those who compute with
real numbers, for whole tables are tables.

Insiders are asked in the same way: witnesses that their coalition cannot exclude.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.attacker import DOWN, UP
from sekisho.tables.audit.coalitions import Coalition
from sekisho.tables.audit.deviation import Hidden, Point
from sekisho.tables.audit.survey import Needs
from sekisho.tables.audit.witness import Evidence, InsideWitnesses, SeenMoves, WitnessProgram
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.tables.suppress.boxes import list_box_points
from sekisho.tables.suppress.repair import near_primaries
from sekisho.words import Said

LARGE = 1_000
"""From so many cells on boxes are asked first: they need no program, and are there at once."""
ROUNDS = 5
"""How often coalitions are looked at again after cells were hidden for their sake."""
SECONDS = 30.0
"""How long one program may look for further cells."""
GAP = 0.02
"""How much more than the least one such step may cost."""
LEAST = 1e-3
"""What a cell costs that costs nothing: it is not hidden for no reason."""
MANY = 20
"""Fewer open primaries than that are never said to be too many for the time."""
REACH = 3.0
"""By how much one primary may pass its even share of the time before the time is said to be far too short."""
THINNING = 0.5
"""The part of the time left that may go into publishing cells again."""


class _OutOfTimeError(Exception):
    """The time was over before a pattern was known to be safe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePattern:
    """A pattern that is safe from attackers who know that cells are whole, and the witnesses that show it."""

    secondary: Mask
    evidence: Evidence


def protect_whole(
    table: Table, secondary: Mask, coalitions: Sequence[Coalition], *, until: float
) -> WholePattern | None:
    """Return a pattern that is safe from who knows that cells are whole; None if the time was over first.

    It is the given one if that is safe, and else holds it, less what is not needed.

    Args:
        table: with the cells that are hidden anyway, and those that must be published.
        secondary: the pattern's further cells.
        coalitions: the insiders that are considered.
        until: when to stop at the latest.

    Raises:
        InfeasibleError: a primary cannot be protected even if every cell that may be is suppressed; named.
    """
    tight = replace(table, lower=np.ceil(table.lower), upper=np.floor(table.upper))
    try:
        return _WholeSearch(tight, coalitions, until).protect(secondary)
    except _OutOfTimeError:
        return None


def is_out_of_reach(table: Table, secondary: Mask, *, seconds: float) -> bool:
    """Tell whether so many seconds are far too few for :func:`protect_whole`, coalitions aside.

    All primaries are moved together; where too many are left open, one of them is given its even share of the time,
    and if that does not do, nor will the time do for all.
    """
    tight = replace(table, lower=np.ceil(table.lower), upper=np.floor(table.upper))
    begun, seen = monotonic(), SeenMoves(Needs.of(table))
    until = begun + seconds
    for point in list_box_points(_hide_cells(tight, secondary)):
        seen.see(point)
    if seen.open:
        WitnessProgram(Hidden.of(_hide_cells(tight, secondary)), seen, until, whole=True).spread()
    if len(seen.open) < MANY:
        return False
    share = (until - monotonic()) / len(seen.open)
    try:
        asked = monotonic()
        _Widener(tight, secondary, asked + REACH * share).move(min(seen.open), seen)
    except (_OutOfTimeError, InfeasibleError):
        return True
    return monotonic() - asked > REACH * share


class _WholeSearch:
    """One table's patterns beside those who know that its cells are whole."""

    def __init__(self, table: Table, coalitions: Sequence[Coalition], until: float) -> None:
        self._table, self._coalitions, self._until = table, coalitions, until
        self._needs = Needs.of(table)

    def protect(self, secondary: Mask) -> WholePattern:
        seen = SeenMoves(self._needs)
        for point in list_box_points(self._hide(secondary)) if len(self._table) > LARGE else ():
            seen.see(point)
        self._settle(seen, secondary)
        wider = self._widen(seen, secondary)
        if self._coalitions:
            return self._shield(seen, wider)
        if wider is not secondary:
            seen, wider = self._thin(seen, wider)
        return WholePattern(secondary=wider, evidence=seen.collect({}))

    def _hide(self, secondary: Mask) -> Table:
        """Return the table with these cells suppressed beside those that are anyway."""
        return _hide_cells(self._table, secondary)

    def _settle(self, seen: SeenMoves, secondary: Mask, *, until: float | None = None) -> None:
        if seen.open:
            end = self._until if until is None else until
            WitnessProgram(Hidden.of(self._hide(secondary)), seen, end, whole=True).settle()

    def _widen(self, seen: SeenMoves, secondary: Mask) -> Mask:
        """Return a pattern that holds the given one and in which the open primaries have witnesses."""
        if not seen.open:
            return secondary
        wider = secondary.copy()
        widener = _Widener(self._table, wider, self._until)
        while seen.open:
            most = max(sorted(seen.open), key=lambda at: float(self._needs.most[at]))
            wider |= widener.move(most, seen)
            if seen.open:
                WitnessProgram(Hidden.of(self._hide(wider)), seen, self._until, whole=True).spread()
        return wider

    def _shield(self, seen: SeenMoves, secondary: Mask) -> WholePattern:
        """Return a pattern that is safe from coalitions too; nothing of it is published again."""
        wider = secondary.copy()
        for _ in range(ROUNDS):
            hidden = self._hide(wider)
            some = [coalition for coalition in self._coalitions if hidden.suppressed[coalition.cell]]
            inside = InsideWitnesses(Hidden.of(hidden), self._needs, some, self._until, whole=True)
            exposed = [(coalition, inside.list_open(coalition)) for coalition in some]
            if not any(places for _, places in exposed):
                return WholePattern(secondary=wider, evidence=seen.collect(inside.points))
            for coalition, places in exposed:
                if places:
                    widener = _Widener(self._table, wider, self._until, coalition)
                    own = SeenMoves(self._needs, among=set(places))
                    while own.open:
                        wider |= widener.move(min(own.open), own)
        raise _OutOfTimeError

    def _thin(self, seen: SeenMoves, secondary: Mask) -> tuple[SeenMoves, Mask]:
        """Publish again what no witness moves, and then what witnesses can do without, the most expensive first."""
        lean = secondary & _moved(seen, len(secondary))
        now = monotonic()
        until = now + THINNING * (self._until - now) if np.isfinite(self._until) else np.inf
        for cell in sorted(np.flatnonzero(lean).tolist(), key=lambda cell: -float(self._table.weight[cell])):
            if monotonic() > until:
                break
            if not lean[cell]:
                continue
            fewer = lean.copy()
            fewer[cell] = False
            trial = seen.without(cell)
            self._settle(trial, fewer, until=until)
            if not trial.open:
                seen, lean = trial, fewer & _moved(trial, len(lean))
        return seen, lean


def _hide_cells(table: Table, mask: Mask) -> Table:
    """Return the table with these of its safe cells suppressed beside those that are anyway."""
    status = np.where(mask & (table.status == Status.SAFE), np.int8(Status.SECONDARY), table.status)
    return replace(table, status=status)


def _moved(seen: SeenMoves, cells: int) -> Mask:
    """Return which cells, of so many, the witnesses move."""
    moved = np.zeros(cells, dtype=np.bool_)
    for point in seen.points:
        moved[list(point.cells)] = True
    return moved


class _Widener:
    """Whole-number programs that move one primary as far as it must, at little cost of further cells.

    Among the cells near primaries first, where a table is large; where they do not suffice, among all.
    """

    def __init__(self, table: Table, shown: Mask, until: float, insiders: Coalition | None = None) -> None:
        self._table, self._until, self._insiders = table, until, insiders
        self._shown = shown | table.suppressed
        self._needs = Needs.of(table)
        every = (table.status == Status.SAFE) | table.suppressed
        near = every & (near_primaries(table) | self._shown)
        self._among = [every] if near.sum() == every.sum() else [near, every]
        self._programs: list[_MoveProgram | None] = [None] * len(self._among)

    def move(self, at: int, seen: SeenMoves) -> Mask:
        """Return the cells that a witness of a primary moves, which it has then been seen to be."""
        for number in range(len(self._among)):
            point = self._find(number, at, seen)
            if point is not None:
                return self._take(point, seen)
        points = list(self._push(at))
        moved = np.zeros(len(self._table), dtype=np.bool_)
        for point in points:
            moved |= self._take(point, seen)
        if at in seen.open:
            self._refuse(at)
        return moved

    def _find(self, number: int, at: int, seen: SeenMoves) -> Point | None:
        """Return the cheapest move that a primary lacks among some cells; None if there is none."""
        program = self._programs[number]
        if program is None:
            program = _MoveProgram(self._table, self._among[number], self._insiders)
            self._programs[number] = program
        lower, upper, sliding = seen.lack(at)
        down, up = (seen.far[way][at] for way in (DOWN, UP))
        if upper or lower:
            ways = [(UP, upper)] if upper else [(DOWN, lower)]
        else:
            ways = [(UP, sliding - down), (DOWN, sliding - up)]
        cell = int(self._needs.cells[at])
        solved = [program.solve(self._table, self._shown, cell, way, ceil(far), self._until) for way, far in ways]
        points = [(cost, order, point) for order, (cost, point) in enumerate(solved) if point is not None]
        return min(points)[2] if points else None

    def _push(self, at: int) -> Iterator[Point]:
        """Give the moves of a primary as far as it can up and down."""
        program = self._programs[-1]
        cell = int(self._needs.cells[at])
        for way in (UP, DOWN):
            if program is not None:
                point = program.push(cell, way, ceil(self._needs.most[at]), self._until)
                if point is not None:
                    yield point

    def _take(self, point: Point, seen: SeenMoves) -> Mask:
        seen.see(point)
        moved = np.zeros(len(self._table), dtype=np.bool_)
        moved[list(point.cells)] = True
        self._shown = self._shown | moved
        return moved & (self._table.status == Status.SAFE)

    def _refuse(self, at: int) -> None:
        """Refuse a primary that no pattern protects.

        Raises:
            InfeasibleError: always.
        """
        cell = self._table.named(int(self._needs.cells[at]))
        if self._insiders is None:
            raise InfeasibleError(
                Said(
                    "the cell {cell} cannot be protected from who knows that cells are whole numbers: even with every "
                    "cell suppressed that may be, it cannot move enough",
                    cell=cell,
                )
            )
        raise InfeasibleError(
            Said(
                "the cell {cell} cannot be protected from contributors of {known}, who know what they gave and that "
                "cells are whole numbers: even with every cell suppressed that may be, it cannot move enough",
                cell=cell,
                known=self._table.named(self._insiders.cell),
            )
        )


class _MoveProgram:
    """A loaded whole-number program over some cells: each one's way up and way down are two columns."""

    def __init__(self, table: Table, among: Mask, insiders: Coalition | None) -> None:
        hidden = Hidden.of(_hide_cells(table, among))
        self._hidden, self._count = hidden, len(hidden.cells)
        down, up = hidden.down.copy(), hidden.up.copy()
        if insiders is not None:
            at = int(np.searchsorted(hidden.cells, insiders.cell))
            down[at], up[at] = min(down[at], np.floor(insiders.down)), min(up[at], np.floor(insiders.up))
        self._down, self._up = down, up
        self._program = Program(
            cost=np.zeros(2 * self._count),
            lower=np.zeros(2 * self._count),
            upper=np.concatenate([up, down]),
            rows=csr_array(hstack([hidden.rows, -hidden.rows])),
            row_lower=hidden.right.astype(np.float64),
            row_upper=hidden.right.astype(np.float64),
            whole=np.ones(2 * self._count, dtype=np.bool_),
        )

    def solve(
        self, table: Table, shown: Mask, cell: int, way: int, far: int, until: float
    ) -> tuple[float, Point | None]:
        """Return the cheapest move of a cell by so much at least, and about what it costs to hide what moves.

        Raises:
            _OutOfTimeError: the time is over before one is found, or it is known that there is none.
        """
        cells = self._hidden.cells
        charge = np.where(shown[cells], 0.0, np.maximum(table.weight[cells], LEAST))
        per_up = charge / np.clip(self._up, 1.0, far)
        per_down = charge / np.clip(self._down, 1.0, far)
        self._charge(np.concatenate([per_up, per_down]))
        return self._solve(cell, way, (far, np.inf), GAP, until)

    def push(self, cell: int, way: int, most: int, until: float) -> Point | None:
        """Return the move of a cell as far as it can, up to so much."""
        cost = np.zeros(2 * self._count)
        cost[self._places(cell)] = (-1.0, 1.0) if way == UP else (1.0, -1.0)
        self._charge(cost)
        return self._solve(cell, way, (0, most), 0.0, until)[1]

    def _charge(self, cost: Floats) -> None:
        self._program.charge(np.arange(len(cost)), cost)

    def _places(self, cell: int) -> NDArray[np.intp]:
        at = int(np.searchsorted(self._hidden.cells, cell))
        return np.array([at, at + self._count])

    def _solve(
        self, cell: int, way: int, far: tuple[float, float], gap: float, until: float
    ) -> tuple[float, Point | None]:
        places = self._places(cell)
        rooms = np.array([self._up[places[0]], self._down[places[0]]])
        along = 0 if way == UP else 1
        if rooms[along] < far[0]:
            return np.inf, None
        least, most = np.zeros(2), np.zeros(2)
        least[along], most[along] = far[0], min(far[1], rooms[along])
        left = min(SECONDS, until - monotonic())
        if left <= 0:
            raise _OutOfTimeError
        self._program.bound(places, least, most)
        self._program.limit(seconds=left, gap=gap)
        solution = self._program.solve()
        self._program.bound(places, np.zeros(2), rooms)
        if solution.status is SolveStatus.INFEASIBLE:
            return np.inf, None
        if not solution.x.size:
            raise _OutOfTimeError
        moves = np.rint(solution.x[: self._count] - solution.x[self._count :]).astype(np.int64)
        if not np.array_equal(self._hidden.rows @ moves, self._hidden.right):
            raise _OutOfTimeError  # too large for the solver's tolerance: nothing is known
        return solution.objective, self._hidden.point(moves.tolist(), 1)

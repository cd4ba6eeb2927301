"""Witnesses: tables that an attacker cannot exclude.

For every primary they lie as far from the truth as its levels ask. A witness is a deviation that keeps every equation,
moves hidden cells only and stays inside the attacker's bounds, all in exact numbers. All primaries still open are moved
at once, some more eagerly than others, so that a few points settle hundreds of them; what that leaves is asked one by
one. A primary for which no exact witness is found, or not in time, is told as lacking.

Witnesses that are whole tables speak against two attackers at once: who computes with real numbers cannot exclude them,
nor can who knows that cells are whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from math import inf, isfinite
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.audit.attacker import DOWN, UP, unit_of
from sekisho.tables.audit.coalitions import Coalition, split_in_sets
from sekisho.tables.audit.deviation import Hidden, Point, corner, exact
from sekisho.tables.audit.survey import Needs, eager
from sekisho.tables.model.table import Floats, Table
from sekisho.tables.solvers.highs import Program, SolveStatus

TURNS = 4
"""The last of so many turns moves cells down first, the others up.

So many turns without a primary settled are the last.
"""
WHOLE_SECONDS = 60.0
"""How long one whole table is looked for where the corner of a program is none."""
EVEN_SHARES = 4
"""How many even shares of the time left one primary may take for that: those behind it have theirs."""
TOLERANCE = Fraction(1, 10**9)
"""A level that is no whole number comes from a percentage in binary fractions: it may be missed by so much, as in the
checker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The points that speak for one primary, by their number; None where no move that way is needed."""

    cell: int
    down: int | None
    up: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All points, and which of them speak for each primary; ``lacking`` are the primaries for which none was found."""

    points: tuple[Point, ...]
    witnesses: tuple[Witness, ...]
    lacking: tuple[int, ...]
    inside: tuple[tuple[int, tuple[int, ...]], ...] = ()


def find_evidence(
    table: Table, *, seconds: float | None = None, coalitions: Sequence[Coalition] = (), whole: bool = False
) -> Evidence:
    """Return witnesses for every primary of a table's pattern; those not found in the time are lacking.

    ``inside`` has for each coalition its cell and points that it cannot exclude; together they speak for every primary
    but its own. With ``whole`` all witnesses are whole tables.
    """
    until = inf if seconds is None else monotonic() + seconds
    seen, hidden = SeenMoves(Needs.of(table)), Hidden.of(table)
    if seen.open:
        WitnessProgram(hidden, seen, until, whole=whole).settle()
    some = [coalition for coalition in coalitions if table.suppressed[coalition.cell]]
    inside = InsideWitnesses(hidden, Needs.of(table), some, until, whole=whole).points if some else {}
    return seen.collect(inside)


def complete_evidence(table: Table, found: Evidence, points: Iterable[Point]) -> Evidence:
    """Return evidence with further points, for the primaries that lack a witness without them."""
    seen = SeenMoves(Needs.of(table))
    for point in (*found.points, *points):
        seen.see(point)
    return seen.collect({cell: [found.points[number] for number in numbers] for cell, numbers in found.inside})


class InsideWitnesses:
    """Points that coalitions cannot exclude, of many coalitions at once and of single ones where that does not do.

    Attributes:
        points: by the coalition's cell.
    """

    def __init__(
        self, hidden: Hidden, needs: Needs, coalitions: Sequence[Coalition], until: float, *, whole: bool = False
    ) -> None:
        self._hidden, self._needs, self._until, self._whole = hidden, needs, until, whole
        self.points: dict[int, list[Point]] = {each.cell: [] for each in coalitions}
        self._open = {each.cell: set(np.flatnonzero(needs.cells != each.cell).tolist()) for each in coalitions}
        for some in split_in_sets(len(coalitions)):
            self._ask([coalitions[at] for at in some.tolist()])
        for each in coalitions:
            self._ask([each])

    def list_open(self, coalition: Coalition) -> list[int]:
        """Return the places, among the needs, of the primaries for which a coalition's points do not speak."""
        return sorted(self._open[coalition.cell])

    def _ask(self, some: Sequence[Coalition]) -> None:
        """See points that none of some coalitions can exclude, for the primaries that are none of their cells."""
        theirs = {each.cell for each in some}
        wanted = set[int]().union(*(self._open[cell] for cell in theirs))
        places = {at for at in wanted if int(self._needs.cells[at]) not in theirs}
        if not places:
            return
        seen = SeenMoves(self._needs, among=places)
        WitnessProgram(self._restricted(some), seen, self._until, whole=self._whole).settle()
        points = seen.points
        for cell in theirs:
            self.points[cell] += points
            self._open[cell] -= places - seen.open

    def _restricted(self, some: Sequence[Coalition]) -> Hidden:
        """Return the hidden cells with no more room than some coalitions leave to their own."""
        down, up, unit = self._hidden.down.copy(), self._hidden.up.copy(), self._hidden.unit
        for each in some:
            at = int(np.searchsorted(self._hidden.cells, each.cell))
            for room, far in ((down, each.down), (up, each.up)):
                if isfinite(far):
                    room[at] = min(room[at], float(exact(far) * unit // 1))
        return replace(self._hidden, down=down, up=up)


class SeenMoves:
    """What the points so far have shown of the primaries, exactly.

    Attributes:
        needs: what is asked of them.
        open: the places, among the needs, of those not yet shown to be protected.
        far: how far each has been seen to move, per way.
    """

    def __init__(self, needs: Needs, *, among: AbstractSet[int] | None = None) -> None:
        self.needs = needs
        many = len(needs.cells)
        self._levels = [
            tuple(exact(level) - (0 if level == int(level) else TOLERANCE * max(1, exact(level))) for level in levels)
            for levels in zip(needs.lower.tolist(), needs.upper.tolist(), needs.sliding.tolist(), strict=True)
        ]
        self._place = {cell: at for at, cell in enumerate(needs.cells.tolist())}
        self.far = {UP: [Fraction(0)] * many, DOWN: [Fraction(0)] * many}
        self._by: dict[int, list[Point | None]] = {UP: [None] * many, DOWN: [None] * many}
        asked = range(many) if among is None else sorted(among)
        self.open = {at for at in asked if any(self.wants(at))}

    def wants(self, at: int) -> tuple[bool, bool]:
        """Tell whether a primary has to be seen further down, and further up."""
        down, up = self.far[DOWN][at], self.far[UP][at]
        lower, upper, sliding = self._levels[at]
        return down < lower or down + up < sliding, up < upper or down + up < sliding

    def see(self, point: Point) -> None:
        """Learn from a point what it says of the primaries still open."""
        for cell, move in zip(point.cells, point.moves, strict=True):
            at, way = self._place.get(cell), UP if move > 0 else DOWN
            if at in self.open and (far := Fraction(abs(move), point.denominator)) > self.far[way][at]:
                self.far[way][at], self._by[way][at] = far, point
                if not any(self.wants(at)):
                    self.open.discard(at)

    def lack(self, at: int) -> tuple[Fraction, Fraction, Fraction]:
        """Return the levels of a primary that it was not seen to keep: below, above, and in width; 0 for others."""
        down, up = self.far[DOWN][at], self.far[UP][at]
        lower, upper, sliding = self._levels[at]
        return (
            lower if down < lower else Fraction(0),
            upper if up < upper else Fraction(0),
            sliding if down + up < sliding else Fraction(0),
        )

    def without(self, cell: int) -> SeenMoves:
        """Return what is left if a cell may no longer move: the points that moved it are void."""
        left = SeenMoves(self.needs)
        for point in self.points:
            if cell not in point.cells:
                left.see(point)
        return left

    @property
    def points(self) -> list[Point]:
        """The points that speak for a primary."""
        return list(dict.fromkeys(point for way in (DOWN, UP) for point in self._by[way] if point is not None))

    def collect(self, inside: Mapping[int, Sequence[Point]]) -> Evidence:
        """Return the points that speak for a primary, and those that coalitions cannot exclude, numbered."""
        number: dict[Point, int] = {}
        witnesses = [
            Witness(
                cell=cell,
                down=None if down is None else number.setdefault(down, len(number)),
                up=None if up is None else number.setdefault(up, len(number)),
            )
            for cell, down, up in zip(self.needs.cells.tolist(), self._by[DOWN], self._by[UP], strict=True)
        ]
        lacking = tuple(int(self.needs.cells[at]) for at in sorted(self.open))
        theirs = [
            (cell, tuple(sorted({number.setdefault(point, len(number)) for point in points})))
            for cell, points in inside.items()
        ]
        return Evidence(points=tuple(number), witnesses=tuple(witnesses), lacking=lacking, inside=tuple(theirs))


class WitnessProgram:
    """A loaded program over all hidden cells, which moves many primaries at once."""

    def __init__(self, hidden: Hidden, seen: SeenMoves, until: float, *, whole: bool = False) -> None:
        self._hidden, self._seen, self._until, self._whole = hidden, seen, until, whole
        self._at = np.searchsorted(hidden.cells, seen.needs.cells)
        self._most = np.ceil(seen.needs.most * hidden.unit)
        self._low, self._high = -hidden.down, hidden.up
        self._unit = hidden.unit * unit_of(hidden.down / hidden.unit, hidden.up / hidden.unit)
        due = hidden.right / self._unit
        self._program = Program(
            cost=np.zeros(len(hidden.cells)),
            lower=self._low / self._unit,
            upper=self._high / self._unit,
            rows=hidden.rows,
            row_lower=due,
            row_upper=due,
        ).primal()

    def settle(self) -> None:
        """Move all open primaries together, again and again; those for which that does nothing one by one."""
        self.spread()
        seen = self._seen
        for at in sorted(seen.open):
            if monotonic() > self._until:
                return
            self._hold(np.array([at]))
            for down_first in (False, True):
                if at in seen.open:
                    self._push([at], np.ones(1), down_first=down_first)
            if at in seen.open and self._whole:
                self._push_whole(at)

    def spread(self) -> None:
        """Move all open primaries together, again and again, until that settles none."""
        seen, idle = self._seen, 0
        self._hold(np.arange(len(self._at)))
        for turn in count():
            left = len(seen.open)
            if not left or idle == TURNS:
                break
            self._push(sorted(seen.open), eager(left, turn), down_first=turn % TURNS == TURNS - 1)
            idle = idle + 1 if len(seen.open) == left else 0

    def _push_whole(self, at: int) -> None:
        """See the whole tables farthest down and up for one primary, where corners are not whole."""
        hidden = self._hidden
        program = Program(
            cost=np.zeros(len(hidden.cells)),
            lower=self._low / hidden.unit,
            upper=self._high / hidden.unit,
            rows=hidden.rows,
            row_lower=hidden.right / hidden.unit,
            row_upper=hidden.right / hidden.unit,
            whole=np.ones(len(hidden.cells), dtype=np.bool_),
        )
        for way in (UP, DOWN):
            left = self._until - monotonic()
            fair = EVEN_SHARES * left / max(1, len(self._seen.open))
            program.limit(seconds=max(0.0, min(left, fair, WHOLE_SECONDS)), gap=0.0)
            program.charge(self._at[[at]], [-float(way)])
            solution = program.solve()
            if solution.x.size:
                moves = np.rint(solution.x).astype(np.int64)
                if np.array_equal(hidden.rows @ moves, hidden.right // hidden.unit):
                    self._seen.see(hidden.point((moves * hidden.unit).tolist(), 1))

    def _hold(self, places: NDArray[np.int64]) -> None:
        """Let some primaries move no further than they need, and all other cells as far as they may."""
        hidden, at, most = self._hidden, self._at[places], self._most[places]
        self._low, self._high = -hidden.down, hidden.up.copy()
        self._low[at], self._high[at] = np.maximum(self._low[at], -most), np.minimum(self._high[at], most)
        self._program.bound(np.arange(len(self._low)), self._low / self._unit, self._high / self._unit)

    def _push(self, places: list[int], weights: Floats, *, down_first: bool) -> None:
        """See a point that moves some primaries, each a way in which it still has somewhere to go.

        Nothing if the time is over.
        """
        left = self._until - monotonic()
        if left <= 0:
            return
        cost = np.zeros(len(self._hidden.cells))
        cost[self._at[places]] = [-self._way(at, down_first=down_first) for at in places] * weights
        self._program.charge(np.arange(len(cost)), cost)
        if left < inf:
            self._program.limit(seconds=left)
        solution = self._program.solve()
        basis = self._program.basis() if solution.status is SolveStatus.OPTIMAL else None
        if basis is None:
            return
        near = solution.x * self._unit
        if self._whole:
            self._see_whole(near)
            return
        found = corner(self._hidden.rows, basis, near, self._low, self._high, self._hidden.right)
        if found is not None:
            self._seen.see(self._hidden.point(list(found.numbers), found.denominator))

    def _see_whole(self, near: Floats) -> None:
        """Learn from a corner if the whole table nearest to it is one that agrees with all that is published."""
        unit = self._hidden.unit
        moves = np.rint(near / unit).astype(np.int64) * unit
        inside = np.all((self._low <= moves) & (moves <= self._high))
        if inside and np.array_equal(self._hidden.rows @ moves, self._hidden.right):
            self._seen.see(self._hidden.point(moves.tolist(), 1))

    def _way(self, at: int, *, down_first: bool) -> int:
        (falls, rises), place = self._seen.wants(at), int(self._at[at])
        far, unit = self._seen.far, self._hidden.unit
        rises = rises and far[UP][at] * unit < float(self._high[place])
        falls = falls and far[DOWN][at] * unit < -float(self._low[place])
        return DOWN if falls and (down_first or not rises) else UP

"""The attacker: he sees the published cells and asks how far each hidden cell can move.

He knows the equations and his bounds. With ``a`` the true table, what he cannot tell from it are the tables ``a + d``
with ``A d = 0``, ``d = 0`` at published cells and ``lower - a <= d <= upper - a`` elsewhere. Only suppressed cells are
variables, so the program is small; it stays loaded, only one cost changes from question to question, and every point
found speaks for all cells at once.

With a fractional pattern ``y`` the room to move is scaled, ``-(a - lower) y <= d <= (upper - a) y``: the multipliers of
the equations then give the optimiser its cuts.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import BugError
from sekisho.tables.model.table import Floats, Table
from sekisho.tables.solvers.exact_solution import Ratios, solve_exactly
from sekisho.tables.solvers.highs import Places, Program, Solution, SolveStatus

UP, DOWN = 1, -1
WHOLE = 1e-6
ROOM = 2.0**20
"""How much room the solver is told of at most: its tolerance is 1e-7, and sums of much larger numbers miss by more than
that."""


class System(Protocol):
    """Cells and the equations between them: a table, or what is left of one."""

    @property
    def matrix(self) -> csr_array:
        """The equations, a row each."""
        ...

    def __len__(self) -> int:
        """Return the number of cells."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a cell can move one way.

    Attributes:
        far: the distance, at least 0; infinity if nothing stops it.
        point: the deviation of every variable at that distance; where it is infinite, at some distance.
        multiplier: of every equation of the table: what proves that the cell can move no further.
    """

    far: float
    point: Floats
    multiplier: Floats


class Attacker:
    """A program over some cells of a table, each free to move ``down`` and ``up`` by so much; loaded when first asked.

    Attributes:
        cells: the places in the table of the variables.
        where: each table cell's variable, -1 for none.
        down: how far each variable may move down.
        up: how far it may move up.
        rows: the equations between the variables.
    """

    def __init__(self, table: System, cells: NDArray[np.intp], down: Floats, up: Floats) -> None:
        self.cells = cells
        self.where = np.full(len(table), -1, dtype=np.intp)
        self.where[cells] = np.arange(len(cells))
        part = csr_array(table.matrix.tocsc()[:, cells].tocsr())
        self._rows = np.flatnonzero(np.diff(part.indptr))
        self._equations = table.matrix.shape[0]
        self.rows = csr_array(part[self._rows])
        self.down, self.up = down.copy(), up.copy()
        self._held_down, self._held_up = down.copy(), up.copy()
        self._unit = unit_of(down, up)

    @cached_property
    def _program(self) -> Program:
        still = np.zeros(len(self._rows))
        return Program(
            cost=np.zeros(len(self.cells)),
            lower=-self.down / self._unit,
            upper=self.up / self._unit,
            rows=self.rows,
            row_lower=still,
            row_upper=still,
        ).primal()

    @cached_property
    def _whole(self) -> Program:
        still = np.zeros(len(self._rows))
        program = Program(
            cost=np.zeros(len(self.cells)),
            lower=-np.floor(self.down),
            upper=np.floor(self.up),
            rows=self.rows,
            row_lower=still,
            row_upper=still,
            whole=np.ones(len(self.cells), dtype=np.bool_),
        )
        program.limit(gap=0.0)
        return program

    def reach(self, cell: int, way: int) -> Reach:
        """Return how far a cell of the table can move up (1) or down (-1)."""
        at = int(self.where[cell])
        if at < 0:
            return Reach(far=0.0, point=np.zeros(len(self.cells)), multiplier=np.zeros(self._equations))
        self._program.charge([at], [-float(way)])
        solution = self._program.solve()
        self._program.charge([at], [0.0])
        if solution.status is SolveStatus.UNBOUNDED:
            return Reach(far=np.inf, point=np.zeros(len(self.cells)), multiplier=np.zeros(self._equations))
        _demand_point(solution)
        multiplier = np.zeros(self._equations)
        multiplier[self._rows] = -solution.dual
        point = solution.x * self._unit
        return Reach(far=way * float(point[at]), point=point, multiplier=multiplier)

    def proof(self, cell: int, way: int) -> tuple[NDArray[np.intp], Ratios] | None:
        """Return the multipliers of the last question, about this cell and way, in exact numbers and by equation.

        They are those of its corner: no column of the basis gains by them, and a row of the basis has none. None if
        that has no answer.
        """
        basis = self._program.basis()
        if basis is None:
            return None
        held, columns = np.flatnonzero(~basis.rows), np.flatnonzero(basis.columns)
        square = csr_array(self.rows[held].tocsc()[:, columns].T.tocsr())
        found = (
            solve_exactly(square, np.where(columns == self.where[cell], way, 0)) if len(held) == len(columns) else None
        )
        return None if found is None else (self._rows[held], found)

    def reach_of_level(self, cell: int, way: int, level: float) -> Reach:
        """Return the same with a point in every case: where nothing stops the cell, one at the level.

        What is held stays held.
        """
        reach = self.reach(cell, way)
        if np.isfinite(reach.far):
            return reach
        at = self.where[[cell]]
        down, up = self._held_down[at], self._held_up[at]
        self._limit(at, np.minimum(down, level), np.minimum(up, level))
        reach = self.reach(cell, way)
        self._limit(at, down, up)
        return reach

    def end(self, cell: int, way: int, *, until: float) -> Solution:
        """Return the point where a cell is as far as it can be.

        Or that nothing stops it, or that the time was over first.
        """
        return self._farthest([int(self.where[cell])], [-float(way)], until)

    def whole_end(self, cell: int, way: int, *, until: float) -> Solution:
        """Return the same over moves by whole numbers only, apart from the solver's tolerance."""
        return _solve(self._whole, [int(self.where[cell])], [-float(way)], until)

    def along(self, direction: Floats, *, until: float = np.inf) -> Floats | None:
        """Return the point farthest along a direction; None if nothing stops it or the time was over first."""
        places = np.flatnonzero(direction)
        solution = self._farthest(places, -direction[places], until)
        return solution.x if solution.status is SolveStatus.OPTIMAL else None

    def _farthest(self, places: Places, costs: Floats | Sequence[float], until: float) -> Solution:
        solution = _solve(self._program, places, costs, until)
        return replace(solution, x=solution.x * self._unit)

    def spread(self, cells: NDArray[np.intp], ways: Floats) -> Floats | None:
        """Return a point that moves many of these cells far at once, each its way, or None if nothing stops them."""
        direction = np.zeros(len(self.cells))
        direction[self.where[cells]] = ways
        return self.along(direction)

    def hold(self, cells: NDArray[np.intp], down: Floats, up: Floats) -> None:
        """Let some cells move no further than this, for the next questions."""
        places = self.where[cells]
        self._bound(places, np.minimum(down, self.down[places]), np.minimum(up, self.up[places]))

    def release(self, cells: NDArray[np.intp]) -> None:
        """Give some cells their own room again."""
        places = self.where[cells]
        self._bound(places, self.down[places], self.up[places])

    @contextmanager
    def restricted(self, cells: NDArray[np.intp], down: Floats, up: Floats) -> Generator[None]:
        """Let some cells move no further than this for a while, whatever is held and released in between."""
        at = self.where[cells]
        before, held = (self.down[at], self.up[at]), (self._held_down[at], self._held_up[at])
        self.down[at], self.up[at] = np.minimum(before[0], down), np.minimum(before[1], up)
        self._bound(at, np.minimum(held[0], down), np.minimum(held[1], up))
        try:
            yield
        finally:
            self.down[at], self.up[at] = before
            self._bound(at, *held)

    def _bound(self, places: NDArray[np.intp], down: Floats, up: Floats) -> None:
        self._held_down[places], self._held_up[places] = down, up
        self._limit(places, down, up)

    def _limit(self, places: NDArray[np.intp], down: Floats, up: Floats) -> None:
        self._program.bound(places, -down / self._unit, up / self._unit)


def _solve(program: Program, places: Places, costs: Floats | Sequence[float], until: float) -> Solution:
    """Return what a program ends with at these costs, which it forgets again."""
    if np.isfinite(until):
        program.limit(seconds=until - monotonic())
    program.charge(places, costs)
    solution = program.solve()
    program.charge(places, np.zeros(len(places)))
    if solution.status is SolveStatus.INFEASIBLE:
        _demand_point(solution)
    return solution


def _demand_point(solution: Solution) -> None:
    """Refuse a solve without a point: there is always one, the true table."""
    if solution.status is not SolveStatus.OPTIMAL:
        raise BugError(f"an attacker's program is {solution.status.value}, yet the true table is a point of it")


def unit_of(down: Floats, up: Floats) -> float:
    """Return what a program should count as 1 for cells with so much room: a power of 2, above 1 where there is much.

    Moves are in proportion to the room for them, so nothing else changes.
    """
    both = np.concatenate([down, up])
    most = float(both[np.isfinite(both)].max(initial=0.0))
    return 2.0 ** int(np.ceil(np.log2(most / ROOM))) if most > ROOM else 1.0


def is_whole(point: Floats) -> bool:
    """Tell whether a point moves every cell by a whole number."""
    return bool(np.abs(point - np.rint(point)).max(initial=0.0) <= WHOLE)


def room(table: Table) -> tuple[Floats, Floats]:
    """Return how far the attacker thinks each cell may lie below and above its true value."""
    return table.value - table.lower, table.upper - table.value


def attacker_of(table: Table) -> Attacker:
    """Return the attacker of a table's own pattern."""
    cells = np.flatnonzero(table.suppressed)
    down, up = room(table)
    return Attacker(table, cells, down[cells], up[cells])

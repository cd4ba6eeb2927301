"""The attacker: he sees the published cells, knows the equations and his bounds, and asks how far each hidden cell can move.

With ``a`` the true table, what he cannot tell from it are the tables ``a + d`` with ``A d = 0``, ``d = 0`` at published cells and
``lower - a <= d <= upper - a`` elsewhere. Only suppressed cells are variables, so the program is small; it stays loaded, only one
cost changes from question to question, and every point found speaks for all cells at once.

With a fractional pattern ``y`` the room to move is scaled, ``-(a - lower) y <= d <= (upper - a) y``: the multipliers of the equations
then give the optimiser its cuts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import BugError
from sekisho.tables.solver import Program, Verdict
from sekisho.tables.table import Floats, Table

UP, DOWN = 1, -1
WHOLE = 1e-6


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
    """A loaded program over some cells of a table, each free to move ``down`` and ``up`` by so much.

    With ``whole`` only whole-number moves count: a linear answer that is whole is right, else a whole-number program is asked.

    Attributes:
        cells: the places in the table of the variables.
        where: each table cell's variable, -1 for none.
    """

    def __init__(self, table: Table, cells: NDArray[np.intp], down: Floats, up: Floats, *, whole: bool = False) -> None:
        self.cells = cells
        self.where = np.full(len(table), -1, dtype=np.intp)
        self.where[cells] = np.arange(len(cells))
        part = csr_array(table.matrix.tocsc()[:, cells].tocsr())
        self._rows = np.flatnonzero(np.diff(part.indptr))
        self._equations = table.matrix.shape[0]
        still = np.zeros(len(self._rows))
        self.down, self.up = down, up
        self._program = Program(
            cost=np.zeros(len(cells)),
            lower=-down,
            upper=up,
            rows=csr_array(part[self._rows]),
            row_lower=still,
            row_upper=still,
        ).primal()
        self._whole: Program | None = None
        if whole:
            self._whole = Program(
                cost=np.zeros(len(cells)),
                lower=-np.floor(down),
                upper=np.floor(up),
                rows=csr_array(part[self._rows]),
                row_lower=still,
                row_upper=still,
                whole=np.ones(len(cells), dtype=np.bool_),
            )
            self._whole.limit(gap=0.0)

    def reach(self, cell: int, way: int) -> Reach:
        """Return how far a cell of the table can move up (1) or down (-1)."""
        at = int(self.where[cell])
        if at < 0:
            return Reach(far=0.0, point=np.zeros(len(self.cells)), multiplier=np.zeros(self._equations))
        self._program.charge([at], [-float(way)])
        solution = self._program.solve()
        self._program.charge([at], [0.0])
        if solution.verdict is Verdict.UNBOUNDED:
            return Reach(far=np.inf, point=np.zeros(len(self.cells)), multiplier=np.zeros(self._equations))
        if self._whole is not None and np.abs(solution.x - np.rint(solution.x)).max() > WHOLE:
            return self._whole_reach(at, way)
        multiplier = np.zeros(self._equations)
        multiplier[self._rows] = -solution.dual
        return Reach(far=way * float(solution.x[at]), point=solution.x, multiplier=multiplier)

    def reach_of_level(self, cell: int, way: int, level: float) -> Reach:
        """Return the same with a point in every case: where nothing stops the cell, one at the level."""
        reach = self.reach(cell, way)
        if np.isfinite(reach.far):
            return reach
        one = np.array([cell])
        self.hold(one, np.array([level]), np.array([level]))
        reach = self.reach(cell, way)
        self.release(one)
        return reach

    def _whole_reach(self, at: int, way: int) -> Reach:
        """Return how far a cell can move over whole tables, where the linear answer is no such table."""
        if self._whole is None:
            raise BugError("no whole-number program was asked for")
        self._whole.charge([at], [-float(way)])
        solution = self._whole.solve()
        self._whole.charge([at], [0.0])
        if solution.verdict is not Verdict.OPTIMAL:
            raise BugError(f"a whole-number attack ended {solution.verdict.value}")
        point = np.rint(solution.x)
        return Reach(far=way * float(point[at]), point=point, multiplier=np.zeros(self._equations))

    def spread(self, cells: NDArray[np.intp], way: int) -> Floats | None:
        """Return a point that moves many of these cells far at once, or None if nothing stops them."""
        places = self.where[cells]
        self._program.charge(places, np.full(len(places), -float(way)))
        solution = self._program.solve()
        self._program.charge(places, np.zeros(len(places)))
        return solution.x if solution.verdict is Verdict.OPTIMAL else None

    def hold(self, cells: NDArray[np.intp], down: Floats, up: Floats) -> None:
        """Let some cells move no further than this, for the next questions."""
        places = self.where[cells]
        self._program.bound(places, -np.minimum(down, self.down[places]), np.minimum(up, self.up[places]))

    def release(self, cells: NDArray[np.intp]) -> None:
        """Give some cells their own room again."""
        places = self.where[cells]
        self._program.bound(places, -self.down[places], self.up[places])


def room(table: Table) -> tuple[Floats, Floats]:
    """Return how far the attacker thinks each cell may lie below and above its true value."""
    return table.value - table.lower, table.upper - table.value


def attacker_of(table: Table) -> Attacker:
    """Return the attacker of a table's own pattern."""
    cells = np.flatnonzero(table.suppressed)
    down, up = room(table)
    return Attacker(table, cells, down[cells], up[cells])

"""The narrowest intervals under which every unsafe cell can still move as far as its levels ask: a linear program.

Each cell ``i`` is published as ``[a_i - z-_i, a_i + z+_i]``; what is 0 wide is shown. The adversary sees the intervals
and knows the equations. A cell ``p`` is protected if there are tables ``a + d`` inside all intervals, ``A d = 0``,
``-z- <= d <= z+``, with ``d_p >= upper level``, with ``d_p <= -lower level``, and two whose distance at ``p`` is the
sliding level. The sum of weighted widths is made least.

For multipliers ``m`` of the equations let ``r = e_p - A' m``: whatever ``d`` is inside, ``d_p = r d`` is at most
``sum_i (r_i^+ z+_i + r_i^- z-_i)``, so that sum must reach the level. These are the capacity cuts of cell suppression
(:mod:`sekisho.tables.suppress.cuts`) with widths in place of hidden or shown. They are added as they are needed: looked
for between the best widths that protect and those of the program, where every cell has some room, so that the
multipliers care for all of them. No tree is needed; the multipliers of the cuts prove how narrow intervals can be.

Source: Fischetti and Salazar, "Partial cell suppression: a new methodology for statistical disclosure control",
Statistics and Computing 13 (2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.attacker import DOWN, UP, Attacker, Reach, room
from sekisho.tables.audit.survey import CLOSE, AuditSurvey, Needs
from sekisho.tables.model.table import Floats, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.tables.suppress.cuts import Multipliers
from sekisho.words import Said

TINY = 1e-9
SHARES = (0.5, 0.8, 1.0)
"""How far from the best widths towards those of the program cuts are looked for, one after the other."""
ENOUGH = 1e-7
"""The relative gap at which the widths count as the narrowest."""
FINE = 1 << 40
IDLE = 12
"""A cut that was slack so often is left out."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WidthColumns:
    """What may be widened: each column gives a cell so much room below and above for each unit.

    Attributes:
        cell: whose it is.
        down: the room below.
        up: the room above.
        cost: of a unit.
        most: how many units there may be.
    """

    cell: NDArray[np.int64]
    down: Floats
    up: Floats
    cost: Floats
    most: Floats

    @classmethod
    def of(cls, table: Table, share: Floats | None = None) -> WidthColumns:
        """Return two columns for each cell that may be hidden, one a side; one for those with a share below.

        Args:
            table: whose cells they are.
            share: what part of the width of each cell lies below its value; NaN where both sides are free.
        """
        below, above = room(table)
        cells = np.flatnonzero(~(table.status == 3) & (below + above > 0))
        fixed = np.zeros(len(table), dtype=np.bool_) if share is None else ~np.isnan(share)
        own, free = cells[fixed[cells]], cells[~fixed[cells]]
        part = np.zeros(len(table)) if share is None else np.nan_to_num(share)
        cell = np.concatenate([own, free, free])
        down = np.concatenate([part[own], np.ones(len(free)), np.zeros(len(free))])
        up = np.concatenate([1 - part[own], np.zeros(len(free)), np.ones(len(free))])
        with np.errstate(divide="ignore", invalid="ignore"):
            most = np.fmin(np.where(down > 0, below[cell] / down, inf), np.where(up > 0, above[cell] / up, inf))
        return cls(cell=cell, down=down, up=up, cost=table.weight[cell], most=most)

    def widen(self, units: Floats, cells: int) -> tuple[Floats, Floats]:
        """Return the room of every cell below and above."""
        down, up = (np.bincount(self.cell, units * side, cells).astype(np.float64) for side in (self.down, self.up))
        return down, up


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelCut:
    """``sum_i (r_i^+ z+_i + r_i^- z-_i) >= level`` for all widths that protect a cell, and where it comes from.

    Attributes:
        primary: whose level it speaks for.
        up: the multipliers for moving up; None if the cut is about moving down only.
        down: those for moving down; None if it is about moving up only.
        level: what must be reached.
    """

    primary: int
    up: Multipliers | None
    down: Multipliers | None
    level: float

    def reach(self, matrix: csr_array) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
        """Return what a unit of room below and above adds, by cell, exactly."""
        below, above = dict[int, Fraction](), dict[int, Fraction]()
        for multipliers, way in ((self.up, UP), (self.down, DOWN)):
            if multipliers is None:
                continue
            cells, sums = multipliers.combine(matrix, self.primary, way)
            for cell, number in zip(cells.tolist(), sums.tolist(), strict=True):
                side = above if number > 0 else below
                side[cell] = side.get(cell, Fraction(0)) + Fraction(abs(number), multipliers.denominator)
        return below, above

    def weigh(self, matrix: csr_array, cells: int) -> tuple[Floats, Floats]:
        """Return the same as numbers of every cell."""
        below, above = np.zeros(cells), np.zeros(cells)
        for multipliers, way in ((self.up, UP), (self.down, DOWN)):
            if multipliers is None:
                continue
            places, sums = multipliers.combine(matrix, self.primary, way)
            slope = (sums / multipliers.denominator).astype(np.float64)
            np.add.at(above, places, np.maximum(slope, 0.0))
            np.add.at(below, places, np.maximum(-slope, 0.0))
        return below, above


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WidthStep:
    """How far the search has come.

    Attributes:
        units: of every column, of the best widths that protect; empty if none are known yet.
        cost: of them.
        bound: no widths that protect cost less.
        cuts: that the bound rests on.
        dual: their multipliers.
    """

    units: Floats
    cost: float
    bound: float
    cuts: tuple[LevelCut, ...]
    dual: Floats

    @property
    def gap(self) -> float:
        """The relative gap."""
        return (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0

    @property
    def optimal(self) -> bool:
        """Whether they are proven the narrowest, but for the solver's tolerance."""
        return self.gap <= ENOUGH


class WidthSearch:
    """The program of the narrowest widths of one table."""

    def __init__(self, table: Table, columns: WidthColumns) -> None:
        self.table, self.columns, self.needs = table, columns, Needs.of(table)
        self._cuts: list[LevelCut] = []
        self._rows: list[Floats] = []
        self._slack: list[int] = []

    def steps(self, *, seconds: float | None = None) -> Iterator[WidthStep]:
        """Give the best widths and the bound after every round; the last is what there is.

        Raises:
            InfeasibleError: even with all the room there is a level cannot be reached.
        """
        until = inf if seconds is None else monotonic() + seconds
        best = self._start()
        self._add(self._equation_cuts())
        turn = 0
        while True:
            units, bound, dual = self._solve()
            step = WidthStep(
                units=best, cost=float(self.columns.cost @ best), bound=bound, cuts=tuple(self._cuts), dual=dual
            )
            yield step
            if step.optimal or monotonic() > until:
                return
            found = list[LevelCut]()
            for share in SHARES[turn % 2 :]:
                inside = best + share * (units - best)
                found = self._separate(inside, until)
                if found:
                    break
                best = inside if float(self.columns.cost @ inside) < float(self.columns.cost @ best) else best
            turn += 1
            self._drop(units)
            self._add(found)

    def _start(self) -> Floats:
        """Return widths that protect: as much room as the levels may need, everywhere, or all there is."""
        columns, needs = self.columns, self.needs
        for much in (float(needs.most.max(initial=0.0)), 1e3 * float(needs.most.sum()), inf):
            units = np.minimum(columns.most, much)
            capped = np.minimum(units, 1e6 * (1 + float(needs.most.sum())))
            if not self._separate(capped, inf, few=1):
                return capped
        raise InfeasibleError(Said("no intervals protect every unsafe cell: not even if nothing is shown"))

    def _equation_cuts(self) -> list[LevelCut]:
        """Return the cuts that one equation alone gives: whatever a cell gains, others of the equation must yield."""
        matrix = self.table.matrix.tocsc()
        found: list[LevelCut] = []
        for place, cell in enumerate(self.needs.cells.tolist()):
            for at in range(matrix.indptr[cell], matrix.indptr[cell + 1]):
                sign = 1 if matrix.data[at] > 0 else -1
                row = np.array([matrix.indices[at]], dtype=np.int64)
                up = Multipliers(rows=row, values=np.array([sign], dtype=np.int64), denominator=1)
                down = Multipliers(rows=row, values=np.array([-sign], dtype=np.int64), denominator=1)
                found += self._speak(place, up, down)
            nothing = Multipliers(rows=np.zeros(0, np.int64), values=np.zeros(0, np.int64), denominator=1)
            found += self._speak(place, nothing, nothing)
        return found

    def _speak(self, place: int, up: Multipliers, down: Multipliers) -> list[LevelCut]:
        """Return the cuts of these multipliers for every level of a cell."""
        needs, cell = self.needs, int(self.needs.cells[place])
        levels = (
            (up, None, float(needs.upper[place])),
            (None, down, float(needs.lower[place])),
            (up, down, float(needs.sliding[place])),
        )
        return [LevelCut(primary=cell, up=one, down=two, level=level) for one, two, level in levels if level > 0]

    def _separate(self, units: Floats, until: float, few: int = 10**9) -> list[LevelCut]:
        """Return cuts that widths violate; none if and only if they protect, unless the time is over."""
        down, up = self.columns.widen(units, len(self.table))
        cells = np.flatnonzero(down + up > TINY)
        attacker = Attacker(self.table, cells, down[cells], up[cells])
        survey = AuditSurvey(self.needs)
        if cells.size:
            survey.spread(attacker)
        found: list[LevelCut] = []
        for place in survey.open().tolist():
            found += self._ask(attacker, survey, place)
            if len(found) >= few or (found and monotonic() > until):
                break
        return found

    def _ask(self, attacker: Attacker, survey: AuditSurvey, place: int) -> list[LevelCut]:
        needs, cell = self.needs, int(self.needs.cells[place])
        slack = CLOSE * max(1.0, float(needs.most[place]))
        reaches: dict[int, Reach] = {}
        said: dict[int, Multipliers] = {}
        for way in (UP, DOWN):
            if needs.met(survey.down, survey.up)[place]:
                return []
            reaches[way] = attacker.reach_of_level(cell, way, float(needs.most[place]))
            said[way] = Multipliers.of(reaches[way].multiplier, partial(attacker.proof, cell, way))
            survey.see(attacker, reaches[way].point)
        above, below = reaches[UP].far, reaches[DOWN].far
        made: list[LevelCut] = []
        if above < needs.upper[place] - slack:
            made.append(LevelCut(primary=cell, up=said[UP], down=None, level=float(needs.upper[place])))
        if below < needs.lower[place] - slack:
            made.append(LevelCut(primary=cell, up=None, down=said[DOWN], level=float(needs.lower[place])))
        if above + below < needs.sliding[place] - slack:
            made.append(LevelCut(primary=cell, up=said[UP], down=said[DOWN], level=float(needs.sliding[place])))
        return made

    def _add(self, cuts: list[LevelCut]) -> None:
        columns = self.columns
        for cut in cuts:
            below, above = cut.weigh(self.table.matrix, len(self.table))
            self._cuts.append(cut)
            self._rows.append(below[columns.cell] * columns.down + above[columns.cell] * columns.up)
            self._slack.append(0)

    def _drop(self, units: Floats) -> None:
        """Leave out the cuts that were slack for long."""
        for place, (cut, row) in enumerate(zip(self._cuts, self._rows, strict=True)):
            tight = float(row @ units) <= cut.level + CLOSE * max(1.0, cut.level)
            self._slack[place] = 0 if tight else self._slack[place] + 1
        kept = [place for place, idle in enumerate(self._slack) if idle < IDLE]
        self._cuts, self._rows = [self._cuts[at] for at in kept], [self._rows[at] for at in kept]
        self._slack = [self._slack[at] for at in kept]

    def _solve(self) -> tuple[Floats, float, Floats]:
        columns = self.columns
        levels = np.array([cut.level for cut in self._cuts])
        program = Program(
            cost=columns.cost,
            lower=np.zeros(len(columns.cost)),
            upper=columns.most,
            rows=csr_array(np.array(self._rows).reshape(len(self._rows), len(columns.cost))),
            row_lower=levels,
            row_upper=np.full(len(levels), inf),
        )
        solution = program.solve()
        if solution.status is not SolveStatus.OPTIMAL:
            raise InfeasibleError(Said("no intervals protect every unsafe cell: not even if nothing is shown"))
        return solution.x, solution.objective, solution.dual

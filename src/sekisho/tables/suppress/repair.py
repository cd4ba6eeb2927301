"""Repair: make an unsafe pattern safe, cheaply, one primary after the other.

For a primary that cannot move far enough, a linear program finds the deviation ``d`` that moves it by its level at the
least ``sum_i w_i (1 - y_i) |d_i| / min(room_i, level)``: the cells that ``d`` moves are suppressed too. Cells that are
suppressed already cost nothing; cells that the relaxed optimum ``y`` wants cost little.

Source: Fischetti and Salazar (2001), section 5 (heuristic from the relaxation); Kelly, Golden and Assad (1992).

Who attacks the patterns of a table, and whether one is safe from all of them: outsiders, and coalitions of insiders.

A pattern is safe if every primary keeps its levels for whoever sees what is published, and for each coalition of
contributors of one cell as well, their own cell apart. Hiding more never makes a safe pattern unsafe: whoever newly
knows a hidden cell knows what he would have read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from time import monotonic

import numpy as np
from scipy.sparse import csr_array, hstack

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.attacker import DOWN, UP, Attacker, room
from sekisho.tables.audit.coalitions import (
    Coalition,
    Inside,
    Leak,
    describe_coalition,
    find_coalitions,
    find_leaks,
    see_inside,
)
from sekisho.tables.audit.survey import CLOSE, STILL, AuditSurvey, Needs, find_exposed, settle_primary
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said, join_words

LEAST = 1e-4
USED = 1e-7
OFTEN = 20
"""After how many programs the attacker is asked what has become safe on the way."""


class Repairer:
    """A loaded program over some of the cells that may be hidden: each one's way up and way down are two columns.

    Among few cells the program is small and quick; where they do not suffice, a repairer among all cells is asked.
    """

    def __init__(self, table: Table, among: Mask | None = None) -> None:
        self.table = table
        self.needs = Needs.of(table)
        self._wide: Repairer | None = None
        self._insiders: Coalition | None = None
        self._narrow = among is not None
        hidden = table.status != Status.PUBLISH
        if among is not None:
            hidden &= among | table.suppressed
        self._cells = np.flatnonzero(hidden)
        self._where = np.full(len(table), -1, dtype=np.intp)
        self._where[self._cells] = np.arange(len(self._cells))
        self._down, self._up = room(table)
        part = table.matrix.tocsc()[:, self._cells]
        still = np.zeros(part.shape[0])
        count = len(self._cells)
        self._program = Program(
            cost=np.zeros(2 * count),
            lower=np.zeros(2 * count),
            upper=np.concatenate([self._up[self._cells], self._down[self._cells]]),
            rows=csr_array(hstack([part, -part])),
            row_lower=still,
            row_upper=still,
        )

    def repair(self, mask: Mask, guide: Floats, *, until: float = inf) -> Mask | None:
        """Return a safe pattern that holds the given one, or None if the clock passed ``until`` first.

        Raises:
            InfeasibleError: a primary cannot be protected even if every cell that may be is suppressed; named.
        """
        table, needs = self.table, self.needs
        shown = mask | table.suppressed
        attacker = attacker_on(table, shown)
        survey = AuditSurvey(needs)
        survey.spread(attacker, until=until)
        late: list[int] = []
        for place in survey.open().tolist():
            if monotonic() > until:
                return None
            if not settle_primary(attacker, survey, place):
                late.append(place)
        self.price(shown, guide)
        asked = 0
        for place in sorted(late, key=lambda at: (-needs.most[at], needs.cells[at])):
            while not needs.met(survey.down, survey.up)[place]:
                if monotonic() > until:
                    return None
                shown = self.widen(shown, survey, place, guide)
                asked += 1
                if asked % OFTEN == 0:
                    survey.spread(attacker_on(table, shown))
        return shown & ~table.suppressed

    def shield(self, mask: Mask, guide: Floats, coalitions: Sequence[Coalition], *, until: float = inf) -> Mask | None:
        """Return a pattern safe from insiders too that holds the given one, which is safe from outsiders.

        None if the clock passed ``until`` first. Each coalition is looked at once: what is hidden later only helps, and
        whoever knows a cell that is hidden later knows what he would have read.

        Raises:
            InfeasibleError: a primary cannot be protected from a coalition even if every cell that may be is hidden.
        """
        table = self.table
        shown = mask | table.suppressed
        self.price(shown, guide)
        inside = Inside(
            attacker_on(table, shown), self.needs, [each for each in coalitions if shown[each.cell]], until=until
        )
        attacker = attacker_on(table, shown)
        for number, insiders in enumerate(inside.coalitions):
            places = inside.open(number)
            if not places.size:
                continue
            if monotonic() > until:
                return None
            with see_inside(attacker, self.needs, [insiders], places) as trial:
                late = [place for place in trial.open().tolist() if not settle_primary(attacker, trial, place)]
            if late:
                wider = self._shield_from(insiders, trial, late, shown, guide, until)
                if wider is None:
                    return None
                shown, attacker = wider, attacker_on(table, wider)
        return shown & ~table.suppressed

    def _shield_from(
        self, insiders: Coalition, trial: AuditSurvey, late: list[int], shown: Mask, guide: Floats, until: float
    ) -> Mask | None:
        """Suppress what it takes to protect some primaries from a coalition; None if the time is over first."""
        self.restrict(insiders)
        try:
            for place in late:
                while not self.needs.met(trial.down, trial.up)[place]:
                    if monotonic() > until:
                        return None
                    shown = self.widen(shown, trial, place, guide)
        finally:
            self.restrict(None)
        return shown

    def restrict(self, insiders: Coalition | None) -> None:
        """Give the cell of a coalition the room that it has for them; None gives the last one's its own again."""
        before, self._insiders = self._insiders, insiders
        if before is not None:
            self._bound(before.cell, self._down[before.cell], self._up[before.cell])
        if insiders is not None:
            self._bound(insiders.cell, insiders.down, insiders.up)
        if self._wide is not None:
            self._wide.restrict(insiders)

    def _bound(self, cell: int, down: float, up: float) -> None:
        at = int(self._where[cell])
        if at >= 0:
            self._program.bound(np.array([at, at + len(self._cells)]), np.zeros(2), np.array([up, down]))

    def price(self, shown: Mask, guide: Floats) -> None:
        """Charge what is not yet suppressed, the less the more the guide wants it."""
        cells, table = self._cells, self.table
        level = max(float(self.needs.most.max(initial=0.0)), CLOSE)
        charge = np.where(shown, 0.0, table.weight * np.maximum(1.0 - guide, LEAST))[cells]
        per_up = charge / np.clip(self._up[cells], USED, level)
        per_down = charge / np.clip(self._down[cells], USED, level)
        self._program.charge(np.arange(2 * len(cells)), np.concatenate([per_up, per_down]))

    def widen(self, shown: Mask, survey: AuditSurvey, place: int, guide: Floats) -> Mask:
        """Suppress what it takes to move a primary one way by what it lacks there."""
        cell = int(self.needs.cells[place])
        for target in self._targets(survey, place):
            point = self._moved(cell, target)
            if point is not None:
                return self._take(shown, survey, point)
        if self._narrow:
            if self._wide is None:
                self._wide = Repairer(self.table)
                self._wide.restrict(self._insiders)
                self._wide.price(shown, guide)
            self._wide.free(shown)
            wider = self._wide.widen(shown, survey, place, guide)
            self.free(wider & ~shown)
            return wider
        return self._furthest(shown, survey, place)

    def _furthest(self, shown: Mask, survey: AuditSurvey, place: int) -> Mask:
        """Suppress what it takes to move a primary as far as it can both ways.

        Neither way alone was long enough for what it lacks.
        """
        cell, most = int(self.needs.cells[place]), self.needs.most[[place]]
        attacker = attacker_on(self.table, self.table.status != Status.PUBLISH)
        known = self._insiders
        with see_inside(attacker, self.needs, [] if known is None else [known], np.array([], dtype=np.intp)):
            attacker.hold(np.array([cell]), most, most)
            for way in (UP, DOWN):
                point = np.zeros(len(self.table))
                point[attacker.cells] = attacker.reach(cell, way).point
                shown = self._take(shown, survey, point)
        if not self.needs.met(survey.down, survey.up)[place]:
            if known is None:
                raise InfeasibleError(
                    Said(
                        "the cell {cell} cannot be protected: even with every cell suppressed "
                        "that may be, it cannot move enough",
                        cell=self.table.named(cell),
                    )
                )
            raise InfeasibleError(
                Said(
                    "the cell {cell} cannot be protected from contributors of {known}, who "
                    "know what they gave: even with every cell suppressed that may be, it "
                    "cannot move enough",
                    cell=self.table.named(cell),
                    known=self.table.named(known.cell),
                )
            )
        return shown

    def _targets(self, survey: AuditSurvey, place: int) -> list[float]:
        """Return where the primary may go next, best first: the one-sided levels, then the width."""
        needs, cell = self.needs, int(self.needs.cells[place])
        up, down = float(survey.up[place]), float(survey.down[place])
        if up < needs.upper[place] - CLOSE:
            return [float(needs.upper[place])]
        if down < needs.lower[place] - CLOSE:
            return [-float(needs.lower[place])]
        width = float(needs.sliding[place])
        ways = [width - down, -(width - up)]
        inside = [to for to in ways if -self._down[cell] <= to <= self._up[cell]]
        # neither way alone is long enough: go to the nearer end first, the other way follows
        return inside or [max(-float(self._down[cell]), -width) if down <= up else min(float(self._up[cell]), width)]

    def _moved(self, cell: int, target: float) -> Floats | None:
        at, count = int(self._where[cell]), len(self._cells)
        both = np.array([at, at + count])
        aim = np.array([max(target, 0.0), max(-target, 0.0)])
        self._program.bound(both, aim, aim)
        solution = self._program.solve()
        self._program.bound(both, np.zeros(2), np.array([self._up[cell], self._down[cell]]))
        if solution.status is not SolveStatus.OPTIMAL:
            return None
        point = np.zeros(len(self.table))
        point[self._cells] = solution.x[:count] - solution.x[count:]
        return point

    def free(self, mask: Mask) -> None:
        """Charge nothing for these cells from now on."""
        places = self._where[mask]
        places = places[places >= 0]
        self._program.charge(np.concatenate([places, places + len(self._cells)]), np.zeros(2 * len(places)))

    def _take(self, shown: Mask, survey: AuditSurvey, point: Floats) -> Mask:
        moved = np.abs(point) > STILL
        self.free(moved & ~shown)
        at = point[self.needs.cells]
        np.maximum(survey.up, at, out=survey.up)
        np.maximum(survey.down, -at, out=survey.down)
        return shown | moved


def near_primaries(table: Table, *, times: int = 3, more: int = 200) -> Mask:
    """Return the cells whose equations hold the most primaries, some three for each primary.

    There help is likely to be found.
    """
    lines = abs(table.matrix) @ table.primary.astype(np.float64)
    score: Floats = abs(table.matrix).T @ lines
    count = min(len(table), times * int(table.primary.sum()) + more)
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[np.argsort(-score, kind="stable")[:count]] = True
    return mask


def attacker_on(table: Table, shown: Mask) -> Attacker:
    """Return the attacker of a pattern."""
    cells = np.flatnonzero(shown)
    down, up = room(table)
    return Attacker(table, cells, down[cells], up[cells])


NAMED = 5


class PatternSafety:
    """The attackers of one table.

    Attributes:
        insiders: how many contributors of one cell may put their knowledge together; 0 for outsiders alone.
        needs: what every primary needs.
        coalitions: one for each cell that may be hidden and of which its contributors know more than outsiders.
    """

    def __init__(self, table: Table, insiders: int = 0) -> None:
        self.table, self.insiders = table, insiders
        self.needs = Needs.of(table)
        self.coalitions: tuple[Coalition, ...] = tuple(
            each for each in find_coalitions(table, insiders) if table.status[each.cell] != Status.PUBLISH
        )

    def holds(self, mask: Mask) -> bool:
        """Tell whether a pattern, these cells beside those that are hidden anyway, is safe from everyone."""
        attacker = attacker_on(self.table, mask | self.table.suppressed)
        return not find_exposed(attacker, self.needs).size and next(self._leaks(mask), None) is None

    def _leaks(self, mask: Mask) -> Iterator[Leak]:
        """Yield what insiders tell of a pattern that is safe from outsiders."""
        if not self.coalitions or not self.needs.cells.size:
            return
        status = np.where(mask & (self.table.status == Status.SAFE), np.int8(Status.SECONDARY), self.table.status)
        yield from find_leaks(replace(self.table, status=status), self.coalitions, self.needs)

    def describe(self, cell: int) -> str:
        """Return who the coalition of a cell is, in words."""
        return describe_coalition(self.table, cell, self.insiders)

    def refuse_hopeless(self) -> None:
        """Refuse a table some of whose primaries stay exposed even if every cell is suppressed that may be.

        Raises:
            InfeasibleError: with every such primary named, and the coalition to which it is exposed.
        """
        table = self.table
        every = table.status == Status.SAFE
        bad = find_exposed(attacker_on(table, every | table.suppressed), self.needs)
        if bad.size:
            names = _list_names([table.named(cell) for cell in self.needs.cells[bad]])
            raise InfeasibleError(
                Said(
                    "{size} unsafe cells cannot be protected even if every cell is suppressed that may be: {names}",
                    size=bad.size,
                    names=names,
                )
            )
        told = [
            Said("{cell} from {insider}", cell=table.named(cell), insider=self.describe(leak.insider))
            for leak in self._leaks(every)
            for cell in leak.exposed
        ]
        if told:
            raise InfeasibleError(
                Said(
                    "unsafe cells cannot be protected from insiders even if every cell is suppressed that "
                    "may be: {names}",
                    names=_list_names(told),
                )
            )


def _list_names(names: Sequence[str]) -> str:
    listed = join_words(names[:NAMED], "; ", "; ")
    rest = len(names) - NAMED
    return Said("{names}; and {rest} more", names=listed, rest=rest) if rest > 0 else listed

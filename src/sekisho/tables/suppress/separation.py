"""Separation: which cuts does this pattern, fractional or not, violate?

The attacker is given room in proportion to ``y``; where a primary's level is out of his reach, the multipliers of his
program make a violated cut. A cell that is suppressed in part may move at most its part of the highest level: more
would only weaken the cut, since its coefficient is clipped anyway.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.audit.attacker import DOWN, UP, Attacker, Reach, room
from sekisho.tables.audit.survey import CLOSE, Needs, Survey
from sekisho.tables.model.table import Floats, Table
from sekisho.tables.suppress.cuts import Cut, Cutter, Multipliers

TINY = 1e-7


class Separator:
    """Finds violated cuts for one table; each call begins with the primaries that were not looked at before."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.cutter = Cutter(table)
        self.needs = Needs.of(table)
        self._down, self._up = room(table)
        self._cap = float(self.needs.most.max(initial=0.0))
        self._next = 0

    def cuts(self, y: Floats, *, limit: int, until: float = inf) -> list[Cut]:
        """Return cuts that ``y`` violates, at most about so many; none if and only if ``y`` satisfies them all.

        After ``until`` it looks no further: then none means nothing.

        ``y`` counts at free cells only: fixed ones are suppressed, and those that must be published are not.
        """
        attacker = self._attacker(y)
        survey = Survey(self.needs)
        survey.spread(attacker)
        found: list[Cut] = []
        for place in self._turn(survey.open()):
            found += self.of_primary(attacker, survey, int(place), y)
            if len(found) >= limit or monotonic() > until:
                self._next = int(place) + 1
                break
        return found

    def _turn(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.concatenate([places[places >= self._next], places[places < self._next]])

    def _attacker(self, y: Floats) -> Attacker:
        cutter = self.cutter
        share = np.where(cutter.fixed, 1.0, np.where(cutter.free, np.clip(y, 0.0, 1.0), 0.0))
        cells = np.flatnonzero(share > TINY)
        full = share[cells] > 1 - TINY
        down, up = self._down[cells], self._up[cells]
        part = share[cells]
        return Attacker(
            self.table,
            cells,
            np.where(full, down, np.minimum(down, self._cap) * part),
            np.where(full, up, np.minimum(up, self._cap) * part),
        )

    def of_primary(self, attacker: Attacker, survey: Survey, place: int, y: Floats) -> list[Cut]:
        """Return the violated cuts of one primary's levels."""
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
        above, below = reaches[UP], reaches[DOWN]
        made: list[Cut | None] = []
        if above.far < needs.upper[place] - slack:
            made.append(self.cutter.cut(cell, said[UP], None))
        if below.far < needs.lower[place] - slack:
            made.append(self.cutter.cut(cell, None, said[DOWN]))
        if above.far + below.far < needs.sliding[place] - slack:
            made.append(self.cutter.cut(cell, said[UP], said[DOWN]))
        return [cut for cut in _counted_too(made) if cut.value(y) < 1 - CLOSE]

    def start(self) -> list[Cut]:
        """Return the cuts that one equation alone gives.

        Whatever a primary gains, others of its equation must yield.
        """
        columns = self.table.matrix.tocsc()
        found: list[Cut | None] = []
        for place, cell in enumerate(self.needs.cells.tolist()):
            for at in range(columns.indptr[cell], columns.indptr[cell + 1]):
                row, sign = int(columns.indices[at]), int(columns.data[at])
                up, down = _single(row, sign), _single(row, -sign)
                if self.needs.upper[place] > 0:
                    found.append(self.cutter.cut(cell, up, None))
                if self.needs.lower[place] > 0:
                    found.append(self.cutter.cut(cell, None, down))
                if self.needs.sliding[place] > 0:
                    found.append(self.cutter.cut(cell, up, down))
        return _counted_too(found)


def _counted_too(cuts: Iterable[Cut | None]) -> list[Cut]:
    """Return the cuts that there are, each with its counted form where that says more."""
    made = [cut for cut in cuts if cut is not None]
    return [one for cut in made for one in (cut, cut.counting()) if one is not None]


def _single(row: int, sign: int) -> Multipliers:
    """Return the multiplier that expresses a cell by the rest of one equation.

    It is exact where the cell's coefficient is 1 or -1.
    """
    return Multipliers(
        rows=np.array([row], dtype=np.int64),
        values=np.array([1 if sign > 0 else -1], dtype=np.int64),
        denominator=abs(sign),
    )

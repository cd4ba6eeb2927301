"""Separation: which cuts does this pattern, fractional or not, violate?

The attacker is given room in proportion to ``y``; where a primary's level is out of his reach, the multipliers of his
program make a violated cut. A cell that is suppressed in part may move at most its part of the highest level: more
would only weaken the cut, since its coefficient is clipped anyway. Insiders are asked once no outsider finds a cut.

In small tables every cell is first given a little room, hidden or not, if so asked: without it the multipliers do not
care for the cells that ``y`` leaves out, and those enter the cut by chance, most of them in full.

Source: Magnanti and Wong (1981), cuts that no other cut dominates, by a point inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.audit.attacker import DOWN, UP, Attacker, Reach, room
from sekisho.tables.audit.coalitions import Coalition, Inside, see_inside
from sekisho.tables.audit.survey import CLOSE, AuditSurvey, Needs
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.suppress.cuts import Cut, Cutter, Multipliers

TINY = 1e-7
LITTLE = 0.02
"""The part of a cell that counts as hidden at least, where cells left out are to weigh little in a cut."""
SMALL = 1_000
"""Up to so many cells a table's attacker can afford them all as variables."""


class Separator:
    """Finds violated cuts for one table; each call begins with the primaries that were not looked at before.

    ``lean`` cuts of small tables spare the cells that a pattern leaves out, which takes a larger program.
    """

    def __init__(self, table: Table, coalitions: Sequence[Coalition] = (), *, lean: bool = True) -> None:
        self.table, self.coalitions = table, coalitions
        self._lean = lean and len(table) <= SMALL
        self.cutter = Cutter(table)
        self._whole = {each.cell: each for each in coalitions}
        self._fixed = {each.cell: each for each in coalitions if each.knowing and self.cutter.fixed[each.cell]}
        self.needs = Needs.of(table)
        self._down, self._up = room(table)
        self._cap = float(self.needs.most.max(initial=0.0))
        self._next, self._next_inside = 0, 0

    def cuts(self, y: Floats, *, limit: int, until: float = inf) -> list[Cut]:
        """Return cuts that ``y`` violates, at most about so many; none if and only if ``y`` satisfies them all.

        After ``until`` it looks no further: then none means nothing.

        ``y`` counts at free cells only: fixed ones are suppressed, and those that must be published are not.
        """
        if self._lean:
            lean = self._outside_cuts(self._attacker(y, least=LITTLE), y, limit=limit, until=until)
            if lean:
                return lean
        attacker = self._attacker(y)
        found = self._outside_cuts(attacker, y, limit=limit, until=until)
        return found or self.inside_cuts(attacker, y, limit=limit, until=until)

    def _outside_cuts(self, attacker: Attacker, y: Floats, *, limit: int, until: float) -> list[Cut]:
        """Return cuts that ``y`` violates by what outsiders know, made from this attacker's multipliers."""
        survey = AuditSurvey(self.needs)
        survey.spread(attacker, until=until)
        found: list[Cut] = []
        for place in self._turn(survey.open()):
            found += self.of_primary(attacker, survey, int(place), y)
            if len(found) >= limit or monotonic() > until:
                self._next = int(place) + 1
                break
        return found

    def inside_cuts(self, attacker: Attacker, y: Floats, *, limit: int, until: float = inf) -> list[Cut]:
        """Return cuts that ``y`` violates by what insiders know, whose attacker finds none as an outsider.

        At most about so many; none if and only if it satisfies them all, or the time is over.
        """
        inside = self.look_inside(attacker, y, until=until)
        found: list[Cut] = []
        for number, each in enumerate(inside.coalitions):
            if len(found) >= limit or monotonic() > until:
                break
            places = inside.open(number)
            if not places.size:
                continue
            with see_inside(attacker, self.needs, [each], places) as survey:
                for place in survey.open().tolist():
                    found += self.of_primary(attacker, survey, place, y, self._whole[each.cell])
        return found

    def look_inside(self, attacker: Attacker, y: Floats, *, until: float = inf) -> Inside:
        """Return what the coalitions of the hidden cells see; of a cell hidden in part, its part of what they know."""
        share = self._share(y)
        hidden = [each.share(share[each.cell], self._cap) for each in self.coalitions if share[each.cell] > TINY]
        first = int(np.searchsorted([each.cell for each in hidden], self._next_inside))
        turned = [*hidden[first:], *hidden[:first]]
        self._next_inside = turned[len(turned) // 2].cell if turned else 0
        return Inside(attacker, self.needs, turned, until=until)

    def moved_inside(self, attacker: Attacker, y: Floats, *, until: float = inf) -> Mask:
        """Return the cells that points move which show a pattern, safe from everyone, to be safe from insiders.

        If the time is over first, all cells.
        """
        inside = self.look_inside(attacker, y, until=until)
        for number in range(len(inside.coalitions)):
            if monotonic() > until:
                return np.ones(len(self.table), dtype=np.bool_)
            inside.unsettled(number)
        return inside.moved

    def _turn(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.concatenate([places[places >= self._next], places[places < self._next]])

    def _share(self, y: Floats, least: float = 0.0) -> Floats:
        """Return what part of each cell is hidden, or counts as hidden where that is more."""
        part = np.where(y > 1 - TINY, 1.0, np.clip(y, least, 1.0))
        return np.where(self.cutter.fixed, 1.0, np.where(self.cutter.free, part, 0.0))

    def _attacker(self, y: Floats, *, least: float = 0.0) -> Attacker:
        share = self._share(y, least)
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

    def of_primary(
        self, attacker: Attacker, survey: AuditSurvey, place: int, y: Floats, insiders: Coalition | None = None
    ) -> list[Cut]:
        """Return the violated cuts of one primary's levels; of insiders, if the attacker has their knowledge."""
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
            made.append(self.cutter.cut(cell, said[UP], None, insiders))
        if below.far < needs.lower[place] - slack:
            made.append(self.cutter.cut(cell, None, said[DOWN], insiders))
        if above.far + below.far < needs.sliding[place] - slack:
            made.append(self.cutter.cut(cell, said[UP], said[DOWN], insiders))
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
                for insiders in (None, *self._beside(row, cell)):
                    found += self._of_equation(place, row, sign, insiders)
        return _counted_too(found)

    def _beside(self, row: int, cell: int) -> list[Coalition]:
        """Return the coalitions that know another cell of an equation, one that is hidden anyway."""
        matrix = self.table.matrix
        others = set(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist()) - {cell}
        return [self._fixed[other] for other in sorted(others & self._fixed.keys())]

    def _of_equation(self, place: int, row: int, sign: int, insiders: Coalition | None) -> Iterator[Cut | None]:
        """Yield the cuts that an equation gives for the levels of a primary in it."""
        cell, up, down = int(self.needs.cells[place]), _single(row, sign), _single(row, -sign)
        if self.needs.upper[place] > 0:
            yield self.cutter.cut(cell, up, None, insiders)
        if self.needs.lower[place] > 0:
            yield self.cutter.cut(cell, None, down, insiders)
        if self.needs.sliding[place] > 0:
            yield self.cutter.cut(cell, up, down, insiders)


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

"""Insiders: contributors who know what they gave, and so more than what is published.

The adversary is a coalition of contributors to one suppressed cell (:mod:`sekisho.tables.audit.coalitions`). If the
cell has no other contributors, they know its value, and for them it is as good as published; else they know that it
holds at least what they gave. What they learn of other primaries is asked here (what they learn of their own cell is
for the primary rule to prevent). Many coalitions are asked at once (:mod:`sekisho.tables.audit.inside`), and only the
part of the hidden cells that equations join with theirs is asked at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import Attacker, attacker_of, room
from sekisho.tables.audit.coalitions import Coalition, find_coalitions
from sekisho.tables.audit.inside import Inside, see_inside
from sekisho.tables.audit.reduction import Part, Reduction, reduce_cells
from sekisho.tables.audit.survey import Needs, find_exposed, settle_primary
from sekisho.tables.model.table import Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A cell whose contributors can place other primaries too narrowly.

    Attributes:
        insider: their cell.
        exposed: the primaries that they narrow, ascending.
    """

    insider: int
    exposed: tuple[int, ...]


def leaks(table: Table, *, coalition: int = 1) -> list[Leak]:
    """Return every suppressed cell whose contributors break the protection of another primary.

    ``coalition`` of them work together. A primary that is exposed to outsiders already is exposed to all insiders too.
    """
    if coalition < 1:
        raise ParameterError("coalition", Said("be at least 1"), coalition)
    asked = find_coalitions(table, coalition)
    needs = Needs.of(table)
    outside = np.zeros(len(needs.cells), dtype=np.bool_)
    outside[find_exposed(attacker_of(table), needs)] = True
    found = {each.cell: set(needs.cells[outside].tolist()) for each in asked if table.suppressed[each.cell]}
    for leak in find_leaks(table, asked, needs.only(~outside, needs.cells[~outside])):
        found[leak.insider] |= set(leak.exposed)
    return [
        Leak(insider=cell, exposed=tuple(sorted(others - {cell}))) for cell, others in found.items() if others - {cell}
    ]


def find_leaks(table: Table, asked: Iterable[Coalition], needs: Needs) -> Iterator[Leak]:
    """Yield the suppressed cells of the coalitions asked whose contributors narrow primaries, one by one.

    ``needs`` are those of primaries that no outsider exposes.
    """
    cells = np.flatnonzero(table.suppressed)
    down, up = room(table)
    less = reduce_cells(csr_array(table.matrix.tocsc()[:, cells].tocsr()), down[cells], up[cells])
    by_place = {int(np.searchsorted(cells, each.cell)): each for each in asked if table.suppressed[each.cell]}
    for part in less.parts():
        yield from _Part(part, less, cells, needs).leaks(by_place)


class _Part:
    """One part of the hidden cells, seen by those who know something of one of them."""

    def __init__(self, part: Part, less: Reduction, cells: NDArray[np.intp], needs: Needs) -> None:
        self._less, self._part, self._cells = less, part, cells
        self._members = np.flatnonzero(np.isin(less.group, part.groups))
        places = np.searchsorted(cells, needs.cells)
        mine = np.isin(less.group[places], part.groups)
        self._needs, self._places = needs.only(mine, needs.cells[mine]), places[mine]
        grouped = self._needs.grouped(less, self._places)
        every = np.ones(len(grouped.cells), dtype=np.bool_)
        self._grouped = grouped.only(every, np.searchsorted(part.groups, grouped.cells))
        self._attacker = Attacker(part, np.arange(len(part)), part.down, part.up)

    def leaks(self, by_place: Mapping[int, Coalition]) -> Iterator[Leak]:
        """Yield what the coalitions of this part narrow."""
        if not self._needs.cells.size:
            return
        asked = {at: self._of_group(at, by_place[at]) for at in self._members.tolist() if at in by_place}
        distinct = list(dict.fromkeys(each for each in asked.values() if each is not None))
        inside = Inside(self._attacker, self._grouped, distinct)
        narrowed: dict[Coalition, set[int]] = {}
        for at, each in asked.items():
            if each is None:
                continue
            if each not in narrowed:
                narrowed[each] = self._narrowed(inside, distinct.index(each))
            exposed = narrowed[each] - {int(self._cells[at])}
            if exposed:
                yield Leak(insider=int(self._cells[at]), exposed=tuple(sorted(exposed)))

    def _of_group(self, at: int, coalition: Coalition) -> Coalition | None:
        """Return what a coalition knows of its cell's group; None if the equations say as much to everyone."""
        group, along = int(np.searchsorted(self._part.groups, self._less.group[at])), self._less.sign[at] > 0
        down, up = (coalition.down, coalition.up) if along else (coalition.up, coalition.down)
        if down >= self._part.most_down[group] and up >= self._part.most_up[group]:
            return None
        return Coalition(cell=group, down=down, up=up)

    def _narrowed(self, inside: Inside, number: int) -> set[int]:
        """Return the primaries too narrow for a coalition; its own cell may be among them.

        Primaries that move with the coalition's cell are always asked, others where no set of coalitions shows them.
        """
        coalition, grouped = inside.coalitions[number], self._grouped
        own = np.flatnonzero(grouped.cells == coalition.cell)
        lost = inside.unsettled(number)
        places = np.concatenate([lost, own])
        if not places.size:
            return set()
        with see_inside(self._attacker, grouped, [coalition], places) as survey:
            for place in survey.open().tolist():
                settle_primary(self._attacker, survey, place)
        moved = np.full((2, len(self._less.down)), np.inf)
        moved[:, self._part.groups[grouped.cells[places]]] = survey.down[places], survey.up[places]
        far_down, far_up = (each[self._places] for each in self._less.of_cells(moved[0], moved[1]))
        return set(self._needs.cells[~self._needs.met(far_down, far_up)].tolist())

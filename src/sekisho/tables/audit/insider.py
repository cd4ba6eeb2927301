"""Insiders: contributors who know what they gave, and so more than what is published.

The adversary is a coalition of contributors to one suppressed cell. If the cell has no other contributors, they know
its value, and for them it is as good as published; else they know that it holds at least what they gave. What they
learn of other primaries is asked here (what they learn of their own cell is for the primary rule to prevent). A point
of the outsider's attack that does not move the insiders' cell holds for them too, so few programs remain to be solved;
and only the part of the hidden cells that equations join with theirs is asked at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import Attacker, attacker_of, room
from sekisho.tables.audit.reduction import Part, Reduction, reduce_cells
from sekisho.tables.audit.survey import Needs, Survey, find_exposed, settle_primary
from sekisho.tables.model.contributors import counted_of
from sekisho.tables.model.table import Floats, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A cell whose contributors can place other primaries too narrowly.

    Attributes:
        insider: their cell.
        exposed: the primaries that they narrow, ascending.
    """

    insider: int
    exposed: tuple[int, ...]


def known_to(table: Table, coalition: int) -> Floats:
    """Return how much of each cell its largest contributors, so many of them, know together.

    Of an unpublished one nothing is said.
    """
    own = ~table.unpublished
    gave = table.largest[:, :coalition].sum(axis=1) if table.largest.shape[1] else np.zeros(len(table))
    if not table.largest.shape[1] and np.array_equal(table.value[own], table.frequency[own]):
        gave = np.minimum(table.value, float(coalition))  # in a count everyone gives 1
    return np.where(own, np.where(table.frequency <= coalition, table.value, gave), 0.0)


def leaks(table: Table, *, coalition: int = 1) -> list[Leak]:
    """Return every suppressed cell whose contributors break the protection of another primary.

    ``coalition`` of them work together. A primary that is exposed to outsiders already is exposed to all insiders too.
    """
    if coalition < 1:
        raise ParameterError("coalition", "be at least 1", coalition)
    counted_of(table, holdings=False)
    needs = Needs.of(table)
    outside = np.zeros(len(needs.cells), dtype=np.bool_)
    outside[find_exposed(attacker_of(table), needs)] = True
    bare, kept = needs.cells[outside].tolist(), needs.only(~outside, needs.cells[~outside])
    cells = np.flatnonzero(table.suppressed)
    down, up = room(table)
    less = reduce_cells(csr_array(table.matrix.tocsc()[:, cells].tocsr()), down[cells], up[cells])
    known = known_to(table, coalition)
    found: dict[int, set[int]] = {cell: set(bare) for cell in cells[known[cells] > 0].tolist()}
    for part in less.parts():
        inside = _Inside(part, less, cells, kept)
        for at in inside.members[known[cells[inside.members]] > 0].tolist():
            cell = int(cells[at])
            left = 0.0 if known[cell] >= table.value[cell] else float(table.value[cell] - known[cell])
            found[cell] |= inside.narrowed(at, left)
    return [
        Leak(insider=cell, exposed=tuple(sorted(others - {cell}))) for cell, others in found.items() if others - {cell}
    ]


class _Inside:
    """One part of the hidden cells, seen by those who know something of one of them.

    Attributes:
        members: the places of its cells among all hidden ones.
    """

    def __init__(self, part: Part, less: Reduction, cells: NDArray[np.intp], needs: Needs) -> None:
        self._less, self._part = less, part
        self.members = np.flatnonzero(np.isin(less.group, part.groups))
        places = np.searchsorted(cells, needs.cells)
        mine = np.isin(less.group[places], part.groups)
        self._needs, self._places = needs.only(mine, needs.cells[mine]), places[mine]
        grouped = self._needs.grouped(less, self._places)
        every = np.ones(len(grouped.cells), dtype=np.bool_)
        self._survey = Survey(grouped.only(every, np.searchsorted(part.groups, grouped.cells)))
        self._attacker = Attacker(part, np.arange(len(part)), part.down, part.up)
        if grouped.cells.size:
            self._survey.spread(self._attacker)
            for place in self._survey.open().tolist():
                settle_primary(self._attacker, self._survey, place)
        self._known: dict[int, set[int]] = {}

    def narrowed(self, member: int, left: float) -> set[int]:
        """Return the primaries too narrow for those who know that a cell can be smaller by so much only.

        0: who know it.
        """
        group = int(np.searchsorted(self._part.groups, self._less.group[member]))
        if left == 0.0:
            if group not in self._known:
                self._known[group] = self._held(group, 0.0, 0.0)
            return self._known[group]
        along = self._less.sign[member] > 0
        if left >= (self._part.most_down if along else self._part.most_up)[group]:
            return set()  # the equations say as much to everyone
        return self._held(group, left, np.inf) if along else self._held(group, np.inf, left)

    def _held(self, group: int, down: float, up: float) -> set[int]:
        """Return the primaries too narrow if a group may move no further than this."""
        one = np.array([group])
        self._attacker.hold(one, np.array([down]), np.array([up]))
        trial = self._survey.without(one)
        lost = [place for place in trial.open().tolist() if not settle_primary(self._attacker, trial, place)]
        self._attacker.release(one)
        if not lost:
            return set()
        moved = np.zeros((2, len(self._less.down)))
        moved[:, self._part.groups[trial.needs.cells]] = trial.down, trial.up
        far_down, far_up = (each[self._places] for each in self._less.of_cells(moved[0], moved[1]))
        return set(self._needs.cells[~self._needs.met(far_down, far_up)].tolist())

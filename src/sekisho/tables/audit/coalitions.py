"""Coalitions: contributors of one cell who put together what they gave, and what they know of the cell by it.

A coalition of size N are N contributors of one cell. Where the cell has no others, or the others gave nothing, they
know its value; else they know that it holds at least what they gave, provided that nobody gives less than nothing. The
largest contributors know the most, so only they are asked; in a count everyone gives 1. They know no more of any other
cell than outsiders do.

What coalitions leave possible, asked together: a table that many of them cannot exclude speaks for all of these.

A point inside what *all* coalitions of a set know is one that none of them can exclude. So coalitions are asked in
sets: each is numbered, and for every binary digit of the numbers those that have it and those that lack it are one set
each. Of any coalition and any other's cell, some set has the coalition and not that cell, which is free to move there.
What no set shows is asked for one coalition alone. A thousand coalitions are twenty sets.

Insiders: contributors who know what they gave, and so more than what is published.

The adversary is a coalition of contributors to one suppressed cell (:mod:`sekisho.tables.audit.coalitions`). If the
cell has no other contributors, they know its value, and for them it is as good as published; else they know that it
holds at least what they gave. What they learn of other primaries is asked here (what they learn of their own cell is
for the primary rule to prevent). Many coalitions are asked at once, and only the
part of the hidden cells that equations join with theirs is asked at all.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import Attacker, attacker_of, room
from sekisho.tables.audit.reduction import Part, Reduction, reduce_cells
from sekisho.tables.audit.survey import AuditSurvey, Needs, find_exposed, settle_primary
from sekisho.tables.model.contributors import counted_of, told_of
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Coalition:
    """What the contributors of a cell know of it.

    Attributes:
        cell: their cell.
        down: how far below its value it can be, for all that they know; at most as far as outsiders think.
        up: how far above.
    """

    cell: int
    down: float
    up: float

    @property
    def knowing(self) -> bool:
        """Whether they know its value."""
        return self.down == self.up == 0.0

    def share(self, part: float, cap: float) -> Coalition:
        """Return what they know of a cell that is hidden in part only: the room for its moves is that part."""
        if part >= 1:
            return self
        return Coalition(cell=self.cell, down=min(self.down, cap) * part, up=min(self.up, cap) * part)


def known_cells(table: Table, size: int) -> Mask:
    """Return the cells with so many contributors or fewer: together they are all of the cell, and know its value."""
    return ~table.unpublished & (table.frequency <= size) & ((table.frequency > 0) | (table.value != 0))


def given_of(table: Table, size: int) -> Floats:
    """Return how much of each cell its largest contributors, so many of them, know to be there.

    Nothing where contributions may be negative, for others may take away what they gave; nor of an unpublished cell.
    """
    own = ~table.unpublished
    gave = table.largest[:, :size].sum(axis=1) if table.largest.shape[1] else np.zeros(len(table))
    if is_counted(table):
        gave = np.minimum(table.value, float(size))
    return np.where(own & (table.lower >= 0) & (table.frequency > 0), np.minimum(gave, table.value), 0.0)


def is_counted(table: Table) -> bool:
    """Tell whether a table's published cells count their contributors, so that everyone gives 1."""
    own = ~table.unpublished
    return not table.largest.shape[1] and bool(np.array_equal(table.value[own], table.frequency[own]))


def find_coalitions(table: Table, size: int) -> tuple[Coalition, ...]:
    """Return the coalitions of so many contributors, one a cell, that know more of their cell than outsiders.

    None for a size of 0.

    Raises:
        ParameterError: the size is negative, or it is not known how many contribute to a cell, or what the largest of
            them gave.
    """
    if size < 0:
        raise ParameterError("insiders", Said("be at least 0"), size)
    if not size:
        return ()
    counted_of(table, holdings=False)
    refuse_unknown(table, size)
    down, up = room(table)
    gave = given_of(table, size)
    known = known_cells(table, size) | ((gave > 0) & (gave >= table.value))
    their_down = np.where(known, 0.0, np.where(gave > 0, np.minimum(down, table.value - gave), down))
    their_up = np.where(known, 0.0, up)
    more = ~table.unpublished & ((their_down < down) | (their_up < up))
    return tuple(
        Coalition(cell=cell, down=float(their_down[cell]), up=float(their_up[cell]))
        for cell in np.flatnonzero(more).tolist()
    )


def describe_attackers(size: int) -> str:
    """Return who was considered, in words: outsiders always, and coalitions of so many contributors if any."""
    if not size:
        return Said("outsiders; insiders were not considered")
    if size == 1:
        return Said("outsiders, and each single contributor of a cell, who know what they gave")
    return Said("outsiders, and any {size} contributors together of a cell, who know what they gave", size=size)


def describe_coalition(table: Table, cell: int, insiders: int) -> str:
    """Return who the coalition of a cell is, in words."""
    many, name = int(table.frequency[cell]), table.named(cell)
    if many <= insiders:
        return (
            Said("the only contributor of {name}", name=name)
            if many == 1
            else Said("all {many} contributors of {name}", many=many, name=name)
        )
    return (
        Said("a contributor of {name}", name=name)
        if insiders == 1
        else Said("{insiders} contributors of {name}", insiders=insiders, name=name)
    )


def knows_contributions(table: Table) -> bool:
    """Tell whether it is known of some cell what its largest contributors gave: insiders can then be considered."""
    return bool(table.largest.any())


def refuse_unknown(table: Table, size: int) -> None:
    """Refuse to ask what coalitions know of whom it is not known what they gave: nothing unknown counts as 0.

    Raises:
        ParameterError: a cell has more contributors than the coalition, and the largest contributions that are told of
            it are fewer than the coalition and do not make up the cell.
    """
    if not size or is_counted(table):
        return
    asked = ~table.unpublished & (table.frequency > size) & (table.lower >= 0) & (table.value > 0)
    lacking = np.flatnonzero(asked & ~told_of(table.largest, table.frequency, table.value, size))
    if lacking.size:
        raise ParameterError(
            "insiders",
            Said(
                "not exceed the number of largest contributions that are known of each cell (not of {lacking})",
                lacking=table.named(int(lacking[0])),
            ),
            size,
            hint=Said("name their columns after that of the number of contributors"),
        )


MANY = 4
"""How many open primaries are worth programs that move all of them at once."""


class Inside:
    """An attacker's hidden cells, seen by coalitions.

    Attributes:
        coalitions: those asked; the cell of each is one of the attacker's.
        moved: the attacker's cells that the points seen move.
    """

    def __init__(
        self, attacker: Attacker, needs: Needs, coalitions: Sequence[Coalition], *, until: float = inf
    ) -> None:
        self.coalitions = coalitions
        self.moved: Mask = np.zeros(len(attacker.where), dtype=np.bool_)
        self._attacker, self._needs = attacker, needs
        self._shown = np.zeros((len(coalitions), len(needs.cells)), dtype=np.bool_)
        for some in split_in_sets(len(coalitions)):
            if monotonic() > until:
                break
            self._ask(some)

    def _ask(self, some: NDArray[np.intp]) -> None:
        """See what is possible for all coalitions of a set at once, of cells that are none of theirs."""
        theirs = np.isin(self._needs.cells, [self.coalitions[at].cell for at in some.tolist()])
        wanted = np.flatnonzero(~theirs & ~self._shown[some].all(axis=0))
        if not wanted.size:
            return
        with see_inside(self._attacker, self._needs, [self.coalitions[at] for at in some.tolist()], wanted) as survey:
            for place in survey.open().tolist():
                settle_primary(self._attacker, survey, place)
        met = np.zeros(len(theirs), dtype=np.bool_)
        met[wanted] = self._needs.met(survey.down, survey.up)[wanted]
        self._shown[np.ix_(some, np.flatnonzero(met))] = True
        self.moved |= survey.moved(len(self.moved))

    def open(self, number: int) -> NDArray[np.intp]:
        """Return the places, among the needs, of the primaries not shown to be protected from a coalition.

        Its own cell is not among them: what its contributors learn of it is for the primary rule to prevent.
        """
        return np.flatnonzero(~self._shown[number] & (self._needs.cells != self.coalitions[number].cell))

    def unsettled(self, number: int) -> NDArray[np.intp]:
        """Return which of the open primaries a coalition tells too closely, asked alone."""
        places = self.open(number)
        if not places.size:
            return places
        with see_inside(self._attacker, self._needs, [self.coalitions[number]], places) as survey:
            for place in survey.open().tolist():
                settle_primary(self._attacker, survey, place)
        self.moved |= survey.moved(len(self.moved))
        return survey.open()


@contextmanager
def see_inside(
    attacker: Attacker, needs: Needs, some: Sequence[Coalition], places: NDArray[np.intp]
) -> Generator[AuditSurvey]:
    """Give an attacker what some coalitions know for a while, and return a survey of the primaries at some places."""
    cells, place = np.unique(np.array([each.cell for each in some], dtype=np.intp), return_inverse=True)
    down, up = np.full(len(cells), inf), np.full(len(cells), inf)
    np.minimum.at(down, place, [each.down for each in some])
    np.minimum.at(up, place, [each.up for each in some])
    survey = AuditSurvey(needs)
    survey.excuse(~np.isin(np.arange(len(needs.cells)), places))
    with attacker.restricted(cells, down, up):
        if len(places) > MANY:
            survey.spread(attacker)
        yield survey


def split_in_sets(count: int) -> Iterator[NDArray[np.intp]]:
    """Yield sets of so many numbers: of any two of them, some set has the one and not the other."""
    numbers = np.arange(count, dtype=np.intp)
    for bit in range(max(1, (count - 1).bit_length())):
        for side in (0, 1):
            some = numbers[numbers >> bit & 1 == side]
            if some.size:
                yield some


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

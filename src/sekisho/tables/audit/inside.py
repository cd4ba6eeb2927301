"""What coalitions leave possible, asked together: a table that many of them cannot exclude speaks for all of these.

A point inside what *all* coalitions of a set know is one that none of them can exclude. So coalitions are asked in
sets: each is numbered, and for every binary digit of the numbers those that have it and those that lack it are one set
each. Of any coalition and any other's cell, some set has the coalition and not that cell, which is free to move there.
What no set shows is asked for one coalition alone. A thousand coalitions are twenty sets.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.audit.attacker import Attacker
from sekisho.tables.audit.coalitions import Coalition
from sekisho.tables.audit.survey import Needs, Survey, settle_primary
from sekisho.tables.model.table import Mask

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
) -> Generator[Survey]:
    """Give an attacker what some coalitions know for a while, and return a survey of the primaries at some places."""
    cells, place = np.unique(np.array([each.cell for each in some], dtype=np.intp), return_inverse=True)
    down, up = np.full(len(cells), inf), np.full(len(cells), inf)
    np.minimum.at(down, place, [each.down for each in some])
    np.minimum.at(up, place, [each.up for each in some])
    survey = Survey(needs)
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

"""The largest contributions to every cell, margins included, from rows that each belong to one inner cell.

A margin cannot be had from its parts alone once a contributor (or a holding) stands in several of them: his
contributions are summed first. So the rows are regrouped for every way of reading the dimensions at which each row
belongs to one cell: a tree of depth d is read in d + 1 ways, groupings as far as they are disjoint in one more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.tables.model.contributors import Contributors
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.table import Floats

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Contributions, one per row.

    Attributes:
        leaves: the position of each row's leaf, one column per dimension.
        who: a number for each row's contributor.
        amount: what he contributes.
        weight: how many such contributors the row stands for in a sample.
        asked: whether he asked for protection.
        waived: whether he waived it.
    """

    leaves: Positions
    who: Positions
    amount: Floats
    weight: Floats
    asked: NDArray[np.bool_]
    waived: NDArray[np.bool_]

    def take(self, chosen: Positions | NDArray[np.bool_]) -> Rows:
        """Return some rows."""
        return Rows(
            leaves=self.leaves[chosen],
            who=self.who[chosen],
            amount=self.amount[chosen],
            weight=self.weight[chosen],
            asked=self.asked[chosen],
            waived=self.waived[chosen],
        )


def readings(dimension: Dimension) -> list[Positions]:
    """Return the ways to read a dimension: maps from leaves to codes (-1 for none).

    Each pair of a leaf and a code above it is in one of them.
    """
    spread = dimension.spread()
    maps: list[Positions] = []
    for code in range(spread.shape[0]):
        below = spread.indices[spread.indptr[code] : spread.indptr[code + 1]]
        free = next((found for found in maps if bool(np.all(found[below] < 0))), None)
        if free is None:
            free = np.full(spread.shape[1], -1, dtype=np.int64)
            maps.append(free)
        free[below] = code
    return maps


def contributors(dimensions: Sequence[Dimension], rows: Rows, *, places: int) -> Contributors:
    """Return who contributes to each cell.

    How many, the sum of their contributions' sizes, the largest, the asked for and the unwaived.
    """
    tally = ContributorTally(dimensions, places=places)
    tally.add(rows.take(np.argsort(rows.who, kind="stable")))
    return tally.finish()


class ContributorTally:
    """Who contributes to each cell, counted from rows that may come in parts: each contributor's in one part."""

    def __init__(self, dimensions: Sequence[Dimension], *, places: int) -> None:
        self._dimensions = dimensions
        self._tally = _Tally.empty(prod(len(dimension.codes) for dimension in dimensions), places)

    def add(self, rows: Rows) -> None:
        """Count rows in which those of a contributor stand together."""
        tally = self._tally
        marks = rows.amount, rows.weight, rows.asked, rows.waived
        for cell in _readings(self._dimensions, rows):
            _count(cell, rows.who, marks, tally.sums(), tally.top, tally.heavy)

    def finish(self) -> Contributors:
        """Return what was counted."""
        tally = self._tally
        return Contributors(
            total=tally.total,
            count=tally.count,
            largest=_slots(tally.top, tally.heavy),
            target=tally.target,
            asked=tally.asked,
        )


def _readings(dimensions: Sequence[Dimension], rows: Rows) -> Iterator[Positions]:
    """Yield each row's cell for each way to read all dimensions; -1 where it has none."""
    lengths = [len(dimension.codes) for dimension in dimensions]
    coded = [[found[rows.leaves[:, axis]] for found in readings(one)] for axis, one in enumerate(dimensions)]
    for choice in product(*coded):
        cell = np.zeros(len(rows.who), dtype=np.int64)
        lost = np.zeros(len(rows.who), dtype=np.bool_)
        for codes, length in zip(choice, lengths, strict=True):
            cell = cell * length + codes
            lost |= codes < 0
        cell[lost] = -1
        yield cell


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tally:
    """What is counted cell by cell.

    ``top`` holds the largest contributions in falling order and ``heavy`` their weights.
    """

    total: Floats
    count: Positions
    target: Floats
    asked: Floats
    top: Floats
    heavy: Floats

    @classmethod
    def empty(cls, cells: int, places: int) -> _Tally:
        return cls(
            total=np.zeros(cells),
            count=np.zeros(cells, dtype=np.int64),
            target=np.zeros(cells),
            asked=np.zeros(cells),
            top=np.zeros((cells, places)),
            heavy=np.zeros((cells, places)),
        )

    def sums(self) -> tuple[Floats, Positions, Floats, Floats]:
        return self.total, self.count, self.target, self.asked


@njit(cache=True, nogil=True)
def _count(
    cell: Positions,
    who: Positions,
    told: tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]],
    sums: tuple[Floats, Positions, Floats, Floats],
    top: Floats,
    heavy: Floats,
) -> None:
    """Count the rows, sorted by contributor, into their cells: each contributor's rows in a cell are one contribution.

    He asked if any of those rows says so, and waived if all do. Rows of cell -1 are left out.
    """
    amount, weight, asked, waived = told
    first = np.full(len(top), -1, dtype=np.int64)  # where the contributor's run began when he was last seen in the cell
    own = np.zeros((len(top), 3))  # his amount, grossed-up amount, largest weight in the cell
    marks = np.zeros((len(top), 2), dtype=np.bool_)
    begin = 0
    while begin < len(cell):
        end = begin
        while end < len(cell) and who[end] == who[begin]:
            at = cell[end]
            if at >= 0:
                if first[at] != begin:
                    first[at] = begin
                    own[at] = 0.0
                    marks[at, 0], marks[at, 1] = False, True
                own[at, 0] += amount[end]
                own[at, 1] += amount[end] * weight[end]
                own[at, 2] = max(own[at, 2], weight[end])
                marks[at, 0] |= asked[end]
                marks[at, 1] &= waived[end]
            end += 1
        for row in range(begin, end):
            at = cell[row]
            if at >= 0 and first[at] == begin:
                first[at] = -1
                _enter(at, own[at], marks[at], sums, top, heavy)
        begin = end


@njit(cache=True, nogil=True)
def _enter(
    at: int,
    own: Floats,
    marks: NDArray[np.bool_],
    sums: tuple[Floats, Positions, Floats, Floats],
    top: Floats,
    heavy: Floats,
) -> None:
    """Enter one contributor's contribution to a cell."""
    total, count, target, asked = sums
    size = abs(own[0])
    share = abs(own[1]) / size if size > 0 else own[2]
    if share < 1:  # a weight below one is a part of a contribution
        size, share = size * share, 1.0
    total[at] += size * share
    count[at] += 1
    if marks[0]:
        asked[at] = max(asked[at], size)
    if not marks[1]:
        target[at] = max(target[at], size)
    place = top.shape[1] - 1
    if size <= top[at, place]:
        return
    while place > 0 and top[at, place - 1] < size:
        top[at, place], heavy[at, place] = top[at, place - 1], heavy[at, place - 1]
        place -= 1
    top[at, place], heavy[at, place] = size, share


@njit(cache=True, nogil=True)
def _slots(top: Floats, heavy: Floats) -> Floats:
    """Return the largest contributions, each repeated as often as its weight says.

    A part of a place is filled in part.
    """
    slots = np.zeros_like(top)
    places = top.shape[1]
    for at in range(len(top)):
        filled = 0.0
        for rank in range(places):
            left = heavy[at, rank]
            while left > 1e-12 and filled < places - 1e-9:
                place = int(filled + 1e-9)
                step = min(left, place + 1 - filled)
                slots[at, place] += step * top[at, rank]
                filled += step
                left -= step
    return slots

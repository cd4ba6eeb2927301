"""Generalised cells, stored as columns: exact value, range, set, suppressed.

Never one Python object per cell. A numeric column is two arrays of whole numbers on the column's grid; a category
column is a ragged array of codes into the original's domain. A cell is exact when its range or set holds one value:
``[5;5]`` and ``5`` are the same cell.

A missing cell is a value of its own: among the numbers of a grid ``MISSING_NUMBER``, which no number is and no range
holds beside others, among categories the empty text. It equals every other missing cell and nothing else.

Which cells of a column are equal: work on a column of cells is done once for each distinct one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.words import Said

SPARSE = 16
"""Numbers that lie further apart than so many times their number are sorted."""

MISSING_NUMBER = -(1 << 62)
"""A missing cell on a grid of numbers; far below every number, yet the difference of the two is no overflow."""
MISSING_TEXT = ""
"""A missing cell among categories, and how every missing cell is written."""

RowSelection: TypeAlias = NDArray[np.intp] | NDArray[np.bool_]


def find_gaps(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which numbers of a grid are missing cells."""
    return values == MISSING_NUMBER


def drop_gaps(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of a grid without missing cells; the same array where there are none."""
    return values[~find_gaps(values)] if len(values) and int(values.min()) == MISSING_NUMBER else values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RangeCells:
    """Cells of a numeric column; where suppressed, lower and upper say nothing (0)."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    suppressed: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if not len(self.lower) == len(self.upper) == len(self.suppressed):
            raise ParameterError(
                "cells", Said("have arrays of one length"), (len(self.lower), len(self.upper), len(self.suppressed))
            )
        if bool(np.any(self.lower > self.upper)):
            raise ParameterError("lower", Said("be at most upper"), int(np.argmax(self.lower > self.upper)))
        gaps = find_gaps(self.lower)
        if gaps.any() and bool(np.any(self.upper[gaps] != MISSING_NUMBER)):
            raise ParameterError("cells", Said("hold no range between a missing cell and a number"), int(gaps.sum()))

    @classmethod
    def exact(cls, values: NDArray[np.int64]) -> RangeCells:
        """Return cells that each hold one value."""
        return cls(lower=values, upper=values, suppressed=np.zeros(len(values), dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.lower)

    def take(self, rows: RowSelection) -> RangeCells:
        """Return the cells of some rows."""
        return RangeCells(lower=self.lower[rows], upper=self.upper[rows], suppressed=self.suppressed[rows])

    def suppress(self, mask: NDArray[np.bool_]) -> RangeCells:
        """Return the cells with those under the mask suppressed as well."""
        if not mask.any():
            return self
        return RangeCells(
            lower=np.where(mask, 0, self.lower), upper=np.where(mask, 0, self.upper), suppressed=self.suppressed | mask
        )

    def is_missing(self) -> NDArray[np.bool_]:
        """Tell which cells are missing ones."""
        return find_gaps(self.lower) & ~self.suppressed

    def is_exact(self) -> NDArray[np.bool_]:
        """Tell which cells hold one value."""
        return ~self.suppressed & (self.lower == self.upper)

    def admits(self, values: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which cells could stand for the value beside them."""
        return self.suppressed | ((self.lower <= values) & (values <= self.upper))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetCells:
    """Cells of a category column: row i holds ``codes[offsets[i]:offsets[i + 1]]``, sorted and distinct.

    Empty where suppressed.
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    suppressed: NDArray[np.bool_]
    domain: tuple[str, ...]

    def __post_init__(self) -> None:
        sizes = np.diff(self.offsets)
        if len(sizes) != len(self.suppressed) or int(self.offsets[-1]) != len(self.codes):
            raise ParameterError("offsets", Said("frame one run of codes per row"), (len(sizes), len(self.suppressed)))
        if bool(np.any((sizes == 0) != self.suppressed)):
            raise ParameterError(
                "sets", Said("be empty exactly where suppressed"), int(np.argmax((sizes == 0) != self.suppressed))
            )

    @classmethod
    def exact(cls, codes: NDArray[np.int32], domain: tuple[str, ...]) -> SetCells:
        """Return cells that each hold one value."""
        return cls(
            offsets=np.arange(len(codes) + 1),
            codes=codes,
            suppressed=np.zeros(len(codes), dtype=np.bool_),
            domain=domain,
        )

    def __len__(self) -> int:
        return len(self.suppressed)

    def sizes(self) -> NDArray[np.int64]:
        """Return how many values each cell holds, 0 where suppressed."""
        return np.diff(self.offsets)

    def owners(self) -> NDArray[np.int64]:
        """Return the row of each code."""
        return np.repeat(np.arange(len(self)), self.sizes())

    def take(self, rows: RowSelection) -> SetCells:
        """Return the cells of some rows."""
        chosen = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        if len(self.codes) == len(self) and not self.suppressed.any():  # no set is empty, so each holds one value
            return SetCells.exact(self.codes[chosen], self.domain)
        sizes = self.sizes()[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
        codes = self.codes[np.repeat(self.offsets[:-1][chosen], sizes) + within]
        return SetCells(offsets=offsets, codes=codes, suppressed=self.suppressed[chosen], domain=self.domain)

    def suppress(self, mask: NDArray[np.bool_]) -> SetCells:
        """Return the cells with those under the mask suppressed as well."""
        if not mask.any():
            return self
        kept = ~np.repeat(mask, self.sizes())
        offsets = np.concatenate([[0], np.cumsum(np.where(mask, 0, self.sizes()))])
        return SetCells(offsets=offsets, codes=self.codes[kept], suppressed=self.suppressed | mask, domain=self.domain)

    def is_missing(self) -> NDArray[np.bool_]:
        """Tell which cells are missing ones; a set that holds others beside is none."""
        if MISSING_TEXT not in self.domain:
            return np.zeros(len(self), dtype=np.bool_)
        alone = self.is_exact()
        alone[alone] = self.codes[self.offsets[:-1][alone]] == self.domain.index(MISSING_TEXT)
        return alone

    def is_exact(self) -> NDArray[np.bool_]:
        """Tell which cells hold one value."""
        return self.sizes() == 1

    def admits(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell which cells could stand for the code beside them."""
        inside = self.codes == self._repeat(codes)
        if np.count_nonzero(inside) == len(self) - np.count_nonzero(self.suppressed):  # no set holds a code twice
            return np.ones(len(self), dtype=np.bool_)
        hits = np.zeros(len(inside) + 1, dtype=np.int64)
        np.cumsum(inside, out=hits[1:])
        before = hits[self.offsets]
        return self.suppressed | (before[1:] > before[:-1])

    def _repeat(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the code beside each cell once for every code that the cell holds.

        As ``np.repeat`` does; sums of steps take half the time of many short runs.
        """
        starts, beside = self.offsets[:-1], codes
        if self.suppressed.any():  # an empty run begins where the next one does
            starts, beside = starts[~self.suppressed], codes[~self.suppressed]
        steps = np.zeros(len(self.codes), dtype=np.int32)
        steps[starts] = np.diff(beside, prepend=np.int32(0))
        return np.cumsum(steps, out=steps)


Cells: TypeAlias = RangeCells | SetCells


def take_cells(cells: Cells, rows: NDArray[np.intp]) -> Cells:
    """Return the cells of some rows."""
    return cells.take(rows)


def add_suppressed(cells: Cells) -> Cells:
    """Return the cells and one more, a suppressed one."""
    suppressed = np.append(cells.suppressed, np.True_)
    if isinstance(cells, RangeCells):
        return RangeCells(lower=np.append(cells.lower, 0), upper=np.append(cells.upper, 0), suppressed=suppressed)
    offsets = np.append(cells.offsets, cells.offsets[-1])
    return SetCells(offsets=offsets, codes=cells.codes, suppressed=suppressed, domain=cells.domain)


def gather_sets(rows: NDArray[np.int64], codes: NDArray[np.int32], count: int, domain: tuple[str, ...]) -> SetCells:
    """Return set cells from loose (row, code) pairs in any order.

    Doubled pairs count once, rows without a pair are suppressed.
    """
    ordered = (rows[1:] > rows[:-1]) | ((rows[1:] == rows[:-1]) & (codes[1:] > codes[:-1]))
    if not ordered.all():
        width = max(1, len(domain))
        rows, codes = np.divmod(_sort_distinct(rows * width + codes, count * width), width)
    sizes = np.bincount(rows, minlength=count)
    return SetCells(
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        codes=codes.astype(np.int32),
        suppressed=sizes == 0,
        domain=domain,
    )


def _sort_distinct(numbers: NDArray[np.int64], end: int) -> NDArray[np.int64]:
    """Return the distinct ones of some numbers from 0 to an end, ascending; where they lie close, marks are enough."""
    if end > SPARSE * len(numbers):
        return np.unique(numbers)
    marks = np.zeros(end, dtype=np.bool_)
    marks[numbers] = True
    return np.flatnonzero(marks)


def number_values(values: NDArray[np.int64] | NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return which distinct value each row has, in their order from 0, and the first row that has each.

    As ``np.unique`` does; without the stable sort that it needs to find first rows, in a fifth of the time.
    """
    distinct, place = np.unique(values, return_inverse=True)
    first, place = np.empty(len(distinct), dtype=np.intp), place.reshape(-1).astype(np.int64, copy=False)
    first[place[::-1]] = np.arange(len(place) - 1, -1, -1)  # of several rows that are written, the last one stays
    return place, first


def number_cells(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return which distinct cell each row has, from 0, and the first row of each; suppressed cells are equal."""
    return number_values(_number_ranges(cells) if isinstance(cells, RangeCells) else _number_sets(cells))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistinctCells:
    """A column of cells, each distinct one held once.

    Attributes:
        cells: the distinct ones.
        place: which of them each row has.
    """

    cells: Cells
    place: NDArray[np.int64]

    @classmethod
    def of(cls, cells: Cells) -> DistinctCells:
        """Return the distinct cells of a column."""
        place, first = number_cells(cells)
        return cls(cells=cells.take(first), place=place)

    def __len__(self) -> int:
        return len(self.place)


def _number_ranges(cells: RangeCells) -> NDArray[np.int64]:
    """Return a number for each row, the same where the ranges are."""
    lower, upper = (np.where(cells.suppressed, 0, ends) for ends in (cells.lower, cells.upper))
    starts, low = np.unique(lower, return_inverse=True)
    ends, high = np.unique(upper, return_inverse=True)
    pair = low.reshape(-1).astype(np.int64) * len(ends) + high.reshape(-1)
    return np.where(cells.suppressed, len(starts) * len(ends), pair)


def _number_sets(cells: SetCells) -> NDArray[np.int64]:
    """Return a number for each row, the same where the sets are.

    Sets are sorted by the sum of a random word for each value, and each is then compared with the first of its sum; if
    two different sets share a sum, they are told apart value by value.
    """
    words = mix_words(np.arange(len(cells.domain), dtype=np.uint64))
    if len(cells.codes) == len(cells) and not cells.suppressed.any():  # no set is empty, so each holds one value
        rank = np.empty(len(words), dtype=np.int64)
        rank[np.argsort(words)] = np.arange(len(words))
        return rank[cells.codes]
    sizes = cells.sizes()
    ends = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(words[cells.codes], dtype=np.uint64)])
    place, first = number_values(ends[cells.offsets[1:]] - ends[cells.offsets[:-1]])
    return place if _agree(cells, sizes, first[place]) else _refine_sets(cells, sizes)


def mix_words(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a word of 64 bits for each number that looks random (the finaliser of splitmix64, Steele et al. 2014)."""
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _agree(cells: SetCells, sizes: NDArray[np.int64], other: NDArray[np.intp]) -> bool:
    """Tell whether every row has the same set as another row."""
    if not np.array_equal(sizes, sizes[other]):
        return False
    step = np.arange(len(cells.codes)) - np.repeat(cells.offsets[:-1], sizes)
    return np.array_equal(cells.codes, cells.codes[np.repeat(cells.offsets[other], sizes) + step])


def _refine_sets(cells: SetCells, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each row, the same where the sets are: sets of one size are told apart value by value."""
    number, width = sizes.astype(np.int64), max(1, len(cells.domain))
    for place in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > place)
        pair = number[rows] * width + cells.codes[cells.offsets[rows] + place]
        refined = np.unique(pair, return_inverse=True)[1].reshape(-1)
        # sets that end before this value keep their numbers, which the new ones must not repeat
        number[rows] = refined + 1 + int(number.max())
        number = np.unique(number, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number


def are_equal_cells(cells: Cells, before: Cells, rows: NDArray[np.bool_]) -> bool:
    """Tell whether some rows of a column are what they were."""
    if isinstance(cells, SetCells) and isinstance(before, SetCells):
        return np.array_equal(cells.take(rows).codes, before.take(rows).codes) and cells.domain == before.domain
    if isinstance(cells, RangeCells) and isinstance(before, RangeCells):
        same = (cells.lower == before.lower) & (cells.upper == before.upper) & ~cells.suppressed
        return bool(same[rows].all())
    return False

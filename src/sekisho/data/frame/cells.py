"""Generalised cells, stored as columns: exact value, range, set, suppressed.

Never one Python object per cell. A numeric column is two arrays of whole numbers on the column's grid; a category
column is a ragged array of codes into the original's domain. A cell is exact when its range or set holds one value:
``[5;5]`` and ``5`` are the same cell.

A missing cell is a value of its own: among the numbers of a grid ``MISSING_NUMBER``, which no number is and no range
holds beside others, among categories the empty text. It equals every other missing cell and nothing else.
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
        inside = self.codes == np.repeat(codes, self.sizes())
        hits = np.zeros(len(inside) + 1, dtype=np.int64)
        np.cumsum(inside, out=hits[1:])
        before = hits[self.offsets]
        return self.suppressed | (before[1:] > before[:-1])


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

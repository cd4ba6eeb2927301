"""Columns as classes, and how the cells of a release fall into them.

A column of numbers has at most 20 classes, cut at the original's quantiles; a column of categories has a class for each
of its 50 most frequent values and one for all others. An exact cell falls into one class; a range falls evenly on each
of its grid points, a set evenly on each of its values, as a reader without further knowledge would take them. Numbers
outside the original's range belong to the outermost classes. A cell that tells nothing (suppressed, of a deleted
record, or a set of all the original's values) falls nowhere: it is left out, and whoever measures says what that means.
A missing cell has a class of its own, so that missing is compared with missing; where the original lacks no number of a
column, one that the release lacks tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from sekisho.data.frame.cells import (
    Cells,
    DistinctCells,
    RangeCells,
    SetCells,
    drop_gaps,
    find_gaps,
    number_values,
)
from sekisho.data.frame.dataset import Dataset

MOST_RANGES = 20
MOST_VALUES = 50
BLOCK = 1 << 14
"""Cells looked at together, so that the memory needed stays small."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnClasses:
    """The classes of a column.

    Attributes:
        starts: of numbers, the least grid value of each class but the first.
        place: of categories, the class of each value of the original.
        values: of categories, the original's values.
        count: how many classes there are.
        missing: of numbers, whether the last class is that of missing ones.
    """

    starts: NDArray[np.int64]
    place: NDArray[np.int64]
    values: tuple[str, ...]
    count: int
    missing: bool = False

    def tells(self, cells: Cells) -> NDArray[np.bool_]:
        """Tell which cells tell something."""
        if isinstance(cells, RangeCells):
            return ~cells.suppressed & (self.missing | ~cells.is_missing())
        return ~cells.suppressed & ((cells.sizes() == 1) | (cells.sizes() < len(self.values)))

    def spread(self, cells: Cells) -> Floats:
        """Return the share of each cell that falls into each class; rows of 0 where it tells nothing."""
        shares = self._spread_ranges(cells) if isinstance(cells, RangeCells) else self._spread_sets(cells)
        return np.where(self.tells(cells)[:, None], shares, 0.0)

    def _spread_ranges(self, cells: RangeCells) -> Floats:
        width = (cells.upper - cells.lower + 1).astype(np.float64)[:, None]
        below = np.clip(self.starts[None, :] - cells.lower[:, None], 0, width) / width
        whole = np.ones((len(cells), 1))
        shares = np.diff(np.concatenate([0 * whole, below, whole], axis=1), axis=1)
        if not self.missing:
            return shares
        gaps = cells.is_missing()[:, None]
        return np.concatenate([np.where(gaps, 0.0, shares), gaps.astype(np.float64)], axis=1)

    def _spread_sets(self, cells: SetCells) -> Floats:
        place = self.place
        if cells.domain != self.values:
            known = {value: int(at) for value, at in zip(self.values, self.place, strict=True)}
            place = np.array([known.get(value, self.count - 1) for value in cells.domain], dtype=np.int64)
        at = cells.owners() * self.count + place[cells.codes]
        weights = 1.0 / np.repeat(np.maximum(cells.sizes(), 1), cells.sizes())
        whole = np.bincount(at, weights=weights, minlength=len(cells) * self.count).astype(np.float64)
        return whole.reshape(len(cells), self.count)


def find_classes(original: Dataset, name: str, counts: Counts | None = None) -> ColumnClasses:
    """Return the classes of a column of the original.

    Args:
        original: the records.
        name: of the column.
        counts: how many records each of them stands for; one each if not given.
    """
    none = np.zeros(0, dtype=np.int64)
    if original.schema[name].kind.numeric:
        gaps = find_gaps(original.grid(name))
        lacking = bool(gaps.any())
        grid = drop_gaps(original.grid(name))
        grid, counts = (np.sort(grid), None) if counts is None else (grid, counts[~gaps])
        cuts = _cut_quantiles(grid, counts) if len(grid) else none
        starts = np.unique(cuts[cuts > grid.min()]) if len(grid) else none
        return ColumnClasses(
            starts=starts, place=none, values=(), count=len(starts) + 1 + int(lacking), missing=lacking
        )
    values, codes = original.domain(name), original.codes(name)
    order = np.argsort(-np.bincount(codes, weights=counts, minlength=len(values)), kind="stable")
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.minimum(np.arange(len(values)), MOST_VALUES)
    # the last class takes what the original does not have, too
    return ColumnClasses(starts=none, place=place, values=values, count=min(len(values), MOST_VALUES) + 1)


def _cut_quantiles(grid: NDArray[np.int64], counts: Counts | None) -> NDArray[np.int64]:
    """Return the values at the twentieths of a column: sorted, or each standing for a number of records."""
    parts = np.arange(1, MOST_RANGES)
    if counts is None:
        return grid[(len(grid) * parts) // MOST_RANGES]
    order = np.argsort(grid, kind="stable")
    ends = np.cumsum(counts[order])
    return grid[order][np.searchsorted(ends, (int(ends[-1]) * parts) // MOST_RANGES, side="right")]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpreadColumn:
    """How the cells of a column fall into its classes, each distinct cell once.

    Attributes:
        place: the distinct cell of each row.
        shares: of each distinct cell and class.
    """

    place: NDArray[np.int64]
    shares: Floats


def spread_column(classes: ColumnClasses, column: DistinctCells) -> SpreadColumn:
    """Return how the cells of a column fall into classes."""
    cells, place = column.cells, column.place
    if isinstance(cells, RangeCells):
        fold, first = _fold_numbers(classes, cells)
        cells, place = cells.take(first), fold[place]
    return SpreadColumn(place=place, shares=spread_cells(classes, cells))


def spread_cells(classes: ColumnClasses, cells: Cells) -> Floats:
    """Return the share of each cell that falls into each class, some cells at a time."""
    rows = np.arange(max(1, len(cells)))
    parts = [classes.spread(cells.take(rows[start : start + BLOCK][: len(cells)])) for start in rows[::BLOCK].tolist()]
    return np.concatenate(parts)


def _fold_numbers(classes: ColumnClasses, cells: RangeCells) -> tuple[Counts, NDArray[np.intp]]:
    """Return for each cell which of those that fall alike it is, and the first of each: exact ones of a class do."""
    fall = np.searchsorted(classes.starts, cells.lower, side="right")
    alone = ~cells.is_exact() | cells.is_missing()
    return number_values(np.where(alone, len(classes.starts) + 1 + np.arange(len(cells)), fall))


def count_classes(classes: ColumnClasses, column: DistinctCells, counts: Counts | None = None) -> Floats:
    """Return how many records fall into each class; ``counts`` is how many each cell stands for, one if not given."""
    spread = spread_column(classes, column)
    records = np.bincount(spread.place, weights=counts, minlength=len(spread.shares))
    return records.astype(np.float64) @ spread.shares


def count_pairs(one: SpreadColumn, two: SpreadColumn) -> Floats:
    """Return the expected two-way table of two columns: a record spreads over both as if independently.

    With C the number of records that have a distinct cell of the one and of the other, and S and T their shares, it is
    S'CT; C is kept without its zeros where it has more entries than there are records.
    """
    left, right = len(one.shares), len(two.shares)
    pairs = one.place * right + two.place
    if left * right <= max(BLOCK, len(pairs)):
        met = np.bincount(pairs, minlength=left * right).reshape(left, right).astype(np.float64) @ two.shares
    else:
        pairs, copies = np.unique(pairs, return_counts=True)
        starts = np.searchsorted(pairs, np.arange(left + 1) * right)
        met = (
            scipy.sparse.csr_array((copies.astype(np.float64), pairs % right, starts), shape=(left, right)) @ two.shares
        )
    return np.asarray(one.shares.T @ met, dtype=np.float64)


def normalise(counts: Floats) -> Floats | None:
    """Return counts as shares; None where there are none."""
    whole = float(counts.sum())
    return counts / whole if whole > 0 else None

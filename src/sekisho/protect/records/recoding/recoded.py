"""What became of the records: the class of each, and the cells that the members of a class share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells, find_gaps, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.kernels import njit
from sekisho.protect.records.recoding.classed_method import describe_classes
from sekisho.protect.records.recoding.key_columns import KeyColumn
from sekisho.protect.records.recoding.key_space import CellKind, KeySpace, find_label, measure_span
from sekisho.protect.records.recoding.search import Problem, RecodedClasses
from sekisho.protect.records.recoding.split import Pieces
from sekisho.protect.records.record_release import ClassedCells, ReleaseMaker, release_classes


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFigures:
    """What classes came to.

    Attributes:
        records: how many there are, with those that are left out.
        kept: how many are not left out.
        classes: how many there are.
        smallest: records of the smallest class; 0 where there is none.
        largest: of the largest.
        losses: by key, the loss of all records together; of one that is left out 1.
        sensitive: the worst figures of the sensitive values in a class; none where they do not matter.
    """

    records: int = 0
    kept: int = 0
    classes: int = 0
    smallest: int = 0
    largest: int = 0
    losses: Mapping[str, float] = field(default_factory=dict[str, float])
    sensitive: Mapping[str, float] = field(default_factory=dict[str, float])

    def join(self, other: ClassFigures) -> ClassFigures:
        """Return what these and other classes came to."""
        if not self.records:
            return other
        least = min(self.smallest, other.smallest) if self.classes and other.classes else 0
        worst = {
            name: max(value, other.sensitive[name]) if name == "t" else min(value, other.sensitive[name])
            for name, value in self.sensitive.items()
            if name in other.sensitive
        }
        return ClassFigures(
            records=self.records + other.records,
            kept=self.kept + other.kept,
            classes=self.classes + other.classes,
            smallest=least or self.smallest or other.smallest,
            largest=max(self.largest, other.largest),
            losses={name: loss + other.losses[name] for name, loss in self.losses.items()},
            sensitive=worst or self.sensitive or other.sensitive,
        )

    @property
    def ncp_by_key(self) -> dict[str, float]:
        """The NCP of each key over all records."""
        return {name: loss / max(1, self.records) for name, loss in self.losses.items()}

    @property
    def ncp(self) -> float:
        """The NCP of all keys."""
        return sum(self.ncp_by_key.values()) / max(1, len(self.losses))


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedClasses:
    """Classes of distinct records, and what their members share.

    Attributes:
        keys: the columns that are written alike in a class.
        problem: the distinct records, what their cells cost, and what a class keeps.
        grouping: the classes.
    """

    keys: tuple[KeyColumn, ...]
    problem: Problem
    grouping: RecodedClasses

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each class has."""
        pieces = self.grouping.pieces
        kept = pieces.owner >= 0
        weights = np.bincount(pieces.owner[kept], weights=pieces.copies[kept], minlength=self.grouping.classes)
        return weights.astype(np.int64)

    def deal_owners(self, which: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the class of each row, -1 of one that is left out, from the distinct record that each row is."""
        pieces = self.order_pieces()
        owners = np.repeat(pieces.owner, pieces.copies)
        starts = np.cumsum(self.problem.records.copies) - self.problem.records.copies
        return _deal_owners(which, starts, owners)

    def order_pieces(self) -> Pieces:
        """Return the pieces record by record, as the copies of each are dealt out in the order of its rows."""
        by_record = np.argsort(self.grouping.pieces.record, kind="stable")
        return Pieces(*(each[by_record] for each in self.grouping.pieces))

    def histogram(self) -> NDArray[np.int64]:
        """Return how often each class has each sensitive value."""
        pieces, values = self.grouping.pieces, len(self.problem.rule.shares)
        kept = pieces.owner >= 0
        at = pieces.owner[kept] * values + self.problem.records.sensitive[pieces.record[kept]]
        counts = np.bincount(at, weights=pieces.copies[kept], minlength=self.grouping.classes * values)
        return counts.astype(np.int64).reshape(-1, values)

    @cached_property
    def _ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The least and the largest code of each class in each key."""
        pieces = self.grouping.pieces
        return _find_ends(self.problem.records.codes, pieces.record, pieces.owner, self.grouping.classes)

    @cached_property
    def labels(self) -> Mapping[str, pl.Series]:
        """The label of each class in each key that has a tree."""
        low, high = self._ends
        found: dict[str, pl.Series] = {}
        for column, key in enumerate(self.keys):
            if key.codes.kind is CellKind.TREE:
                label = _find_labels(self.problem.space, column, low[:, column], high[:, column])
                names = pl.Series(key.column.name, key.labels, dtype=pl.String)
                found[key.column.name] = names.gather(label - self._below(column))
        return found

    def _below(self, column: int) -> int:
        """Return how many labels stand before those of a key."""
        return sum(len(key.labels) for key in self.keys[:column])

    @cached_property
    def cells(self) -> Mapping[str, Cells]:
        """The cells of each class by key; of a tree, the values of the data that its label covers."""
        return {key.column.name: self._make_cells(column) for column, key in enumerate(self.keys)}

    def _make_cells(self, column: int) -> Cells:
        key = self.keys[column]
        low, high = (ends[:, column] for ends in self._ends)
        if key.codes.kind is CellKind.RANGE:
            ranges = make_ranges(key.grid[low], key.grid[high])
            return ranges if key.ends is None else key.ends.widen(ranges)
        if key.codes.kind is CellKind.SET:
            pieces = self.grouping.pieces
            kept = pieces.owner >= 0
            codes = self.problem.records.codes[pieces.record[kept], column]
            sets = gather_sets(pieces.owner[kept], codes, self.grouping.classes, key.values)
            return sets.suppress((sets.sizes() == len(sets.domain)) & (len(sets.domain) > 1))
        label = _find_labels(self.problem.space, column, low, high)
        first, last = self.problem.space.first[label], self.problem.space.last[label]
        if key.column.kind.numeric:
            least, most = find_extremes(key.grid, first, last)
            return make_ranges(least, most)
        return cover_values(key.domain, first, last, key.values)

    def measure(self, *, sensitive: bool) -> ClassFigures:
        """Return what the classes came to, of sensitive values only where that is asked for."""
        sizes = self.sizes
        worst = describe_classes(self.problem.rule, self.histogram()) if sensitive and len(sizes) else {}
        return ClassFigures(
            records=int(self.problem.records.copies.sum()),
            kept=int(sizes.sum()),
            classes=len(sizes),
            smallest=int(sizes.min()) if len(sizes) else 0,
            largest=int(sizes.max()) if len(sizes) else 0,
            losses=self._sum_losses(),
            sensitive=worst,
        )

    def _sum_losses(self) -> dict[str, float]:
        """Return the loss of all records in each key; a record that is left out counts 1."""
        low, high = self._ends
        lost = int(self.problem.records.copies.sum()) - int(self.sizes.sum())
        found: dict[str, float] = {}
        for column, key in enumerate(self.keys):
            cells = self.cells[key.column.name]
            if key.codes.kind is CellKind.SET and isinstance(cells, SetCells):
                per_class = np.where(cells.suppressed, 1.0, (cells.sizes() - 1) * self.problem.space.unit[column])
            elif key.ends is not None and isinstance(cells, RangeCells):
                per_class = key.ends.measure_loss(cells)
            else:
                per_class = _measure_spans(self.problem.space, column, low[:, column], high[:, column])
            found[key.column.name] = float((per_class * self.sizes).sum() + lost)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Recoding(CodedClasses):
    """Records in classes.

    Attributes:
        data: the original.
        which: the distinct record of each row.
    """

    data: Dataset
    which: NDArray[np.int64]

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The class of each row; -1 of one that is left out."""
        return self.deal_owners(self.which)

    def release(self, maker: ReleaseMaker) -> Release:
        """Return what is published, row by row beside the original; rows that are left out are deleted."""
        return release_classes(self.data, ClassedCells(owner=self.owner, cells=self.cells, labels=self.labels), maker)


def make_ranges(low: NDArray[np.int64], high: NDArray[np.int64]) -> RangeCells:
    """Return the cells between ends; one that a missing cell shares with numbers is suppressed."""
    mixed = find_gaps(low) & ~find_gaps(high)
    if mixed.any():
        low, high = np.where(mixed, 0, low), np.where(mixed, 0, high)
    return RangeCells(lower=low, upper=high, suppressed=mixed)


def find_extremes(
    grid: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the largest number among the leaves of each label."""
    spans = np.unique(np.stack([first, last], axis=1), axis=0, return_inverse=True)
    ends = np.array([(grid[low : high + 1].min(), grid[low : high + 1].max()) for low, high in spans[0].tolist()])
    ends = ends.reshape(-1, 2)[spans[1].reshape(-1)]
    return ends[:, 0], ends[:, 1]


def cover_values(
    leaf_of: NDArray[np.int32], first: NDArray[np.int64], last: NDArray[np.int64], domain: tuple[str, ...]
) -> SetCells:
    """Return as sets which values of the data each label covers."""
    order = np.argsort(leaf_of, kind="stable")
    start, end = np.searchsorted(leaf_of[order], first), np.searchsorted(leaf_of[order], last, side="right")
    sizes = end - start
    rows = np.repeat(np.arange(len(first)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    codes = order[np.repeat(start, sizes) + within]
    return gather_sets(rows, codes.astype(np.int32), len(first), domain)


@njit(cache=True, nogil=True)
def _deal_owners(
    which: NDArray[np.int64] | NDArray[np.int32], starts: NDArray[np.int64], owners: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the class of each row: the rows of a record take what is written for it from its start on, in turn."""
    owner, place = np.empty(len(which), np.int64), starts.copy()
    for row in range(len(which)):
        record = which[row]
        owner[row] = owners[place[record]]
        place[record] += 1
    return owner


@njit(cache=True, nogil=True)
def _find_ends(
    codes: NDArray[np.int32], record: NDArray[np.int64], owner: NDArray[np.int64], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    columns = codes.shape[1]
    low = np.full((classes, columns), np.iinfo(np.int32).max, np.int64)
    high = np.full((classes, columns), -1, np.int64)
    for piece in range(len(record)):
        if owner[piece] < 0:
            continue
        for column in range(columns):
            code = codes[record[piece], column]
            low[owner[piece], column] = min(low[owner[piece], column], code)
            high[owner[piece], column] = max(high[owner[piece], column], code)
    return low, high


@njit(cache=True, nogil=True)
def _find_labels(space: KeySpace, column: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    labels = np.empty(len(low), np.int64)
    for one in range(len(low)):
        labels[one] = find_label(space, column, low[one], high[one])
    return labels


@njit(cache=True, nogil=True)
def _measure_spans(
    space: KeySpace, column: int, low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.float64]:
    losses = np.empty(len(low))
    for one in range(len(low)):
        losses[one] = measure_span(space, column, low[one], high[one])
    return losses

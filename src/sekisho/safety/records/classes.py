"""Classes of records that agree in all their keys, and how a sensitive column falls into them.

A column is an array of codes, 0 and up; a missing cell is a value of its own, with a code of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_TEXT
from sekisho.errors import ParameterError
from sekisho.words import Said

MOST = 1 << 62
UNKNOWN_CELLS = (MISSING_TEXT, "*")
"""What a cell holds whose value nobody reads: nothing, or the mark of suppression."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnCodes:
    """A column as positions in its sorted distinct values; None among these, always the last, is a missing cell."""

    codes: NDArray[np.int64]
    values: tuple[str | None, ...]

    @classmethod
    def of(cls, texts: pl.Series) -> ColumnCodes:
        """Return a column of texts, missing ones null."""
        domain = texts.drop_nulls().unique().sort()
        codes = texts.cast(pl.Enum(domain)).to_physical().cast(pl.Int64).fill_null(len(domain))
        missing = (None,) if texts.null_count() else ()
        return cls(codes=codes.to_numpy().astype(np.int64), values=(*domain.to_list(), *missing))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        if None not in self.values:
            return np.zeros(len(self.codes), dtype=np.bool_)
        return self.codes == len(self.values) - 1

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Which of the values tell nothing: those of cells that are missing or suppressed."""
        return np.array([value is None or value in UNKNOWN_CELLS for value in self.values], dtype=np.bool_)


def code_values(values: pl.Series) -> ColumnCodes:
    """Return a column of texts, numbers or dates, the values in their own order."""
    if values.dtype == pl.String:
        return ColumnCodes.of(values)
    present = values.drop_nulls()
    domain = present.unique().sort()
    codes = np.full(len(values), len(domain), dtype=np.int64)
    codes[values.is_not_null().to_numpy()] = np.searchsorted(domain.to_numpy(), present.to_numpy())
    missing = (None,) if len(present) < len(values) else ()
    return ColumnCodes(codes=codes, values=(*map(str, domain.to_list()), *missing))


def number_classes(columns: Sequence[ColumnCodes], rows: int) -> NDArray[np.int64]:
    """Return a number for each record, 0 and up: two have the same one if they agree in all the columns."""
    return rank_dense(pack_codes([(column.codes, len(column.values)) for column in columns], rows))


def pack_codes(columns: Sequence[tuple[NDArray[np.int64], int]], rows: int) -> NDArray[np.int64]:
    """Return one whole number for each record that tells its codes, or their rank where they would not fit."""
    packed, span = np.zeros(rows, dtype=np.int64), 1
    for codes, values in columns:
        width = max(1, values)
        if span * width >= MOST:
            packed = rank_dense(packed)
            span = int(packed.max(initial=0)) + 1
        packed, span = packed * width + codes, span * width
    return packed


def rank_dense(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each value among the distinct ones, from 0."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def count_classes(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many records each class has."""
    return np.bincount(classes).astype(np.int64)


def add_weights(places: NDArray[np.int64], weights: NDArray[np.float64], length: int = 0) -> NDArray[np.float64]:
    """Return for each class, or place, the sum of its weights."""
    return np.bincount(places, weights=weights, minlength=length).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossTable:
    """How often each value stands in each class, where it does: class by class, values ascending.

    Attributes:
        owner: the class of each pair.
        value: the value of each pair.
        count: how often it stands there.
        starts: class c has the pairs ``starts[c]`` to ``starts[c + 1]``.
        sizes: how many records each class has.
        totals: how often each value stands anywhere, also outside these classes.
    """

    owner: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    totals: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many records there are anywhere."""
        return int(self.totals.sum())

    def sum_by_class(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each class the sum of a figure over its pairs."""
        return np.add.reduceat(figures, self.starts[:-1])

    def max_by_class(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each class the largest figure of its pairs."""
        return np.maximum.reduceat(figures, self.starts[:-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownTable:
    """How often each known value stands in each class that has one: what a class tells of a sensitive column.

    A cell that is missing or suppressed tells nothing, and so is no value beside which another one hides.

    Attributes:
        table: the classes with a known value, numbered anew, and the known values alone.
        classes: the number of each of them among all classes.
        unknown: how many classes have no known value; nothing is learnt in them.
    """

    table: CrossTable
    classes: NDArray[np.int64]
    unknown: int


def drop_unknown(table: CrossTable, unknown: NDArray[np.bool_]) -> KnownTable:
    """Return a table of classes and values without the values that tell nothing.

    Args:
        table: of all cells.
        unknown: which of its values tell nothing.
    """
    if not unknown.any():
        return KnownTable(table=table, classes=np.arange(len(table.sizes)), unknown=0)
    known = ~unknown[table.value]
    value = (np.cumsum(~unknown) - 1)[table.value[known]]
    classes, owner = np.unique(table.owner[known], return_inverse=True)
    owner, count = owner.reshape(-1).astype(np.int64), table.count[known]
    starts = np.searchsorted(owner, np.arange(len(classes) + 1)).astype(np.int64)
    sizes = np.bincount(owner, weights=count, minlength=len(classes)).astype(np.int64)
    rest = CrossTable(owner=owner, value=value, count=count, starts=starts, sizes=sizes, totals=table.totals[~unknown])
    return KnownTable(table=rest, classes=classes, unknown=len(table.sizes) - len(classes))


def cross_tabulate(classes: NDArray[np.int64], values: NDArray[np.int64]) -> CrossTable:
    """Return how the values fall into the classes; both are codes from 0 without gaps.

    Raises:
        ParameterError: there are no records, or the arrays differ in length.
    """
    if not len(classes) or len(classes) != len(values):
        raise ParameterError(
            Said("classes and values"), Said("be of one length, at least 1"), (len(classes), len(values))
        )
    width = int(values.max()) + 1
    pairs, count = np.unique(classes * width + values, return_counts=True)
    owner, value = np.divmod(pairs, width)
    sizes = count_classes(classes)
    return CrossTable(
        owner=owner,
        value=value,
        count=count.astype(np.int64),
        starts=np.searchsorted(owner, np.arange(len(sizes) + 1)).astype(np.int64),
        sizes=sizes,
        totals=np.bincount(values, minlength=width).astype(np.int64),
    )

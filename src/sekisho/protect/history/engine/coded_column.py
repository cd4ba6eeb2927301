"""A column of a history as whole numbers: each distinct cell was read once, and rows carry what it means.

A number is where it lies on its grid, a category its place among the sorted values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, ArrowType, Batch
from sekisho.data.frame.dataset import TYPES, Column, Kind
from sekisho.data.frame.distance import Spread, measure_spread
from sekisho.errors import BugError

OWNER = "owner"
CELL, MEANING = "cell", "meaning"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryColumn:
    """A column.

    Attributes:
        column: what it is.
        cells: the distinct cells as the file holds them.
        meaning: what each is: a number on the grid, or a place in the domain.
        counts: how many rows have each.
        domain: the values of a category, sorted; empty for numbers.
    """

    column: Column
    cells: pl.Series
    meaning: NDArray[np.int64]
    counts: NDArray[np.int64]
    domain: pl.Series

    @property
    def kind(self) -> ArrowType:
        """The type of its numbers."""
        return pa.int64() if self.column.kind.numeric else pa.int32()

    def encode(self, cells: pl.Series) -> NDArray[np.int64]:
        """Return what some cells mean.

        Raises:
            BugError: one is none of those that were read.
        """
        meanings = pl.DataFrame({CELL: self.cells, MEANING: self.meaning})
        given = cells.cast(self.cells.dtype).to_frame(CELL)
        found = given.join(meanings, on=CELL, how="left", nulls_equal=True, maintain_order="left")[MEANING]
        if found.null_count():
            raise BugError(f"a cell of {self.column.name} was not among those that were read")
        return found.to_numpy()

    def decode(self, numbers: NDArray[np.int64]) -> pl.Series:
        """Return values as a data set holds them."""
        if self.column.kind is Kind.CATEGORY:
            return self.domain.gather(numbers).alias(self.column.name)
        narrow = pl.Int32 if self.column.kind is Kind.DATE else pl.Int64
        return pl.Series(self.column.name, numbers).cast(narrow).cast(TYPES[self.column.kind])

    def forget_cells(self) -> HistoryColumn:
        """Return the column for those who only decode."""
        nothing = np.zeros(0, dtype=np.int64)
        return replace(self, cells=self.cells.clear(), meaning=nothing, counts=nothing)

    def measure(self) -> Spread:
        """Return the spread of a column of numbers over all rows."""
        return measure_spread(self.meaning, self.counts)

    def find_middles(self) -> tuple[int, int]:
        """Return the two values in the middle of all rows, which are one where their number is odd."""
        order = np.argsort(self.meaning, kind="stable")
        ends = np.cumsum(self.counts[order])
        rows = int(ends[-1])
        below, above = np.searchsorted(ends, [(rows - 1) // 2, rows // 2], side="right")
        return int(self.meaning[order[below]]), int(self.meaning[order[above]])


def name_value(place: int) -> str:
    """Return what a column of numbers or codes is called on its way."""
    return f"v{place}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryCodeKernel:
    """Makes whole numbers of a block of cells; whose they are, and other columns of whole numbers, stay as they are."""

    columns: tuple[HistoryColumn, ...]
    others: tuple[str, ...] = (OWNER,)

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        values = [(name_value(place), column.kind) for place, column in enumerate(self.columns)]
        return pa.schema([*((name, pa.int64()) for name in self.others), *values])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        block, schema = pl.DataFrame(pl.from_arrow(batch)), self.schema
        arrays = [pa.array(block[name].cast(pl.Int64).to_numpy()) for name in self.others]
        for place, column in enumerate(self.columns):
            arrays.append(pa.array(column.encode(block[name_value(place)])).cast(column.kind))
        return pa.record_batch(arrays, schema=schema)

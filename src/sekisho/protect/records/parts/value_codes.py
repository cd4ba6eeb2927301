"""The values of columns numbered as they first occur, while blocks of data stream by.

Only when all have passed is it known which values there are; then every number is told its code.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import TYPES, Dataset, encode_texts
from sekisho.data.frame.schema import Column, Kind, Schema
from sekisho.protect.records.recoding.key_columns import number_values


class ValueNumbers:
    """The distinct values of one column, numbered from 0 in the order in which they are met."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._texts: dict[str, int] = {}
        self._grid = np.zeros(0, dtype=np.int64)
        self._place = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each value has occurred."""
        return self._counts

    def number(self, data: Dataset) -> NDArray[np.int32]:
        """Return the number of the value of each row of a block."""
        name = self._column.name
        if self._column.kind.numeric:
            values, place = number_values(data.grid(name))
            numbers = self._number_grid(values)
        else:
            place, texts = encode_texts(data.frame[name])
            numbers = np.array([self._texts.setdefault(text, len(self._texts)) for text in texts], dtype=np.int64)
        size = max(len(self._texts), len(self._grid))
        self._counts = np.concatenate([self._counts, np.zeros(size - len(self._counts), dtype=np.int64)])
        self._counts[numbers] += np.bincount(place, minlength=len(numbers))
        return numbers[place].astype(np.int32)

    def _number_grid(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of distinct values in their order; the grid stays sorted, with the number of each."""
        at = np.searchsorted(self._grid, values)
        seen = np.zeros(len(values), dtype=np.bool_)
        within = at < len(self._grid)
        seen[within] = self._grid[at[within]] == values[within]
        if not seen.all():
            fresh = values[~seen]
            numbers = len(self._grid) + np.arange(len(fresh))
            self._grid = np.insert(self._grid, at[~seen], fresh)
            self._place = np.insert(self._place, at[~seen], numbers)
            at = np.searchsorted(self._grid, values)
        return self._place[at]

    def list_values(self) -> Dataset:
        """Return all values as a column of data, in the order of their numbers."""
        column = self._column
        if not column.kind.numeric:
            values = pl.Series(column.name, list(self._texts), dtype=pl.String)
        else:
            grid = np.empty(len(self._grid), dtype=np.int64)
            grid[self._place] = self._grid
            values = pl.Series(column.name, grid)
            values = values.cast(pl.Int32).cast(pl.Date) if column.kind is Kind.DATE else values
        return Dataset(pl.DataFrame([values.cast(TYPES[column.kind])]), Schema((column,)))

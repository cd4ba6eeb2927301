"""A column as the leaves of a tree know it: its distinct values as a tree writes them, and which of them a row has.

Dates are written as ISO has them, numbers with a decimal point, categories as they stand; a missing cell is the empty
text, which no tree need have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT, find_gaps
from sekisho.data.frame.dataset import Dataset, Kind

PLAIN = OrdinaryWriting()
"""How numbers and dates are written in trees: ISO dates, a decimal point."""
SPARSE = 4
"""Numbers that lie further apart than so many times their number are sorted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreeColumn:
    """A column of some records.

    Attributes:
        name: of the column.
        kind: of its values.
        decimals: of numbers, how many a unit of the grid has.
        texts: the distinct values in their order, a missing cell first.
        codes: of each row, which value it has.
        numbers: of numbers and dates, each value on the grid.
    """

    name: str
    kind: Kind
    decimals: int = 0
    texts: tuple[str, ...]
    codes: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @classmethod
    def of(cls, data: Dataset, name: str) -> TreeColumn:
        """Return a column of a data set.

        Raises:
            ParameterError: there is no such column.
        """
        column = data.schema[name]
        if not column.kind.numeric:
            codes, none = data.codes(name).astype(np.int64), np.zeros(0, dtype=np.int64)
            return cls(name=name, kind=column.kind, texts=data.domain(name), codes=codes, numbers=none)
        numbers, codes = number_values(data.grid(name))
        texts = tuple(PLAIN.write(numbers, column.kind, column.decimals).to_list())
        return cls(name=name, kind=column.kind, decimals=column.decimals, texts=texts, codes=codes, numbers=numbers)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def has_gaps(self) -> bool:
        """Whether a cell is missing; missing is then the first value."""
        return self.texts[:1] == (MISSING_TEXT,)

    def count_people(self) -> NDArray[np.int64]:
        """Return how many rows have each value."""
        return np.bincount(self.codes, minlength=len(self.texts)).astype(np.int64)

    def find_first_rows(self) -> NDArray[np.int64]:
        """Return the first row that has each value, from 1."""
        first = np.zeros(len(self.texts), dtype=np.int64)
        first[self.codes[::-1]] = np.arange(len(self.codes), 0, -1)
        return first

    def drop_gaps(self) -> TreeColumn:
        """Return it without the rows whose cell is missing."""
        if not self.has_gaps:
            return self
        return TreeColumn(
            name=self.name,
            kind=self.kind,
            decimals=self.decimals,
            texts=self.texts[1:],
            codes=self.codes[self.codes > 0] - 1,
            numbers=self.numbers[1:],
        )

    def read_leaves(self, leaves: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what leaves mean on the grid of numbers and dates, and which mean anything."""
        grid, readable = PLAIN.read(pl.Series(leaves, dtype=pl.String), self.kind, self.decimals)
        gaps = np.array([leaf == MISSING_TEXT for leaf in leaves], dtype=np.bool_)
        return np.where(gaps, MISSING_NUMBER, grid), readable | gaps

    def find_leaves(self, leaves: Sequence[str]) -> NDArray[np.int64]:
        """Return where each value stands among leaves, -1 where it does not; 20.0 is the leaf of 20."""
        if not self.kind.numeric:
            at: dict[str, int] = {leaf: place for place, leaf in enumerate(leaves)}
            return np.array([at.get(text, -1) for text in self.texts], dtype=np.int64)
        grid, readable = self.read_leaves(leaves)
        place_of = {int(value): place for place, value in enumerate(grid) if readable[place]}
        return np.array([place_of.get(int(value), -1) for value in self.numbers], dtype=np.int64)


def number_values(grid: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values in their order, and which of them each is; values that lie close need no sorting."""
    low, high = (int(grid.min()), int(grid.max())) if len(grid) else (0, 0)
    if low == MISSING_NUMBER:
        return _number_with_gaps(grid)
    if high - low >= max(1, SPARSE * len(grid)):
        values, place = np.unique(grid, return_inverse=True)
        return values, place.reshape(-1)
    occurs = np.zeros(high - low + 1, dtype=np.bool_)
    occurs[grid - low] = True
    return np.flatnonzero(occurs) + low, (np.cumsum(occurs) - 1)[grid - low]


def _number_with_gaps(grid: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the same of numbers some of which are missing: missing is the first value."""
    present, place = ~find_gaps(grid), np.zeros(len(grid), dtype=np.int64)
    values, among = number_values(grid[present])
    place[present] = among + 1
    return np.concatenate([[MISSING_NUMBER], values]), place

"""What is written instead of a cell's own range or set: a text, or a number with a mark before it, such as ``>=85``.

Numbers keep their value, so that each file writes it in its own way (a decimal comma, a date's format).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.words import Said

MARKS = ("", ">=", "<=", "<")
"""What may stand before a number."""
NO_LABEL = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarkedNumbers:
    """Labels of a column of numbers.

    Attributes:
        mark: which of the marks stands before the number; -1 where the cell is written as it is.
        value: the number, on the column's grid.
    """

    mark: NDArray[np.int8]
    value: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.mark) != len(self.value):
            raise ParameterError("labels", Said("have a mark for every value"), (len(self.mark), len(self.value)))

    def __len__(self) -> int:
        return len(self.mark)

    def gather(self, rows: NDArray[np.intp]) -> MarkedNumbers:
        """Return the labels of some rows."""
        return MarkedNumbers(mark=self.mark[rows], value=self.value[rows])

    def write(self, write_numbers: Callable[[NDArray[np.int64]], pl.Series]) -> pl.Series:
        """Return the labels as text, null where there is none."""
        marks = pl.Series("mark", MARKS, dtype=pl.String).gather(np.maximum(self.mark, 0).astype(np.int64))
        joined = marks + write_numbers(self.value)
        return joined.set(pl.Series(self.mark == NO_LABEL), None)


Labels: TypeAlias = pl.Series | MarkedNumbers
"""Texts, null where the cell is written as it is, or marked numbers."""


def gather_labels(labels: Labels, rows: NDArray[np.intp]) -> Labels:
    """Return the labels of some rows."""
    return labels.gather(rows)

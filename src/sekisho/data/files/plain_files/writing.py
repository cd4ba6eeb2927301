"""How the values of data of one's own are written in the files that are made of them: as their owner writes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.dates import read_days, write_days
from sekisho.data.files.plain_files.escapes import escape_marks, restore_marks
from sekisho.data.files.plain_files.numbers import POINT, read_numbers, write_numbers
from sekisho.data.frame.schema import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinaryWriting:
    """Dates in the owner's format, numbers with his decimal mark, any text.

    Attributes:
        date_format: of ``strftime``; empty for ISO.
        decimal: point or comma; undecided where no number has any.
    """

    date_format: str = ""
    decimal: str = POINT

    def read(self, text: pl.Series, kind: Kind, decimals: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what each text means."""
        return read_days(text, self.date_format) if kind is Kind.DATE else read_numbers(text, decimals, self.decimal)

    def write(self, values: NDArray[np.int64], kind: Kind, decimals: int) -> pl.Series:
        """Return grid values as text."""
        if kind is Kind.DATE:
            return write_days(values, self.date_format)
        return write_numbers(values, decimals, self.decimal or POINT)

    def escape(self, text: pl.Series) -> pl.Series:
        """Return values whose marks are written in code."""
        return escape_marks(text)

    def restore(self, text: pl.Series) -> pl.Series:
        """Return values whose marks were written in code."""
        return restore_marks(text)

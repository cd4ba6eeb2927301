"""How the values of data of one's own are written in the files that are made of them: as their owner writes them.

Any text inside a generalised cell: the marks of the grammar are written in code where a value itself holds them.

A value may hold ``;``, ``{``, ``}`` or a control character, or be ``*``; as in an address on the web these are written
``%3B``, ``%7B``, ``%7D``, ``%0A`` … and ``%2A``. A per cent sign is written ``%25`` only where it would be read as the
beginning of such a code, so that ordinary texts (``50% off``) stay as they are. Reading undoes exactly what writing
did.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.dates import read_days, write_days
from sekisho.data.files.plain_files.numbers import POINT, read_numbers, write_numbers
from sekisho.data.frame.cells import MISSING_TEXT, find_gaps
from sekisho.data.frame.schema import Kind

STAR = "*"
ANYWHERE = (*(chr(code) for code in range(32)), ";", "{", "}", "\x7f")
CODES = {mark: f"%{ord(mark):02X}" for mark in (*ANYWHERE, STAR, "%")}
BEFORE = "%(" + "|".join(code[1:] for code in CODES.values()) + ")"


def escape_marks(text: pl.Series) -> pl.Series:
    """Return values as they stand inside generalised cells."""
    marks = list(ANYWHERE)
    cell = pl.col("cell")
    coded = cell.str.replace_all(BEFORE, "%25${1}").str.replace_many(marks, [CODES[mark] for mark in marks])
    whole = pl.when(cell == STAR).then(pl.lit(CODES[STAR])).otherwise(coded)
    return text.to_frame("cell").select(whole.alias(text.name)).to_series()


def restore_marks(text: pl.Series) -> pl.Series:
    """Return the values that stand inside generalised cells."""
    return text.str.replace_many(list(CODES.values()), list(CODES))


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinaryWriting:
    """Dates in the owner's format, numbers with his decimal mark, any text.

    Attributes:
        date_format: of ``strftime``; empty for ISO.
        decimal: point or comma; undecided where no number has any.
        carries_missing: a cell may be missing, and is then written as the empty text.
    """

    date_format: str = ""
    decimal: str = POINT
    carries_missing: ClassVar[bool] = True

    def read(self, text: pl.Series, kind: Kind, decimals: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what each text means."""
        return read_days(text, self.date_format) if kind is Kind.DATE else read_numbers(text, decimals, self.decimal)

    def write(self, values: NDArray[np.int64], kind: Kind, decimals: int) -> pl.Series:
        """Return grid values as text, missing ones as the empty text."""
        gaps = find_gaps(values)
        if gaps.any():
            return self.write(np.where(gaps, 0, values), kind, decimals).set(pl.Series(gaps), MISSING_TEXT)
        if kind is Kind.DATE:
            return write_days(values, self.date_format)
        return write_numbers(values, decimals, self.decimal or POINT)

    def escape(self, text: pl.Series) -> pl.Series:
        """Return values whose marks are written in code."""
        return escape_marks(text)

    def restore(self, text: pl.Series) -> pl.Series:
        """Return values whose marks were written in code."""
        return restore_marks(text)

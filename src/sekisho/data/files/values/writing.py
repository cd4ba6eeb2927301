"""How the values of a file are written: strictly, as a contest's rules fix it, or as their owner writes them.

What reads and writes cells asks a :class:`Writing` and need not know which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.values.numerals import read_numerals, write_numerals
from sekisho.data.frame.schema import Kind


class Writing(Protocol):
    """How values are written.

    Attributes:
        carries_missing: whether a cell may be missing, which is then written as the empty text.
    """

    carries_missing: ClassVar[bool]

    def read(self, text: pl.Series, kind: Kind, decimals: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what each text of a numeric column means on its grid (0 where nothing), and which mean something."""
        ...

    def write(self, values: NDArray[np.int64], kind: Kind, decimals: int) -> pl.Series:
        """Return grid values as text."""
        ...

    def escape(self, text: pl.Series) -> pl.Series:
        """Return the values of a category as they stand inside generalised cells."""
        ...

    def restore(self, text: pl.Series) -> pl.Series:
        """Return the values of a category that stand inside generalised cells."""
        ...


@dataclass(frozen=True, slots=True)
class StrictWriting:
    """A contest's files: dates as ``yyyy/m/d``, unsigned numbers with a point, categories without marks; no gaps."""

    carries_missing: ClassVar[bool] = False

    def read(self, text: pl.Series, kind: Kind, decimals: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what each text means."""
        return read_numerals(text, kind, decimals)

    def write(self, values: NDArray[np.int64], kind: Kind, decimals: int) -> pl.Series:
        """Return grid values as text."""
        return write_numerals(values, kind, decimals)

    def escape(self, text: pl.Series) -> pl.Series:
        """Return the values as they are."""
        return text

    def restore(self, text: pl.Series) -> pl.Series:
        """Return the values as they are."""
        return text

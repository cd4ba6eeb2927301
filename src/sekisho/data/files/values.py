"""The distinct texts of a column: what is written often is read once.

Exact numbers as people write them, ``1/3``, ``0.0005`` or ``2e-3``, and short enough to be counted with.

``1e999999999`` is written in eleven characters and would fill the memory; such numbers are refused before they are
made.

Wide digits, letters and marks as narrow ones, and all kinds of dashes that stand for a minus as one.

Compatible forms of East Asian texts differ in nothing that a number or a date says: ``１，２００`` is ``1,200``.

How the values of a file are written: strictly, as a contest's rules fix it, or as their owner writes them.

What reads and writes cells asks a :class:`Writing` and need not know which.

How numbers are written: dates as ``yyyy/m/d``, decimals with at most so many digits after the point, whole numbers.

On the grid a date is its day number since 1970-01-01, a decimal a whole number of its last digit. ASCII digits only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Kind
from sekisho.words import Said


@dataclass(frozen=True, slots=True, eq=False)
class DistinctTexts:
    """The distinct texts of a column; row i of the column holds ``text[place[i]]``.

    A text that no row points to says nothing.
    """

    text: pl.Series
    place: NDArray[np.intp]


def find_distinct_texts(column: pl.Series) -> DistinctTexts:
    """Return the distinct texts of a column without nulls, in no telling order."""
    column = column.rechunk()
    place = column.cast(pl.Categorical).to_physical().to_numpy().astype(np.intp)
    # Polars shares the codes of categories that are alive anywhere, so there may be gaps; row 0 fills them.
    holder = np.zeros(place.max(initial=-1) + 1, dtype=np.intp)
    holder[place] = np.arange(len(place))
    return DistinctTexts(column.gather(holder), place)


LONGEST = 200
"""So many characters a number may have."""
STEEPEST = 99
"""So large its exponent may be; below that every number also has a float."""
EXPONENT = re.compile(r"[eE][-+]?0*([0-9_]+)\s*$")


def parse_exact(text: str) -> Fraction:
    """Return a written number.

    Raises:
        ValueError: it is none, divides by 0, or is too long.
    """
    steep = EXPONENT.search(text)
    if len(text) > LONGEST or (steep and (len(steep[1]) > 2 or int(steep[1]) > STEEPEST)):
        raise ValueError(f"a number of more than {LONGEST} characters, or with an exponent above {STEEPEST}")
    try:
        return Fraction(text)
    except ZeroDivisionError as error:
        raise ValueError("a number divided by 0") from error


WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
MINUS = "-"
DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u207b\ufe63", MINUS)
NARROW = {
    **WIDE,
    **DASHES,
    "\u3000": " ",
    "\uffe5": "\u00a5",
    "\uffe6": "\u20a9",
    "\uffe1": "\u00a3",
    "\uffe0": "\u00a2",
}


def narrow(text: pl.Series) -> pl.Series:
    """Return texts whose wide signs are narrow and whose dashes are one."""
    wide = text.str.contains(f"[{''.join(NARROW)}]")
    if not bool(wide.any()):
        return text
    return text.str.replace_many(list(NARROW), list(NARROW.values()))


def has_wide_digits(text: pl.Series) -> bool:
    """Tell whether a digit of some texts is wide."""
    return bool(text.str.contains("[\uff10-\uff19]").any())


DIGITS = 12  # 10**12 in the last of at most 9 decimals still fits 64 bits twice over


def read_numerals(text: pl.Series, kind: Kind, decimals: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return what each text means on the grid (0 where it means nothing), and which mean something."""
    cell = pl.col("text")
    readable = cell.str.contains(_numeral_pattern(kind, decimals))
    if kind is Kind.DATE:
        values = cell.str.to_date("%Y/%m/%d", strict=False).to_physical().cast(pl.Int64)
    elif decimals:  # the form has at most twelve digits, so the float is exact
        values = (cell.cast(pl.Float64, strict=False) * 10**decimals).round().cast(pl.Int64, strict=False)
    else:
        values = cell.cast(pl.Int64, strict=False)
    grid = text.to_frame("text").select(pl.when(readable).then(values)).to_series()
    return grid.fill_null(0).to_numpy(), grid.is_not_null().to_numpy()


def describe_numeral(kind: Kind, decimals: int) -> str:
    """Return how a number must be written, in words."""
    if kind is Kind.DATE:
        return Said("a date (yyyy/m/d)")
    if decimals:
        return Said(
            "a decimal of at most {digits} digits before the point and {decimals} after it",
            digits=DIGITS - decimals,
            decimals=decimals,
        )
    return Said("a whole number of at most {digits} digits", digits=DIGITS)


def _numeral_pattern(kind: Kind, decimals: int) -> str:
    if kind is Kind.DATE:
        return "^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}$"
    point = rf"(?:\.[0-9]{{1,{decimals}}})?" if decimals else ""
    return rf"^[0-9]{{1,{DIGITS - decimals}}}{point}$"


def write_numerals(values: NDArray[np.int64], kind: Kind, decimals: int) -> pl.Series:
    """Return grid values as text: dates and numbers without leading zeros, decimals without trailing ones."""
    if kind is Kind.DATE:
        day = pl.col("day").cast(pl.Int32).cast(pl.Date)
        parts = pl.concat_str(day.dt.year(), pl.lit("/"), day.dt.month(), pl.lit("/"), day.dt.day())
        return pl.DataFrame({"day": values}).select(parts).to_series()
    whole, tail = np.divmod(values, 10**decimals)
    text = pl.Series(whole).cast(pl.String)
    if not decimals:
        return text
    after = pl.Series(tail).cast(pl.String).str.zfill(decimals).str.strip_chars_end("0")
    return text.zip_with(after == "", text + "." + after)


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

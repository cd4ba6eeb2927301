"""How numbers are written: dates as ``yyyy/m/d``, decimals with at most so many digits after the point, whole numbers.

On the grid a date is its day number since 1970-01-01, a decimal a whole number of its last digit. ASCII digits only.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.schema import Kind

DIGITS = 12  # 10**12 in the last of at most 9 decimals still fits 64 bits twice over


def read_numerals(text: pl.Series, kind: Kind, decimals: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return what each text means on the grid (0 where it means nothing), and which mean something."""
    if kind is Kind.DATE:
        return _read_dates(text)
    point = rf"(?:\.([0-9]{{1,{decimals}}}))?" if decimals else "()"
    parts = text.str.extract_groups(rf"^([0-9]{{1,{DIGITS - decimals}}}){point}$").struct.unnest()
    whole = parts.to_series(0).cast(pl.Int64)
    readable = whole.is_not_null().to_numpy()
    tail = parts.to_series(1).fill_null("").str.pad_end(decimals, "0").cast(pl.Int64, strict=False).fill_null(0)
    return (whole.fill_null(0) * 10**decimals + tail).to_numpy(), readable


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


def _read_dates(text: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    parts = text.str.extract_groups(r"^([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})$").struct.unnest()
    year, month, day = (parts.to_series(i).cast(pl.Int64).fill_null(0).to_numpy() for i in range(3))
    readable = parts.to_series(0).is_not_null().to_numpy() & (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    first = (np.where(readable, year, 1970) - 1970).astype("datetime64[Y]").astype("datetime64[M]")
    months = first + (np.where(readable, month, 1) - 1)
    days = months.astype("datetime64[D]").astype(np.int64) + day - 1
    readable &= days < (months + 1).astype("datetime64[D]").astype(np.int64)
    return np.where(readable, days, 0), readable

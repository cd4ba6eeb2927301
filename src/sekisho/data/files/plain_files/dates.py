"""Dates as their owner writes them: ISO (``2011-03-09``, ``2011/3/9``, perhaps with a time), or in a given format.

Formats are those of ``strftime`` (``%d.%m.%Y``). A time of day is dropped: here a date is a day.
"""

from __future__ import annotations

import re
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.values.distinct_texts import find_distinct_texts
from sekisho.errors import ParameterError
from sekisho.words import Said

ISO, SLASHED, SHORT = "%Y-%m-%d", "%Y/%m/%d", "%Y/%-m/%-d"
PLAIN = frozenset({"", ISO, SLASHED, SHORT})
"""Formats read in one way: year, month and day, with dashes or slashes, with or without leading zeros."""
CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\s?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}(?::[0-9]{2})?)?"
DAY = rf"^\s*([0-9]{{4}})[-/]([0-9]{{1,2}})[-/]([0-9]{{1,2}})(?:[T ]{CLOCK})?\s*$"
TIMED = rf"[T ]{CLOCK}\s*$"
SLASHED_DAY, SHORT_DAY = r"^\s*[0-9]{4}/", r"/[0-9](?:/|\s|T|$)"
TIME = re.compile(r"[\sT,]*%-?[HIkMSTRXrsfp3.].*$")
MARKS = frozenset("[];{}*")
FIRST, LAST = date(1, 1, 1), date(9999, 12, 31)
PROBES = (date(2010, 1, 2), date(2011, 12, 31), date(1987, 6, 15))


def day_format(form: str) -> str:
    """Return the part of a format that writes the day."""
    return TIME.sub("", form)


def check_date_format(form: str, name: str = "date_format") -> None:
    """Refuse a format without year, month or day, or with marks of generalised cells.

    Raises:
        ParameterError: it is such a format.
    """
    if form in PLAIN:
        return
    if MARKS & set(form):
        raise ParameterError(name, Said("hold none of the marks of generalised cells, [ ] ; {{ }} *"), form)
    try:
        probes = pl.Series(PROBES)
        reread = probes.dt.strftime(day_format(form)).str.to_date(day_format(form), strict=False)
        fits = reread.to_list() == list(PROBES)
    except pl.exceptions.PolarsError:
        fits = False
    if not fits:
        raise ParameterError(
            name,
            Said("tell year, month and day first, a time at most after them"),
            form,
            hint=Said('such as "%d.%m.%Y"'),
        )


def read_days(text: pl.Series, form: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the day number since 1970-01-01 of each text (0 where it is none), and which are dates."""
    distinct, cell = find_distinct_texts(text), pl.col("cell")
    if form in PLAIN:
        part = cell.str.extract_groups(DAY)
        joined = pl.concat_str([part.struct.field(str(place)) for place in (1, 2, 3)], separator="-")
        day = joined.str.to_date(ISO, strict=False)
    else:
        bare = cell.str.strip_chars()
        day = pl.coalesce(
            bare.str.to_date(day_format(form), strict=False),
            bare.str.replace(TIMED, "").str.to_date(day_format(form), strict=False),
        )
        if day_format(form) != form:
            timed = cell.str.strip_chars().str.to_datetime(form, strict=False, time_unit="us").dt.date()
            day = pl.coalesce(timed, day)
    within = pl.when(day.is_between(pl.lit(FIRST), pl.lit(LAST))).then(day)
    days = distinct.text.to_frame("cell").select(within.to_physical().cast(pl.Int64)).to_series()
    return days.fill_null(0).to_numpy()[distinct.place], days.is_not_null().to_numpy()[distinct.place]


def count_times(text: pl.Series, form: str) -> int:
    """Return how many of some dates have a time beside them."""
    if form in PLAIN:
        return int(text.str.contains(TIMED).sum())
    return int(text.str.strip_chars().str.to_date(day_format(form), strict=False).is_null().sum())


def write_days(days: NDArray[np.int64], form: str) -> pl.Series:
    """Return day numbers as text."""
    return pl.Series(days).cast(pl.Int32).cast(pl.Date).dt.strftime(day_format(form) or ISO)


def find_date_format(text: pl.Series) -> str:
    """Return how plain dates are written: with dashes, or with slashes and with or without leading zeros."""
    if not bool(text.str.contains(SLASHED_DAY).all()):
        return ISO
    short = text.str.contains(SHORT_DAY).any()
    return SHORT if short else SLASHED

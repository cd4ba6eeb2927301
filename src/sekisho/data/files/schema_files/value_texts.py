"""Values of a Parquet file as a CSV file would hold them: two texts are the same only where the values are.

A text tells a value whole: times of day to their last digit and with their offset from UTC, decimals digit by digit,
the sign of a zero. What has no such text (lists, structures, bytes that are no text) is refused.
"""

from __future__ import annotations

import polars as pl

from sekisho.data.files.plain_files.dates import ISO, day_format
from sekisho.data.files.plain_files.numbers import POINT
from sekisho.data.files.plain_table import TableSource
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.errors import InputError
from sekisho.words import Said

CLOCK, OFFSET = "%H:%M:%S%.f", "%::z"
WHOLE_MINUTES = r"([+-][0-9]{2}:[0-9]{2}):00$"
FARTHEST = 250_000 * 366
"""So many days from 1970 a day can be to be written at all."""
DAY_UNITS = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def format_values(path: TableSource, values: pl.Series, file: FileRules) -> pl.Series:
    """Return the values of a column as texts, different ones where the values differ; a missing one is null.

    Raises:
        InputError: the column holds what has no text.
    """
    kind = values.dtype
    if isinstance(kind, pl.String):
        return values
    if isinstance(kind, pl.Date | pl.Datetime):
        return _write_moments(path, values, day_format(file.date_format) or ISO)
    if isinstance(kind, pl.Time):
        return values.dt.strftime(CLOCK)
    if isinstance(kind, pl.Duration):
        return values.dt.to_string("iso")
    if kind.is_float() or kind.is_decimal():
        return values.cast(pl.String).str.replace(POINT, file.decimal or POINT, literal=True)
    plain = kind.is_integer() or isinstance(kind, pl.Boolean | pl.Categorical | pl.Enum | pl.Binary | pl.Null)
    try:
        text = values.cast(pl.String) if plain else None
    except pl.exceptions.PolarsError:  # bytes that are no text
        text = None
    if text is None:
        raise InputError(
            path, Said("column {name} holds {kind}: no texts, numbers or dates", name=values.name, kind=kind)
        )
    return text


def _write_moments(path: TableSource, values: pl.Series, day: str) -> pl.Series:
    """Return days, or moments to their last digit."""
    kind = values.dtype
    numbers = values.to_physical().cast(pl.Int64)
    span = FARTHEST * (DAY_UNITS[kind.time_unit] if isinstance(kind, pl.Datetime) else 1)
    if not bool(numbers.is_between(max(-span, -(2**63)), min(span, 2**63 - 1)).all()):
        raise InputError(
            path, Said("column {name} holds {kind}s that are no days of a calendar", name=values.name, kind=kind)
        )
    if not isinstance(kind, pl.Datetime):
        return values.dt.strftime(day)
    if kind.time_zone is None:
        return values.dt.strftime(f"{day} {CLOCK}")
    return values.dt.strftime(f"{day} {CLOCK}{OFFSET}").str.replace(WHOLE_MINUTES, "${1}")

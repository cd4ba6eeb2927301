"""Files of SPSS, Stata and SAS as frames of values, by pyreadstat: labels of values, descriptions of columns.

A value that the file calls missing is missing. Where every value of a column that is in use has a label, the labels are
the values; else the codes stay, and that is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from sekisho.data.files.whole_files import read_bytes
from sekisho.errors import InputError
from sekisho.extras import require_extra
from sekisho.words import Said

PROGRAMS = {
    ".sav": "SPSS",
    ".zsav": "SPSS",
    ".por": "SPSS",
    ".dta": "Stata",
    ".sas7bdat": "SAS",
    ".xpt": "SAS",
}
"""Whose files these are, by their ending."""


class StatisticsFile(NamedTuple):
    """The values of a file, the program that writes such ones, its columns' descriptions, and what is to be said."""

    frame: pl.DataFrame
    program: str
    labels: dict[str, str]
    notices: list[Said]


def is_statistics_file(path: Path) -> bool:
    """Tell whether the ending of a file says that a statistics program wrote it."""
    return path.suffix.lower() in PROGRAMS


def read_statistics_file(path: Path) -> StatisticsFile:
    """Return the values of a file of a statistics program.

    Raises:
        InputError: it is missing, or no such file.
        ParameterError: pyreadstat is not installed.
    """
    suffix = path.suffix.lower()
    require_extra("statistics", "file", path.name)
    read_bytes(path)  # for its size and for what may be wrong with the path
    import pyreadstat

    readers = {
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".por": pyreadstat.read_por,
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    try:
        columns, about = readers[suffix](str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OverflowError, UnicodeError) as error:
        raise InputError(path, Said("is no {program} file: {error}", program=PROGRAMS[suffix], error=error)) from error
    notices, frame = list[Said](), list[pl.Series]()
    for name, values in columns.items():
        series = _settle(pl.Series(name, list(values), strict=False))
        frame.append(_put_labels(series, about.variable_value_labels.get(name, {}), notices))
    labels = {name: label for name, label in about.column_names_to_labels.items() if label and label != name}
    return StatisticsFile(pl.DataFrame(frame), PROGRAMS[suffix], labels, notices)


def _settle(values: pl.Series) -> pl.Series:
    """Return floats as whole numbers where all are: SPSS knows no others."""
    if values.dtype == pl.Null:
        return values.cast(pl.String)
    if values.dtype == pl.Object:
        return pl.Series(values.name, [None if each is None else str(each) for each in values], dtype=pl.String)
    if values.dtype.is_float():
        values = values.fill_nan(None)
        known = values.drop_nulls()
        if bool((known == known.round(0)).all()) and bool((known.abs() < 2**53).all()):
            return values.cast(pl.Int64)
    return values


def _put_labels(values: pl.Series, labels: Mapping[float | int, str], notices: list[Said]) -> pl.Series:
    if not labels:
        return values
    known = {_write_code(code): str(label) for code, label in labels.items()}
    texts = values.cast(pl.String)
    in_use = [str(text) for text in texts.drop_nulls().unique()]
    bare = sorted(code for code in in_use if code not in known)
    if bare:
        notices.append(
            Said(
                "{name}: values without a label ({codes}), so that its codes are read, not the labels",
                name=values.name,
                codes=", ".join(bare[:10]),
            )
        )
        return values
    used = {code: known[code] for code in in_use}
    if len(set(used.values())) < len(used):
        notices.append(Said("{name}: two values have one label, so that its codes are read", name=values.name))
        return values
    notices.append(Said("{name}: labels are read for its {count:,} values", name=values.name, count=len(used)))
    return texts.replace_strict(used, default=None, return_dtype=pl.String)


def _write_code(code: float) -> str:
    return str(int(code)) if float(code).is_integer() else str(code)

"""What all files of cells share: rows with codes, each cell once, and faults that name the row.

What everybody knows of a cell beforehand: columns of bounds in files of cells and of patterns.

An attacker who knows that a cell lies in [45, 52] is not left with [20, 68] by any pattern, so such columns are used
wherever they stand. They are known by their names, as this program and others write them (``lower_bound``, ``lb`` of
the JJ format and of sdcTable); τ-ARGUS' ``lower`` and ``upper`` are protection levels and none of these. An empty cell
says nothing more than is known anyway: that a count, and a sum that is not negative, is not below 0.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError, InputError, MissingColumnsError
from sekisho.tables.model.table import Floats, Key, Table
from sekisho.words import Said


def columns_of(frame: pl.DataFrame, dims: Sequence[str]) -> list[pl.Series]:
    """Return the codes of each dimension, row by row, stripped; nothing is an empty code."""
    return [frame[dim].cast(pl.String).fill_null("").str.strip_chars() for dim in dims]


def find_doubled(keys: Sequence[Key]) -> list[Fault]:
    """Return a fault for each row whose cell stood in an earlier row."""
    first: dict[Key, int] = {}
    for row, key in enumerate(keys, start=1):
        first.setdefault(key, row)
    return [
        fault(
            row,
            "",
            "duplicate",
            ",".join(key),
            Said("the cell {key} stands in row {first} already", key=", ".join(key), first=first[key]),
        )
        for row, key in enumerate(keys, start=1)
        if first[key] != row
    ]


def refuse_missing(frame: pl.DataFrame, names: Sequence[str], source: object) -> None:
    """Refuse a frame that lacks a column."""
    missing = [name for name in dict.fromkeys(names) if name not in frame.columns]
    if missing:
        raise MissingColumnsError(source, missing, frame.columns)
    if not frame.height:
        raise InputError(source, Said("has no rows"))


def fault(row: int, column: str, rule: str, value: str, message: Said) -> Fault:
    """Return one fault of a file of cells."""
    return Fault(row=row, column=column, rule=rule, value=value, message=message)


LOWER = ("lower_bound", "lb", "lbound", "low_bound", "下限", "下限値")
UPPER = ("upper_bound", "ub", "ubound", "up_bound", "上限", "上限値")
BOUND_NAMES = tuple(spelling for name in (*LOWER, *UPPER) for spelling in dict.fromkeys((name, name.upper())))
"""How such columns are spelled, mostly."""


def _spell(name: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKC", name).casefold() if sign.isalnum())


FIELDS = {_spell(name): field for field, names in (("lower", LOWER), ("upper", UPPER)) for name in names}


def find_bounds(names: Collection[str], taken: Collection[str] = (), *, source: object = "cells") -> dict[str, str]:
    """Return the columns of bounds among some names by what they hold, ``lower`` or ``upper``.

    Args:
        names: of all columns.
        taken: those that are said to be something else.
        source: to be named.

    Raises:
        InputError: two columns hold the same.
    """
    columns: dict[str, str] = {}
    for name in names:
        field = FIELDS.get(_spell(name))
        if field is None or name in taken:
            continue
        if field in columns:
            raise InputError(
                source,
                Said(
                    "has two columns of {field} bounds, {columns} and {name}: leave one out",
                    field=field,
                    columns=columns[field],
                    name=name,
                ),
            )
        columns[field] = name
    return columns


def apply_bounds(
    table: Table,
    keys: Sequence[Key],
    frame: pl.DataFrame,
    columns: Mapping[str, str],
    *,
    counts: bool = False,
    source: object = "cells",
) -> Table:
    """Return a table with the bounds that a file tells of its cells, as :func:`read_bounds` reads them.

    Raises:
        FaultsError: bounds that are no numbers, all at once; then bounds that exclude a cell's value.
    """
    lower, upper = read_bounds(table, keys, frame, columns, counts=counts, source=source)
    try:
        return replace(table, lower=lower, upper=upper)
    except FaultsError as error:
        raise FaultsError(source, error.faults, count=error.count) from error


def read_bounds(
    table: Table,
    keys: Sequence[Key],
    frame: pl.DataFrame,
    columns: Mapping[str, str],
    *,
    counts: bool = False,
    source: object = "cells",
) -> tuple[Floats, Floats]:
    """Return a table's bounds, those that a file tells in place of its own.

    Args:
        table: it is.
        keys: of each row's cell.
        frame: the file.
        columns: those of bounds, by what they hold.
        counts: whether the table counts: a count is not below 0, whatever a file says.
        source: to be named in faults.

    Raises:
        FaultsError: bounds that are no numbers, all at once.
    """
    faults: list[Fault] = []
    at = np.array([table.position[key] for key in keys], dtype=np.int64)
    fields: dict[str, Floats] = {"lower": table.lower.copy(), "upper": table.upper.copy()}
    for field, name in columns.items():
        numbers, told = _read_numbers(frame[name], name, faults)
        fields[field][at[told]] = numbers[told]
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda each: each.row))
    lower = np.maximum(fields["lower"], 0.0) if counts else fields["lower"]
    return lower, fields["upper"]


def tighten_bounds(
    table: Table, keys: Sequence[Key], frame: pl.DataFrame, columns: Mapping[str, str], *, source: object = "pattern"
) -> Table:
    """Return a table with its own bounds and those that another file tells: whoever reads both knows both."""
    other = apply_bounds(table, keys, frame, columns, source=source)
    return replace(table, lower=np.maximum(table.lower, other.lower), upper=np.minimum(table.upper, other.upper))


def _read_numbers(column: pl.Series, name: str, faults: list[Fault]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the numbers of a column, and where there are some; infinity is told as nothing is."""
    text = column.cast(pl.String).fill_null("").str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    empty = (text == "").to_numpy()
    bad = ~empty & np.isnan(numbers)
    faults += [
        fault(int(row) + 1, name, "number", text[int(row)], Said("{text!r} is no number", text=text[int(row)]))
        for row in np.flatnonzero(bad)
    ]
    return np.where(empty, 0.0, numbers), ~empty & ~bad

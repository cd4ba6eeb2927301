"""What all files of cells share: rows with codes, each cell once, and faults that name the row."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sekisho.errors import Fault, InputError
from sekisho.tables.model.table import Key
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
        raise InputError(
            source,
            Said("has no column {missing}; it has {names}", missing=", ".join(missing), names=", ".join(frame.columns)),
        )
    if not frame.height:
        raise InputError(source, Said("has no rows"))


def fault(row: int, column: str, rule: str, value: str, message: str) -> Fault:
    """Return one fault of a file of cells."""
    return Fault(row=row, column=column, rule=rule, value=value, message=message)

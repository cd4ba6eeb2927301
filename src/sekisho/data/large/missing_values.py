"""Which cells of a column are missing, as an expression for any engine; as in memory, by the texts they would show."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from math import isfinite

import narwhals as nw
import polars as pl

from sekisho.data.large.names import file_column

BLANK = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""What counts as blank around a text, in memory and on every engine: white space as Unicode has it."""


def clear_missing(name: str, kind: nw.dtypes.DType, missing: Sequence[str]) -> nw.Expr:
    """Return the expression of a column whose missing cells are null.

    Args:
        name: of the column.
        kind: of its values.
        missing: the texts that mean missing.
    """
    cell = file_column(name)
    if kind == nw.String:
        return nw.when(~cell.str.strip_chars(BLANK).is_in(list(missing))).then(cell)
    if kind.is_float():
        cell = nw.when(~cell.is_nan()).then(cell) if "NaN" in missing else cell
    values = list_missing_values(kind, missing)
    return nw.when(~cell.is_in(values)).then(cell) if values else cell


def list_missing_values(kind: nw.dtypes.DType, missing: Sequence[str]) -> list[object]:
    """Return the values of a kind that some texts are the writing of."""
    values = list[object]()
    for text in missing:
        with suppress(ValueError, OverflowError):
            value = _parse(text, kind)
            if value is not None and _write(value, kind) == text:
                values.append(value)
    return values


def _parse(text: str, kind: nw.dtypes.DType) -> object:
    if kind == nw.Boolean:
        return {"true": True, "false": False}.get(text)
    if kind == nw.Date:
        return date.fromisoformat(text)
    if kind.is_float():
        value = float(text)
        return value if isfinite(value) else None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def _write(value: object, kind: nw.dtypes.DType) -> str:
    if kind == nw.Float32:
        return str(pl.Series([value], dtype=pl.Float32).cast(pl.String)[0])
    return str(pl.Series([value]).cast(pl.String)[0])

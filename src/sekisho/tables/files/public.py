"""A table as it may be published: one mark for every suppressed cell, and nothing that tells one from another.

The reader sees the codes, the published values and where something is hidden. He does not see which cells are unsafe
and which hide them, nor levels, costs or rules: whoever knows that a cell is secondary knows that its count is not
small. The file depends on the shown values and the hidden places alone; even whether a column has decimals is asked of
the shown values only.
"""

from __future__ import annotations

import unicodedata
from decimal import Decimal

import polars as pl

from sekisho.errors import ParameterError
from sekisho.tables.model.table import Table
from sekisho.words import Said

MARK = "x"
"""The mark of τ-ARGUS and of many offices."""
LONGEST = 8
STARS = "*"
WORDS = frozenset({"nan", "inf", "infinity", "na", "null", "none", "nil", "true", "false"})
"""Words that readers of files take for numbers or for nothing."""


def public_frame(table: Table, *, value: str = "value", mark: str = MARK) -> pl.DataFrame:
    """Return a table as it may be published.

    The dimension columns, and the values as text, with the mark where a cell is suppressed. Cells of no published table
    are left out.

    Raises:
        ParameterError: the mark could be taken for a value, or the value's column is named like a dimension.
    """
    refuse_mark(mark)
    if value in table.dims:
        raise ParameterError("value", Said("not be named like a dimension"), value)
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    hidden = table.suppressed.tolist()
    shown = [mark if out else _write_number(number) for number, out in zip(table.value.tolist(), hidden, strict=True)]
    return pl.DataFrame([*columns, pl.Series(value, shown)]).filter(pl.Series(~table.unpublished))


def refuse_mark(mark: str) -> None:
    """Refuse a mark that could be taken for a value, for zero or for a missing one.

    A dash is zero in many tables, and letters such as 一 and 〇 are numbers.
    """
    letters = all(sign in STARS or (sign.isalpha() and unicodedata.numeric(sign, None) is None) for sign in mark)
    if not mark or len(mark) > LONGEST or not letters or unicodedata.normalize("NFKC", mark).lower() in WORDS:
        hint = Said("a mark must not be taken for a value, for zero or for a missing one")
        raise ParameterError(
            "mark",
            Said("be 1 to {longest} letters or {star}, such as x or ***", longest=LONGEST, star=STARS),
            mark,
            hint=hint,
        )


def _write_number(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{Decimal(repr(number)):f}"

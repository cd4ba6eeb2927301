"""Any text inside a generalised cell: the marks of the grammar are written in code where a value itself holds them.

A value may hold ``;``, ``{``, ``}`` or a control character, or be ``*``; as in an address on the web these are written
``%3B``, ``%7B``, ``%7D``, ``%0A`` … and ``%2A``. A per cent sign is written ``%25`` only where it would be read as the
beginning of such a code, so that ordinary texts (``50% off``) stay as they are. Reading undoes exactly what writing
did.
"""

from __future__ import annotations

import polars as pl

STAR = "*"
ANYWHERE = (*(chr(code) for code in range(32)), ";", "{", "}", "\x7f")
CODES = {mark: f"%{ord(mark):02X}" for mark in (*ANYWHERE, STAR, "%")}
BEFORE = "%(" + "|".join(code[1:] for code in CODES.values()) + ")"


def escape_marks(text: pl.Series) -> pl.Series:
    """Return values as they stand inside generalised cells."""
    marks = list(ANYWHERE)
    cell = pl.col("cell")
    coded = cell.str.replace_all(BEFORE, "%25${1}").str.replace_many(marks, [CODES[mark] for mark in marks])
    whole = pl.when(cell == STAR).then(pl.lit(CODES[STAR])).otherwise(coded)
    return text.to_frame("cell").select(whole.alias(text.name)).to_series()


def restore_marks(text: pl.Series) -> pl.Series:
    """Return the values that stand inside generalised cells."""
    return text.str.replace_many(list(CODES.values()), list(CODES))

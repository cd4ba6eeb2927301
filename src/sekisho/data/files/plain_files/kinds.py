"""What kind of values a column holds, where nobody says it: found from its texts, and said.

A column is of dates or numbers only if every cell is one. Digits that are a code and not a number (with a leading zero,
or more than twelve of them) are a category.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sekisho.data.files.plain_files.dates import read_days
from sekisho.data.files.plain_files.numbers import (
    COMMA,
    POINT,
    UNDECIDED,
    are_numbers,
    count_digits,
    spell_out_exponents,
)
from sekisho.data.frame.schema import Kind

CODE = r"^\s*[+-]?(?:0[0-9]|[0-9]{13})"

MARKED = "[.,]"


def find_kind(text: pl.Series, *, date_format: str, decimal: str) -> Kind:
    """Return the kind of a column's texts, of which none is missing."""
    text = text.unique()
    if not len(text):
        return Kind.CATEGORY
    if bool(read_days(text, date_format)[1].all()):
        return Kind.DATE
    if not are_numbers(text, decimal) or bool(text.str.contains(CODE).any()):
        return Kind.CATEGORY
    return Kind.DECIMAL if count_digits(text, decimal)[1] else Kind.INTEGER


def find_decimal_mark(columns: Iterable[pl.Series]) -> str:
    """Return the decimal mark of some columns: the one without which some column could not be read.

    ``1,234`` and ``1.234`` are numbers with either mark, and different ones: columns of such texts alone decide
    nothing, and where others decide nothing either, or not alike, the mark is undecided. Without any mark it is the
    point.
    """
    wanted, open_columns = set[str](), False
    for column in columns:
        text = column.unique()
        if not len(text):
            continue
        marks = {mark for mark in (POINT, COMMA) if are_numbers(spell_out_exponents(text, mark), mark)}
        wanted |= marks if len(marks) == 1 else set()
        open_columns |= len(marks) > 1 and bool(text.str.contains(MARKED).any())
    if open_columns and len(wanted) != 1:
        return UNDECIDED
    return COMMA if COMMA in wanted else POINT

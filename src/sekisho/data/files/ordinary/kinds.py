"""What kind of values a column holds, where nobody says it: found from its texts, and said.

A column is of dates or numbers only if every cell is one. Digits that are a code and not a number (with a leading zero,
or more than twelve of them) are a category.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sekisho.data.files.ordinary.dates import read_days
from sekisho.data.files.ordinary.numbers import COMMA, POINT, are_numbers, count_digits
from sekisho.data.frame.schema import Kind

CODE = r"^\s*[+-]?(?:0[0-9]|[0-9]{13})"

DECIMAL_COMMA, THOUSANDS_COMMA = r",[0-9]+\s*$", r",[0-9]{3}\s*$"


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
    """Return the decimal mark of some columns: a comma only where one of them cannot be read otherwise.

    ``1,234`` may have a mark between thousands, so a comma that three digits follow everywhere decides nothing.
    """
    for column in columns:
        text = column.unique()
        if not len(text) or are_numbers(text, POINT) or not are_numbers(text, COMMA):
            continue
        if bool((text.str.contains(DECIMAL_COMMA) & ~text.str.contains(THOUSANDS_COMMA)).any()):
            return COMMA
    return POINT

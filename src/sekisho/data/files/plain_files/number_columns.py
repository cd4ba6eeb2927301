"""Columns of numbers in a frame of texts: each number is written with a point, and none is ever taken for another.

What stands around a number (a currency, a unit, a minus of any kind) is taken off.

The decimal mark is told, or decided by the texts themselves. A cell that a program would read as a number, though with
that mark it is none or another, is refused with its row; what is no number in any way is left to whoever reads it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sekisho.data.files.fault_notes import CELL, FaultNotes
from sekisho.data.files.plain_files.kinds import MARKED, find_decimal_mark
from sekisho.data.files.plain_files.number_forms import find_coinless, strip_marks
from sekisho.data.files.plain_files.numbers import POINT, UNDECIDED, write_points
from sekisho.words import Said

NUMERIC = r"^\s*[+-]?[0-9][0-9.,'\u2019\s]*(?:[eE][+-]?[0-9]+)?\s*$"


def find_mark(columns: Sequence[pl.Series], decimal: str | None) -> str:
    """Return the decimal mark of columns in which texts that are no numbers may stand: as told, else as found."""
    if decimal is not None:
        return decimal
    words = [column.drop_nulls().unique() for column in columns]
    texts = [text.filter(text.str.contains(NUMERIC)) for text in map(bare_numbers, words)]
    mark = find_decimal_mark(texts)
    if mark != UNDECIDED:
        return mark
    marks = {decimal for text, raw in zip(texts, words, strict=True) for decimal in find_coinless(text, raw)}
    return marks.pop() if len(marks) == 1 else mark


def bare_numbers(words: pl.Series) -> pl.Series:
    """Return distinct texts of which numbers have lost what stands around them."""
    return strip_marks(words).fill_null(words)


def settle_numbers(
    frame: pl.DataFrame, names: Sequence[str], decimal: str | None, source: object, *, otherwise: str = UNDECIDED
) -> pl.DataFrame:
    """Return a frame in which the numbers of some columns have a decimal point and no marks between thousands.

    Args:
        frame: columns of texts; others hold numbers already.
        names: of the columns of numbers; one that is not there is passed over.
        decimal: the decimal mark; None where it is to be found out.
        source: the file, as faults name it.
        otherwise: the mark where the texts do not decide it, of files that say no other number than one that is known.

    Raises:
        FaultsError: cells would be read as other numbers, or nobody can tell which; all at once.
    """
    texts = [frame[name] for name in dict.fromkeys(names) if name in frame.columns and frame[name].dtype == pl.String]
    mark, notes = find_mark(texts, decimal) or otherwise, FaultNotes(str(source), frame.height)
    columns = [_settle_column(text, mark, notes) for text in texts]
    notes.raise_faults()
    return frame.with_columns(columns)


def read_floats(text: pl.Series, mark: str) -> pl.Series:
    """Return the numbers that texts mean; null for what is none, or cannot be told."""
    written = write_points(text.fill_null("").alias(""), mark)
    steep = text.cast(pl.Float64, strict=False) if mark == POINT else pl.Series([None], dtype=pl.Float64)
    return written.cast(pl.Float64, strict=False).zip_with(written.is_not_null(), steep).alias(text.name)


def _settle_column(text: pl.Series, mark: str, notes: FaultNotes) -> pl.Series:
    words = text.drop_nulls().unique()
    bare = bare_numbers(words)
    written = write_points(bare, mark)
    other = written.is_null() & bare.cast(pl.Float64, strict=False).is_not_null()
    other |= written.is_null() & bare.str.contains(NUMERIC) & bare.str.contains(MARKED)
    if mark != POINT and bool(other.any()):
        mask = text.is_in(words.filter(other).implode()).fill_null(value=False).to_numpy().astype(np.bool_)
        both = Said(
            "{source_name} {value} can be read with a decimal point and with a comma: say which",
            source_name=text.name,
            value=CELL,
        )
        one = Said("{name} {value} is no number with a decimal comma", name=text.name, value=CELL)
        notes.note(mask, text.name, "decimal", text.fill_null(""), both if mark == UNDECIDED else one)
    known = written.is_not_null()
    return text.replace(words.filter(known), written.filter(known)) if bool(known.any()) else text

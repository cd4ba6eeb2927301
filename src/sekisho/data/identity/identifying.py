"""Which columns of a table name people, whatever made the table and whoever asks.

The adversary here needs no skill: he reads the release. A column names people if its header says so (``name``, 氏名),
if what stands in it does (e-mail addresses, telephone numbers), or if almost every value of it is distinct, as of a
customer number. Every door asks here before anything leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np

from sekisho.data.frame.release import MaskedTable
from sekisho.data.frame.schema import Kind

IDENTIFYING_SHARE = Fraction(9, 10)
"""A column with at least so many distinct values per record names people."""
FEWEST_RECORDS = 20
"""Of fewer records a column may well have as many values as there are records and name nobody."""


class Ground(StrEnum):
    """Why a column is taken to name people."""

    HEADER = "header"
    CONTENT = "content"
    DISTINCT = "distinct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifying:
    """A column that names people.

    Attributes:
        column: its name.
        ground: why.
        sign: the word of the header, or the form of the values; never a value itself.
    """

    column: str
    ground: Ground
    sign: str = ""


def list_identifying(table: MaskedTable) -> tuple[Identifying, ...]:
    """Return the columns of a table that name people, in the order of the columns."""
    rows = len(table)
    if rows < FEWEST_RECORDS:
        return ()
    columns: list[Identifying] = []
    for column in table.schema.attributes:
        cells = table.columns[column.name]
        if column.kind not in (Kind.CATEGORY, Kind.INTEGER) or not bool(cells.is_exact().all()):
            continue
        values = table.numbers(column.name).lower if column.kind.numeric else table.sets(column.name).codes
        if len(np.unique(values)) >= IDENTIFYING_SHARE * rows:
            columns.append(Identifying(column=column.name, ground=Ground.DISTINCT))
    return tuple(columns)

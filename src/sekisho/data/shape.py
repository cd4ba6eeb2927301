"""The three shapes that data come in; every room knows data by these words only."""

from __future__ import annotations

from enum import StrEnum


class Shape(StrEnum):
    """What a row is.

    Attributes:
        HISTORY: many rows a person: purchases, visits, trips.
        RECORDS: one row a person: a survey, a register, health records.
        TABLE: a row is a cell of a table with margins.
    """

    HISTORY = "history"
    RECORDS = "records"
    TABLE = "table"

"""Whose rows records are: a column that says so, the word of whoever holds them, or nobody's."""

from __future__ import annotations

from sekisho.data.frame.dataset import Dataset
from sekisho.gate.account.account import Unit, UnitOrigin


def find_unit(data: Dataset) -> Unit:
    """Return whose each row of records is, by the column of the schema that says so."""
    holder, rows = data.schema.identifier, len(data)
    if holder is None:
        return Unit(origin=UnitOrigin.SAID, people=rows, rows=rows)
    people = data.text(holder.name).n_unique()
    return Unit(
        who=holder.name, origin=UnitOrigin.KNOWN if people == rows else UnitOrigin.OPEN, people=people, rows=rows
    )

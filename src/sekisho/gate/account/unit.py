"""Whose rows records are: a column that says so, the word of whoever holds them, or nobody's.

k, l and whatever else is counted of rows is said of people only where a row is a person. A column that says who, by its
header, its content or its neighbours, settles it where it is all distinct, read or left out. Where it repeats, nothing
that was counted of rows is said of people: a person decides, or gives the reason why a row is a person all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.data.files.schema_files.row_owners import find_owner
from sekisho.data.frame.dataset import Dataset
from sekisho.data.identity.row_owner import RowOwner
from sekisho.errors import ParameterError
from sekisho.gate.account.account import Unit, UnitOrigin
from sekisho.gate.account.reasons import check_reasons
from sekisho.words import Said

ROW = "row"
"""What a reason may speak of: that a row is a person."""


def check_unit(reasons: Mapping[str, str]) -> None:
    """Refuse what is no reason why a row is a person.

    Raises:
        ParameterError: it speaks of something else, or is no sentence.
    """
    for name in reasons:
        if name != ROW:
            raise ParameterError("unit", Said("say row, and why a row is a person"), name)
    check_reasons("unit", reasons)


def find_unit(data: Dataset, *, owner: RowOwner | None = None, reasons: Mapping[str, str] | None = None) -> Unit:
    """Return whose each row of records is.

    Args:
        data: the columns that are read.
        owner: the column that says whose rows they are, read or left out; asked of the columns that are read if None.
        reasons: why a row is a person, as whoever holds the data says.
    """
    who, rows = find_owner(data) if owner is None else owner, len(data)
    if ROW in (reasons or {}) or not who.column:
        return Unit(origin=UnitOrigin.SAID, people=rows, rows=rows)
    origin = UnitOrigin.OPEN if who.repeats else UnitOrigin.KNOWN
    return Unit(who=who.column, origin=origin, people=who.people, rows=rows)

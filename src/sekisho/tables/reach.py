"""What the primary rules share: a sensitivity above zero, and the reach it asks for on either side of the value."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables import Levels
from sekisho.tables.contributors import Contributors
from sekisho.tables.table import RELATIVE_SLACK, Floats, Mask, Table


def positive(sensitivity: Floats, known: Contributors) -> Mask:
    """Tell where S > 0, apart from the last digits of float sums: at S = 0 a cell is safe by every rule."""
    return sensitivity > known.total * 100 * RELATIVE_SLACK


def two_sided(table: Table, level: Floats, *, width: float = 0.0) -> Levels:
    """Return a level on either side, no lower than the attacker's own bound lets an interval reach, and a width."""
    reach = np.maximum(level, 0.0)
    return Levels(
        lower=np.minimum(reach, table.value - table.lower),
        upper=np.minimum(reach, table.upper - table.value),
        sliding=np.full(len(table), float(width)),
    )


def at_least(name: str, value: float | Fraction, least: int) -> None:
    """Refuse a parameter below its least value, and one that is no number."""
    if not least <= value < inf:
        raise ParameterError(name, f"be a number of at least {least}", value)

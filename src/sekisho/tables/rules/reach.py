"""What the primary rules share.

A sensitivity above zero, the reach it asks for on either side of the value, and the usual levels. No level is 0: an
unsafe cell that asks for nothing is hidden but not protected.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables import Levels
from sekisho.tables.model.contributors import Contributors
from sekisho.tables.model.limits import LEAST, RELATIVE_SLACK
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.words import Said

COUNT_WIDTH = 10.0
"""How wide the interval of an unsafe count must be, if nobody says: t of Minami, Optimisation of cell suppression."""
MARGIN = Fraction(20)
"""How many per cent of a sum its interval must reach on either side, if nobody says: the manual safety range of
τ-ARGUS."""


def positive(sensitivity: Floats, known: Contributors) -> Mask:
    """Tell where S > 0, apart from the last digits of float sums: at S = 0 a cell is safe by every rule."""
    return sensitivity > known.total * 100 * RELATIVE_SLACK


def two_sided(table: Table, level: Floats, *, width: float = 0.0) -> Levels:
    """Return a level on either side, and a width.

    A level is at least the least there is, but below the value no further than to 0 where nothing is below 0. Of bounds
    that everybody knows besides, nothing is taken off: where they leave less than the level, the cell cannot be
    protected, and the answer must be that.
    """
    reach = np.maximum(level, LEAST)
    natural = np.minimum(table.lower, 0.0)
    lower, upper = np.minimum(reach, np.maximum(table.value - natural, 0.0)), reach
    return Levels(lower=lower, upper=upper, sliding=np.full(len(table), float(width)))


def usual_levels(table: Table, *, width: float | None = None, margin: Fraction | None = None) -> Levels:
    """Return the levels where theory has none: a width, a margin on either side in per cent of the value, or both.

    If neither is said, counts need a width of 10 and sums a margin of 20 %. A value of 0 counts as the smallest other
    value of the table, for a part of 0 is none; and in a table of whole numbers a margin is at least 1, for less tells
    them apart from no other.
    """
    if width is None and margin is None:
        width, margin = (COUNT_WIDTH, None) if table.counts else (None, MARGIN)
    if not margin:
        nothing = np.zeros(len(table))
        return Levels(lower=nothing, upper=nothing, sliding=np.full(len(table), width or LEAST))
    size = np.abs(table.value)
    smallest = float(size.min(initial=inf, where=size > 0))
    size = np.where(size > 0, size, smallest if smallest < inf else 1.0)
    level = np.maximum(size * float(margin / 100), 1.0 if table.whole else LEAST)
    return two_sided(table, level, width=width or 0.0)


def refuse_no_level(width: float | None, margin: Fraction | None) -> None:
    """Refuse a width and a margin that are no numbers of at least 0, or that together ask for nothing.

    None is not said.
    """
    for name, value in (("width", width), ("margin", margin)):
        if value is not None:
            at_least(name, value, 0)
    if (width is not None or margin is not None) and not margin:
        refuse_narrow(0.0 if width is None else width)


def refuse_narrow(width: float) -> None:
    """Refuse a width that protects nothing."""
    if not LEAST <= width < inf:
        hint = Said("an unsafe cell without a level is hidden, but its value can be worked out")
        raise ParameterError("width", Said("be a number of at least {least:g}", least=LEAST), width, hint=hint)


def at_least(name: str, value: float | Fraction, least: int) -> None:
    """Refuse a parameter below its least value, and one that is no number."""
    if not least <= value < inf:
        raise ParameterError(name, Said("be a number of at least {least}", least=least), value)

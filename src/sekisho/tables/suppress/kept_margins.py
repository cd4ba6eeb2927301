"""Margins that stay shown: a total of totals is not hidden wherever the table can be protected without it.

The number of cells alone decides badly here: in a table of three dimensions one hidden grand total helps hundreds of
unsafe cells at once, so the fewest cells hide it, and with it what every reader looks for first. From the highest level
down, a level's totals are therefore kept if every unsafe cell can still be protected by hiding others; of a level that
cannot be kept whole, as many as halving it finds. The lowest level, the totals of inner cells, is left to the costs.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.heights import measure_heights
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.suppress.safety import Safety

Places = NDArray[np.intp]
LOWEST = 2
"""The lowest height that is kept: totals of totals."""
TRIALS = 8
"""How many parts of a level are tried after the whole of it has failed."""


def keep_margins(table: Table, *, insiders: int = 0, seconds: float | None = None) -> Mask:
    """Return the margins that are to stay shown; with a time limit, those found by then."""
    shown: Mask = np.zeros(len(table), dtype=np.bool_)
    if not table.primary.any():
        return shown
    heights, until = measure_heights(table), inf if seconds is None else monotonic() + seconds
    for height in range(int(heights.max(initial=0)), LOWEST - 1, -1):
        cells = np.flatnonzero((heights == height) & (table.status == Status.SAFE))
        shown |= _show_most(show_cells(table, shown), cells, insiders, until)
    return shown


def _show_most(table: Table, cells: Places, insiders: int, until: float) -> Mask:
    """Return as many of some cells as can be shown: all of them, or halves of what cannot be shown whole."""
    waiting, trials = [cells], 0
    shown: Mask = np.zeros(len(table), dtype=np.bool_)
    while waiting and trials <= TRIALS and monotonic() < until:
        some = waiting.pop(0)
        trial = shown.copy()
        trial[some] = True
        trials += 1
        if some.size and _can_protect(show_cells(table, trial), insiders):
            shown = trial
        elif len(some) > 1:
            waiting += [some[: len(some) // 2], some[len(some) // 2 :]]
    return shown


def show_cells(table: Table, mask: Mask | None) -> Table:
    """Return the table with some of its safe cells marked to be published."""
    if mask is None or not mask.any():
        return table
    return replace(table, status=np.where(mask & (table.status == Status.SAFE), np.int8(Status.PUBLISH), table.status))


def _can_protect(table: Table, insiders: int) -> bool:
    """Tell whether every unsafe cell is protected if all is hidden that may be."""
    return Safety(table, insiders).holds(table.status == Status.SAFE)

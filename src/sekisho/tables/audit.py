"""Audit: the exact interval of every suppressed cell of any pattern, ours or another tool's.

The adversary is an outsider: he sees what is published, knows the equations and, for every cell, bounds (for counts: not below 0).
For each hidden cell he solves two linear programs, least and greatest. Cells that share no equation through hidden cells are
separate problems. Every solution speaks for all cells: one that stands at the end that its equations allow is settled unasked.

Counts are whole numbers, and in three or more dimensions the interval over whole tables can be narrower than over all tables: the
whole-number audit computes that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sekisho.errors import ParameterError
from sekisho.tables.attacker import DOWN, UP, Attacker, room
from sekisho.tables.survey import Needs
from sekisho.tables.table import Floats, Table

CLOSE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The attacker's intervals.

    Attributes:
        table: with the pattern audited.
        cells: the suppressed cells, ascending.
        low: the least value that he must think possible, per suppressed cell.
        high: the greatest, infinity if there is none.
        whole: whether only whole tables were considered.
    """

    table: Table
    cells: NDArray[np.intp]
    low: Floats
    high: Floats
    whole: bool

    @property
    def disclosed(self) -> NDArray[np.intp]:
        """The suppressed cells whose value he knows exactly."""
        return self.cells[self.high - self.low < CLOSE]

    @property
    def narrow(self) -> NDArray[np.intp]:
        """The primaries whose interval misses one of their levels."""
        needs = Needs.of(self.table)
        at = np.searchsorted(self.cells, needs.cells)
        value = self.table.value[needs.cells]
        return needs.cells[~needs.met(value - self.low[at], self.high[at] - value)]


def audit(table: Table, *, whole: bool = False) -> Audit:
    """Return the interval of every suppressed cell.

    Raises:
        ParameterError: a whole-number audit is asked of a table whose values are not whole.
    """
    if whole and not table.whole:
        raise ParameterError("whole", "be asked of tables of whole numbers only", "values with a fraction")
    cells = np.flatnonzero(table.suppressed)
    low, high = np.zeros(len(table)), np.zeros(len(table))
    for part in components(table, cells):
        down, up = _ends(table, part, whole=whole)
        low[part], high[part] = table.value[part] - down, table.value[part] + up
    return Audit(table=table, cells=cells, low=_tidy(low[cells]), high=_tidy(high[cells]), whole=whole)


def components(table: Table, cells: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Return the groups of hidden cells that no chain of equations joins."""
    part = csr_array(table.matrix.tocsc()[:, cells].tocsr())
    count, label = connected_components(csr_array(part.T @ part), directed=False)
    order = np.argsort(label, kind="stable")
    ends = np.searchsorted(label[order], np.arange(count + 1))
    return (cells[order[ends[at] : ends[at + 1]]] for at in range(count))


def _ends(table: Table, cells: NDArray[np.intp], *, whole: bool) -> tuple[Floats, Floats]:
    """Return how far each of some joined cells can move down and up."""
    down, up = room(table)
    attacker = Attacker(table, cells, down[cells], up[cells], whole=whole)
    most_down, most_up = implied_room(table, cells)
    seen_down, seen_up = np.zeros(len(cells)), np.zeros(len(cells))
    for way, seen, most in ((DOWN, seen_down, most_down), (UP, seen_up, most_up)):
        for at, cell in enumerate(cells.tolist()):
            if np.isfinite(most[at]) and seen[at] >= most[at] - CLOSE * max(1.0, most[at]):
                seen[at] = most[at]
                continue
            reach = attacker.reach(cell, way)
            np.maximum(seen_up, reach.point, out=seen_up)
            np.maximum(seen_down, -reach.point, out=seen_down)
            seen[at] = reach.far
    return seen_down, seen_up


def implied_room(table: Table, cells: NDArray[np.intp], rounds: int = 2) -> tuple[Floats, Floats]:
    """Return how far each hidden cell could move at most by its bounds and each equation taken alone: a cell gains what others lose."""
    part = csr_array(table.matrix.tocsc()[:, cells].tocsr()).tocoo()
    rows, columns, data, count = part.row, part.col, part.data, part.shape[0]
    all_down, all_up = room(table)
    down, up = all_down[cells].copy(), all_up[cells].copy()
    for _ in range(rounds):
        for sign, room_of in ((1.0, up), (-1.0, down)):
            # a move of the cell by data * sign * d is paid for by the other cells of the row moving the other way
            loss = np.where(data > 0, down[columns], up[columns]) * np.abs(data)
            gain = np.where(data > 0, up[columns], down[columns]) * np.abs(data)
            payable = np.where(data * sign > 0, _others(loss, rows, count), _others(gain, rows, count))
            np.minimum.at(room_of, columns, payable / np.abs(data))
    return down, up


def _others(amount: Floats, rows: NDArray[np.int32], count: int) -> Floats:
    """Return, for each entry, the sum of the other entries of its row."""
    endless = ~np.isfinite(amount)
    finite = np.where(endless, 0.0, amount)
    sums = np.bincount(rows, weights=finite, minlength=count)[rows] - finite
    open_rows = np.bincount(rows, weights=endless, minlength=count)[rows] - endless
    return np.where(open_rows > 0, np.inf, np.maximum(sums, 0.0))


def _tidy(values: Floats) -> Floats:
    """Return values without the solver's dust: what is within a billionth of a whole number is that number."""
    finite = np.where(np.isfinite(values), values, 0.0)
    near = np.rint(finite)
    return np.where(np.isfinite(values) & (np.abs(finite - near) < 1e-9 * np.maximum(1.0, np.abs(near))), near, values)

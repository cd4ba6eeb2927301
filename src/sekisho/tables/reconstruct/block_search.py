"""The search of one block: whole numbers between bounds, sums of them between bounds, by depth, bounds passed on.

Every unknown has a least and a greatest value, every row a least and a greatest sum. A change of one bound changes the
bounds of the others in its rows until nothing changes; then the unknown with the fewest values left is tried value by
value. All in whole numbers; each search may take a limited number of nodes and says so where that was too few.

Source: bounds consistency of linear sums, e.g. Harvey and Schimpf, "Bounds consistency techniques for long linear
constraints" (2002); the depth-first count with what is left of each row is as in Abowd and others, Harvard Data Science
Review (2025).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from sekisho.kernels import njit

Wholes = NDArray[np.int64]
UP, DOWN = 1, -1
UNASKED = -2
PLACES = 20_000_000
"""A search holds so many bounds at most, so that large blocks are searched less deeply."""


class BlockRows(NamedTuple):
    """The rows of a block: where each begins, its unknowns, the same by unknown, its least and greatest sum.

    ``group`` says of each row to which set of rows it belongs that have every unknown once.
    """

    start: Wholes
    cells: Wholes
    back_start: Wholes
    back_rows: Wholes
    low: Wholes
    high: Wholes
    group: Wholes
    groups: int

    @classmethod
    def of(
        cls, part: csr_array, by_cell: csc_array, low: Wholes, high: Wholes, group: Wholes, groups: int
    ) -> BlockRows:
        """Return rows as the search has them."""
        places = (each.astype(np.int64) for each in (part.indptr, part.indices, by_cell.indptr, by_cell.indices))
        return cls(*places, low=low, high=high, group=group, groups=groups)


@njit(cache=True, nogil=True)
def pass_bounds(rows: BlockRows, lo: Wholes, hi: Wholes, changed_cell: int) -> bool:
    """Tighten the unknowns' bounds by the rows until nothing changes; return whether all rows can still hold.

    Only the rows of one unknown are looked at first, if it alone has changed since; all of them for -1.
    """
    count = len(rows.low)
    waiting = np.zeros(count, dtype=np.bool_)
    queue = np.arange(count)
    head, held = 0, count
    if changed_cell >= 0:
        held = rows.back_start[changed_cell + 1] - rows.back_start[changed_cell]
        queue[:held] = rows.back_rows[rows.back_start[changed_cell] : rows.back_start[changed_cell + 1]]
    waiting[queue[:held]] = True
    touched = np.empty(len(lo), dtype=np.int64)
    while held:
        row = queue[head]
        head = (head + 1) % count
        held -= 1
        waiting[row] = False
        changed = _tighten_row(rows, row, lo, hi, touched)
        if changed < 0:
            return False
        for at in range(changed):
            cell = touched[at]
            for near in range(rows.back_start[cell], rows.back_start[cell + 1]):
                other = rows.back_rows[near]
                if other != row and not waiting[other]:
                    queue[(head + held) % count] = other
                    held += 1
                    waiting[other] = True
    return True


@njit(cache=True, nogil=True)
def _tighten_row(rows: BlockRows, row: int, lo: Wholes, hi: Wholes, touched: Wholes) -> int:
    """Tighten the unknowns of one row; return how many changed (and write which), -1 if the row cannot hold."""
    least, most, changed = 0, 0, 0
    low, high = rows.low[row], rows.high[row]
    for at in range(rows.start[row], rows.start[row + 1]):
        least += lo[rows.cells[at]]
        most += hi[rows.cells[at]]
    if least > high or most < low:
        return -1
    if least >= low and most <= high:
        return 0
    for at in range(rows.start[row], rows.start[row + 1]):
        cell = rows.cells[at]
        top, bottom = min(hi[cell], high - least + lo[cell]), max(lo[cell], low - most + hi[cell])
        if top == hi[cell] and bottom == lo[cell]:
            continue
        most -= hi[cell] - top
        least += bottom - lo[cell]
        lo[cell], hi[cell] = bottom, top
        if bottom > top:
            return -1
        touched[changed] = cell
        changed += 1
    return changed


@njit(cache=True, nogil=True)
def _choose(lo: Wholes, hi: Wholes, target: Wholes) -> int:
    """Return the open unknown to try: of a target's first, then with the fewest values; -1 if all are settled."""
    best, least = -1, np.int64(1 << 62)
    for cell in range(len(lo)):
        width = hi[cell] - lo[cell]
        rank = width if target[cell] else width + (1 << 40)
        if width > 0 and rank < least:
            best, least = cell, rank
    return best


@njit(cache=True, nogil=True)
def list_solutions(rows: BlockRows, lo: Wholes, hi: Wholes, out: Wholes, nodes: int, way: int) -> tuple[int, bool]:
    """Write solutions until there are no more, no more places for them, or no more nodes; small values first going up.

    Returns:
        How many were found, and whether these are all.
    """
    cells, places = len(lo), len(out)
    found, spent, depth = 0, 0, 0
    deepest = min(cells, PLACES // max(1, cells)) + 2
    lows, highs = np.empty((deepest, cells), dtype=np.int64), np.empty((deepest, cells), dtype=np.int64)
    branch, value = np.full(deepest, UNASKED, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    nobody = np.zeros(cells, dtype=np.int64)
    lows[0], highs[0] = lo, hi
    if not pass_bounds(rows, lows[0], highs[0], -1):
        return 0, True
    while depth >= 0:
        if branch[depth] == UNASKED:
            cell = _choose(lows[depth], highs[depth], nobody)
            if cell < 0:
                if found == places:
                    return found, False
                out[found] = lows[depth]
                found += 1
                depth -= 1
                continue
            branch[depth] = cell
            value[depth] = lows[depth, cell] if way > 0 else highs[depth, cell]
        cell, number = branch[depth], value[depth]
        if number > highs[depth, cell] or number < lows[depth, cell]:
            depth -= 1
            continue
        value[depth] += way
        spent += 1
        if spent > nodes or depth + 1 == deepest:
            return found, False
        lows[depth + 1], highs[depth + 1] = lows[depth], highs[depth]
        lows[depth + 1, cell] = highs[depth + 1, cell] = number
        if pass_bounds(rows, lows[depth + 1], highs[depth + 1], cell):
            depth += 1
            branch[depth] = UNASKED
    return found, True


@njit(cache=True, nogil=True)
def _limit_distance(rows: BlockRows, lo: Wholes, hi: Wholes, target: Wholes) -> int:
    """Return what the distance from a target cannot exceed: table by table, row by row, the least of all tables.

    In a row at least ``low`` less what its cells can hold beyond the target must lie on the target.
    """
    totals = np.zeros(rows.groups, dtype=np.int64)
    for row in range(len(rows.low)):
        held, least, beyond = 0, 0, 0
        for at in range(rows.start[row], rows.start[row + 1]):
            cell = rows.cells[at]
            held += target[cell]
            least += min(target[cell], lo[cell])
            beyond += hi[cell] - min(target[cell], hi[cell])
        totals[rows.group[row]] += held - max(least, rows.low[row] - beyond)
    return totals.min()


@njit(cache=True, nogil=True)
def find_farthest(
    rows: BlockRows, lo: Wholes, hi: Wholes, target: Wholes, best: Wholes, nodes: int
) -> tuple[int, bool, int]:
    """Write the solution that leaves out the most of a target (records of it, counted) to ``best``.

    Returns:
        How many it leaves out (-1 if there is no solution), whether no other leaves out more, and what none exceeds.
    """
    cells = len(lo)
    spent, farthest, depth = 0, -1, 0
    deepest = min(cells, PLACES // max(1, cells)) + 2
    lows, highs = np.empty((deepest, cells), dtype=np.int64), np.empty((deepest, cells), dtype=np.int64)
    branch, value = np.full(deepest, UNASKED, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    lows[0], highs[0] = lo, hi
    if not pass_bounds(rows, lows[0], highs[0], -1):
        return -1, True, -1
    most = _limit_distance(rows, lows[0], highs[0], target)
    while depth >= 0 and farthest < most:
        if branch[depth] == UNASKED:
            cell = _choose(lows[depth], highs[depth], target)
            if cell < 0:
                left = np.maximum(0, target - lows[depth]).sum()
                if left > farthest:
                    farthest = left
                    best[:] = lows[depth]
                depth -= 1
                continue
            branch[depth] = cell
            value[depth] = lows[depth, cell] if target[cell] else highs[depth, cell]
        cell, number = branch[depth], value[depth]
        if number > highs[depth, cell] or number < lows[depth, cell]:
            depth -= 1
            continue
        value[depth] += 1 if target[cell] else -1
        spent += 1
        if spent > nodes or depth + 1 == deepest:
            return farthest, False, most
        lows[depth + 1], highs[depth + 1] = lows[depth], highs[depth]
        lows[depth + 1, cell] = highs[depth + 1, cell] = number
        alive = pass_bounds(rows, lows[depth + 1], highs[depth + 1], cell)
        if alive and _limit_distance(rows, lows[depth + 1], highs[depth + 1], target) > farthest:
            depth += 1
            branch[depth] = UNASKED
    return farthest, True, farthest


@njit(cache=True, nogil=True)
def limit_pair(rows: BlockRows, lo: Wholes, hi: Wholes) -> int:
    """Return what the distance of any two solutions cannot exceed, table by table and row by row.

    Of two solutions, both with at least ``low`` in a row whose cells hold at most ``hi``, at least ``2 low - sum hi``
    are common there, and at least what every solution has.
    """
    totals = np.zeros(rows.groups, dtype=np.int64)
    for row in range(len(rows.low)):
        least, most = 0, 0
        for at in range(rows.start[row], rows.start[row + 1]):
            least += lo[rows.cells[at]]
            most += hi[rows.cells[at]]
        totals[rows.group[row]] += min(rows.high[row], most) - max(least, 2 * rows.low[row] - most)
    return totals.min()


@njit(cache=True, nogil=True)
def find_widest(solutions: Wholes) -> tuple[int, int, int]:
    """Return the greatest distance of two of some solutions (records of the one that the other lacks), and which."""
    best, one, two = 0, 0, 0
    for first in range(len(solutions)):
        for second in range(len(solutions)):
            far = np.maximum(0, solutions[first] - solutions[second]).sum()
            if far > best:
                best, one, two = far, first, second
    return best, one, two

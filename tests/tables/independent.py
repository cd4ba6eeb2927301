"""An attacker who shares no code with ours: union-find over equations, exact fractions, and scipy's programs on the whole model."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from sekisho.tables.model.table import Table

Interval = tuple[float, float]
UNBOUNDED = 3


def components(members: Iterable[Iterable[int]], count: int) -> list[int]:
    """Return for each of so many things the least one that chains of common memberships join it with."""
    above = list(range(count))

    def top(one: int) -> int:
        while above[one] != one:
            one = above[one]
        return one

    for group in members:
        tops = sorted(top(one) for one in group)
        for other in tops[1:]:
            above[other] = tops[0]
    return [top(one) for one in range(count)]


def equations(table: Table) -> list[dict[int, int]]:
    """Return what each equation says of the hidden cells, in whole numbers; not those that say nothing."""
    dense = table.matrix.toarray()
    cells = np.flatnonzero(table.suppressed).tolist()
    rows = [{cell: int(row[cell]) for cell in cells if row[cell]} for row in dense]
    return [row for row in rows if row]


def determined(table: Table) -> set[int]:
    """Return the hidden cells that the equations alone fix, whatever the bounds: those that move in no solution of the rest.

    The equations are brought into reduced echelon form, in fractions; a cell is fixed if a row holds it alone.
    """
    rows = [{cell: Fraction(by) for cell, by in row.items()} for row in equations(table)]
    done: list[dict[int, Fraction]] = []
    while rows:
        row = rows.pop()
        if not row:
            continue
        pivot = min(row)
        row = {cell: by / row[pivot] for cell, by in row.items()}
        rows, done = [_without(one, pivot, row) for one in rows], [_without(one, pivot, row) for one in done]
        done.append(row)
    return {next(iter(row)) for row in done if len(row) == 1}


def _without(row: dict[int, Fraction], pivot: int, by: dict[int, Fraction]) -> dict[int, Fraction]:
    """Return a row less the multiple of another that takes the pivot out of it."""
    times = row.get(pivot, Fraction(0))
    if not times:
        return row
    sums = {cell: row.get(cell, Fraction(0)) - times * by.get(cell, Fraction(0)) for cell in row.keys() | by.keys()}
    return {cell: left for cell, left in sums.items() if left}


class Model:
    """Programs over all cells of a table, nothing reduced or shared: what is known of a cell are its bounds."""

    def __init__(self, table: Table) -> None:
        self._rows = LinearConstraint(table.matrix.toarray(), 0.0, 0.0)
        self.low = np.where(table.suppressed, table.lower, table.value)
        self.high = np.where(table.suppressed, table.upper, table.value)

    def interval(self, cell: int, *, whole: bool = False) -> Interval:
        """Return the least and the greatest value of a cell over all tables, or over whole tables only."""
        least, greatest = (self._end(cell, way, whole=False) for way in (1, -1))
        if not whole:
            return least, greatest
        # where nothing stops a cell, nothing stops it on whole tables: all numbers are rational, and the true table is
        # whole
        return (
            self._end(cell, 1, whole=True) if np.isfinite(least) else least,
            self._end(cell, -1, whole=True) if np.isfinite(greatest) else greatest,
        )

    def _end(self, cell: int, way: int, *, whole: bool) -> float:
        cost = np.zeros(len(self.low))
        cost[cell] = way
        for presolve in (True, False):  # with it HiGHS may say "unbounded or infeasible", and no more
            found = milp(
                cost,
                integrality=np.full(len(cost), int(whole)),
                bounds=Bounds(self.low, self.high),
                constraints=self._rows,
                options={"presolve": presolve},
            )
            if found.status == UNBOUNDED:
                return -way * np.inf
            if found.status == 0:
                return float(found.x[cell])
        raise AssertionError(found.message)


def intervals(table: Table) -> dict[int, Interval]:
    """Return the interval of each hidden cell of the tables themselves."""
    model = Model(table)
    return {cell: model.interval(cell) for cell in np.flatnonzero(table.suppressed & ~table.unpublished).tolist()}


def exposed(table: Table) -> set[int]:
    """Return the primaries whose interval misses one of their levels."""
    model = Model(table)
    return {cell for cell in np.flatnonzero(table.primary).tolist() if missed(table, cell, model.interval(cell))}


def missed(table: Table, cell: int, ends: Interval) -> bool:
    """Tell whether an interval misses one of the cell's levels."""
    below, above = table.value[cell] - ends[0], ends[1] - table.value[cell]
    levels = (table.lower_level[cell], table.upper_level[cell], table.sliding_level[cell])
    return any(
        far < level - 1e-6 * max(1.0, *levels) for far, level in zip((below, above, below + above), levels, strict=True)
    )


def leaks(table: Table, coalition: int) -> dict[int, set[int]]:
    """Return, for each hidden cell, the other primaries that so many of its contributors together place too narrowly.

    They learn more than outsiders only of cells that chains of equations join with theirs.
    """
    hang, bare = components(equations(table), len(table)), exposed(table)
    found: dict[int, set[int]] = {}
    for cell in np.flatnonzero(table.suppressed).tolist():
        model, gave = Model(table), _given(table, cell, coalition)
        if gave <= 0:
            continue
        model.low[cell] = max(model.low[cell], gave)
        if gave >= table.value[cell]:
            model.high[cell] = table.value[cell]
        asked = [one for one in np.flatnonzero(table.primary).tolist() if hang[one] == hang[cell] and one not in bare]
        others = bare | {one for one in asked if missed(table, one, model.interval(one))}
        found |= {cell: others - {cell}} if others - {cell} else {}
    return found


def _given(table: Table, cell: int, coalition: int) -> float:
    """Return what the largest contributors to a cell, so many, know of it: everything if there are no others.

    In a count each gave 1.
    """
    own = ~table.unpublished
    if not own[cell]:
        return 0.0
    if table.frequency[cell] <= coalition:
        return float(table.value[cell])
    return min(float(table.value[cell]), float(coalition)) if np.all((table.value == table.frequency)[own]) else 0.0

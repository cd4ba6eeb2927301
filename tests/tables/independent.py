"""An attacker who shares no code with ours: union-find over equations, exact fractions, and scipy's programs on
the whole model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from sekisho.tables.model.table import Status, Table

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
    for cell in np.flatnonzero(table.suppressed & ~table.unpublished).tolist():
        model = Model(table)
        low, high = known_bounds(table, cell, coalition)
        if low <= model.low[cell] and high >= model.high[cell]:
            continue
        model.low[cell], model.high[cell] = max(model.low[cell], low), min(model.high[cell], high)
        asked = [one for one in np.flatnonzero(table.primary).tolist() if hang[one] == hang[cell] and one not in bare]
        others = bare | {one for one in asked if missed(table, one, model.interval(one))}
        found |= {cell: others - {cell}} if others - {cell} else {}
    return found


def known_bounds(table: Table, cell: int, coalition: int) -> Interval:
    """Return between what so many contributors of a cell, the largest ones, know it to lie by what they gave.

    They know it if there are no others, or none that gave anything; else it is at least what they gave, unless others
    may have given less than nothing. In a count each gave 1.
    """
    own = ~table.unpublished
    value, many = float(table.value[cell]), int(table.frequency[cell])
    if many <= coalition and (many or value):
        return value, value
    gave = float(sum(sorted(table.largest[cell].tolist(), reverse=True)[:coalition]))
    if not table.largest.shape[1] and np.all((table.value == table.frequency)[own]):
        gave = min(value, float(coalition))
    if table.lower[cell] < 0 or not many or gave <= 0:
        return -np.inf, np.inf
    return (value, value) if gave >= value else (gave, np.inf)


def least_cost(table: Table, coalition: int) -> float:
    """Return the cost of the cheapest pattern that is safe from outsiders and from every coalition.

    Infinity if there is none: if not even all cells together protect every primary. Else every pattern is tried, the
    cheapest first, each asked on its own.
    """
    free = np.flatnonzero(table.status == Status.SAFE).tolist()
    patterns = [some for many in range(len(free)) for some in combinations(free, many)]
    cheap = sorted(patterns, key=lambda cells: float(table.weight[list(cells)].sum()))
    for some in (tuple(free), *cheap):
        status = table.status.copy()
        status[list(some)] = Status.SECONDARY
        protected = is_safe(replace(table, status=status), coalition)
        if protected and some != tuple(free):
            return float(table.weight[list(some)].sum())
        if not protected and some == tuple(free):
            return float("inf")
    return float(table.weight[free].sum())


def is_safe(table: Table, coalition: int) -> bool:
    """Tell whether no primary can be told too closely by outsiders, or by a coalition of another cell."""
    hidden, own = (abs(table.matrix) @ cells for cells in (table.suppressed, table.primary))
    if np.any((hidden == 1) & (own == 1)):  # the equation gives the primary away
        return False
    primaries = np.flatnonzero(table.primary).tolist()
    insiders = np.flatnonzero(table.suppressed & ~table.unpublished).tolist() if coalition else []
    for who in (None, *insiders):
        model = Model(table)
        if who is not None:
            low, high = known_bounds(table, who, coalition)
            model.low[who], model.high[who] = max(model.low[who], low), min(model.high[who], high)
        if any(missed(table, cell, model.interval(cell)) for cell in primaries if cell != who):
            return False
    return True

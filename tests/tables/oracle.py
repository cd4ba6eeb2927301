"""Slow, obvious answers: an attacker by a stranger's solver, and the cheapest pattern by trying them all."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from sekisho.tables.model.table import Status, Table


def interval(table: Table, hidden: NDArray[np.bool_], cell: int) -> tuple[float, float]:
    """Return a cell's interval from the full model: published cells are fixed, nothing is reduced, shared or warm."""
    bounds = [
        (low, high) if free else (value, value)
        for low, high, value, free in zip(table.lower, table.upper, table.value, hidden, strict=True)
    ]
    cost = np.zeros(len(table))
    cost[cell] = 1.0
    ends: list[float] = []
    for sign in (1, -1):
        found = linprog(sign * cost, A_eq=table.matrix.toarray(), b_eq=np.zeros(table.matrix.shape[0]), bounds=bounds)
        ends.append(float(found.x[cell]) if found.x is not None else sign * -np.inf)
    return ends[0], ends[1]


def whole_interval(table: Table, hidden: NDArray[np.bool_], cell: int) -> tuple[float, float]:
    """Return the same over whole tables, from the full whole-number model."""
    bounds = Bounds(np.where(hidden, table.lower, table.value), np.where(hidden, table.upper, table.value))
    sums = LinearConstraint(table.matrix.toarray(), 0.0, 0.0)
    cost = np.zeros(len(table))
    cost[cell] = 1.0
    ends: list[float] = []
    for sign in (1, -1):
        found = milp(sign * cost, integrality=np.ones(len(table), dtype=np.int64), bounds=bounds, constraints=sums)
        ends.append(float(np.rint(found.x[cell])) if found.x is not None else sign * -np.inf)
    return ends[0], ends[1]


def safe(table: Table, hidden: NDArray[np.bool_]) -> bool:
    """Tell whether every primary's interval reaches its levels."""
    counts = abs(table.matrix) @ hidden
    alone = abs(table.matrix) @ (hidden & table.primary)
    if np.any((counts == 1) & (alone == 1)):  # the equation gives the primary away
        return False
    for cell in np.flatnonzero(table.primary).tolist():
        low, high = interval(table, hidden, cell)
        value = table.value[cell]
        if value - low < table.lower_level[cell] - 1e-6 or high - value < table.upper_level[cell] - 1e-6:
            return False
        if high - low < table.sliding_level[cell] - 1e-6:
            return False
    return True


def cheapest(table: Table) -> float | None:
    """Return the least cost of a safe pattern, by trying all in the order of their cost; None if there is none."""
    free = np.flatnonzero(table.status == Status.SAFE).tolist()
    everything = table.suppressed.copy()
    everything[free] = True
    if not safe(table, everything):
        return None
    best = float(table.weight[free].sum())
    least = sorted(table.weight[free].tolist())
    for size in range(len(free) + 1):
        if sum(least[:size]) >= best:
            break
        for chosen in combinations(free, size):
            cost = float(table.weight[list(chosen)].sum())
            if cost >= best:
                continue
            hidden = table.suppressed.copy()
            hidden[list(chosen)] = True
            if safe(table, hidden):
                best = cost
    return best

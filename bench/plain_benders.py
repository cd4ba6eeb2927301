"""The plain loop: Benders' decomposition with a whole-number master and one full attacker's program per question.

It is here to be read and to compare with: small tables only. The production optimiser is
:mod:`sekisho.tables.suppress.optimiser`.

Master: minimise ``w y`` over ``y`` in {0, 1}, ``y = 1`` at primaries, subject to the cuts so far. Sub-problem of a
primary and a way: how far can it move if ``A d = 0`` and ``-(a - lower) y <= d <= (upper - a) y``; its multipliers
``m`` bound that for every ``y`` by ``sum_i (up_i r_i^+ + down_i r_i^-) y_i`` with ``r = e_p - A' m``, which is the next
cut if the primary cannot move enough.

Source: Minami, Optimisation of cell suppression.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from sekisho.errors import BugError, InfeasibleError
from sekisho.tables.audit.attacker import room
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.tables.solvers.highs import Program, SolveStatus

CLOSE = 1e-6


def plain_benders(table: Table) -> Mask:
    """Return the secondary cells of an optimal pattern.

    Raises:
        InfeasibleError: no pattern is safe.
    """
    down, up = (np.minimum(each, _far(table)) for each in room(table))
    rows: list[Floats] = []
    levels: list[float] = []
    while True:
        y = _master(table, rows, levels)
        before = len(rows)
        for primary in np.flatnonzero(table.primary).tolist():
            above, above_cut = _attack(table, y, primary, 1, down, up)
            below, below_cut = _attack(table, y, primary, -1, down, up)
            for reached, cut, level in (
                (above, above_cut, table.upper_level[primary]),
                (below, below_cut, table.lower_level[primary]),
                (above + below, above_cut + below_cut, table.sliding_level[primary]),
            ):
                if reached < level - CLOSE * max(1.0, level):
                    rows.append(np.minimum(cut, level))
                    levels.append(float(level))
        if len(rows) == before:
            return (y > 0.5) & (table.status == Status.SAFE)


def _far(table: Table) -> float:
    """Return a distance beyond which no move matters, in place of infinity."""
    return 10.0 * float(np.abs(table.value).sum() + table.sliding_level.sum() + table.upper_level.sum() + 1)


def _master(table: Table, rows: list[Floats], levels: list[float]) -> Floats:
    n = len(table)
    matrix = csr_array(np.array(rows)) if rows else csr_array((0, n))
    program = Program(
        cost=table.weight,
        lower=table.suppressed.astype(np.float64),
        upper=(table.status != Status.PUBLISH).astype(np.float64),
        rows=matrix,
        row_lower=np.array(levels) * (1 - CLOSE),
        row_upper=np.full(len(levels), np.inf),
        whole=np.ones(n, dtype=np.bool_),
    )
    program.limit(gap=0.0)
    solution = program.solve()
    if solution.status is SolveStatus.INFEASIBLE:
        raise InfeasibleError("no pattern protects every primary")
    if solution.status is not SolveStatus.OPTIMAL:
        raise BugError(f"the master ended {solution.status.value}")
    return np.rint(solution.x)


def _attack(table: Table, y: Floats, primary: int, way: int, down: Floats, up: Floats) -> tuple[float, Floats]:
    """Return how far a primary can move one way, and the coefficients that bound it for every pattern."""
    cost = np.zeros(len(table))
    cost[primary] = -way
    still = np.zeros(table.matrix.shape[0])
    program = Program(cost=cost, lower=-down * y, upper=up * y, rows=table.matrix, row_lower=still, row_upper=still)
    solution = program.solve()
    if solution.status is not SolveStatus.OPTIMAL:
        raise BugError(f"an attack ended {solution.status.value}")
    slope = -cost + table.matrix.T @ solution.dual
    slope[np.abs(slope) < CLOSE] = 0.0
    return way * float(solution.x[primary]), up * np.maximum(slope, 0) + down * np.maximum(-slope, 0)

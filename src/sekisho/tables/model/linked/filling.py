"""A table without negative cells that has given margins.

It is one of them, in whole numbers of the last decimal if that can be. Whole numbers are exact and let whole-number
audits count from them. Where the corner that a linear program finds is fractional, a small whole-number program is
asked; where that fails too, the fractional corner is taken.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from scipy.sparse import csr_array

from sekisho.tables.model.limits import ABSOLUTE_SLACK, RELATIVE_SLACK
from sekisho.tables.model.table import Floats
from sekisho.tables.solvers.highs import Program, SolveStatus

PLACES = 6
SMALL = 5_000
"""Up to how many cells whole numbers are looked for where the corner is fractional."""
NODES = 1_000
COARSE = 1e-2
"""From which error on a number of units cannot be told from the next."""


class Filling(Enum):
    """How the search for a table with given margins ended."""

    EXACT = "exact"
    CLOSE = "close"
    ROUNDED = "rounded"
    NONE = "none"


def fill_margins(rows: csr_array, margins: Floats) -> tuple[Filling, Floats | None]:
    """Return a table ``x >= 0`` with ``rows @ x == margins``: exact, within the slack of float sums, or none.

    ``NONE`` means that there is none; ``ROUNDED`` that the solver's was not exact enough, so that there may be one.
    """
    unit = _unit(margins)
    whole = None if unit is None else np.rint(margins * unit)
    right = margins if whole is None else whole
    corner = _solve(rows, right, whole=False)
    if corner is None:
        # sums of binary fractions may contradict each other within the tolerance alone
        return (Filling.ROUNDED if whole is None else Filling.NONE), None
    if whole is not None and unit is not None:
        exact = _round(rows, whole, corner)
        if exact is None and rows.shape[1] <= SMALL:
            exact = _round(rows, whole, _solve(rows, whole, whole=True))
        if exact is not None:
            return Filling.EXACT, exact / unit
        corner = corner / unit
    point = np.maximum(corner, 0.0)
    slack = (rows @ point + np.abs(margins)) * RELATIVE_SLACK + ABSOLUTE_SLACK
    if np.any(np.abs(rows @ point - margins) > slack):
        return Filling.ROUNDED, None
    return Filling.CLOSE, point


def _solve(rows: csr_array, right: Floats, *, whole: bool) -> Floats | None:
    cells = rows.shape[1]
    program = Program(
        cost=np.zeros(cells),
        lower=np.zeros(cells),
        upper=np.full(cells, np.inf),
        rows=rows,
        row_lower=right,
        row_upper=right,
        whole=np.ones(cells, dtype=np.bool_) if whole else None,
    )
    if whole:
        program.limit(nodes=NODES)
    solution = program.solve()
    if solution.status is SolveStatus.OPTIMAL or (whole and solution.x.size):
        return solution.x
    return None


def _round(rows: csr_array, whole: Floats, x: Floats | None) -> Floats | None:
    """Return a point in whole numbers if its margins are still the same."""
    if x is None:
        return None
    near = np.maximum(np.rint(x), 0.0)
    return near if np.array_equal(rows @ near, whole) else None


def _unit(numbers: Floats) -> int | None:
    """Return how many units of the last decimal make 1; None if there are too many decimals, or digits, to tell."""
    for places in range(PLACES + 1):
        scaled = numbers * 10**places
        error = np.abs(scaled) * RELATIVE_SLACK + ABSOLUTE_SLACK
        if np.all((np.abs(scaled - np.rint(scaled)) <= error) & (error < COARSE)):
            return 10**places
    return None

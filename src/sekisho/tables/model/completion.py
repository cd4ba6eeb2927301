"""A table that fits what is published of it: shown cells as they are, hidden ones filled in somehow.

Whoever sees a published table does not know its hidden values, and need not: the tables that fit are the same whichever
of them one counts from. So any of them will do, in whole units of the last decimal, which are exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from sekisho.errors import InputError
from sekisho.tables.model.exact_sums import count_decimals, write_units
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

NODES = 10_000
"""How many cases are tried for whole units where the first corner is none."""


def fill_hidden(table: Table, shown: Floats, hidden: Mask, lower: Floats, upper: Floats, *, source: object) -> Table:
    """Return a table with the shown values, and values of the hidden cells with which it adds up.

    Args:
        table: its cells and equations; its values are not looked at.
        shown: the values of the cells that are shown.
        hidden: the cells that are not.
        lower: the least that each cell may hold.
        upper: the most.
        source: to be named.

    Raises:
        InputError: no table fits: what is shown contradicts itself or the bounds.
        FaultsError: where nothing is hidden, the equations that do not add up.
    """
    value = np.where(hidden, 0.0, shown)
    cells = np.flatnonzero(hidden)
    if not cells.size:
        return replace(table, value=value, lower=lower, upper=upper)
    decimals = count_decimals(value) or 0
    unit = 10.0**decimals
    rows = csr_array(table.matrix.tocsc()[:, cells].tocsr())
    right = -np.rint((table.matrix @ value) * unit)
    for whole in (False, True):
        units = _solve(rows, right, lower[cells] * unit, upper[cells] * unit, whole=whole)
        if units is None:
            break
        if np.array_equal(rows @ units, right):
            value[cells] = write_units(units.astype(np.int64), decimals)
            return replace(table, value=value, lower=np.minimum(lower, value), upper=np.maximum(upper, value))
    raise InputError(source, Said("is a table of nothing: no values of the hidden cells add up to what is shown"))


def _solve(rows: csr_array, right: Floats, lower: Floats, upper: Floats, *, whole: bool) -> Floats | None:
    """Return a point in rounded units; None if there is none."""
    count = rows.shape[1]
    held = np.diff(rows.indptr) > 0
    if np.any(right[~held] != 0):
        return None
    program = Program(
        cost=np.zeros(count),
        lower=lower,
        upper=upper,
        rows=csr_array(rows[held]),
        row_lower=right[held],
        row_upper=right[held],
        whole=np.ones(count, dtype=np.bool_) if whole else None,
    )
    if whole:
        program.limit(nodes=NODES)
    solution = program.solve()
    return np.rint(solution.x) if solution.status is SolveStatus.OPTIMAL or (whole and solution.x.size) else None

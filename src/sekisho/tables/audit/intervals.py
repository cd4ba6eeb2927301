"""Audit: the exact interval of every suppressed cell of any pattern, ours or another tool's.

The adversary is an outsider: he sees what is published, knows the equations and, for every cell, bounds (for counts:
not below 0). For each hidden cell he solves two linear programs, least and greatest. What can be seen without a program
is done first (:mod:`sekisho.tables.audit.reduction`), then each part that no equation joins with others is asked
(:mod:`sekisho.tables.audit.ends`).

Counts are whole numbers, and in three or more dimensions the interval over whole tables can be narrower than over all
tables: the whole-number audit computes that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.tables.audit.attacker import room
from sekisho.tables.audit.ends import Ends
from sekisho.tables.audit.reduction import Places, Reduction, reduce_cells
from sekisho.tables.audit.survey import Needs
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.words import Said

CLOSE = 1e-6
STEPS = 100
"""About how often a long audit tells how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The attacker's intervals.

    Attributes:
        table: with the pattern audited.
        cells: the suppressed cells, ascending; cells that stand in no published table are not among them.
        low: the least value that he must think possible, per suppressed cell.
        high: the greatest, infinity if there is none.
        whole: whether only whole tables were considered.
        certain: whether both ends are proven, per suppressed cell. Where the time was too short, the interval is what
            has been seen possible: the attacker's own is as wide or wider.
    """

    table: Table
    cells: NDArray[np.intp]
    low: Floats
    high: Floats
    whole: bool
    certain: Mask

    @property
    def disclosed(self) -> NDArray[np.intp]:
        """The suppressed cells whose value he knows exactly."""
        return self.cells[self.certain & (self.high - self.low < CLOSE)]

    @property
    def unsettled(self) -> NDArray[np.intp]:
        """The suppressed cells whose interval is not certain: with any, a pattern must not be called safe."""
        return self.cells[~self.certain]

    @property
    def narrow(self) -> NDArray[np.intp]:
        """The primaries whose interval misses one of their levels for certain."""
        needs = Needs.of(self.table)
        at = np.searchsorted(self.cells, needs.cells)
        value = self.table.value[needs.cells]
        return needs.cells[self.certain[at] & ~needs.met(value - self.low[at], self.high[at] - value)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditStep:
    """How far an audit has come.

    Attributes:
        done: of how many suppressed cells both ends are certain.
        total: how many there are.
        audit: the intervals so far.
    """

    done: int
    total: int
    audit: Audit


@checked_call
def audit(table: Table, *, whole: bool = False, seconds: float | None = None) -> Audit:
    """Return the interval of every suppressed cell; with a time limit, of as many as it allows.

    Raises:
        ParameterError: a whole-number audit is asked of a table whose values are not whole.
    """
    *_, last = audit_steps(table, whole=whole, seconds=seconds)
    return last.audit


def audit_steps(table: Table, *, whole: bool = False, seconds: float | None = None) -> Iterator[AuditStep]:
    """Audit step by step; each step holds all that is certain so far, the last one is the answer."""
    if whole and not table.whole:
        own = bool(np.all(table.value[~table.unpublished] % 1 == 0))
        what = "a joint table for which none was found" if own else "values with a fraction"
        raise ParameterError("whole", Said("be asked of tables of whole numbers only"), what)
    if seconds is not None and seconds <= 0:
        raise ParameterError("seconds", Said("be above 0"), seconds)
    return _steps(table, whole=whole, until=np.inf if seconds is None else monotonic() + seconds)


def _steps(table: Table, *, whole: bool, until: float) -> Iterator[AuditStep]:
    cells = np.flatnonzero(table.suppressed)
    down, up = (np.floor(each[cells]) if whole else each[cells] for each in room(table))
    less = reduce_cells(csr_array(table.matrix.tocsc()[:, cells].tocsr()), down, up)
    asked = np.zeros(len(less.down), dtype=np.bool_)
    asked[less.group[(less.group >= 0) & ~table.unpublished[cells]]] = True
    ends = [(part.groups, Ends(part, whole=whole, asked=asked[part.groups])) for part in less.parts()]
    total = open_ends = sum(each.open for _, each in ends)
    yield _step(table, cells, less, ends, whole=whole)
    for _, each in ends:
        before = each.open
        for _ in each.steps(until=until):
            if (open_ends - before + each.open) * STEPS < total * (STEPS - 1):
                total = open_ends - before + each.open
                yield _step(table, cells, less, ends, whole=whole)
        open_ends -= before - each.open
    yield _step(table, cells, less, ends, whole=whole)


def _step(
    table: Table, cells: NDArray[np.intp], less: Reduction, ends: list[tuple[Places, Ends]], *, whole: bool
) -> AuditStep:
    """Return what is known now: how far the groups move tells how far their cells do."""
    groups = len(less.down)
    seen_down, seen_up = np.zeros(groups), np.zeros(groups)
    certain = np.zeros(groups, dtype=np.bool_)
    for at, each in ends:
        seen_down[at], seen_up[at] = each.down, each.up
        certain[at] = each.down_settled & each.up_settled
    down, up = less.of_cells(seen_down, seen_up)
    value = table.value[cells]
    own = ~table.unpublished[cells]
    found = Audit(
        table=table,
        cells=cells[own],
        low=_tidy(value - down)[own],
        high=_tidy(value + up)[own],
        whole=whole,
        certain=np.append(certain, np.True_)[less.group][own],
    )
    return AuditStep(done=int(found.certain.sum()), total=len(found.cells), audit=found)


def _tidy(values: Floats) -> Floats:
    """Return values without the solver's tolerance: what is within a billionth of a whole number is that number."""
    finite = np.where(np.isfinite(values), values, 0.0)
    near = np.rint(finite)
    return np.where(np.isfinite(values) & (np.abs(finite - near) < 1e-9 * np.maximum(1.0, np.abs(near))), near, values)

"""Counts with keyed noise: what is shown of each cell, made additive or not, and what it tells.

The true counts are looked up once, by the keys of the cells; whatever is done to the shown numbers afterwards sees the
shown numbers only, so no attacker gains by it. An adjustment that looked at the true counts would be another release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.tables.audit.statement_audit import find_inner
from sekisho.tables.audit.statements import StatementKind, Statements
from sekisho.tables.model.geometry import Dimension, sum_grid
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.perturb.evidence import CellEvidence, find_evidence
from sekisho.tables.perturb.keys import Words
from sekisho.tables.perturb.rows import UNIT, NoiseTable
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

Wholes = NDArray[np.int64]
NODES = 20_000


class Additivity(StrEnum):
    """What becomes of sums that no longer add up.

    Attributes:
        NO: nothing: every cell has its own noise, and the same set of records the same number everywhere.
        SUM: margins are the sums of the inner cells that are shown.
        CLOSEST: the additive table of whole numbers closest to what is shown, the sum of changes being least.
    """

    NO = "no"
    SUM = "sum"
    CLOSEST = "closest"


def sum_keys(dimensions: Sequence[Dimension], leaves: Wholes, keys: Words) -> Words:
    """Return the sum of the records' keys modulo 2^64 for every cell of the table, margins included.

    Args:
        dimensions: of the table.
        leaves: the position of each record's leaf, one column per dimension.
        keys: of the records.
    """
    shape = tuple(len(dimension.leaves) for dimension in dimensions)
    strides = np.array([prod(shape[axis + 1 :]) for axis in range(len(shape))], dtype=np.int64)
    cells: Wholes = leaves @ strides
    order = np.argsort(cells, kind="stable")
    flat, first = np.unique(cells[order], return_index=True)
    sums = np.add.reduceat(keys[order], first) if len(keys) else keys
    return sum_grid(dimensions, shape, flat, sums)


@dataclass(frozen=True, kw_only=True, eq=False)
class PerturbedTable:
    """A table of counts as it is shown.

    Attributes:
        table: the true one, confidential.
        noise: the perturbation table.
        looked: what each cell became by its key.
        shown: what is shown in the end.
        additive: what became of sums.
        inner: the cells that are no sums.
    """

    table: Table
    noise: NoiseTable
    looked: Wholes
    shown: Wholes
    additive: Additivity
    inner: Mask

    @property
    def counts(self) -> Wholes:
        """The true counts."""
        return np.rint(self.table.value).astype(np.int64)

    @property
    def changes(self) -> Wholes:
        """By how much each cell is shown as more or less than its count; 0 where nothing is shown."""
        return np.where(self.table.unpublished, 0, self.shown - self.counts)

    @property
    def changed(self) -> int:
        """How many cells show another number than their count."""
        return int(np.count_nonzero(self.changes))

    @property
    def largest_change(self) -> int:
        """By how much a cell changed at most."""
        return int(np.abs(self.changes).max(initial=0))

    @property
    def false_zeros(self) -> int:
        """How many cells with somebody in them show 0."""
        return int(((self.shown == 0) & (self.counts > 0) & ~self.table.unpublished).sum())

    @cached_property
    def statements(self) -> Statements:
        """What each number says by the rule.

        Numbers moved after their noise say no more than they said before: what is shown is made of those alone, so
        whoever sees it concludes no more than one who saw the numbers before.
        """
        chances = [
            {target: units / UNIT for target, units in zip(row.targets, row.units, strict=True) if units}
            for row in self.noise.rows
        ]
        own = Statements.noisy(self.looked, rows=chances)
        if self.additive is not Additivity.SUM:
            nothing = Statements.suppressed(self.table.lower, self.table.upper)
            return own.replace_cells(self.table.unpublished, nothing)
        count = len(self.shown)
        sums = Statements.build(StatementKind.SUM, np.zeros(count), np.full(count, np.inf), self.shown)
        return own.replace_cells(~self.inner, sums)

    def find_evidence(self) -> CellEvidence:
        """Return the posterior of every cell whose keys are hashed, for one who saw numbers before they were moved.

        Margins that are sums of what is shown say nothing more: every inner cell then stands by itself.
        """
        return find_evidence(self.noise, self.table, self.looked, sums=self.additive is not Additivity.SUM)


def perturb_counts(
    table: Table,
    dimensions: Sequence[Dimension],
    noise: NoiseTable,
    places: Wholes,
    *,
    additive: Additivity = Additivity.NO,
) -> PerturbedTable:
    """Return a table of counts with noise.

    Args:
        table: of counts, with all margins.
        dimensions: its dimensions; none where several tables are one system.
        noise: the perturbation table.
        places: the key of each cell, from 0 to 1e8 - 1.
        additive: what becomes of sums.

    Raises:
        ParameterError: the table does not count, or several tables are to be additive.
        InfeasibleError: no additive table was found.
    """
    if not table.whole or bool(np.any(table.value < 0)):
        raise ParameterError("value", Said("be a count: only whole numbers from 0 on have a row of noise"), "")
    if additive is not Additivity.NO and not dimensions:
        rule = Said("be no for several tables: the cells that they share keep one number by their keys alone")
        raise ParameterError("additive", rule, additive.value)
    looked = noise.show_counts(np.rint(table.value).astype(np.int64), places)
    inner = find_inner(table)
    shown = looked
    if additive is Additivity.SUM:
        shown = _sum_inner(dimensions, looked[inner])
    elif additive is Additivity.CLOSEST:
        shown = close_sums(table.matrix, looked)
    return PerturbedTable(table=table, noise=noise, looked=looked, shown=shown, additive=additive, inner=inner)


def _sum_inner(dimensions: Sequence[Dimension], shown: Wholes) -> Wholes:
    """Return the sums of what inner cells show; these stand in the order of the table's cells."""
    shape = tuple(len(dimension.leaves) for dimension in dimensions)
    places = [
        np.array([dimension.leaves.index(code) for code in dimension.codes if code not in dimension.sums])
        for dimension in dimensions
    ]
    flat = np.ravel_multi_index(np.meshgrid(*places, indexing="ij"), shape).ravel()
    return sum_grid(dimensions, shape, flat, shown)


def close_sums(matrix: csr_array, shown: Wholes) -> Wholes:
    """Return the additive table of whole numbers from 0 on with the least sum of changes of what is shown.

    ``x = shown + up - down``: a linear program, whose corners are whole in two dimensions; elsewhere a whole program.
    The true counts play no part.

    Raises:
        InfeasibleError: none was found in the limits of the search.
    """
    count, own = len(shown), shown.astype(np.float64)
    rows = csr_array(hstack([matrix, -matrix]))
    right = -(matrix @ own)
    for whole in (False, True):
        program = Program(
            cost=np.ones(2 * count),
            lower=np.concatenate([np.maximum(-own, 0.0), np.zeros(count)]),
            upper=np.concatenate([np.full(count, np.inf), np.maximum(own, 0.0)]),
            rows=rows,
            row_lower=right,
            row_upper=right,
            whole=np.ones(2 * count, dtype=np.bool_) if whole else None,
        )
        if whole:
            program.limit(nodes=NODES)
        solution = program.solve()
        if solution.status is SolveStatus.INFEASIBLE or not solution.x.size:
            break
        moved = np.rint(solution.x[:count] - solution.x[count:]).astype(np.int64)
        if not np.any(matrix @ (shown + moved).astype(np.float64)):
            return shown + moved
    raise InfeasibleError(Said("no additive table of whole numbers was found for what is shown"))

"""Deviations in exact numbers: how hidden cells move together so that every equation still holds.

A linear program ends in a corner: the columns outside its basis stand at a bound, those inside it solve the equations.
The floats of the solver only say which columns these are. The numbers are then solved for exactly
(:mod:`sekisho.tables.solvers.exact_solution`), and the corner is kept only if all equations and all bounds hold to the
unit. Bounds are whole numbers of a unit, the last decimal of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.tables.model.table import Floats, Table
from sekisho.tables.solvers.exact_solution import Ratios, product, solve_exactly
from sekisho.tables.solvers.highs import Basis

PLACES = 6
FINEST = 12
LARGE = 2**45
"""The most units by which a cell is let move: no level asks for more, and sums of such numbers stay whole in every
arithmetic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A deviation: the cells that move, and by how many parts of the denominator.

    Of an unpublished cell, its value there.
    """

    cells: tuple[int, ...]
    moves: tuple[int, ...]
    denominator: int

    def as_dict(self) -> dict[str, object]:
        """Return the deviation as plain data for JSON."""
        return {"denominator": self.denominator, "cells": list(self.cells), "moves": list(self.moves)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """Hidden cells of a table. Unpublished ones, whose true values nobody need know, move from 0.

    Attributes:
        cells: their places in the table, ascending.
        rows: the equations between them.
        right: their right-hand sides, in units: 0, or the value of a cell of which unpublished ones are the parts.
        down: how far each may move down, in units; a whole number or infinity.
        up: the same upwards.
        unit: how many units make 1.
    """

    cells: NDArray[np.intp]
    rows: csr_array
    right: NDArray[np.int64]
    down: Floats
    up: Floats
    unit: int

    @classmethod
    def of(cls, table: Table) -> Hidden:
        """Return the hidden cells of a table's pattern."""
        cells = np.flatnonzero(table.suppressed)
        parts = table.matrix @ table.unpublished > 0
        known, bounds = _known(table, table.value), [table.lower[cells], table.upper[cells]]
        unit = 10 ** _decimals(np.concatenate([known[cells], *bounds]))
        if parts.any() and np.any(known != np.rint(known)):
            unit = 10 ** _finest(table.value)
            known = _known(table, _snap(table, unit))
        right = np.where(parts, -(table.matrix @ known), 0.0)
        ends = [known[cells], *bounds]
        values, lower, upper = (end.tolist() for end in ends)
        rows = csr_array(table.matrix.tocsc()[:, cells].tocsr())
        live = np.flatnonzero(np.diff(rows.indptr))
        return cls(
            cells=cells,
            rows=csr_array(rows[live]),
            right=np.rint(right[live] * unit).astype(np.int64),
            down=np.array([_units(low, true, unit) for low, true in zip(lower, values, strict=True)]),
            up=np.array([_units(true, high, unit) for true, high in zip(values, upper, strict=True)]),
            unit=unit,
        )

    def point(self, moves: list[int], denominator: int) -> Point:
        """Return a deviation, given by the move of every cell in parts of a unit."""
        kept = [(cell, by) for cell, by in zip(self.cells.tolist(), moves, strict=True) if by]
        return Point(
            cells=tuple(cell for cell, _ in kept),
            moves=tuple(by for _, by in kept),
            denominator=denominator * self.unit,
        )


def corner(
    rows: csr_array, basis: Basis, near: Floats, low: Floats, high: Floats, right: NDArray[np.int64] | None = None
) -> Ratios | None:
    """Return the corner of ``rows @ x = right`` and ``low <= x <= high`` that a basis and floats near it mean.

    None if it is none.

    Without right-hand sides all are 0. Bounds are whole numbers or infinite. A row in the basis depends on others: it
    is left out, and must hold all the same.
    """
    due = np.zeros(rows.shape[0], dtype=np.int64) if right is None else right
    still = ~basis.columns
    bound = np.where(np.abs(near - low) <= np.abs(near - high), low, high)
    at = np.where(still & np.isfinite(bound), bound, 0.0).astype(np.int64)
    kept = np.flatnonzero(~basis.rows)
    needed = csr_array(rows[kept])
    square = csr_array(needed.tocsc()[:, np.flatnonzero(basis.columns)].tocsr())
    if square.shape[0] != square.shape[1]:
        return None
    found = solve_exactly(square, due[kept] - needed.astype(np.int64) @ at)
    if found is None:
        return None
    x = [each * found.denominator for each in at.tolist()]
    for place, number in zip(np.flatnonzero(basis.columns).tolist(), found.numbers, strict=True):
        x[place] = number
    if product(rows, x) != [each * found.denominator for each in due.tolist()] or not _within(
        x, found.denominator, low.tolist(), high.tolist()
    ):
        return None
    return Ratios(numbers=tuple(x), denominator=found.denominator)


def _within(x: list[int], denominator: int, low: list[float], high: list[float]) -> bool:
    return all(
        (not isfinite(least) or int(least) * denominator <= each)
        and (not isfinite(most) or each <= int(most) * denominator)
        for each, least, most in zip(x, low, high, strict=True)
    )


def exact(number: float) -> Fraction:
    """Return a number as it is written: what a reader of the certificate takes it for."""
    return Fraction(repr(number))


def _units(low: float, high: float, unit: int) -> float:
    """Return how many whole units lie between two numbers."""
    if not isfinite(high - low):
        return np.inf
    return float(min(LARGE, (exact(high) - exact(low)) * unit // 1))


def _decimals(numbers: Floats) -> int:
    """Return how many decimals the numbers have, at most six."""
    finite = numbers[np.isfinite(numbers)]
    for places in range(PLACES):
        scaled = finite * 10**places
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(1.0, np.abs(scaled))):
            return places
    return PLACES


def _finest(numbers: Floats) -> int:
    """Return how many decimals numbers may have so that sums of them in units stay whole in every arithmetic."""
    most = float(np.abs(numbers).max(initial=1.0))
    return max(0, min(FINEST, int(np.log10(LARGE / most))))


def _known(table: Table, value: Floats) -> Floats:
    """Return the values without those of unpublished cells."""
    return np.where(table.unpublished, 0.0, value)


def _snap(table: Table, unit: int) -> Floats:
    """Return values in whole units that add up to the unit, all sums of the unpublished cells'.

    They lie within the tolerance of the true ones.
    """
    known = table.unpublished.copy()
    whole = np.rint(table.value * unit)
    parts, totals = csr_array(table.matrix > 0).astype(np.float64), csr_array(table.matrix < 0)
    rows = np.flatnonzero(np.diff(totals.indptr) == 1)
    parts, total = csr_array(parts[rows]), totals.indices[totals.indptr[rows]]
    while True:
        ready = (parts @ (~known).astype(np.float64) == 0) & ~known[total]
        if not ready.any():
            return whole / unit
        whole[total[ready]] = (parts @ whole)[ready]
        known[total[ready]] = True

"""Cuts: what every safe pattern satisfies, each provable from a few whole numbers.

For any multipliers ``m`` of the equations and any primary ``p``, let ``r = e_p - A' m``. Whatever deviation ``d`` the
attacker allows, ``d_p = r d <= sum_i (up_i r_i^+ + down_i r_i^-) y_i``; so a pattern under which ``p`` can move up by
its level has that sum at least at the level. Downwards the same with ``-e_p``, and the width is the sum of both.
Multipliers are whole numbers over a common denominator, so the cut can be checked in exact arithmetic by whoever holds
them (docs/proofs/cell-suppression.md).

Insiders, for whom their own cell has less room or none, make cuts of the same form with that room in place of the
outsiders': a published cell has none for anybody, so such a cut holds whether their cell is hidden or not.

Strengthened: what is suppressed anyway is subtracted, and a coefficient is clipped to what is left of the right-hand
side; then the cut is scaled to ``sum_i coefficient_i y_i >= 1``. Counted: if the m largest of the coefficients below 1
are the fewest that reach 1 together, then a pattern without a cell of coefficient 1 hides at least m of the others, so
each may count 1/m.

Source: Fischetti and Salazar (2001), sections 4.1 and 4.2 (capacity and cover inequalities).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.tables.audit.attacker import DOWN, UP, room
from sekisho.tables.audit.coalitions import Coalition
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.tables.solvers.exact_solution import Ratios

DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 12, 60, 2520)
FINE = 1 << 20
"""The denominator where no small one is right."""
LARGE = 1 << 48
"""Numbers from here on might not add up in 64 binary digits."""
WIDE = 1 << 62
CLOSE = 1e-7
LEFT = 1e-6
COUNTED = 1e-9
"""How near to 1 a sum of coefficients counts as having reached it: an error makes a counted cut weak, not wrong."""


def _nearly_whole(values: Floats) -> bool:
    return bool(np.abs(values - np.rint(values)).max(initial=0.0) < CLOSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Multipliers:
    """Whole-number multipliers of some equations over a common denominator."""

    rows: NDArray[np.int64]
    values: NDArray[np.int64]
    denominator: int

    @classmethod
    def of(cls, multiplier: Floats, proof: Callable[[], tuple[NDArray[np.intp], Ratios] | None]) -> Multipliers:
        """Return these multipliers, made safe to rely on.

        As whole numbers over a small denominator if they are such, else as proven, else rounded. Any are valid, but
        rounding can weaken a cut to nothing: a cell that nothing stops must gain nothing by them.
        """
        rows = np.flatnonzero(np.abs(multiplier) > CLOSE)
        some = multiplier[rows]
        small = next((each for each in DENOMINATORS if _nearly_whole(some * each)), None)
        known = proof() if small is None else None
        if known is None or max(known[1].denominator, *map(abs, known[1].numbers)) >= LARGE:
            denominator = FINE if small is None else small
            values = np.rint(some * denominator).astype(np.int64)
        else:
            rows, denominator = known[0], known[1].denominator
            values = np.array(known[1].numbers, dtype=np.int64)
        kept = values != 0
        return cls(rows=rows[kept].astype(np.int64), values=values[kept], denominator=denominator)

    def combine(self, matrix: csr_array, primary: int, way: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return ``r = way e_p - A' m`` where it is not 0: the cells, and whole numbers over the denominator."""
        part: csr_array = matrix[self.rows]
        kind = _kind(self, part)
        moved = -np.repeat(self.values.astype(kind), np.diff(part.indptr)) * part.data.astype(np.int64)
        columns, place = np.unique(np.append(part.indices, primary), return_inverse=True)
        sums = np.zeros(len(columns), dtype=kind)
        np.add.at(sums, place, np.append(moved, way * self.denominator))
        kept = sums != 0
        return columns[kept], sums[kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """``sum coefficients[i] * y[cells[i]] >= 1`` for every safe pattern, and where it comes from.

    Attributes:
        cells: the free cells in it, ascending.
        coefficients: above 0, at most 1.
        primary: whose level it speaks for.
        up: the multipliers for moving up; None if the cut is about moving down only.
        down: the multipliers for moving down; None if the cut is about moving up only.
        counted: whether the cells are counted instead of weighed.
        insider: the cell whose contributors it speaks of; None for outsiders.
    """

    cells: NDArray[np.int64]
    coefficients: Floats
    primary: int
    up: Multipliers | None
    down: Multipliers | None
    counted: bool = False
    insider: int | None = None

    def value(self, y: Floats) -> float:
        """Return the left-hand side at a pattern."""
        return float(self.coefficients @ y[self.cells])

    def counting(self) -> Cut | None:
        """Return the cut that counts the cells of coefficients below 1 instead of weighing them.

        None if it says no more.
        """
        small = self.coefficients < 1 - COUNTED
        if not small.any():
            return None
        falling = -np.sort(-self.coefficients[small])
        enough = int(np.searchsorted(np.cumsum(falling), 1 - COUNTED)) + 1
        if enough > len(falling):
            small_counts, kept = 0.0, ~small  # all of them together do not do
        else:
            small_counts, kept = 1 / enough, np.ones(len(small), dtype=np.bool_)
        if not kept.any() or bool(np.all(self.coefficients[small] <= small_counts)):
            return None
        coefficients = np.where(small, small_counts, 1.0)
        return replace(self, cells=self.cells[kept], coefficients=coefficients[kept], counted=True)

    @property
    def mark(self) -> bytes:
        """What two equal cuts have in common."""
        return self.cells.tobytes() + np.round(self.coefficients, 9).tobytes()


class Cutter:
    """Makes cuts for one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.fixed: Mask = table.suppressed
        self.free: Mask = table.status == Status.SAFE
        self._down, self._up = room(table)
        self._matrix = table.matrix

    def cut(
        self,
        primary: int,
        up: Multipliers | None,
        down: Multipliers | None,
        insiders: Coalition | None = None,
    ) -> Cut | None:
        """Return the cut for the level that these multipliers speak to: upper, lower or, with both, width.

        With insiders, whose own cell has less room, what they must not tell either. None if the suppressed cells alone
        satisfy it, so that it says nothing.
        """
        table = self.table
        sides = [side for side in ((up, UP), (down, DOWN)) if side[0] is not None]
        needed = (
            table.sliding_level[primary]
            if len(sides) == 2
            else (table.upper_level if up is not None else table.lower_level)[primary]
        )
        weights: dict[int, float] = {}
        for multipliers, way in sides:
            self._spread(primary, multipliers, way, weights, insiders)
        cells = np.fromiter(weights, dtype=np.int64, count=len(weights))
        reach = np.fromiter(weights.values(), dtype=np.float64, count=len(weights))
        left = float(needed) - float(reach[self.fixed[cells]].sum())
        if left <= LEFT * max(1.0, float(needed)):
            return None
        kept = self.free[cells]
        cells, reach = cells[kept], reach[kept]
        order = np.argsort(cells)
        return Cut(
            cells=cells[order],
            coefficients=np.minimum(reach[order] / left, 1.0),
            primary=primary,
            up=up,
            down=down,
            insider=None if insiders is None else insiders.cell,
        )

    def _spread(
        self,
        primary: int,
        multipliers: Multipliers | None,
        way: int,
        weights: dict[int, float],
        insiders: Coalition | None,
    ) -> None:
        """Add each cell's part in ``sum_i (up_i r_i^+ + down_i r_i^-)`` for one way."""
        if multipliers is None:
            return
        columns, sums = multipliers.combine(self._matrix, primary, way)
        slope = (sums / multipliers.denominator).astype(np.float64)
        far_up, far_down = self._up[columns], self._down[columns]
        if insiders is not None:
            own = columns == insiders.cell
            far_up, far_down = np.where(own, insiders.up, far_up), np.where(own, insiders.down, far_down)
        reach = np.abs(slope) * np.where(slope > 0, far_up, far_down)
        for cell, far in zip(columns.tolist(), reach.tolist(), strict=True):
            if far > 0:
                weights[cell] = weights.get(cell, 0.0) + far


def _kind(multipliers: Multipliers, rows: csr_array) -> type:
    """Return in which arithmetic multiples of equations add up exactly: 64 binary digits, or as many as it takes."""
    most = (
        np.abs(multipliers.values).max(initial=1).item() * int(np.abs(rows.data).max(initial=1.0)) * (rows.shape[0] + 1)
    )
    return np.int64 if most < WIDE else object

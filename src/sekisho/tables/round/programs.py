"""The linear and the whole program of a choice of multiples, up to three columns a cell (:mod:`.choices`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.tables.model.table import Floats, Mask
from sekisho.tables.round.choices import RoundingChoices, Wholes
from sekisho.tables.solvers.highs import Program

WHOLE = 1e-6
"""So near to a whole number is one; what is made of it is checked exactly."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundingColumns:
    """The columns of a program, and what they say of the table.

    Attributes:
        choices: the tables that may be shown.
        start: what each cell shows if all columns are 0.
        cell: each column's cell.
        room: how many units each column may add.
        slope: what a unit costs.
    """

    choices: RoundingChoices
    start: Wholes
    cell: NDArray[np.intp]
    room: Wholes
    slope: Wholes

    @classmethod
    def of(cls, choices: RoundingChoices, free: Mask | None = None, held: Wholes | None = None) -> RoundingColumns:
        """Return the columns of all cells; or of the ``free`` ones, where the others show what they ``held``."""
        below, low, high = choices.below, choices.low, choices.high
        rest = choices.value - below * choices.unit
        middle = ((rest > 0) & (low <= below) & (high > below)).astype(np.int64)
        left = np.maximum(0, np.minimum(below, high) - low)
        right = high - low - left - middle
        unit, weight = choices.unit, choices.weight
        rooms = np.stack([left, middle, right])
        slopes = np.stack([-weight * unit, weight * (unit - 2 * rest), weight * unit])
        start = choices.low * unit
        if free is not None and held is not None:
            rooms = rooms * free
            start = np.where(free, start, held)
        piece, cell = np.nonzero(rooms)
        order = np.argsort(cell, kind="stable")
        piece, cell = piece[order], cell[order]
        return cls(choices=choices, start=start, cell=cell, room=rooms[piece, cell], slope=slopes[piece, cell])

    def make_program(self, *, whole: bool) -> Program:
        """Return the program that minimises the cost above that of the start."""
        rows, right, _ = self._lay_rows()
        cost, upper = self.slope.astype(np.float64), self.room.astype(np.float64)
        integral: Mask | None = np.ones(len(self.cell), dtype=np.bool_) if whole else None
        return Program(
            cost=cost,
            lower=np.zeros(len(cost)),
            upper=upper,
            rows=rows,
            row_lower=right,
            row_upper=right,
            whole=integral,
        )

    def _lay_rows(self) -> tuple[csr_array, Floats, NDArray[np.intp]]:
        """Return the equations of the columns, in units where all cells have one, and which equations they are."""
        choices = self.choices
        matrix = choices.matrix.tocsc()[:, self.cell]
        unit = choices.unit[self.cell].astype(np.float64)
        one = float(choices.common_unit)
        rows = (matrix * (unit / one)).tocsr()
        right = -(choices.matrix @ self.start.astype(np.float64)) / one
        used = np.flatnonzero((np.diff(rows.indptr) > 0) | (right != 0))
        return rows[used], right[used], used

    def spread_dual(self, dual: Floats) -> Floats:
        """Return the program's multipliers as those of all equations, in the table's unit."""
        _, _, used = self._lay_rows()
        spread = np.zeros(self.choices.matrix.shape[0])
        spread[used] = dual / self.choices.common_unit
        return spread

    def show(self, x: Floats) -> Wholes | None:
        """Return the table that a point of the program is; None if the point is not whole or does not add up."""
        z = np.rint(x)
        if np.abs(x - z).max(initial=0.0) > WHOLE:
            return None
        shown = self.start.copy()
        np.add.at(shown, self.cell, (z.astype(np.int64)) * self.choices.unit[self.cell])
        return shown if self.choices.admits(shown) else None

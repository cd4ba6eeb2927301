"""What a reader concludes who also knows that a rounding is the least: programs with cuts, where listing is too long.

Shown is ``x``, all multiples of ``b`` that add up. The truth is ``a = x + e`` with ``A e = 0``, ``|e_i| < b`` and
``a >= 0``. Another rounding of ``a`` moves some set ``F`` of cells to their other neighbour, by ``b`` up where
``e > 0`` and down where ``e < 0``, so that all equations hold; it is cheaper by ``sum_F (2 |e_i| - b)``. So ``x`` is a
least rounding of ``a`` iff for every such ``F``::

    sum_F |e_i| <= b |F| / 2

The intervals of ``e`` are those of a mixed program with ``e = u - v``, a binary for each sign, and these cuts as they
are needed: a candidate is rounded by :mod:`.search`, and where a cheaper rounding is found, each part of it that
the equations let move by itself is a cut, switched off where a sign is another (then its sum is at most
``(|F| - 1) (b - 1)``). Every table found is checked to have ``x`` for a least rounding, and is a witness for all cells.

Source: the page on statements (docs/methods); for the program, Salazar, Mathematical Programming 105 (2006).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from time import monotonic

import numpy as np
import scipy
from scipy.sparse import block_array, csr_array, eye_array

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import System
from sekisho.tables.model.table import Floats, Mask
from sekisho.tables.round.choices import RoundingChoices, Wholes
from sekisho.tables.round.programs import RoundingColumns
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

SECONDS = 60.0
"""How long intervals are looked for where nobody says how long."""
PATIENCE = 20.0
"""So many seconds one program may take."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeastIntervals:
    """The intervals of every cell.

    Attributes:
        low: the least true value that was seen possible.
        high: the greatest.
        certain: whether both are proven; else the reader's own interval is as wide or wider.
        cuts: how many cuts it took.
    """

    low: Floats
    high: Floats
    certain: Mask
    cuts: int


def find_least_intervals(
    system: System, shown: Floats, *, base: int, truth: Floats | None = None, seconds: float | None = None
) -> LeastIntervals:
    """Return what is possible of each cell if the table shown is a least zero-restricted rounding.

    Args:
        system: the cells and their equations.
        shown: the numbers shown.
        base: of the rounding.
        truth: the true table, where it is known: a first witness if what is shown is its least rounding.
        seconds: after which no further program is asked; a minute if not said.

    Raises:
        ParameterError: the numbers shown do not add up.
    """
    multiples = np.rint(shown).astype(np.int64)
    if np.any(system.matrix @ multiples):
        rule = Said("be rule where the numbers shown do not add up")
        raise ParameterError("knows", rule, "least")
    attack = _LeastAttack(system, multiples, base, monotonic() + (SECONDS if seconds is None else seconds))
    if truth is not None:
        attack.offer(np.rint(truth).astype(np.int64) - multiples)
    certain = np.array([attack.settle(cell) for cell in range(len(multiples))], dtype=np.bool_)
    return LeastIntervals(
        low=(multiples + attack.low).astype(np.float64),
        high=(multiples + attack.high).astype(np.float64),
        certain=certain,
        cuts=attack.cuts,
    )


class _LeastAttack:
    """Deviations that were seen possible, and the program that looks for others."""

    def __init__(self, system: System, shown: Wholes, base: int, until: float) -> None:
        self._matrix, self._shown, self._base, self._until = csr_array(system.matrix), shown, base, until
        cells = len(shown)
        self.low, self.high = np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64)
        self.cuts = 0
        self._down, self._up = np.minimum(shown, base - 1), np.full(cells, base - 1, dtype=np.int64)
        self._program = self._make_program()

    def _make_program(self) -> Program:
        """Return the program: how far up and down each cell is, and a binary for each of the two."""
        one, rest = eye_array(len(self._shown)), self._base - 1
        rows = block_array(
            [
                [self._matrix, -self._matrix, None, None],
                [one, None, -rest * one, None],
                [-one, None, one, None],
                [None, one, None, -rest * one],
                [None, -one, None, one],
                [None, None, one, one],
            ]
        )
        cells, equations = len(self._shown), self._matrix.shape[0]
        upper = np.concatenate([np.zeros(equations + 4 * cells), np.ones(cells)])
        lower = np.concatenate([np.zeros(equations), np.full(5 * cells, -inf)])
        most = np.concatenate([self._up, self._down, np.minimum(self._up, 1), np.minimum(self._down, 1)])
        return Program(
            cost=np.zeros(4 * cells),
            lower=np.zeros(4 * cells),
            upper=most.astype(np.float64),
            rows=csr_array(rows),
            row_lower=lower,
            row_upper=upper,
            whole=np.ones(4 * cells, dtype=np.bool_),
        )

    def offer(self, deviation: Wholes) -> list[Wholes] | None:
        """Take a deviation for a witness if what is shown is least for it; else return the moves that are cheaper.

        None where that was not found out in time.
        """
        moves = self._find_cheaper(deviation)
        if moves is not None and not moves:
            self.low, self.high = np.minimum(self.low, deviation), np.maximum(self.high, deviation)
        return moves

    def settle(self, cell: int) -> bool:
        """Find how far a cell may go both ways; return whether that is proven."""
        return self._settle_way(cell, up=True) and self._settle_way(cell, up=False)

    def _settle_way(self, cell: int, *, up: bool) -> bool:
        cells, most = len(self._shown), self._up if up else self._down
        column = cell if up else cells + cell
        while (reached := int(self.high[cell] if up else -self.low[cell])) < most[cell]:
            left = self._until - monotonic()
            if left <= 0:
                return False
            places = np.array([column])
            self._program.bound(places, np.array([reached + 1.0]), most[places % cells].astype(np.float64))
            self._program.charge(np.arange(2 * cells), np.ones(2 * cells))
            self._program.limit(seconds=min(left, PATIENCE))
            solved = self._program.solve()
            self._program.bound(places, np.zeros(1), most[places % cells].astype(np.float64))
            if solved.status is SolveStatus.INFEASIBLE:
                return True
            if not solved.x.size:
                return False
            point = np.rint(solved.x).astype(np.int64)
            moves = self.offer(point[:cells] - point[cells : 2 * cells])
            if moves is None:
                return False
            for move in moves:
                self._cut(move)
        return True

    def _find_cheaper(self, deviation: Wholes) -> list[Wholes] | None:
        """Return moves of cells to their other neighbours that make a rounding cheaper, as small as they can be.

        None where it was not found out in time whether there are any.
        """
        value = self._shown + deviation
        unit = np.full(len(value), self._base, dtype=np.int64)
        below = value // unit
        choices = RoundingChoices(
            matrix=self._matrix,
            value=value,
            unit=unit,
            low=below,
            high=below + (value % unit > 0),
            weight=np.ones(len(value), dtype=np.int64),
        )
        columns = RoundingColumns.of(choices)
        if not len(columns.cell):
            return []
        best, proven = columns.show(columns.make_program(whole=False).solve().x), True
        if best is None:
            program = columns.make_program(whole=True)
            program.limit(gap=0.0, seconds=PATIENCE)
            solved = program.solve()
            proven = solved.status is SolveStatus.OPTIMAL
            best = columns.show(solved.x) if solved.x.size else None
        if best is None or choices.cost(best) >= choices.cost(self._shown):
            return [] if proven else None
        gain = 2 * np.abs(deviation) - self._base
        return [part for part in self._split((best - self._shown) // self._base) if gain[part != 0].sum() > 0]

    def _split(self, move: Wholes) -> Iterator[Wholes]:
        """Give the parts of a move that no equation joins: each keeps all equations by itself."""
        cells = np.flatnonzero(move)
        part = csr_array(self._matrix.tocsc()[:, cells])
        _, label = scipy.sparse.csgraph.connected_components(csr_array(abs(part).T @ abs(part)), directed=False)
        for number in range(int(label.max()) + 1):
            one = np.zeros_like(move)
            one[cells[label == number]] = move[cells[label == number]]
            yield one

    def _cut(self, move: Wholes) -> None:
        """Forbid deviations with these signs for which the move is cheaper."""
        cells = len(move)
        up, down = np.flatnonzero(move > 0), np.flatnonzero(move < 0)
        size, half = len(up) + len(down), self._base * (len(up) + len(down)) // 2
        slack = max(0, (size - 1) * (self._base - 1) - half)
        at = np.concatenate([up, cells + down, 2 * cells + up, 3 * cells + down])
        weights = np.concatenate([np.ones(size), np.full(size, float(slack))])
        row = csr_array((weights, (np.zeros(2 * size, dtype=np.int64), at)), shape=(1, 4 * cells))
        self._program.add(row, np.array([-inf]), np.array([float(half + slack * size)]))
        self.cuts += 1

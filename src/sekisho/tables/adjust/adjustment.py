"""A table adjusted by secret levels: what is shown, what the multipliers prove, and what a reader may still guess.

At the least adjustment nearly every unsafe cell moves by precisely its level, and most other cells do not move at all.
Whoever knows the rule by which levels follow from values (``p`` per cent of the value), and that the change is least,
has two candidates of an unsafe cell, ``x / (1 + p)`` and ``x / (1 - p)``. So the levels are drawn first, by secret
chance, between once and twice what is asked: a candidate becomes a range. Which cells are unsafe is not told with the
table. What is promised, is promised against knowledge of the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from time import process_time

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.tables.adjust.search import MORE, TIMES, AdjustProblem, AdjustSearch, AdjustStep
from sekisho.tables.model.exact_sums import count_decimals
from sekisho.tables.model.table import Floats, Table
from sekisho.words import Said

FINE = 1 << 40
SHRINK = Fraction(10**9 - 1, 10**9)
"""What multipliers are made smaller by, so that rounding leaves them within the costs."""
LARGER = 16.0
TRIES = 3
"""How often a limit that stops a cell is made larger."""
LEVEL = 1e-6


class AdjustCost(StrEnum):
    """What a change costs: in relation to the value, or as it is."""

    RELATIVE = "relative"
    ONE = "one"

    def weigh(self, table: Table) -> Floats:
        """Return what a change by one costs in each cell."""
        return np.ones(len(table)) if self is AdjustCost.ONE else 1 / np.maximum(np.abs(table.value), find_unit(table))


def find_unit(table: Table) -> float:
    """Return the unit of a table's values: 1 for counts, else that of their last decimal."""
    return 10.0 ** -(count_decimals(table.value) or 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class AdjustedTable:
    """A table as it is shown after an adjustment.

    Attributes:
        table: the true one, its unsafe cells flagged.
        problem: what was asked of the search, with the levels drawn.
        shown: what is shown of each cell.
        step: how the search ended.
        secret: whether the levels were drawn.
        seconds: of CPU time that it took.
    """

    table: Table
    problem: AdjustProblem
    shown: Floats
    step: AdjustStep
    secret: bool
    seconds: float

    @property
    def moves(self) -> Floats:
        """By how much each cell changed."""
        return self.shown - self.table.value

    @property
    def cost(self) -> float:
        """What the changes cost."""
        return self.problem.cost(self.moves)

    @property
    def changed(self) -> int:
        """How many cells show another number."""
        return int((np.abs(self.moves) > LEVEL * find_unit(self.table)).sum())

    @property
    def at_level(self) -> int:
        """How many unsafe cells moved by precisely the level asked of them, drawn or not."""
        far = self.moves[self.problem.unsafe]
        level = np.where(far > 0, self.problem.up, self.problem.down)
        return int(np.isclose(np.abs(far), level, rtol=LEVEL, atol=LEVEL).sum())

    @cached_property
    def certified(self) -> tuple[tuple[int, ...], int, float]:
        """Multipliers of the equations, whole numbers over a denominator, and the cost that they prove none is below.

        With ``q = p A`` every table that adds up has ``q x = 0``, so an adjustment costs at least the sum over cells of
        the least ``w |d| - q d`` over what ``d`` may be: up by its level or more, down by it or more, or anything.
        """
        numbers = [int(Fraction(value) * SHRINK * FINE) for value in self.step.dual.tolist()]
        prices = [Fraction(0)] * len(self.table)
        matrix = self.table.matrix.tocoo()
        for row, cell, sign in zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True):
            prices[cell] += Fraction(numbers[row] * int(sign), FINE)
        level = {cell: at for at, cell in enumerate(self.problem.unsafe.tolist())}
        total = sum((self._least(cell, price, level.get(cell)) for cell, price in enumerate(prices)), Fraction(0))
        return tuple(numbers), FINE, max(0.0, float(total) * (1 - 1e-9))

    def _least(self, cell: int, price: Fraction, at: int | None) -> Fraction:
        weight = Fraction(float(self.problem.weight[cell]))
        most, least = self.table.upper[cell] - self.table.value[cell], self.table.lower[cell] - self.table.value[cell]
        if at is None:
            ends = [Fraction(float(end)) for end in (least, most) if np.isfinite(end)]
            return min([Fraction(0), *(weight * abs(end) - price * end for end in ends)])
        near = [Fraction(float(self.problem.up[at])), -Fraction(float(self.problem.down[at]))]
        far = [Fraction(float(end)) for end in (least, most) if np.isfinite(end)]
        return min(weight * abs(end) - price * end for end in (*near, *far))

    def list_candidates(self) -> list[list[tuple[float, float]]]:
        """Return the ranges in which each unsafe value lies for whoever knows rule and least change, below first.

        He knows the level of a cell in proportion to its value, ``p``: moved up by between once and twice that, the
        value is ``x / (1 + 2 p) .. x / (1 + p)``, moved down ``x / (1 - p) .. x / (1 - 2 p)``. Levels that are not
        drawn leave single values. Ends that bounds exclude are cut off.
        """
        found: list[list[tuple[float, float]]] = []
        twice = 2.0 if self.secret else 1.0
        for at, cell in enumerate(self.problem.unsafe.tolist()):
            value, shown = float(self.table.value[cell]), float(self.shown[cell])
            down, up = self._own_levels(at)
            below, above = down / value if value else 0.0, up / value if value else 0.0
            ranges = [(shown / (1 + twice * above), shown / (1 + above))]
            if below < 1:
                ranges.append((shown / (1 - below), shown / (1 - twice * below) if twice * below < 1 else np.inf))
            low, high = float(self.table.lower[cell]), float(self.table.upper[cell])
            found.append([(max(a, low), min(b, high)) for a, b in ranges if b >= low and a <= high])
        return found

    def _own_levels(self, at: int) -> tuple[float, float]:
        down, up = find_levels(self.table)
        cell = self.problem.unsafe[at]
        return float(down[cell]), float(up[cell])


def find_levels(table: Table) -> tuple[Floats, Floats]:
    """Return how far down and up each unsafe cell must move: its levels to the sides, and half its width at least."""
    half = table.sliding_level / 2
    down, up = np.maximum(table.lower_level, half), np.maximum(table.upper_level, half)
    both = np.maximum(down, up)
    return np.where(down > 0, down, both), np.where(up > 0, up, both)


def adjust_table(
    table: Table,
    *,
    rng: np.random.Generator,
    secret: bool = True,
    cost: AdjustCost = AdjustCost.RELATIVE,
    seconds: float | None = None,
) -> AdjustedTable:
    """Return the least adjustment of a table that moves every unsafe cell by its level.

    Args:
        table: its unsafe cells flagged, with their levels.
        rng: of the levels, secret, and of the neighbourhoods of the search.
        secret: whether the levels are drawn; only studies do without.
        cost: what a change costs.
        seconds: after which the best so far is taken.

    Raises:
        ParameterError: no cell is unsafe.
        InfeasibleError: there is no adjustment, or a limit stops a cell however large it is.
    """
    start = process_time()
    unsafe = np.flatnonzero(table.primary)
    if not unsafe.size:
        raise ParameterError("table", Said("have an unsafe cell: without one nothing is to be adjusted"), 0)
    down, up = _draw_levels(table, unsafe, rng if secret else None)
    limit = TIMES * np.maximum(down, up) + MORE * find_unit(table)
    for _ in range(TRIES):
        problem = AdjustProblem(table=table, unsafe=unsafe, down=down, up=up, weight=cost.weigh(table), limit=limit)
        *_, step = AdjustSearch(problem, rng=rng).steps(seconds=seconds)
        if not problem.binds(step.moves):
            shown = _settle(table, table.value + step.moves)
            return AdjustedTable(
                table=table, problem=problem, shown=shown, step=step, secret=secret, seconds=process_time() - start
            )
        limit = limit * LARGER
    raise InfeasibleError(Said("no adjustment was found in which no limit stops an unsafe cell"))


def _draw_levels(table: Table, unsafe: NDArray[np.intp], rng: np.random.Generator | None) -> tuple[Floats, Floats]:
    """Return the levels of the unsafe cells in whole units: between once and twice what is asked, if drawn."""
    unit = find_unit(table)
    down, up = (levels[unsafe] for levels in find_levels(table))
    if rng is not None:
        down, up = down * (1 + rng.random(len(unsafe))), up * (1 + rng.random(len(unsafe)))
    return np.ceil(down / unit - LEVEL) * unit, np.ceil(up / unit - LEVEL) * unit


def _settle(table: Table, shown: Floats) -> Floats:
    """Return what is shown in whole units, or in finer ones where those do not add up."""
    unit = find_unit(table)
    for finer in (1, 10, 100, 1000):
        settled = np.rint(shown / unit * finer) * unit / finer
        if np.abs(table.matrix @ settled).max(initial=0.0) <= LEVEL * unit / finer:
            return settled
    return shown

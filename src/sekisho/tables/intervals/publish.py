"""A table published as intervals: made, bounded from below, and with the ends that are written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from time import process_time

import numpy as np

from sekisho.tables.audit.attacker import room
from sekisho.tables.audit.statements import Statements
from sekisho.tables.intervals.positions import Positions, draw_positions, find_unit, refuse_symmetric
from sekisho.tables.intervals.widths import LevelCut, WidthColumns, WidthSearch, WidthStep
from sekisho.tables.model.table import Floats, Table
from sekisho.tables.suppress.cuts import Multipliers

SCALE = 1 << 40
"""Parts of cuts in a proof are whole multiples of one over this."""
NEAR = 1e-7
"""An end so close to a unit is that unit: the program's tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WidthBound:
    """A bound on the widths that whole numbers prove: cuts, each with a part of the sum.

    Attributes:
        cuts: with their parts over ``SCALE``.
        bound: what they prove, exactly.
    """

    cuts: tuple[tuple[LevelCut, int], ...]
    bound: Fraction


@dataclass(frozen=True, kw_only=True, eq=False)
class IntervalTable:
    """A table as intervals.

    Attributes:
        table: the true one, its unsafe cells flagged.
        low: the lower end of each interval; the value where it is shown.
        high: the upper end.
        step: how the search ended.
        proof: of the least width for the levels drawn, positions of other cells being free.
        positions: that were drawn; None if none were.
        seconds: of CPU time that it took.
    """

    table: Table
    low: Floats
    high: Floats
    step: WidthStep
    proof: WidthBound
    positions: Positions | None
    seconds: float

    @property
    def width(self) -> float:
        """The sum of the widths by weight."""
        return float(self.table.weight @ (self.high - self.low))

    @property
    def intervals(self) -> int:
        """How many cells are not shown as they are."""
        return int((self.high > self.low).sum())

    @cached_property
    def statements(self) -> Statements:
        """What a reader learns of each cell."""
        exact = self.high <= self.low
        return Statements.interval(self.low, self.high).replace_cells(exact, Statements.exact(self.table.value))


def publish_intervals(table: Table, *, rng: np.random.Generator | None, seconds: float | None = None) -> IntervalTable:
    """Return the narrowest intervals that protect a table's unsafe cells.

    Args:
        table: its unsafe cells flagged, with their levels.
        rng: of the positions of true values, secret; None for none, which only studies need.
        seconds: after which the best so far is taken.

    Raises:
        ParameterError: without positions, levels that put true values into the middle.
        InfeasibleError: there are no such intervals.
    """
    start = process_time()
    positions = None
    if rng is None:
        refuse_symmetric(table)
    else:
        positions = draw_positions(table, rng=rng)
    asked = table if positions is None else positions.ask(table)
    share = None if positions is None else positions.share
    columns = WidthColumns.of(table, share)
    *_, step = WidthSearch(asked, columns).steps(seconds=seconds)
    down, up = columns.widen(step.units, len(table))
    bound = step
    if positions is not None:
        left = None if seconds is None else max(1.0, seconds - (process_time() - start))
        *_, bound = WidthSearch(asked, WidthColumns.of(table)).steps(seconds=left)
    unit = find_unit(table)
    return IntervalTable(
        table=table,
        low=np.maximum(table.lower, _settle(table.value - np.where(down > NEAR, down, 0.0), unit, np.floor)),
        high=np.minimum(table.upper, _settle(table.value + np.where(up > NEAR, up, 0.0), unit, np.ceil)),
        step=step,
        proof=prove_bound(asked, bound),
        positions=positions,
        seconds=process_time() - start,
    )


def _settle(ends: Floats, unit: float, outward: np.ufunc) -> Floats:
    """Return ends in whole units, moved outward unless they are close to one."""
    units = ends / unit
    near = np.rint(units)
    return np.where(np.abs(units - near) <= NEAR * np.maximum(1.0, np.abs(near)), near, outward(units)) * unit


def prove_bound(table: Table, step: WidthStep) -> WidthBound:
    """Return what the multipliers of a search prove in whole numbers: cuts, each with a part.

    With ``q_i = sum_c part_c r_c`` of a side of a cell, widths that protect have ``sum_c part_c level_c`` at most
    ``sum_i q_i z_i``, hence their cost and ``(q_i - weight_i) most_i`` of each side that is limited. Parts are rounded
    down, and made smaller together where they ask more than the cost of a side without a limit.
    """
    parts = [(cut, int(dual * SCALE)) for cut, dual in zip(step.cuts, step.dual.tolist(), strict=True)]
    kept = [(cut, part) for cut, part in parts if part > 0]
    down, up = room(table)
    asked = _add_parts(table, kept)
    open_sides = [
        by / (SCALE * Fraction(table.weight[cell]) or Fraction(1, SCALE))
        for (cell, side), by in asked.items()
        if not np.isfinite((down, up)[side][cell])
    ]
    over = max(open_sides, default=Fraction(0))
    if over > 1:
        kept = [(cut, int(part / over)) for cut, part in kept]
        asked = _add_parts(table, kept)
    bound = sum((Fraction(part, SCALE) * Fraction(cut.level) for cut, part in kept), Fraction(0))
    for (cell, side), by in asked.items():
        excess = by / SCALE - Fraction(table.weight[cell])
        if excess > 0:
            bound -= excess * Fraction((down, up)[side][cell])
    return WidthBound(cuts=tuple(kept), bound=bound)


def _add_parts(table: Table, parts: list[tuple[LevelCut, int]]) -> dict[tuple[int, int], Fraction]:
    """Return what parts of cuts ask together of the room below (0) and above (1) of each cell."""
    asked: dict[tuple[int, int], Fraction] = {}
    for cut, part in parts:
        for side, reach in enumerate(cut.reach(table.matrix)):
            for cell, by in reach.items():
                asked[cell, side] = asked.get((cell, side), Fraction(0)) + by * part
    return asked


def list_multipliers(multipliers: Multipliers, equations: int) -> tuple[list[int], int]:
    """Return multipliers as whole numbers of every equation, and their denominator."""
    numbers = [0] * equations
    for row, number in zip(multipliers.rows.tolist(), multipliers.values.tolist(), strict=True):
        numbers[row] = number
    return numbers, multipliers.denominator

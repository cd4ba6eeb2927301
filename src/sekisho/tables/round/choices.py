"""What a table may be shown as: for each cell some multiples of a unit, together so that every equation holds.

Cell ``i`` is shown as ``x_i = unit_i * z_i``, ``z_i`` whole in ``low_i .. high_i``; all ``matrix @ x == 0``; it costs
``weight_i * |x_i - value_i|``. This is the model of controlled rounding (all units the base), of small-count rounding
(small inner cells in units of the base, margins in units of 1, all else fixed) and of cells that stay as they are
(``low == high``). The cost is convex in ``z``, with corners at whole ``z`` only once its middle piece joins the two
multiples beside the value: so the linear program over up to three columns a cell (below, between, above) has the cost
of every whole ``z``, and no constant larger than a unit.

*Bound.* For any multipliers ``p`` of the equations, with ``q = p @ matrix``, no table costs less than::

    sum over cells of  min over z in low..high of  weight * |unit z - value| - q unit z

(``q @ x`` is 0 for every table that adds up.) The least stands at an end or at a multiple beside the value, so the
bound is exact in whole numbers whatever the solver did.

Sources: Causey, Cox and Ernst, JASA 80 (1985); Salazar, Mathematical Programming 105 (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.tables.model.table import Floats, Mask

Wholes = NDArray[np.int64]
SCALES = (1, 2, 12, 1 << 16)
"""Multipliers are rounded to these parts of the unit's: those of a network are whole, others keep some digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundMultipliers:
    """Multipliers of the equations, whole numbers over a denominator, and the bound that they prove.

    Attributes:
        numbers: one an equation.
        denominator: above 0.
        bound: what no table that adds up costs less than.
    """

    numbers: tuple[int, ...]
    denominator: int
    bound: Fraction


@dataclass(frozen=True, kw_only=True, eq=False)
class RoundingChoices:
    """The tables that may be shown; every array has one entry per cell.

    Attributes:
        matrix: the equations.
        value: the true cells.
        unit: of which each cell is shown as a multiple.
        low: the least multiplier of the unit.
        high: the greatest.
        weight: what a change by one costs.
    """

    matrix: csr_array
    value: Wholes
    unit: Wholes
    low: Wholes
    high: Wholes
    weight: Wholes

    @cached_property
    def below(self) -> Wholes:
        """The multiplier of the greatest multiple that is not above the value."""
        return self.value // self.unit

    @cached_property
    def nearest(self) -> int:
        """The cost if every cell were shown as the nearest multiple that it may be, whether or not that adds up."""
        none = np.zeros(len(self.value), dtype=np.int64)
        return int(_least(self, none, self.weight).sum())

    @cached_property
    def free(self) -> Mask:
        """The cells that may be shown as more than one value."""
        return self.low < self.high

    @cached_property
    def common_unit(self) -> int:
        """The unit of all cells that may be shown as more than one value; 1 if they have several."""
        units = self.unit[self.free]
        return int(units[0]) if len(units) and bool(np.all(units == units[0])) else 1

    def cost(self, shown: Wholes) -> int:
        """Return what a table costs."""
        return int((self.weight * np.abs(shown - self.value)).sum())

    def admits(self, shown: Wholes) -> bool:
        """Tell whether a table may be shown: multiples within their limits that add up."""
        z = shown // self.unit
        inside = (z * self.unit == shown) & (self.low <= z) & (z <= self.high)
        return bool(inside.all()) and not np.any(self.matrix @ shown.astype(np.float64))

    def prove_bound(self, dual: Floats) -> BoundMultipliers:
        """Return the best bound that a solver's multipliers, rounded in some ways, prove."""
        tried = (self._price(dual, part * self.common_unit) for part in SCALES)
        return max(tried, key=lambda each: each.bound)

    def _price(self, dual: Floats, scale: int) -> BoundMultipliers:
        numbers = np.rint(dual * scale).astype(np.int64)
        priced = np.rint(self.matrix.T @ numbers.astype(np.float64)).astype(np.int64)
        total = sum(_least(self, priced, self.weight * scale).tolist())
        return BoundMultipliers(numbers=tuple(numbers.tolist()), denominator=scale, bound=Fraction(total, scale))


def round_up(bound: Fraction | float) -> int:
    """Return the least whole cost that a bound allows; a float is taken for a little less than it says."""
    return ceil(bound) if isinstance(bound, Fraction) else ceil(bound - 1e-6)


def _least(choices: RoundingChoices, priced: Wholes, weight: Wholes) -> Wholes:
    """Return the least that each cell adds to a bound: at an end, or at a multiple beside the value."""
    places = (choices.low, choices.high, choices.below, choices.below + 1)
    values = [
        weight * np.abs(x - choices.value) - priced * x
        for x in (choices.unit * np.clip(place, choices.low, choices.high) for place in places)
    ]
    return np.minimum.reduce(values)

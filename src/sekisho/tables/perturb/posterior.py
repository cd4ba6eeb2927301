"""What the shown counts of one equation tell of a cell: its posterior, by exact chances and by convolution.

The adversary knows the perturbation table, how keys are made, the equations and all that is shown; before that every
count is as likely as any other. How keys of different sets of records hang together decides what he can do:

- ``hashed``: the keys of different sets are independent, the same set has the same key. So the shares multiply, but
  where all other parts of a total are empty it is the same set as its part and shows the same number.
- ``summed`` (cellKey, τ-ARGUS): the key of a total *is* the sum of its parts' keys modulo 1. With two parts the chance
  of what is shown is the area of ``{u in I1, v in I2, u + v mod 1 in IT}``, which is often 0: most of what independent
  keys leave possible is excluded.
- ``independent``: as if even the same set had another key in every cell; what an attacker believes who does not use how
  keys are made.

Chances are whole units of 1e-8 and areas halves of their squares, so that the posterior of two cells is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.perturb.rows import UNIT, NoiseTable

Floats = NDArray[np.float64]
Wholes = NDArray[np.int64]
SURE = 0.9


class KeyScheme(StrEnum):
    """How the keys of different sets of records hang together."""

    HASHED = "hashed"
    SUMMED = "summed"
    INDEPENDENT = "independent"


def find_posterior(
    table: NoiseTable, shown: tuple[int, int, int], scheme: KeyScheme, *, most: int
) -> dict[int, Fraction]:
    """Return the posterior of the first of two cells, shown with their total; empty if nothing can have led to it.

    Args:
        table: the perturbation table.
        shown: the first cell, the second and their total.
        scheme: how keys are made.
        most: before, either cell may hold 0 to so many.
    """
    weights = {
        one: sum(_weigh_pair(table, one, two, shown, scheme) for two in range(most + 1)) for one in range(most + 1)
    }
    total = sum(weights.values())
    return {count: Fraction(weight, total) for count, weight in weights.items() if weight}


def _weigh_pair(table: NoiseTable, one: int, two: int, shown: tuple[int, int, int], scheme: KeyScheme) -> int:
    """Return twice the chance that two counts and their total are shown so, in cubes of units."""
    first, second, total = shown
    same = not (one and two)
    if scheme is KeyScheme.SUMMED:
        i, j, k = table.interval_of(one, first), table.interval_of(two, second), table.interval_of(one + two, total)
        if not same:
            return _measure_area(i, j, k) * UNIT
        if table.units_of(one, first) == 0 or table.units_of(two, second) == 0:
            return 0
        own = j if one == 0 else i
        return 2 * max(0, min(own[1], k[1]) - max(own[0], k[0])) * UNIT**2
    chances = table.units_of(one, first) * table.units_of(two, second)
    if scheme is KeyScheme.HASHED and same:
        return 2 * chances * UNIT * (total == (second if one == 0 else first))
    return 2 * chances * table.units_of(one + two, total)


def _measure_area(first: tuple[int, int], second: tuple[int, int], total: tuple[int, int]) -> int:
    """Return twice the area of the keys in two intervals whose sum modulo 1 lies in a third, in units."""

    def below(bound: int) -> int:
        corners = ((0, 0, 1), (1, 0, -1), (0, 1, -1), (1, 1, 1))
        return sum(sign * max(0, bound - first[i] - second[j]) ** 2 for i, j, sign in corners)

    return sum(below(total[1] + turn) - below(total[0] + turn) for turn in (0, UNIT))


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessFigures:
    """How well a cell is guessed.

    Attributes:
        right: how often rightly.
        sure: how often rightly and surer than 0.9.
        certain: how often for certain.
        certain_people: how often for certain where somebody is in the cell.
    """

    right: float
    sure: float
    certain: float
    certain_people: float

    def as_dict(self) -> dict[str, float]:
        """Return them as plain data."""
        return {
            "right": self.right,
            "surer_than_0.9": self.sure,
            "certain": self.certain,
            "certain_above_0": self.certain_people,
        }


@dataclass(frozen=True, kw_only=True)
class TwoCells:
    """Two cells and their total, each with noise, over all counts and all that can be shown.

    Attributes:
        table: the perturbation table.
        most: before, the attacker thinks 0 to so many in either cell equally likely.
        truth: the counts really are 0 to so many, equally likely.
    """

    table: NoiseTable
    most: int = 12
    truth: int = 6

    @cached_property
    def _intervals(self) -> tuple[Wholes, Wholes]:
        """Where the key must stand, by count and number shown."""
        counts, numbers = 2 * self.most + 1, 2 * self.most + self.table.largest + 1
        pairs = [[self.table.interval_of(count, shown) for shown in range(numbers)] for count in range(counts)]
        both = np.array(pairs, dtype=np.int64)
        return both[:, :, 0], both[:, :, 1]

    def list_chances(self, scheme: KeyScheme) -> Floats:
        """Return the chance of every triple of numbers for every pair of counts: five axes, counts first."""
        own, numbers = self.most + self.table.largest + 1, self._intervals[0].shape[1]
        chances = np.zeros((self.most + 1, self.most + 1, own, own, numbers))
        for one in range(self.most + 1):
            for two in range(self.most + 1):
                chances[one, two] = self._weigh(one, two, own, scheme)
        return chances

    def _weigh(self, one: int, two: int, own: int, scheme: KeyScheme) -> Floats:
        low, high = self._intervals
        l1, h1 = low[one, :own, None, None], high[one, :own, None, None]
        l2, h2 = low[two, None, :own, None], high[two, None, :own, None]
        lt, ht = low[one + two], high[one + two]
        if scheme is KeyScheme.INDEPENDENT or (scheme is KeyScheme.HASHED and one and two):
            return (h1 - l1) * (h2 - l2) / UNIT**2 * ((ht - lt) / UNIT)
        if one and two:
            parts = ((l1 + l2, 1), (h1 + l2, -1), (l1 + h2, -1), (h1 + h2, 1))
            areas = [
                sign * (np.maximum(ht + turn - corner, 0) ** 2 - np.maximum(lt + turn - corner, 0) ** 2)
                for corner, sign in parts
                for turn in (0, UNIT)
            ]
            return np.sum(areas, axis=0) / (2 * UNIT**2)
        whole_low, whole_high = (l1, h1) if two == 0 else (l2, h2)
        if scheme is KeyScheme.SUMMED:
            overlap = np.maximum(0, np.minimum(whole_high, ht) - np.maximum(whole_low, lt)) / UNIT
        else:
            numbers = np.arange(own)
            same = np.arange(len(ht)) == (numbers[:, None, None] if two == 0 else numbers[None, :, None])
            overlap = (whole_high - whole_low) / UNIT * same
        empty = (h2 > l2) if two == 0 else (h1 > l1)
        return overlap * empty

    def measure(self, scheme: KeyScheme, *, believed: KeyScheme | None = None) -> GuessFigures:
        """Return how well the first cell is guessed by whoever believes keys to be made in a way."""
        made = self.list_chances(scheme)
        believes = made if believed in (None, scheme) else self.list_chances(believed)
        weights = believes.sum(axis=1)
        total = weights.sum(axis=0)
        posterior = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        best, top = posterior.argmax(axis=0), posterior.max(axis=0)
        true = made[: self.truth + 1, : self.truth + 1].sum(axis=1) / (self.truth + 1) ** 2
        counts = np.arange(self.truth + 1)[:, None, None, None]
        right = true * (best == counts)
        certain = right[:, (weights > 0).sum(axis=0) == 1]
        return GuessFigures(
            right=float(right.sum()),
            sure=float(right[:, top > SURE].sum()),
            certain=float(certain.sum()),
            certain_people=float(certain[1:].sum()),
        )

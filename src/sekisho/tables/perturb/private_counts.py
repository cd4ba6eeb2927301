"""Counts with unbounded noise: what one person more or less can change of all that is shown, and no claim beyond it.

Against whom: one who knows everybody else in the table. One person is in one inner cell and in every margin above it,
so of ``m`` published cells (four of a flat table of two dimensions with its margins) each changes by one. With noise
drawn for each cell by itself

- two-sided geometric of ratio ``alpha``: ``P(v) = (1 - alpha) / (1 + alpha) * alpha^|v|``, the chance of whatever is
  shown changes by at most the factor ``alpha^-m``: epsilon is ``m ln(1 / alpha)``;
- discrete Gaussian: ``P(v)`` proportional to ``exp(-v^2 / (2 s))``, it is concentrated with ``rho = m / (2 s)``.

Noise of a limited size (:mod:`sekisho.tables.perturb.rows`) has no epsilon, and none is told of it. Every count is
possible behind every number, so intervals say nothing here. Noise is drawn anew each time: every further table of the
same people adds its own to what is spent.

Drawing is exact: by comparisons of whole numbers, no floats.

Sources: Ghosh, Roughgarden and Sundararajan, STOC 2009 (geometric); Canonne, Kamath and Steinke, "The discrete Gaussian
for differential privacy", NeurIPS 2020, algorithms 1 to 3; Bun and Steinke, TCC 2016 (zCDP).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import isqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.safety.epsilon import EpsilonOdds
from sekisho.tables.audit.statement_audit import expand_sums
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.method import close_sums
from sekisho.words import Said

TAIL = 60
"""Beyond so many standard deviations a chance is below any float."""
Wholes = NDArray[np.int64]


class PrivateNoise(Protocol):
    """Noise that makes any number of any count."""

    @property
    def variance(self) -> Fraction | float:
        """The mean square of what is added."""
        ...

    def chance(self, change: int) -> Fraction | float:
        """Return the chance that so much is added."""
        ...

    def draw(self, rng: np.random.Generator) -> int:
        """Return what is added to one count."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class GeometricNoise:
    """Two-sided geometric noise; each step further from 0 is ``ratio`` times as likely."""

    ratio: Fraction

    def __post_init__(self) -> None:
        _check_fraction("ratio", self.ratio, below_one=True)

    @property
    def variance(self) -> Fraction:
        """The mean square of what is added."""
        return 2 * self.ratio / (1 - self.ratio) ** 2

    def chance(self, change: int) -> Fraction:
        """Return the chance that so much is added."""
        return (1 - self.ratio) / (1 + self.ratio) * self.ratio ** abs(change)

    def draw(self, rng: np.random.Generator) -> int:
        """Return the difference of two numbers of further steps, each taken with chance ``ratio``."""
        up, down = (next(steps for steps in count() if not _flip(self.ratio, rng)) for _ in range(2))
        return up - down

    def spend(self, cells: int) -> EpsilonOdds:
        """Return e^epsilon if one person is in so many published cells."""
        return EpsilonOdds(ratio=1 / self.ratio**cells)


@dataclass(frozen=True, kw_only=True)
@checked
class GaussianNoise:
    """Discrete Gaussian noise; ``scale`` is sigma squared, the variance of the normal curve whose heights are taken."""

    scale: Fraction

    def __post_init__(self) -> None:
        _check_fraction("scale", self.scale, below_one=False)

    @cached_property
    def _heights(self) -> NDArray[np.float64]:
        """The chances of 0, 1, 2 and so on."""
        reach = TAIL * (isqrt(int(self.scale)) + 1)
        heights = np.exp(-(np.arange(reach) ** 2.0) / (2 * float(self.scale)))
        return heights / (2 * heights.sum() - 1)

    @property
    def variance(self) -> float:
        """The mean square of what is added: at most ``scale``, and close to it from 1 on."""
        return float(2 * (np.arange(len(self._heights)) ** 2.0 * self._heights).sum())

    def chance(self, change: int) -> float:
        """Return the chance that so much is added."""
        return float(self._heights[abs(change)]) if abs(change) < len(self._heights) else 0.0

    def draw(self, rng: np.random.Generator) -> int:
        """Return a geometric number of about this width, kept with the chance that makes it Gaussian."""
        width = isqrt(int(self.scale)) + 1
        while True:
            steps = _draw_steps(width, rng)
            sign = 1 if rng.integers(2) else -1
            if steps == 0 and sign < 0:
                continue  # 0 has one sign
            if flip_exp((steps - self.scale / width) ** 2 / (2 * self.scale), rng):
                return sign * steps

    def spend(self, cells: int) -> Fraction:
        """Return rho if one person is in so many published cells."""
        return cells / (2 * self.scale)


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateCounts:
    """A table of counts as it is shown with unbounded noise.

    Attributes:
        table: the true one, confidential.
        shown: what each published cell shows, below 0 too; 0 for those that are not published.
        cells: in how many published cells one person is at most.
    """

    table: Table
    shown: Wholes
    cells: int

    @cached_property
    def additive(self) -> Wholes:
        """The closest table from 0 on that adds up, made of what is shown alone: it spends nothing."""
        return close_sums(self.table.matrix, self.shown)


def add_private_noise(table: Table, noise: PrivateNoise, *, rng: np.random.Generator) -> PrivateCounts:
    """Return a table of counts with noise drawn for each published cell; for a release ``rng`` is the secret one.

    Raises:
        ParameterError: the table does not count people once, or its cells are no sums of inner ones.
    """
    if not table.whole or bool(np.any(table.value < 0)):
        raise ParameterError("value", Said("be a count: only whole numbers from 0 on have a row of noise"), "")
    shown = np.zeros(len(table), dtype=np.int64)
    for cell in np.flatnonzero(~table.unpublished).tolist():
        shown[cell] = round(float(table.value[cell])) + noise.draw(rng)
    return PrivateCounts(table=table, shown=shown, cells=count_held(table))


def count_held(table: Table) -> int:
    """Return in how many published cells one person is at most.

    Raises:
        ParameterError: the cells are no sums of inner ones, each counted once.
    """
    sums = expand_sums(table)
    if sums is None:
        raise ParameterError("table", Said("have cells that are sums of inner cells, each counted once"), len(table))
    return int((sums.T @ (~table.unpublished).astype(np.float64)).max())


def _check_fraction(name: str, value: Fraction, *, below_one: bool) -> None:
    if value <= 0 or (below_one and value >= 1):
        rule = Said("lie strictly between 0 and 1") if below_one else Said("be above 0")
        raise ParameterError(name, rule, value)


def _flip(chance: Fraction, rng: np.random.Generator) -> bool:
    """Return True with a chance from 0 to 1, exactly."""
    bits = chance.denominator.bit_length()
    while True:  # a whole number below the denominator, all equally likely
        drawn = int.from_bytes(rng.bytes((bits + 7) // 8), "big") >> (-bits % 8)
        if drawn < chance.denominator:
            return drawn < chance.numerator


def flip_exp(power: Fraction, rng: np.random.Generator) -> bool:
    """Return True with the chance exp(-power), exactly: whole parts one by one, the rest by its alternating series."""
    for _ in range(int(power)):
        if not _flip_exp_below(Fraction(1), rng):
            return False
    return _flip_exp_below(power - int(power), rng)


def _flip_exp_below(power: Fraction, rng: np.random.Generator) -> bool:
    """The same for a power from 0 to 1: the number of tries with chance power / k that succeed in a row is even."""
    tries = next(k for k in count(1) if not _flip(power / k, rng))
    return tries % 2 == 1


def _draw_steps(width: int, rng: np.random.Generator) -> int:
    """Return a number of steps k with a chance proportional to exp(-k / width)."""
    while True:
        rest = int(rng.integers(width))
        if flip_exp(Fraction(rest, width), rng):
            break
    whole = next(steps for steps in count() if not _flip_exp_below(Fraction(1), rng))
    return rest + width * whole

"""Perturbation tables: with what chance each count is shown for each true count, in whole units of 1e-8.

Everybody may know the table; what must stay secret are the keys. A true 0 stays 0, so whoever is shown a number above 0
knows that somebody is there. Rows up to ``D`` (with a threshold ``js``: ``D + js + 1``) are computed; the last is
symmetric and serves all larger counts, shifted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.tables.perturb.entropy import RowQuestion, measure_entropy
from sekisho.words import Said

UNIT = 10**8
"""Chances are whole multiples of one part in so many."""
FARTHEST = 50
"""Noise of more than this is none that people publish."""
REACHED = Fraction(1, 10**6)
"""So close to the wanted variance a row's counts as reached: chances are rounded to units."""
Wholes = NDArray[np.int64]


class VarianceCare(StrEnum):
    """How a row is to keep the variance.

    Attributes:
        REACH: at most the variance, and a row that falls short of it is told.
        AT_MOST: at most the variance, and less is as good.
        EQUAL: just the variance, whatever entropy it costs.
    """

    REACH = "reach"
    AT_MOST = "at-most"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRow:
    """One row: what is shown for one true count.

    Attributes:
        count: the true count.
        targets: what may be shown, rising.
        units: the chance of each, in parts of 1e-8.
    """

    count: int
    targets: tuple[int, ...]
    units: tuple[int, ...]

    def __post_init__(self) -> None:
        rising = all(one < two for one, two in zip(self.targets, self.targets[1:], strict=False))
        if not self.targets or len(self.targets) != len(self.units) or not rising or self.targets[0] < 0:
            raise ParameterError("targets", Said("be counts, rising, with a chance each"), str(self.targets))
        if sum(self.units) != UNIT or min(self.units) < 0:
            raise ParameterError("units", Said("be chances that add up to 1"), f"row {self.count}")
        if self.count == 0 and self.targets != (0,):
            raise ParameterError("targets", Said("leave a true 0 at 0: nobody must be made up"), str(self.targets))

    @property
    def variance(self) -> Fraction:
        """The mean square of what is added."""
        pairs = zip(self.targets, self.units, strict=True)
        return Fraction(sum((target - self.count) ** 2 * units for target, units in pairs), UNIT)

    @property
    def bias(self) -> Fraction:
        """The mean of what is added: 0 but for the rounding to units."""
        pairs = zip(self.targets, self.units, strict=True)
        return Fraction(sum((target - self.count) * units for target, units in pairs), UNIT)

    @property
    def entropy(self) -> float:
        """In bits."""
        return measure_entropy(np.array(self.units) / UNIT)

    @property
    def stay(self) -> Fraction:
        """The chance that the true count is shown."""
        return Fraction(self.units[self.targets.index(self.count)], UNIT) if self.count in self.targets else Fraction(0)


@dataclass(frozen=True, kw_only=True)
class NoiseTable:
    """A perturbation table: rows for the counts 0, 1, and so on; the last serves all larger counts, shifted."""

    rows: tuple[NoiseRow, ...]

    def __post_init__(self) -> None:
        counts = [row.count for row in self.rows]
        if counts != list(range(len(counts))) or len(counts) < 2:
            raise ParameterError("rows", Said("be of the counts 0, 1, 2 and so on, each once"), str(counts[:20]))

    @property
    def last(self) -> int:
        """The count whose row serves all larger ones."""
        return len(self.rows) - 1

    @cached_property
    def largest(self) -> int:
        """By how much a count may change at most (D)."""
        moves = [abs(target - row.count) for row in self.rows for target in row.targets]
        return max(moves)

    @cached_property
    def least_width(self) -> int:
        """How wide the interval is at least that a shown number leaves open by itself."""
        origins = [self.list_origins(shown) for shown in range(self.last + 2 * self.largest + 1)]
        return min(some[-1] - some[0] for some in origins if some)

    @cached_property
    def _grid(self) -> tuple[Wholes, Wholes]:
        """The targets and cumulated units by row, filled up at the right."""
        width = max(len(row.targets) for row in self.rows)
        targets = np.array([[*row.targets, *[row.targets[-1]] * (width - len(row.targets))] for row in self.rows])
        units = np.array([[*np.cumsum(row.units), *[UNIT] * (width - len(row.units))] for row in self.rows])
        return targets.astype(np.int64), units.astype(np.int64)

    def show_counts(self, counts: Wholes, places: Wholes) -> Wholes:
        """Return what is shown for each count whose key stands at a place from 0 to 1e8 - 1, in order of the targets.

        Raises:
            ParameterError: a count below 0.
        """
        if counts.size and int(counts.min()) < 0:
            raise ParameterError("counts", Said("not be below 0"), int(counts.min()))
        row = np.minimum(counts, self.last)
        targets, cumulated = self._grid
        column = (places[:, None] >= cumulated[row]).sum(axis=1)
        return targets[row, column] + (counts - row)

    def units_of(self, count: int, shown: int) -> int:
        """Return the chance, in units, that a count is shown as a number."""
        row = self.rows[min(count, self.last)]
        target = shown - (count - row.count)
        return row.units[row.targets.index(target)] if target in row.targets else 0

    def interval_of(self, count: int, shown: int) -> tuple[int, int]:
        """Return where the key of a count must stand for it to be shown as a number; an empty interval if nowhere."""
        row = self.rows[min(count, self.last)]
        target = shown - (count - row.count)
        if target not in row.targets:
            return 0, 0
        at = row.targets.index(target)
        low = sum(row.units[:at])
        return low, low + row.units[at]

    def list_origins(self, shown: int) -> list[int]:
        """Return the true counts that may be shown as a number, rising: what the number says by itself."""
        most = max(shown, 0) + self.largest
        return [count for count in range(max(0, shown - self.largest), most + 1) if self.units_of(count, shown)]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NoisePlan:
    """What a perturbation table is to fulfil.

    Attributes:
        most: D, by how much a count may change at most.
        variance: V, of the noise of every row.
        threshold: js: the counts 1 to js are never shown.
        stay: the least chance that a true count above the threshold is shown as it is.
        care: how the variance is to be kept.
    """

    most: int
    variance: Fraction
    threshold: int = 0
    stay: Fraction = Fraction(0)
    care: VarianceCare = VarianceCare.REACH

    def __post_init__(self) -> None:
        if not 1 <= self.most <= FARTHEST:
            raise ParameterError("max", Said("be from 1 to {most}", most=FARTHEST), self.most)
        if self.variance <= 0:
            raise ParameterError("variance", Said("be above 0"), self.variance)
        if not 0 <= self.threshold < self.most:
            raise ParameterError("threshold", Said("be from 0 to below the largest change"), self.threshold)
        if not 0 <= self.stay < 1:
            raise ParameterError("stay", Said("be from 0 to below 1"), self.stay)

    @property
    def last(self) -> int:
        """The count whose row serves all larger ones: the first that can move by D to both sides."""
        return self.most + (self.threshold + 1 if self.threshold else 0)

    def list_targets(self, count: int) -> Wholes:
        """Return what may be shown for a count."""
        shown = np.arange(max(0, count - self.most), count + self.most + 1)
        return shown[(shown == 0) | (shown > self.threshold)].astype(np.int64)

    def make_row(self, count: int) -> NoiseRow:
        """Return the row of greatest entropy, its cumulated chances rounded to units.

        Raises:
            InfeasibleError: no noise fulfils the plan.
        """
        if count == 0:
            return NoiseRow(count=0, targets=(0,), units=(UNIT,))
        targets = self.list_targets(count)
        chances = RowQuestion(
            count=count,
            targets=targets,
            variance=float(self.variance),
            equal=self.care is VarianceCare.EQUAL,
            stay=float(self.stay),
        ).solve()
        cumulated = np.rint(np.cumsum(chances) * UNIT).astype(np.int64)
        cumulated[-1] = UNIT
        units = np.diff(cumulated, prepend=0)
        return NoiseRow(count=count, targets=tuple(targets.tolist()), units=tuple(units.tolist()))

    def make_table(self) -> NoiseTable:
        """Return the whole table.

        Raises:
            InfeasibleError: a row cannot be had.
        """
        return NoiseTable(rows=tuple(self.make_row(count) for count in range(self.last + 1)))

    def reaches(self, row: NoiseRow) -> bool:
        """Tell whether a row above 0 has the variance that was asked for."""
        return row.variance >= self.variance - REACHED * max(1, self.variance)

"""The ends of distributions, and how far rows lie from the rest (contest of 2026).

Of each column the points at 0.1, 1, 5, 95, 99 and 99.9 %, and of all rows the Mahalanobis distance's at 95, 99 and
99.9 %, with mean and covariance of the background table. Each statistic s has a standard deviation by chance, taken
``ratio`` times where that is above 1; those whose ratio is above the limit are left out. With z = (s_C - s_B)/sd:

    shift = sqrt((mean z of upper ends / a)^2 + (mean z of lower ends / b)^2) / sqrt 2
    spike = mean of min(10, max(0, |s_C - s_B| / max(3 sd, 0.05 IQR_B) - 1))
    min(1 - max(0, shift - 3)/5, 1 - spike/0.5), clipped to 0..1

More is better. Source: PWS Cup 2026, utility, U_gen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.seeds import Seed
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.number_columns import Floats, parse_numbers, stack_numbers
from sekisho.words import Said

LOWER, UPPER = (0.1, 1.0, 5.0), (95.0, 99.0, 99.9)
DISTANCE = "distance"
BACKGROUND = "background"
DRAWS = 100
"""Pairs of samples by which deviations are estimated."""
LEAST = 1e-9
"""A deviation is not below it: columns that do not move would have none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Centre:
    """Mean and covariance of a background, by which rows are near or far."""

    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, background: pl.DataFrame, columns: tuple[str, ...]) -> Centre:
        """Return those of a table."""
        numbers = stack_numbers(background, columns)
        return cls(mean=numbers.mean(axis=0), covariance=np.cov(numbers, rowvar=False))

    def measure(self, numbers: Floats) -> Floats:
        """Return the Mahalanobis distance of each row."""
        moved = numbers - self.mean
        squares = np.einsum("ij,jk,ik->i", moved, np.linalg.pinv(np.atleast_2d(self.covariance)), moved)
        return np.sqrt(np.maximum(squares, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class TailFit:
    """How well the ends agree.

    Attributes:
        columns: whose ends are compared.
        distance: the columns by which a row is near or far.
        deviations: what each statistic differs by chance, by name: ``BMI_q99.9``, ``distance_q95``; estimated from the
            background, by pairs of disjoint samples of the original's size, where none is given.
        ratios: by how much a deviation is too small, by name.
        most_ratio: above it a statistic is left out.
    """

    columns: tuple[str, ...]
    distance: tuple[str, ...]
    deviations: Mapping[str, float] = field(default_factory=dict[str, float])
    ratios: Mapping[str, float] = field(default_factory=dict[str, float])
    most_ratio: float = 1.4
    upper_norm: float = 0.3054
    lower_norm: float = 0.3412
    free_shift: float = 3.0
    shift_scale: float = 5.0
    spike_scale: float = 0.5
    spike_cap: float = 10.0
    least_spread: float = 0.05

    def __post_init__(self) -> None:
        for name in list_tails(self.columns) if self.deviations else ():
            if not self.deviations.get(name, 0.0) > 0:
                raise ParameterError("deviations", Said("have a positive number for each statistic"), name)

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the lesser part; the detail holds both and what they are made of."""
        centre = Centre.of(given[BACKGROUND], self.distance)
        before, after = (measure_tails(table, self.columns, self.distance, centre) for table in (original, released))
        used = [name for name in before if self.ratios.get(name, 1.0) <= self.most_ratio]
        gaps = np.array([after[name] - before[name] for name in used])
        by_chance = self.deviations or self._estimate(original, given[BACKGROUND])
        deviation = np.array([max(by_chance[name], LEAST) * max(self.ratios.get(name, 1.0), 1.0) for name in used])
        spread = self._measure_spread(original, centre)
        room = np.maximum(3 * deviation, self.least_spread * np.array([spread[name.rsplit("_q")[0]] for name in used]))
        upper = np.array([float(name.rsplit("_q")[1]) > 50 for name in used])
        high, low = (
            float(z.mean()) if len(z) else 0.0 for z in ((gaps / deviation)[upper], (gaps / deviation)[~upper])
        )
        shift = float(np.hypot(high / self.upper_norm, low / self.lower_norm) / np.sqrt(2))
        spike = float(np.clip(np.abs(gaps) / room - 1, 0, self.spike_cap).mean())
        parts = {
            "by_shift": float(np.clip(1 - max(0.0, shift - self.free_shift) / self.shift_scale, 0, 1)),
            "by_spike": float(np.clip(1 - spike / self.spike_scale, 0, 1)),
        }
        detail = parts | {"shift": shift, "spike": spike, "statistics": len(used)}
        return Score(value=min(parts.values()), direction=Direction.MORE, detail=detail)

    def _estimate(self, original: pl.DataFrame, background: pl.DataFrame) -> Mapping[str, float]:
        rows = min(original.height, background.height // 2)
        rng = Seed(0).child("tails").rng()
        return estimate_deviations(background, self.columns, self.distance, rows=rows, draws=DRAWS, rng=rng)

    def _measure_spread(self, original: pl.DataFrame, centre: Centre) -> dict[str, float]:
        columns = {name: parse_numbers(original[name]) for name in self.columns}
        columns[DISTANCE] = centre.measure(stack_numbers(original, self.distance))
        return {name: float(np.percentile(values, 75) - np.percentile(values, 25)) for name, values in columns.items()}


def list_tails(columns: tuple[str, ...]) -> list[str]:
    """Return the names of the statistics."""
    ends = [f"{name}_q{at:g}" for name in columns for at in LOWER + UPPER]
    return [*ends, *(f"{DISTANCE}_q{at:g}" for at in UPPER)]


def measure_tails(
    table: pl.DataFrame, columns: tuple[str, ...], distance: tuple[str, ...], centre: Centre
) -> dict[str, float]:
    """Return the statistics of a table by name."""
    ends = [np.percentile(parse_numbers(table[name]), LOWER + UPPER) for name in columns]
    far = np.percentile(centre.measure(stack_numbers(table, distance)), UPPER)
    return dict(zip(list_tails(columns), np.concatenate([*ends, far]).tolist(), strict=True))


def estimate_deviations(
    background: pl.DataFrame,
    columns: tuple[str, ...],
    distance: tuple[str, ...],
    *,
    rows: int,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Return what the statistics of two samples of a background differ by chance: the deviation of their difference.

    Raises:
        ParameterError: the background has not twice as many rows.
    """
    if 2 * rows > background.height:
        raise ParameterError("rows", Said("be at most half of the background's {rows:,}", rows=background.height), rows)
    centre = Centre.of(background, distance)
    differences: list[list[float]] = []
    for _ in range(draws):
        order = rng.permutation(background.height)
        one, two = (
            measure_tails(background[part], columns, distance, centre)
            for part in (order[:rows], order[rows : 2 * rows])
        )
        differences.append([two[name] - one[name] for name in one])
    spread = np.std(differences, axis=0, ddof=1).tolist()
    return dict(zip(list_tails(columns), spread, strict=True))

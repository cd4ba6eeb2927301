"""Noise on numbers: Laplace noise, written as whole numbers as the contest's samples were, or correlated noise.

Each value gets noise of density (epsilon / 2) exp(-epsilon |x|) and loses its decimals (cut towards zero, as the
organisers' program did). With ``cut`` the change is cut to at most so much, so that Iloss stays within it; results stay
within the column's bounds. Where these are public, values lie within them and nothing is cut, the column has the local
epsilon (high - low) times the given one; cut noise has none, and every column that is released as it is makes that of
the whole record infinite: an adversary who knows a record's categories is hardly hindered.

Correlated noise (``correlated``) is normal, with mean 0 and ``amount`` times the covariance of the columns it is added
to: the covariance of what is released is 1 + amount times that of the original, in expectation, so correlations and the
ratios of variances stay. With ``rescaled`` what is released is drawn towards the mean by 1 / sqrt(1 + amount), and mean
and covariance themselves stay in expectation. Values are rounded to the nearest. Nothing provable is promised: against
one who looks for the nearest record it hides as far as the noise reaches, and outliers stay far out.

A missing cell stays missing. Mean and covariance are those of the records that lack none of the correlated columns.

Source: Dwork, McSherry, Nissim, Smith, TCC 2006; PWS Cup 2021, program dp2.py; Kim, "A method for limiting disclosure
in microdata based on random noise and transformation", ASA Survey Research Methods 1986 (correlated noise).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, RangeCells, find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import FARTHEST, LARGEST, require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.provenance import Provenance, list_parameters
from sekisho.safety.epsilon import EpsilonFinding, LaplaceColumn, measure_noise
from sekisho.words import Said

LOUDEST = 1_000_000
"""So large the scale of the noise may be."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoisyRelease(Release):
    """A release with noise, and what it says about one record."""

    epsilon: EpsilonFinding


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Noise:
    """Add Laplace noise to some columns, or noise that keeps their correlations.

    Source: Dwork, McSherry, Nissim, Smith, TCC 2006; PWS Cup 2021, program dp2.py; Kim, ASA 1986 (correlated noise).
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    epsilon: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By column, the inverse of the scale of the noise: column=value,…"},
    )
    low: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By column, the least value allowed: column=value,…; as the rules say."},
    )
    high: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By column, the largest value allowed: column=value,…; as the rules say."},
    )
    cut: float = field(default=-1.0, metadata={"help": "The largest change allowed; negative for none."})
    whole: bool = field(default=True, metadata={"help": "Whether results lose their decimals."})
    correlated: tuple[str, ...] = field(
        default=(), metadata={"help": "Columns that get normal noise with their own correlations, a,b."}
    )
    amount: float = field(
        default=0.1, metadata={"help": "Of correlated noise: its covariance, as a share of the columns' own."}
    )
    rescaled: bool = field(
        default=False, metadata={"help": "Of correlated noise: draw results to the mean, so that the covariance stays."}
    )

    def __post_init__(self) -> None:
        if not self.epsilon and not self.correlated:
            rule = Said("name at least one column and its epsilon, where correlated names none")
            raise ParameterError("epsilon", rule, "none", hint="age=1")
        if not 0 < self.amount <= LOUDEST:
            raise ParameterError("amount", Said("lie above 0 and be at most {loudest:,}", loudest=LOUDEST), self.amount)
        twice = sorted({name for name in self.correlated if name in self.epsilon or self.correlated.count(name) > 1})
        if twice:
            raise ParameterError("correlated", Said("name columns once, none of them in epsilon"), twice)
        for name, epsilon in self.epsilon.items():
            if not 1 / LOUDEST <= epsilon < np.inf:
                raise ParameterError(
                    Said("epsilon of {name}", name=name), Said("be {loudest:f} or more", loudest=1 / LOUDEST), epsilon
                )
        for which, ends in (("low", self.low), ("high", self.high)):
            for name, end in ends.items():
                if not abs(end) <= FARTHEST:
                    raise ParameterError(
                        Said("{which} of {name}", which=which, name=name),
                        Said("lie between -{farthest:,} and {farthest:,}", farthest=FARTHEST),
                        end,
                    )
        if not self.cut <= FARTHEST:
            raise ParameterError("cut", Said("be at most {most_claims:,}", most_claims=FARTHEST), self.cut)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> NoisyRelease:
        """Return the noisy records; none is deleted."""
        require_one_row(data)
        columns = dict(exact_table(data).columns)
        for name, epsilon in self.epsilon.items():
            columns[name] = RangeCells.exact(self._add_noise(data, name, rng.laplace(0.0, 1.0 / epsilon, len(data))))
        if self.correlated:
            columns |= self._add_correlated(data, rng)
        epsilon = self.measure_epsilon(data)
        return NoisyRelease(
            table=MaskedTable(schema=data.schema, columns=columns),
            deleted=np.zeros(len(data), dtype=np.bool_),
            provenance=Provenance(name="noise", parameters=list_parameters(self)),
            detail=epsilon.to_dict(),
            epsilon=epsilon,
        )

    def measure_epsilon(self, data: Dataset) -> EpsilonFinding:
        """Return what is said about one record: noise of public width counts, all else shows what it shows."""
        names = [column.name for column in data.schema.attributes]
        gaps = [name for name in self.epsilon if find_gaps(data.grid(name)).any()]
        noisy = {name: self._describe_noise(data, name) for name in names if name in self.epsilon}
        return measure_noise(noisy, [name for name in names if name not in noisy], gaps)

    def _describe_noise(self, data: Dataset, name: str) -> LaplaceColumn:
        scale, unit = 1 / Fraction(str(self.epsilon[name])), 10 ** data.schema[name].decimals
        grid = data.grid(name)
        values = grid[~find_gaps(grid)]
        if name not in self.low or name not in self.high:
            return LaplaceColumn(scale=scale, width=None)
        low, high = Fraction(str(self.low[name])), Fraction(str(self.high[name]))
        inside = not len(values) or (int(values.min()) >= low * unit and int(values.max()) <= high * unit)
        return LaplaceColumn(scale=scale, width=max(high - low, Fraction(0)) if inside else None, cut=self.cut >= 0)

    def _add_noise(self, data: Dataset, name: str, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        unit, grid = 10 ** data.schema[name].decimals, data.grid(name)
        moved = grid + np.rint(noise * unit).astype(np.int64)
        moved = np.where(moved < 0, -(-moved // unit), moved // unit) * unit if self.whole else moved
        return self._keep_bounds(grid, moved, name, unit)

    def _add_correlated(self, data: Dataset, rng: np.random.Generator) -> dict[str, RangeCells]:
        """Return the columns with normal noise whose covariance is a share of their own."""
        units = np.array([10.0 ** data.schema[name].decimals for name in self.correlated])
        values = np.stack([data.grid(name) for name in self.correlated], axis=1) / units
        whole = values[~np.any([find_gaps(data.grid(name)) for name in self.correlated], axis=0)]
        if len(data) and not len(whole):
            rule = Said("name columns of which some record lacks none")
            raise ParameterError("correlated", rule, self.correlated, hint=Said("name fewer columns"))
        mean = whole.mean(axis=0) if len(whole) else np.zeros(len(units))
        covariance = (whole - mean).T @ (whole - mean) / max(1, len(whole))
        scale, directions = np.linalg.eigh(covariance)
        drawn = rng.standard_normal(values.shape) * np.sqrt(np.maximum(scale, 0.0) * self.amount)
        moved = values + drawn @ directions.T
        if self.rescaled:
            moved = mean + (moved - mean) / np.sqrt(1.0 + self.amount)
        columns: dict[str, RangeCells] = {}
        for place, name in enumerate(self.correlated):
            unit = int(units[place])
            step = unit if self.whole else 1
            rounded = np.rint(moved[:, place] * unit / step) * step
            columns[name] = RangeCells.exact(self._keep_bounds(data.grid(name), rounded, name, unit))
        return columns

    def _keep_bounds(
        self, grid: NDArray[np.int64], moved: NDArray[np.float64] | NDArray[np.int64], name: str, unit: int
    ) -> NDArray[np.int64]:
        """Return values cut to the column's bounds and to the largest change; missing ones stay missing."""
        low, high = self.low.get(name, -np.inf), self.high.get(name, np.inf)
        change = self._largest_change(unit)
        least, most = np.maximum(low * unit, grid - change), np.minimum(high * unit, grid + change)
        if self.whole:
            least, most = np.ceil(least / unit) * unit, np.floor(most / unit) * unit
        kept = np.clip(moved, np.maximum(least, -LARGEST), np.minimum(most, LARGEST)).astype(np.int64)
        return np.where(find_gaps(grid), MISSING_NUMBER, kept)

    def _largest_change(self, unit: int) -> float:
        return self.cut * unit if self.cut >= 0 else np.inf

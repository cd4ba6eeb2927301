"""What an analyst may say about the population from data that were changed by chance and sampled.

Who reads: somebody who has the released records, the transition matrices and the population's size n, and nothing else.
With B the inverse of A, a released value y of one record stands for the weights B[y, .]: their expectation is the
indicator of the record's true value. So for each cell v of a table, with z = B[y, v] over the m released records,

    count(v)  = n mean(z)                                                        unbiased
    var(mean) = s² (1/m - 1/n) + (mean(z²) - mean(z)) / n                         unbiased; s² the sample variance of z

The first term is the sample's, the second what is left of PRAM's noise where all records are drawn: given the true
value, z² - z has PRAM's variance as its expectation. Cross tables multiply the attributes' weights, axis by axis;
strata add up.

Source: Kooiman, Willenborg, Gouweleeuw, "PRAM: a method for disclosure limitation of microdata", CBS 1997 (the
estimate); the variance is derived in docs/methods/pram-estimates.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.transition import Floats, Replacement, Transition
from sekisho.words import Said

Axes: TypeAlias = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """Estimated counts of a table's cells and their standard errors, in the table's shape."""

    counts: Floats
    errors: Floats

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the normal interval of each cell; it is not cut at 0, so that it stays honest about its coverage."""
        if not 0 < level < 1:
            raise ParameterError("level", Said("lie strictly between 0 and 1"), level)
        reach = NormalDist().inv_cdf((1 + level) / 2) * self.errors
        return self.counts - reach, self.counts + reach

    def __add__(self, other: Estimate) -> Estimate:
        """Return the estimate of two separate parts of the population together."""
        return Estimate(counts=self.counts + other.counts, errors=np.hypot(self.errors, other.errors))


@dataclass(frozen=True, slots=True, kw_only=True)
class CountEstimator:
    """Estimates the counts of a table over some attributes, given their transitions in the table's order."""

    transitions: tuple[Transition, ...]

    def estimate(self, released: NDArray[np.int64], *, records: int) -> Estimate:
        """Return the population's counts from the released ones.

        Args:
            released: how many released records lie in each cell, one axis per attribute.
            records: n, the population's size.
        """
        shape = tuple(transition.size for transition in self.transitions)
        drawn = int(released.sum())
        if released.shape != shape:
            raise ParameterError("released", Said("have the shape {shape}", shape=shape), released.shape)
        if not 2 <= drawn <= records:
            raise ParameterError("released", Said("hold from 2 to {records} records", records=records), drawn)
        inverses = [transition.inverse() for transition in self.transitions]
        mean = _weigh_cells(released / drawn, inverses)
        square = _weigh_cells(released / drawn, [inverse * inverse for inverse in inverses])
        spread = (square - mean * mean) * drawn / (drawn - 1)
        variance = spread * (1 / drawn - 1 / records) + (square - mean) / records
        return Estimate(counts=records * mean, errors=records * np.sqrt(np.maximum(variance, 0)))

    def estimate_strata(self, released: Sequence[NDArray[np.int64]], *, records: Sequence[int]) -> Estimate:
        """Return the population's counts from the released ones of each stratum."""
        if len(released) != len(records) or not released:
            raise ParameterError(
                "records", Said("be one per stratum ({released})", released=len(released)), len(records)
            )
        parts = [self.estimate(table, records=size) for table, size in zip(released, records, strict=True)]
        return reduce(Estimate.__add__, parts)


def count_cells(codes: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return how many records lie in each cell of a table, given the codes of each attribute."""
    cells = np.ravel_multi_index([column.astype(np.int64) for column in codes], tuple(sizes))
    return np.bincount(cells, minlength=int(np.prod(sizes))).reshape(tuple(sizes)).astype(np.int64)


def estimate_table(released: Dataset, mechanism: Mechanism, names: Sequence[str]) -> tuple[Estimate, Axes]:
    """Return the estimated counts of the population's table over some columns of a release, and each axis's values.

    Strata that the release shows are estimated one by one and added up; where they are hidden the sample must have been
    drawn in proportion, and is read as one simple sample (whose standard error is then, as a rule, on the large side).

    Raises:
        InfeasibleError: hidden strata were drawn at different rates.
    """
    axes = {name: _list_axis(mechanism, name) for name in names}
    moves = tuple(
        mechanism.transitions.get(name) or Replacement(values=len(values), retention=1) for name, values in axes.items()
    )
    codes = [_place_codes(released, name, values) for name, values in axes.items()]
    sizes, estimator = [len(values) for values in axes.values()], CountEstimator(transitions=moves)
    if not mechanism.strata:
        return estimator.estimate(count_cells(codes, sizes), records=mechanism.records), axes
    if not mechanism.visible:
        _check_proportion(mechanism)
        return estimator.estimate(count_cells(codes, sizes), records=mechanism.records), axes
    parts = [part for part in mechanism.strata if part.sample]
    home = _place_codes(released, mechanism.stratum, tuple(part.name for part in parts))
    tables = [count_cells([column[home == place] for column in codes], sizes) for place in range(len(parts))]
    return estimator.estimate_strata(tables, records=[part.records for part in parts]), axes


def _list_axis(mechanism: Mechanism, name: str) -> tuple[str, ...]:
    if name in mechanism.domains:
        return mechanism.domains[name]
    if name == mechanism.stratum and mechanism.visible:
        return tuple(part.name for part in mechanism.strata)
    raise ParameterError(
        "table", Said("name columns of the release ({domains})", domains=", ".join(mechanism.domains)), name
    )


def _place_codes(released: Dataset, name: str, values: tuple[str, ...]) -> NDArray[np.int32]:
    places = {value: place for place, value in enumerate(values)}
    foreign = [value for value in released.domain(name) if value not in places]
    if foreign:
        raise ParameterError(Said("column {name}", name=name), Said("hold values that the mechanism knows"), foreign)
    return np.array([places[value] for value in released.domain(name)], dtype=np.int32)[released.codes(name)]


def _check_proportion(mechanism: Mechanism) -> None:
    rate = mechanism.sample / mechanism.records
    skew = [part.name for part in mechanism.strata if abs(part.sample - rate * part.records) >= 1]
    if skew:
        raise InfeasibleError(
            Said("strata that the release hides were drawn at different rates: {skew}", skew=", ".join(skew))
        )


def compute_expected_errors(transition: Transition, shares: Floats, *, records: int, sample: int) -> Floats:
    """Return the standard error that the estimated share of each value will have in a population with these shares."""
    square = _compute_square(transition, shares)
    population = shares * (1 - shares) * records / max(records - 1, 1)
    return np.sqrt(np.maximum(square - shares + (1 - sample / records) * population, 0) / sample)


def _compute_square(transition: Transition, shares: Floats) -> Floats:
    # The expectation of z² for each value; replacement has it in closed form, so that a large domain needs no matrix.
    if not isinstance(transition, Replacement):
        return (shares @ transition.matrix()) @ transition.inverse() ** 2
    rho = float(transition.retention)
    if rho == 0:
        return np.full(len(shares), np.inf)
    drawn = np.full(len(shares), 1 / len(shares)) if transition.shares is None else np.array(transition.shares, float)
    lost = (1 - rho) * drawn
    return ((rho * shares + lost) * (1 - 2 * lost) + lost * lost) / rho**2


def _weigh_cells(table: Floats, weights: Sequence[Floats]) -> Floats:
    for axis, matrix in enumerate(weights):
        table = np.moveaxis(np.tensordot(table, matrix, axes=(axis, 0)), -1, axis)
    return table

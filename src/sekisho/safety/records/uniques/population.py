"""How many are unique in the population, estimated from how many are unique in the sample.

Against whom: one who looks for a person in a sample and does not know whether others of the population have the same
keys. Only who is unique in the population is surely found. Nobody counted the population, so each figure is what one
published model makes of the sample's class sizes; each rests on its assumption, none is a bound, and where they
disagree the truth is not known.

n records in u classes, s_j of them with j records; N people, sampling fraction n / N.

- Zayatz: the population's classes have the sizes of the sample's. A sample unique is one of the population with chance
  (s_1 h(1)) / (sum of s_j h(j)), h(j) being the hypergeometric chance that one of a class of j is drawn; times s_1 N /
  n.
- Pitman: the classes arise by Pitman's sampling formula, of which Ewens' is the case alpha = 0; theta and alpha by
  maximum likelihood. Expected uniques N (theta + alpha)^[N - 1] / (theta + 1)^[N - 1], x^[m] = x (x + 1) … (x + m - 1).
- Poisson-gamma: K possible combinations of the values that occur, each filled by Poisson draws whose rates are gamma
  distributed; alpha by moments, alpha = m^2 / (v - m) of the mean m = n / K and variance v of all K sizes, beta =
  1 / (K alpha). Expected uniques N (1 + N beta)^-(1 + alpha).

Source: Zayatz, "Estimation of the percent of unique population elements on a microdata file using the sample", US
Census Bureau, SRD report RR-91/08, 1991; Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk
assessment", Journal of Official Statistics 17 (4), 2001, section 3; Bethlehem, Keller, Pannekoek, "Disclosure control
of microdata", JASA 85, 1990, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import count_classes
from sekisho.safety.records.published import read_classes
from sekisho.words import Said


class Estimator(StrEnum):
    """Whose model."""

    ZAYATZ = "zayatz"
    PITMAN = "pitman"
    POISSON_GAMMA = "poisson-gamma"


ASSUMPTIONS = {
    Estimator.ZAYATZ: Said(
        "the population's classes have the sizes of the sample's, and the sample is drawn at random"
    ),
    Estimator.PITMAN: Said("the classes arise by Pitman's sampling formula, and the sample is drawn at random"),
    Estimator.POISSON_GAMMA: Said("every combination of values is filled by Poisson draws with gamma rates"),
}

MOST_UNIQUE = 0.1
"""A larger share of a population that may be unique covers nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueEstimate:
    """What one model says.

    Attributes:
        estimator: whose model.
        uniques: how many people are unique in the population; None where the model does not fit these classes.
        of_sample: the share of the sample's uniques that are; None likewise.
    """

    estimator: Estimator
    uniques: float | None
    of_sample: float | None

    @property
    def assumes(self) -> str:
        """What the figure rests on."""
        return ASSUMPTIONS[self.estimator]


def estimate_uniques(
    sizes: NDArray[np.int64],
    people: int,
    combinations: float,
    estimator: Estimator,
    *,
    counts: NDArray[np.int64] | None = None,
) -> UniqueEstimate:
    """Return how many are unique in the population, as one model says.

    Args:
        sizes: of the sample's classes.
        people: N, at least as many as the sample has records.
        combinations: K, how many classes the values that occur could make.
        estimator: whose model.
        counts: how many classes have each of the sizes; one each if not given.

    Raises:
        ParameterError: the population is smaller than the sample.
    """
    values, numbers = np.unique(sizes, return_counts=True) if counts is None else (sizes, counts)
    rows = int((values * numbers).sum())
    if people < rows:
        raise ParameterError(
            "population", Said("be at least the {records:,} records of the sample", records=rows), people
        )
    singles = int(numbers[values == 1].sum())
    if people == rows:
        uniques: float | None = float(singles)
    elif not singles:
        uniques = 0.0
    elif estimator is Estimator.ZAYATZ:
        uniques = _estimate_zayatz(values, numbers, rows, people)
    elif estimator is Estimator.PITMAN:
        from sekisho.safety.records.uniques.pitman import estimate_pitman_uniques

        uniques = estimate_pitman_uniques(values, numbers, people)
    else:
        uniques = _estimate_poisson_gamma(values, numbers, people, combinations)
    share = None if uniques is None else min(1.0, uniques * rows / people / singles) if singles else 0.0
    return UniqueEstimate(estimator=estimator, uniques=uniques, of_sample=share)


def _estimate_zayatz(values: NDArray[np.int64], count: NDArray[np.int64], rows: int, people: int) -> float:
    # h(j) = j (n / N) times the product over t = 0 … j - 2 of (N - n - t) / (N - 1 - t)
    steps = np.arange(int(values.max()) - 1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(people - rows - steps, 0.0)) - np.log(people - 1.0 - steps)
    product = np.exp(np.concatenate([[0.0], np.cumsum(logs)]))
    chance = values * (rows / people) * product[values - 1]
    singles = float(count[values == 1].sum())
    share = singles * rows / people / float((count * chance).sum())
    return singles * share * people / rows


def _estimate_poisson_gamma(
    values: NDArray[np.int64], count: NDArray[np.int64], people: int, combinations: float
) -> float | None:
    mean = float((values * count).sum()) / combinations
    variance = float((values.astype(np.float64) ** 2 * count).sum()) / combinations - mean * mean
    if variance <= mean:
        return None
    alpha = mean * mean / (variance - mean)
    beta = 1.0 / (combinations * alpha)
    return float(people * np.exp(-(1.0 + alpha) * np.log1p(people * beta)))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class PopulationUniqueness:
    """At most a share of the population is unique, as one model estimates; promised only if its assumption holds.

    Source: Zayatz 1991; Hoshino 2001; Bethlehem, Keller, Pannekoek 1990.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    share: float = field(default=0.01, metadata={"help": "The largest share of the population that may be unique."})
    people: int = field(default=0, metadata={"help": "How many people the population has."})
    estimator: Estimator = field(default=Estimator.ZAYATZ, metadata={"help": "zayatz, pitman or poisson-gamma."})
    keys: tuple[str, ...] = field(default=(), metadata={"help": "The keys; all columns if none is named."})

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ParameterError("share", Said("lie between 0 and 1"), self.share)
        if self.people < 0:
            raise ParameterError("people", Said("be at least 0"), self.people)

    @property
    def covers(self) -> Coverage:
        """Who somebody is, unless a large share of the population may be unique."""
        return Coverage.KEYED if self.share <= MOST_UNIQUE else Coverage.OPEN

    def check(self, release: Release) -> Finding:
        """Return whether few enough are unique, as estimated.

        Raises:
            ParameterError: the population is smaller than the release.
            InfeasibleError: the model does not fit the release.
        """
        published = read_classes(release, self.keys)
        sizes = count_classes(published.classes)
        combinations = float(np.prod([published.frame[name].n_unique() for name in published.keys], dtype=np.float64))
        uniques = estimate_uniques(sizes, self.people, combinations, self.estimator).uniques
        if uniques is None:
            raise InfeasibleError(Said("the model of {estimator} does not fit these classes", estimator=self.estimator))
        share = uniques / self.people
        return published.find(
            int(sizes.argmin()),
            kept=share <= self.share,
            figure=share,
            wanted=self.share,
            words=Said(
                "{share:.4g} of the population is estimated to be unique, {allowed:g} is allowed; if {assumption}",
                share=share,
                allowed=self.share,
                assumption=ASSUMPTIONS[self.estimator],
            ),
            assumes=ASSUMPTIONS[self.estimator],
        )

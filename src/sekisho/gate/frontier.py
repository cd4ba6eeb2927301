"""What a wanted k costs: for each size of the sample the largest retention that keeps it, and the analyst's errors.

A small sample needs little noise but is small; a large one needs much noise. Between them lies the pair whose estimated
shares have the least standard error; the table shows all of it, so that a data holder chooses with open eyes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.planner import Attribute, PramPlanner, allot_sample
from sekisho.safety.pram import compute_promised_k
from sekisho.safety.sampling import Stratum, check_sizes
from sekisho.safety.transition import Floats, Replacement
from sekisho.utility.records.estimate import compute_expected_errors

POINTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """One admissible plan.

    Attributes:
        sample: m.
        retention: the largest that keeps the wanted k.
        k: what is then promised, never below the wanted one.
        errors: by attribute the expected standard error of an estimated share, root mean square over its values.
    """

    sample: int
    retention: Fraction
    k: Fraction
    errors: Mapping[str, float]

    @property
    def error(self) -> float:
        """The mean of the attributes' errors."""
        return float(np.mean(list(self.errors.values())))

    def as_dict(self) -> dict[str, object]:
        """Return the point as plain data; an error without end (nothing kept) is None."""
        return {
            "sample": self.sample,
            "retention": float(self.retention),
            "k": float(self.k),
            "errors": {name: error if np.isfinite(error) else None for name, error in self.errors.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """All plans for one wanted k, from the smallest sample to the whole table."""

    records: int
    k: Fraction
    points: tuple[ReleasePlan, ...]

    @property
    def best(self) -> ReleasePlan:
        """The plan with the least error."""
        return min(self.points, key=lambda point: point.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """What a frontier is drawn for.

    Attributes:
        planner: the attributes and how new values are drawn.
        records: n.
        shares: by attribute the population's shares as far as known; uniform otherwise.
        strata: parts that are sampled on their own: with their own samples, which then are the design, or, where they
            have none, in proportion to their records.
    """

    planner: PramPlanner
    records: int
    shares: Mapping[str, Floats] | None = None
    strata: Sequence[Stratum] = ()

    def __post_init__(self) -> None:
        check_sizes(self.records, self.records)
        total = sum(part.records for part in self.strata)
        if self.strata and total != self.records:
            raise ParameterError("records", f"be what the strata add up to ({total})", self.records)

    @property
    def fixed_sample(self) -> int | None:
        """The size of the sample that the strata's own samples make; None where the design is open."""
        return sum(part.sample for part in self.strata) or None

    def parts(self, sample: int) -> list[tuple[int, int]]:
        """Return records and sample of each part that is drawn from."""
        check_sizes(self.records, sample)
        return [(records, drawn) for records, drawn in self._split_sample(sample) if drawn]

    def errors(self, sample: int, retention: Fraction) -> dict[str, float]:
        """Return by attribute the root mean square of the expected standard errors of its shares."""
        errors: dict[str, float] = {}
        for name, attribute in self.planner.attributes.items():
            even = np.full(attribute.values, 1 / attribute.values)
            shares = even if self.shares is None else self.shares[name]
            each = compute_expected_errors(attribute.at(retention), shares, records=self.records, sample=sample)
            errors[name] = float(np.sqrt(np.mean(each * each)))
        return errors

    def at(self, sample: int, retention: Fraction) -> ReleasePlan:
        """Return what one sample with one retention promises and costs."""
        r1, r2 = self.planner.minima(retention)
        k = min(Fraction(compute_promised_k(records, drawn, r1, r2)) for records, drawn in self.parts(sample))
        return ReleasePlan(sample=sample, retention=retention, k=k, errors=self.errors(sample, retention))

    def point(self, k: Fraction, sample: int) -> ReleasePlan:
        """Return the plan with the largest retention for one size of the sample."""
        return self.at(sample, self.planner.largest_retention(k, self.parts(sample)))

    def largest_sample(self, k: Fraction, retention: Fraction) -> int:
        """Return the largest sample, shared out in proportion, that keeps k everywhere with that retention.

        Raises:
            ParameterError: the strata's own samples leave nothing to ask.
        """
        if self.fixed_sample is not None:
            raise ParameterError(
                "strata", "leave their samples open where the largest sample is asked for", self.fixed_sample
            )
        sizes = [part.records for part in self.strata] or [self.records]
        caps = [self.planner.largest_sample(k, size, retention) for size in sizes]
        low, high = 1, sum(caps)
        while low < high:
            middle = (low + high + 1) // 2
            kept = all(drawn <= cap for (_, drawn), cap in zip(self._split_sample(middle), caps, strict=True))
            low, high = (middle, high) if kept else (low, middle - 1)
        return low

    def _split_sample(self, sample: int) -> list[tuple[int, int]]:
        if not self.strata:
            return [(self.records, sample)]
        return [(part.records, part.sample) for part in allot_sample(self.strata, sample)]

    def frontier(self, k: Fraction, *, points: int = POINTS) -> Frontier:
        """Return the plans for sizes up to the whole table: spread evenly, and for the small ones by equal factors.

        Where the strata have samples of their own there is one plan.
        """
        if self.fixed_sample is not None:
            return Frontier(records=self.records, k=k, points=(self.point(k, self.fixed_sample),))
        least = min(max(2, len(self.strata), self.records // 1000), self.records)
        even = np.linspace(self.records / points, self.records, points)
        small = np.geomspace(least, self.records, points)
        sizes = np.unique(np.concatenate([small[small < even[0]], even]).clip(least).round().astype(np.int64))
        return Frontier(records=self.records, k=k, points=tuple(self.point(k, int(size)) for size in sizes))


def compute_shares(data: Dataset, mechanism: Mechanism) -> dict[str, Floats]:
    """Return the population's shares by attribute, in the order of the mechanism's values."""
    shares: dict[str, Floats] = {}
    for name, values in mechanism.domains.items():
        counts = dict(
            zip(data.domain(name), np.bincount(data.codes(name), minlength=len(data.domain(name))), strict=True)
        )
        shares[name] = np.array([counts.get(value, 0) / len(data) for value in values], dtype=np.float64)
    return shares


def compute_errors(data: Dataset, mechanism: Mechanism) -> dict[str, float]:
    """Return by attribute the expected standard error of an estimated share, root mean square over its values."""
    shares, errors = compute_shares(data, mechanism), dict[str, float]()
    for name, transition in mechanism.transitions.items():
        try:
            each = compute_expected_errors(transition, shares[name], records=mechanism.records, sample=mechanism.sample)
        except InfeasibleError:
            each = np.array([np.inf])
        errors[name] = float(np.sqrt(np.mean(each * each)))
    return errors


def rebuild_frontier(data: Dataset, mechanism: Mechanism, k: Fraction) -> Frontier | None:
    """Return the frontier that a release was chosen from, strata in proportion.

    None where matrices of its own leave nothing to choose.
    """
    attributes: dict[str, Attribute] = {}
    for name, transition in mechanism.transitions.items():
        if not isinstance(transition, Replacement):
            return None
        shares = None if transition.shares is None else tuple(Fraction(share) for share in transition.shares)
        attributes[name] = Attribute(values=transition.values, shares=shares)
    population = Population(
        planner=PramPlanner(attributes=attributes),
        records=mechanism.records,
        shares=compute_shares(data, mechanism),
        strata=tuple(replace(part, sample=0) for part in mechanism.strata),
    )
    return population.frontier(k)

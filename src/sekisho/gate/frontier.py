"""What a wanted k costs: for each size of the sample the largest retention that keeps it, and the analyst's errors.

A small sample needs little noise but is small; a large one needs much noise. Between them lies the pair whose estimated
shares have the least standard error; the table shows all of it, so that a data holder chooses with open eyes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from sekisho.data.records.microdata import CategoryCounts
from sekisho.data.review import ReleaseReview
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.epsilon import EpsilonFinding, measure_pram
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.planner import Attribute, PramPlanner, allot_sample
from sekisho.safety.pram import compute_promised_k
from sekisho.safety.sampling import Scheme, Stratum, check_scheme, check_sizes
from sekisho.safety.transition import Floats, Replacement, Transition
from sekisho.safety.usefulness import judge_mechanism
from sekisho.utility.records.estimate import compute_expected_errors
from sekisho.words import Said

POINTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """One admissible plan.

    Attributes:
        sample: m.
        retention: the largest that keeps the wanted k; None where every attribute has a matrix of its own.
        k: what is then promised, never below the wanted one.
        errors: by attribute the expected standard error of an estimated share, root mean square over its values.
        epsilon: what it says about one record, whatever k is.
        review: what of it a person must look at.
    """

    sample: int
    retention: Fraction | None
    k: Fraction
    errors: Mapping[str, float]
    epsilon: EpsilonFinding
    review: ReleaseReview = field(default_factory=ReleaseReview)

    @property
    def error(self) -> float:
        """The mean of the attributes' errors."""
        return float(np.mean(list(self.errors.values())))

    def as_dict(self) -> dict[str, object]:
        """Return the point as plain data; an error without end (nothing kept) is None."""
        return {
            "sample": self.sample,
            "retention": None if self.retention is None else float(self.retention),
            "k": float(self.k),
            "errors": {name: error if np.isfinite(error) else None for name, error in self.errors.items()},
            **self.epsilon.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """All plans for one wanted k, from the smallest sample to the whole table."""

    records: int
    k: Fraction
    points: tuple[ReleasePlan, ...]
    scheme: Scheme = Scheme.FIXED

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
            have none, in proportion to their records and weights.
        weights: by stratum, in whose proportion strata without samples of their own are drawn from.
        scheme: how the sample is drawn. By single coins (Bernoulli) all of the table, or of a stratum, may come out:
            for a sample of any size only the k of PRAM alone is promised, and a sample's size is its expectation.
    """

    planner: PramPlanner
    records: int
    shares: Mapping[str, Floats] | None = None
    strata: Sequence[Stratum] = ()
    weights: Mapping[str, Fraction] | None = None
    scheme: Scheme = Scheme.FIXED

    def __post_init__(self) -> None:
        check_scheme(self.scheme)
        check_sizes(self.records, self.records)
        total = sum(part.records for part in self.strata)
        if self.strata and total != self.records:
            raise ParameterError("records", Said("be what the strata add up to ({total})", total=total), self.records)

    @property
    def fixed_sample(self) -> int | None:
        """The size of the sample that the strata's own samples make; None where the design is open."""
        return sum(part.sample for part in self.strata) or None

    def parts(self, sample: int) -> list[tuple[int, int]]:
        """Return records and sample of each part that is drawn from; all of it where the size is not fixed."""
        check_sizes(self.records, sample)
        drawn = [(records, size) for records, size in self._split_sample(sample) if size]
        return [(records, records) for records, _ in drawn] if self.scheme is Scheme.BERNOULLI else drawn

    def errors(self, sample: int, retention: Fraction | None) -> dict[str, float]:
        """Return by attribute the root mean square of the expected standard errors of its shares."""
        errors: dict[str, float] = {}
        for name, attribute in self.planner.attributes.items():
            even = np.full(attribute.values, 1 / attribute.values)
            shares = even if self.shares is None else self.shares[name]
            errors[name] = _compute_error(attribute.at(retention), shares, records=self.records, sample=sample)
        return errors

    def at(self, sample: int, retention: Fraction | None) -> ReleasePlan:
        """Return what one sample with one retention promises and costs."""
        r1, r2 = self.planner.minima(retention)
        k = min(Fraction(compute_promised_k(records, drawn, r1, r2)) for records, drawn in self.parts(sample))
        return ReleasePlan(
            sample=sample,
            retention=retention,
            k=k,
            errors=self.errors(sample, retention),
            epsilon=self.measure_epsilon(sample, retention),
            review=judge_mechanism(self.records, self.planner.transitions(retention)),
        )

    def measure_epsilon(self, sample: int, retention: Fraction | None) -> EpsilonFinding:
        """Return what one sample with one retention says about one record."""
        attributes = self.planner.attributes
        return measure_pram(
            self.planner.transitions(retention),
            self._allot(sample),
            scheme=self.scheme,
            stratum="stratum" if self.strata else "",
            from_data=[name for name, each in attributes.items() if isinstance(each, Attribute) and each.shares],
        )

    def point(self, k: Fraction, sample: int) -> ReleasePlan:
        """Return the plan with the largest retention for one size of the sample.

        Raises:
            InfeasibleError: every attribute has a matrix of its own, and they leave less than k.
        """
        if self.planner.settled:
            plan = self.at(sample, None)
            if plan.k < k:
                raise InfeasibleError(
                    Said(
                        "a sample of {sample:,} with these matrices keeps k at {plan_k:g}, not at {k:g}",
                        sample=sample,
                        plan_k=float(plan.k),
                        k=float(k),
                    )
                )
            return plan
        return self.at(sample, self.planner.largest_retention(k, self.parts(sample)))

    def largest_sample(self, k: Fraction, retention: Fraction | None) -> int:
        """Return the largest sample, shared out in proportion, that keeps k everywhere with that retention.

        Raises:
            ParameterError: the strata's own samples leave nothing to ask.
        """
        if self.fixed_sample is not None:
            raise ParameterError(
                "strata", Said("leave their samples open where the largest sample is asked for"), self.fixed_sample
            )
        sizes = [part.records for part in self.strata] or [self.records]
        if self.scheme is Scheme.BERNOULLI:
            return self._require_whole(k, retention)
        caps = [self.planner.largest_sample(k, size, retention) for size in sizes]
        low, high = 1, sum(caps)
        while low < high:
            middle = (low + high + 1) // 2
            kept = all(drawn <= cap for (_, drawn), cap in zip(self._split_sample(middle), caps, strict=True))
            low, high = (middle, high) if kept else (low, middle - 1)
        return low

    def _require_whole(self, k: Fraction, retention: Fraction | None) -> int:
        plan = self.at(self.records, retention)
        if plan.k < k:
            raise InfeasibleError(
                Said(
                    "no sample by single coins keeps k at {k:g}: all records may come out, and then it is {plan_k:g}",
                    k=float(k),
                    plan_k=float(plan.k),
                )
            )
        return self.records

    def _split_sample(self, sample: int) -> list[tuple[int, int]]:
        return [(part.records, part.sample) for part in self._allot(sample)]

    def _allot(self, sample: int) -> tuple[Stratum, ...]:
        if not self.strata:
            return (Stratum(name="", records=self.records, sample=sample),)
        return allot_sample(self.strata, sample, self.weights)

    def frontier(self, k: Fraction, *, points: int = POINTS) -> Frontier:
        """Return the plans for sizes up to the whole table: spread evenly, and for the small ones by equal factors.

        Where the strata have samples of their own there is one plan, and where all attributes have their own matrices,
        which has the largest sample.
        """
        if self.fixed_sample is not None:
            plans = [self.point(k, self.fixed_sample)]
        elif self.planner.settled:
            plans = [self.at(self.largest_sample(k, None), None)]
        else:
            plans = [self.point(k, size) for size in self._spread_sizes(points)]
        return Frontier(records=self.records, k=k, points=tuple(plans), scheme=self.scheme)

    def _spread_sizes(self, points: int) -> list[int]:
        least = min(max(2, len(self.strata), self.records // 1000), self.records)
        even = np.linspace(self.records / points, self.records, points)
        small = np.geomspace(least, self.records, points)
        sizes = np.unique(np.concatenate([small[small < even[0]], even]).clip(least).round().astype(np.int64))
        return [int(size) for size in sizes]


def compute_shares(counts: CategoryCounts, mechanism: Mechanism) -> dict[str, Floats]:
    """Return the population's shares by attribute, in the order of the mechanism's values."""
    return {
        name: np.array([counts.counts[name].get(value, 0) / counts.records for value in values], dtype=np.float64)
        for name, values in mechanism.domains.items()
    }


def compute_errors(counts: CategoryCounts, mechanism: Mechanism) -> dict[str, float]:
    """Return by attribute the expected standard error of an estimated share, root mean square over its values."""
    shares, errors = compute_shares(counts, mechanism), dict[str, float]()
    for name, transition in mechanism.transitions.items():
        errors[name] = _compute_error(transition, shares[name], records=mechanism.records, sample=mechanism.sample)
    return errors


def _compute_error(transition: Transition, shares: Floats, *, records: int, sample: int) -> float:
    try:
        each = compute_expected_errors(transition, shares, records=records, sample=sample)
    except InfeasibleError:
        return float("inf")
    return float(np.sqrt(np.mean(each * each)))


def rebuild_frontier(counts: CategoryCounts, mechanism: Mechanism, k: Fraction) -> Frontier | None:
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
        shares=compute_shares(counts, mechanism),
        strata=tuple(replace(part, sample=0) for part in mechanism.strata),
    )
    return population.frontier(k)

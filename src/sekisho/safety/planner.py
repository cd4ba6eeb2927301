"""How strongly to sample and to change by chance so that a wanted k is kept.

k falls as the sample grows (r1 >= r2) and as the retention grows, so the largest sample has a closed form and the
largest retention is found by halving. Every answer is checked in exact rationals: the plan's k is never below the
wanted one, and one step more would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.pram import PkAnonymity, PkFinding, compute_promised_k
from sekisho.safety.sampling import Stratum, check_sizes
from sekisho.safety.transition import Matrix, Replacement, Transition
from sekisho.words import Said

STEPS = 10**6
MOST_VALUES = 10**6
"""So many values an attribute may have: a share is held for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """What a planner needs of an attribute: how many values, and for invariant PRAM the shares of new values."""

    values: int
    shares: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.values <= MOST_VALUES:
            raise ParameterError("values", Said("lie between 1 and {most:,}", most=MOST_VALUES), self.values)

    def at(self, retention: Fraction | None) -> Replacement:
        """Return the attribute's change with that retention."""
        if retention is None:
            raise ParameterError("retention", Said("be given for attributes without a matrix"), None)
        return Replacement(values=self.values, retention=retention, shares=self.shares)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixAttribute:
    """An attribute whose change is settled: a matrix of its own, whatever the retention of the others."""

    matrix: Matrix

    @property
    def values(self) -> int:
        """How many values there are."""
        return self.matrix.size

    def at(self, retention: Fraction | None) -> Matrix:
        """Return the attribute's change."""
        del retention
        return self.matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class PramPlanner:
    """Plans replacement with one retention for all attributes without a matrix, followed by sampling of fixed size.

    Where every attribute has a matrix of its own the retention is None.
    """

    attributes: Mapping[str, Attribute | MatrixAttribute]

    @property
    def settled(self) -> bool:
        """Tell whether every attribute has a matrix of its own, so that no retention is left to choose."""
        return all(isinstance(attribute, MatrixAttribute) for attribute in self.attributes.values())

    def transitions(self, retention: Fraction | None) -> dict[str, Transition]:
        """Return each attribute's change with that retention."""
        return {name: attribute.at(retention) for name, attribute in self.attributes.items()}

    def guarantee(self, retention: Fraction | None) -> PkAnonymity:
        """Return the guarantee with that retention."""
        return PkAnonymity(transitions=self.transitions(retention))

    def check(self, *, records: int, sample: int, retention: Fraction | None) -> PkFinding:
        """Return what is promised, in exact rationals."""
        return self.guarantee(retention).check(records=records, sample=sample)

    def minima(self, retention: Fraction | None) -> tuple[Fraction, Fraction]:
        """Return r1 and r2 with that retention."""
        pairs = [each.find_hardest() for each in self.transitions(retention).values()]
        return Fraction(prod(first.outside for first, _ in pairs)), Fraction(prod(second.inside for _, second in pairs))

    def largest_retention(self, k: Fraction, parts: Sequence[tuple[int, int]]) -> Fraction:
        """Return the largest retention, in millionths, that keeps k in every part (records, sample).

        Raises:
            InfeasibleError: a part has fewer than k records, or the matrices of some attributes alone leave less than
                k.
        """
        _check_target(k, parts)
        low, high = 0, STEPS
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._keeps(k, parts, middle) else (low, middle - 1)
        if low == 0 and not self._keeps(k, parts, 0):
            names = [name for name, each in self.attributes.items() if isinstance(each, MatrixAttribute)]
            raise InfeasibleError(
                Said(
                    "no retention keeps k at {k:g}: the matrices of {names} forbid it",
                    k=float(k),
                    names=", ".join(names),
                )
            )
        return Fraction(low, STEPS)

    def _keeps(self, k: Fraction, parts: Sequence[tuple[int, int]], step: int) -> bool:
        r1, r2 = self.minima(Fraction(step, STEPS))
        return all(compute_promised_k(records, sample, r1, r2) >= k for records, sample in parts)

    def largest_sample(self, k: Fraction, records: int, retention: Fraction | None) -> int:
        """Return the largest sample that keeps k with that retention: m = floor((1 + n r1 - r2 - k) / (r1 - r2)).

        Raises:
            InfeasibleError: not even one record may be released.
        """
        _check_target(k, [(records, 1)])
        r1, r2 = self.minima(retention)
        if compute_promised_k(records, records, r1, r2) >= k:
            return records
        if compute_promised_k(records, 1, r1, r2) < k:
            most = compute_promised_k(records, 1, r1, r2)
            kept = (
                Said("these matrices")
                if retention is None
                else Said("retention {retention:g}", retention=float(retention))
            )
            raise InfeasibleError(
                Said(
                    "no sample keeps k at {k:g} with {kept}: one record gives {most:g}",
                    k=float(k),
                    kept=kept,
                    most=float(most),
                )
            )
        return ((1 + records * r1 - r2 - k) / (r1 - r2)).__floor__()


def _check_target(k: Fraction, parts: Sequence[tuple[int, int]]) -> None:
    if k <= 1:
        raise ParameterError("k", Said("be above 1"), str(k))
    for records, sample in parts:
        check_sizes(records, sample)
        if k > records:
            raise InfeasibleError(
                Said("nobody can hide among {k:g} where there are {records} records", k=float(k), records=records)
            )


def allot_sample(
    strata: Sequence[Stratum], sample: int, weights: Mapping[str, Fraction] | None = None
) -> tuple[Stratum, ...]:
    """Return the strata with a sample of that size: their own samples, else in proportion to their records.

    With weights the rates at which strata are drawn from are in their proportion (of two strata with weights 2 and 1,
    twice the share of the first is drawn); a stratum that would give more than it has gives all of it, and the others
    the rest. Sizes are rounded by largest remainders, so each stratum's is fixed, as the promises need. Strata of which
    nothing is drawn at all have no samples of their own.

    Args:
        strata: to draw from.
        sample: how many in all.
        weights: by name of the stratum, above 0; all of them, or none.

    Raises:
        ParameterError: the strata's own samples add up to another size, or the weights are not those of the strata.
    """
    check_sizes(sum(part.records for part in strata), sample)
    own_samples = sum(part.sample for part in strata)
    if own_samples and own_samples != sample:
        raise ParameterError(
            "sample", Said("be {own_samples}, what the strata's own samples add up to", own_samples=own_samples), sample
        )
    if own_samples and weights is not None:
        raise ParameterError("weights", Said("not be given where the strata have samples of their own"), dict(weights))
    if own_samples:
        return tuple(strata)
    shares = _share_out(strata, sample, _check_weights(strata, weights))
    sizes = [share.__floor__() for share in shares]
    order = sorted(range(len(strata)), key=lambda place: sizes[place] - shares[place])
    for place in order[: sample - sum(sizes)]:
        sizes[place] += 1
    return tuple(
        Stratum(name=part.name, records=part.records, sample=size, known=part.known)
        for part, size in zip(strata, sizes, strict=True)
    )


def _check_weights(strata: Sequence[Stratum], weights: Mapping[str, Fraction] | None) -> list[Fraction]:
    """Return each stratum's weight, 1 where none are given."""
    if weights is None:
        return [Fraction(1)] * len(strata)
    if set(weights) != {part.name for part in strata} or any(weight <= 0 for weight in weights.values()):
        told = {name: str(weight) for name, weight in weights.items()}
        raise ParameterError("weights", Said("give every stratum a weight above 0, and nobody else"), told)
    return [weights[part.name] for part in strata]


def _share_out(strata: Sequence[Stratum], sample: int, weights: Sequence[Fraction]) -> list[Fraction]:
    """Return what each stratum gives before rounding: in proportion to records and weight, no more than it has."""
    given: dict[int, Fraction] = {}
    while True:
        others = [place for place in range(len(strata)) if place not in given]
        whole = sum((strata[place].records * weights[place] for place in others), Fraction(0))
        left = sample - sum(given.values(), Fraction(0))
        shares = {place: left * strata[place].records * weights[place] / whole for place in others}
        full = {place: Fraction(strata[place].records) for place in others if shares[place] >= strata[place].records}
        if not full:
            return [given.get(place, shares.get(place, Fraction(0))) for place in range(len(strata))]
        given |= full
        if len(given) == len(strata):
            return [given[place] for place in range(len(strata))]

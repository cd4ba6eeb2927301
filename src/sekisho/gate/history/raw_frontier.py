"""Some people left raw, the rest k-anonymous: which mixtures survive, over the number of raw people a and over k.

A raw customer is named for certain, a group of k is guessed whole by a random dealing. The adversary with maximum
knowledge plans his claims for the bound that judges him; how likely they are effective is exact. So an anonymiser tunes
his chance of surviving by a and k, and no bound separates all mixtures into safe and unsafe ones; the frontier shows
where each bound puts the border. Whether the claim H0 itself holds is another matter: with a raw person it never does.

Source: PWS Cup 2018 report, section 5.3 (a customers unprocessed, the rest k-anonymised).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sekisho.attack.history.claim_planner import ClaimPlan, TwinBlock, find_best_plan
from sekisho.errors import ParameterError
from sekisho.gate.history.safe_k import Safety
from sekisho.safety.claim import ClaimFinding, SafetyClaim, Standing
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.words import Said

MOST_PEOPLE, MOST_MIXTURES = 20_000, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMixture:
    """So many people raw, the others in groups of k; those who are left over join groups, one each.

    Attributes:
        people: how many are published.
        raw: a, how many of them as they are.
        k: the size of a group.
    """

    people: int
    raw: int
    k: int

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", Said("be at least 1"), self.k)
        if not 0 <= self.raw <= self.people:
            raise ParameterError("raw", Said("lie between 0 and the {people:,} people", people=self.people), self.raw)
        if 0 < self.people - self.raw < self.k:
            raise ParameterError(
                "k", Said("be at most the {people:,} people that are not raw", people=self.people - self.raw), self.k
            )

    def sizes(self) -> tuple[int, ...]:
        """Return the sizes of the classes of twins."""
        grouped = self.people - self.raw
        groups = grouped // self.k
        each, more = divmod(grouped, groups) if groups else (0, 0)
        return (*(1 for _ in range(self.raw)), *(each + (place < more) for place in range(groups)))

    def plan(self, rule: RejectionRule) -> ClaimPlan:
        """Return the claims that are most likely effective."""
        return find_best_plan([TwinBlock(size=size, sure=Fraction(1)) for size in self.sizes()], rule)

    def check_claim(self, p: Fraction) -> ClaimFinding:
        """Return whether the claim H0 holds of it, every class being told apart from the others."""
        sizes = np.array(self.sizes(), dtype=np.int64)
        return SafetyClaim(p=p).check_classes(sizes, np.ones(len(sizes), dtype=np.bool_))


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureFinding:
    """What becomes of one mixture.

    Attributes:
        mixture: which one.
        plans: by bound the strongest attack.
        survival: by bound the chance that no attacker is effective.
        standing: whether the claim H0 itself holds.
    """

    mixture: RawMixture
    plans: Mapping[Bound, ClaimPlan]
    survival: Mapping[Bound, float]
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureStep:
    """How far the mixtures are examined.

    Attributes:
        total: how many there are.
        findings: those done.
    """

    total: int
    findings: tuple[MixtureFinding, ...]

    @property
    def done(self) -> int:
        """How many are done."""
        return len(self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFrontier:
    """All mixtures of some numbers of raw people and some k.

    Attributes:
        people: how many are published.
        raw: the numbers of raw people.
        sizes: the k.
        p: the chance a person that H0 allows.
        alpha: the level at which it is rejected.
        attackers: how many plan their claims independently.
        confidence: the chance of surviving them all that is asked for.
    """

    people: int
    raw: Sequence[int]
    sizes: Sequence[int]
    p: Fraction = Fraction(1, 3)
    alpha: Fraction = Fraction(1, 2000)
    attackers: int = 13
    confidence: Fraction = Fraction(19, 20)

    def __post_init__(self) -> None:
        if not 1 <= self.people <= MOST_PEOPLE:
            raise ParameterError(
                "people", Said("lie between 1 and {most_people:,}", most_people=MOST_PEOPLE), self.people
            )
        if not self.raw or not self.sizes or len(self.raw) * len(self.sizes) > MOST_MIXTURES:
            raise ParameterError(
                "raw",
                Said("make 1 to {most_mixtures} mixtures with k", most_mixtures=MOST_MIXTURES),
                len(self.raw) * len(self.sizes),
            )
        for raw in self.raw:
            for k in self.sizes:
                RawMixture(people=self.people, raw=raw, k=k)
        RejectionRule(p=self.p, alpha=self.alpha)
        self._safety(Bound.EXACT)

    def steps(self) -> Iterator[MixtureStep]:
        """Yield what became of the mixtures so far, all numbers of raw people for each k in turn."""
        findings: list[MixtureFinding] = []
        for k in self.sizes:
            for raw in self.raw:
                findings.append(self._examine(RawMixture(people=self.people, raw=raw, k=k)))
                yield MixtureStep(total=len(self.raw) * len(self.sizes), findings=tuple(findings))

    def _examine(self, mixture: RawMixture) -> MixtureFinding:
        plans = {bound: mixture.plan(RejectionRule(p=self.p, alpha=self.alpha, bound=bound)) for bound in Bound}
        return MixtureFinding(
            mixture=mixture,
            plans=plans,
            survival={bound: self._safety(bound).survival(float(plan.chance)) for bound, plan in plans.items()},
            standing=mixture.check_claim(self.p).standing,
        )

    def _safety(self, bound: Bound) -> Safety:
        return Safety(bound=bound, attackers=self.attackers, confidence=self.confidence)

    def most_raw(self, findings: Sequence[MixtureFinding], bound: Bound) -> dict[int, int | None]:
        """Return by k the largest number of raw people tried up to which all survive as asked; None if none does."""
        border: dict[int, int | None] = {}
        for k in self.sizes:
            of_size = sorted((each for each in findings if each.mixture.k == k), key=lambda each: each.mixture.raw)
            border[k] = None
            for each in of_size:
                if each.survival[bound] < self.confidence:
                    break
                border[k] = each.mixture.raw
        return border

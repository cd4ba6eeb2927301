"""The least k that is safe: instead of naming k, name the confidence.

For k = 2, 3, … the method is applied and met by the maximum-knowledge adversary, who plans his claims for the bound and
says beforehand how likely they are to be effective. The first k whose release survives that many such adversaries with
the asked confidence is taken. Or ask for a proof: then k is the least with which the claim H0 holds of every class.

Whether the safety claim H0 holds of a release of a history, class of twins by class.

A class is closed if one who holds the whole original can tell that its people are just its members: the customers whose
rows explain the published ones, after dropping those who are needed elsewhere since everybody has one pseudonym.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.assignment import find_consistent_pairs, merge_twins, spread_classes
from sekisho.attack.history.candidate_search import CandidatePairs, find_candidates
from sekisho.attack.history.histories import sort_known, sort_published
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import BugError, InfeasibleError, ParameterError
from sekisho.gate.fit import fit
from sekisho.protect import Method
from sekisho.safety.claim import ClaimFinding, SafetyClaim, Standing
from sekisho.safety.pseudonyms import find_release_pattern
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms
from sekisho.seeds import Seed
from sekisho.words import Said


def check_claim(original: Dataset, release: Release, p: Fraction) -> ClaimFinding:
    """Return whether nobody names a set S of the published people with a chance above ``p ** len(S)``."""
    classes = find_candidates(sort_published(release.table, original, deleted=release.deleted), sort_known(original))
    finding = SafetyClaim(p=p).check_classes(classes.sizes(), _find_closed(classes))
    return replace(finding, pattern=find_release_pattern(original, release))


def _find_closed(classes: CandidatePairs) -> NDArray[np.bool_]:
    """Return of each class of twins whether it has just as many candidates as members.

    A class without enough candidates, as in a release that is not truthful, is not closed: its people are others.
    """
    if not len(classes.twin):
        return np.zeros(0, dtype=np.bool_)
    pairs, assigned = find_consistent_pairs(spread_classes(classes))
    left = merge_twins(pairs, classes.twin, len(classes.example))
    explained = bool((assigned >= 0).all())
    return (np.diff(left.indptr) == classes.sizes()) & explained


LARGEST_K = 12


@runtime_checkable
class GroupingMethod(Protocol):
    """A method that groups people k at a time: a frozen dataclass with a field ``k``."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def k(self) -> int:
        """The least size of a group."""
        ...

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the protected release."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Safety:
    """How safe a release must be.

    Attributes:
        bound: the bound by which attacks are judged.
        attackers: how many independent adversaries will try.
        confidence: the chance with which the release must survive them all.
    """

    bound: Bound
    attackers: int = 13
    confidence: Fraction = Fraction(19, 20)

    def __post_init__(self) -> None:
        if self.attackers < 1:
            raise ParameterError("attackers", Said("be at least 1"), self.attackers)
        if not 0 < self.confidence < 1:
            raise ParameterError("confidence", Said("lie strictly between 0 and 1"), str(self.confidence))

    def survival(self, effective: float) -> float:
        """Return the chance that no adversary is effective."""
        return (1.0 - effective) ** self.attackers


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """That the safety claim H0 must hold of the release, against everybody."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProvenK:
    """The least k that proves the claim, with its release."""

    k: int
    release: Release
    claim: ClaimFinding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TriedK:
    """One k and how its release fared."""

    k: int
    release: Release
    survival: float
    safe: bool


def search_safe_k(
    method: GroupingMethod, data: Dataset, rules: HistoryTerms, safety: Safety, *, seed: Seed
) -> Iterator[TriedK]:
    """Try k = 2, 3, … and stop at the first that is safe.

    Raises:
        InfeasibleError: no k up to the largest tried is safe.
    """
    fitted = fit(method, rules.parameters())
    adversary = fit(MaximumKnowledge(), rules.parameters(safety.bound))
    for k in range(2, LARGEST_K + 1):
        release = replace(fitted, k=k).apply(data, rng=seed.child(f"k={k}").rng())
        shown = release.table.take(~release.deleted)
        guess = adversary.guess(shown, data, rng=seed.child(f"attack k={k}").rng())
        survival = safety.survival(guess.predicted or 0.0)
        tried = TriedK(k=k, release=release, survival=survival, safe=survival >= safety.confidence)
        yield tried
        if tried.safe:
            return
    raise InfeasibleError(
        Said(
            "no k up to {largest_k} survives {attackers} attackers with chance {confidence}",
            largest_k=LARGEST_K,
            attackers=safety.attackers,
            confidence=safety.confidence,
        )
    )


def prove_k(method: GroupingMethod, data: Dataset, rules: HistoryTerms, *, seed: Seed) -> ProvenK:
    """Apply a method with the least k of which H0 holds, and check that it does.

    Raises:
        InfeasibleError: the method left a class that is too small.
    """
    k = SafetyClaim(p=rules.verdict.p).least_size()
    release = replace(fit(method, rules.parameters()), k=k).apply(data, rng=seed.child(f"k={k}").rng())
    claim = check_claim(data, release, rules.verdict.p)
    if claim.standing is not Standing.HOLDS:
        reason = Said("the method left a smaller class") if claim.pattern is None else claim.pattern.describe()
        raise InfeasibleError(
            Said("with k = {k} the claim is {standing}: {reason}", k=k, standing=claim.standing.words, reason=reason)
        )
    return ProvenK(k=k, release=release, claim=claim)


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeApply:
    """Applies a grouping method with the least k that is safe.

    Attributes:
        rules: of the history.
        safety: how safe its release must be.
        tell: is told of every k that was tried.
    """

    rules: HistoryTerms
    safety: Safety | Proof
    tell: Callable[[str], None]

    def __call__(self, method: Method, data: Dataset, seed: Seed) -> Release:
        """Return the release; its detail tells k, and why that is safe."""
        if not isinstance(method, GroupingMethod):
            raise ParameterError("safe", Said("be asked of a method with a group size k"), type(method).__name__)
        if isinstance(self.safety, Proof):
            proven = prove_k(method, data, self.rules, seed=seed)
            self.tell(
                Said("k = {k}: the claim holds, proven if {assumption}", k=proven.k, assumption=proven.claim.assumption)
            )
            detail = {"k": proven.k, "claim": proven.claim.standing, **proven.release.detail}
            return replace(proven.release, detail=detail)
        for tried in search_safe_k(method, data, self.rules, self.safety, seed=seed):
            self.tell(
                Said(
                    "k = {k}: survives {attackers} attackers with chance {survival:.4f}",
                    k=tried.k,
                    attackers=self.safety.attackers,
                    survival=tried.survival,
                )
            )
            if tried.safe:
                detail = {"k": tried.k, "survival": tried.survival, **tried.release.detail}
                return replace(tried.release, detail=detail)
        raise BugError("the search for a safe k ended without one")

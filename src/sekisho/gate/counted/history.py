"""Histories at the gate whose rows stay with an engine: judged by who publishes the same rows, for nobody attacks.

Pseudonyms that publish the same rows are twins, and whoever knows everybody's rows still deals a class of them out by
chance. So three things are counted in the file that would leave, and decide:

- the claim H0 (:mod:`sekisho.safety.claim`): where every class is large enough, it is proven against everybody, and no
  attack is needed;
- where it is not proven, a person must look at the release, since nobody has tried to find people in it;
- who knows the members of each class and names one of them for all of a class is right once a class, for certain. If
  that alone refutes the release, for all classes up to some size, it is refused by the rule of effective attacks, which
  no recipe softens.

On average nobody names more people rightly than there are classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.claim_planner import compute_quick_threshold
from sekisho.data.shape import Shape
from sekisho.gate.certificate.claims import Claims
from sekisho.gate.counted.stage import CountedCandidate, CountedStage, OpenRelease
from sekisho.gate.history.covering import count_claim
from sekisho.gate.history.recipe import HistoryRecipe, list_claim_reasons, list_statements, make_twins_claim
from sekisho.gate.outcome import Reason
from sekisho.gate.output_files import FileOnDisk
from sekisho.gate.policy import make_reason
from sekisho.safety.claim import ClaimFinding, Standing
from sekisho.safety.rejection import MOST_CLAIMED, RejectionRule
from sekisho.seeds import Seed
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class SureNames:
    """What one has for certain who names one member for every pseudonym of his class, of all classes up to a size.

    Attributes:
        size: of the largest class that he names.
        classes: how many classes he names, which is how often he is right.
        people: how many pseudonyms that are.
        threshold: how often he must be right to refute the release.
    """

    size: int
    classes: int
    people: int
    threshold: int

    @property
    def refutes(self) -> bool:
        """Whether that refutes the release."""
        return self.classes >= self.threshold


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedHistory(CountedCandidate):
    """A release of a history that an engine made, and what was counted of it.

    Attributes:
        claim: whether the safety claim H0 itself holds.
        sizes: of each class of pseudonyms with the very same rows how many they are, the smallest first.
        sure: what naming one member a class comes to, where that is nearest to refuting the release; None where nobody
            is published.
    """

    claim: ClaimFinding
    sizes: NDArray[np.int64]
    sure: SureNames | None

    @property
    def people(self) -> int:
        """How many pseudonyms are published."""
        return int(self.sizes.sum())

    @property
    def risk(self) -> float:
        """The share of the published people that anybody names rightly at most, on average."""
        return len(self.sizes) / max(1, self.people)

    @property
    def found(self) -> Said:
        """How many people anybody names rightly at most, in words."""
        return Said(
            "by counting, whoever knows everybody's rows names {share:.1%} of the people rightly at most, on average",
            share=self.risk,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedHistoryStage(CountedStage):
    """A history whose rows stay with an engine, and the ways to protect it."""

    recipe: HistoryRecipe

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.HISTORY

    @property
    def notices(self) -> tuple[str, ...]:
        """What there is to say before a run: reading is a part of it."""
        return (Said("rows stay with an engine; nobody attacks, who publishes the same rows is counted"),)

    def judge(self, label: str, opened: OpenRelease, seed: Seed) -> CountedHistory:
        """Return what a release keeps and shows."""
        from sekisho.gate.history.engine_twins import count_twin_classes

        stage, release, recipe = opened.stage, opened.release, self.recipe
        sizes = count_twin_classes(release.published, release.holder)
        looked = stage.review(label, release, seed=seed, twins=sizes)
        claim = count_claim(sizes, recipe)
        sure = find_sure_names(sizes, recipe.rules.rejection(recipe.bound))
        release.put()
        reasons = (
            *_list_sure(sure),
            *_list_unattacked(claim),
            *list_claim_reasons(claim, recipe.claim),
            *looked.reasons,
        )
        twins = make_twins_claim(release.terms.layout, claim, recipe.rules.verdict.p, self.release_name)
        return CountedHistory(
            label=label,
            release=release,
            score=looked.score,
            attempts=(),
            reasons=recipe.policy.judge(reasons),
            statements=list_statements(claim, (), recipe.bound),
            review=looked.review,
            claims=Claims(twins=(twins,)),
            file=FileOnDisk.of(stage.task.out),
            claim=claim,
            sizes=sizes,
            sure=sure,
            account=looked.account,
        )

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: the bound, and what becomes of an unproven claim."""
        return self.recipe.tell()


def find_sure_names(sizes: NDArray[np.int64], rule: RejectionRule) -> SureNames | None:
    """Return what naming one member a class comes to, for the classes up to the size that comes nearest to refuting.

    More people than a rule has thresholds for are not named: who names the smallest classes first loses nothing by it.

    Args:
        sizes: of each class how many pseudonyms it has, the smallest first.
        rule: by which attacks are judged.
    """
    people = np.cumsum(sizes)
    within = int(np.searchsorted(people, MOST_CLAIMED, side="right"))
    ends = np.flatnonzero(np.diff(sizes[:within], append=-1))  # the last class of each size
    tried = [
        SureNames(size=size, classes=last + 1, people=named, threshold=compute_quick_threshold(rule, named))
        for last, size, named in zip(ends.tolist(), sizes[ends].tolist(), people[ends].tolist(), strict=True)
    ]
    return max(tried, key=lambda one: one.classes / one.threshold, default=None)


def _list_sure(sure: SureNames | None) -> Iterator[Reason]:
    if sure is not None and sure.refutes:
        detail = Said(
            "who knows the members of each class of at most {size} and names one of them for all is right {classes:,} "
            "times of {people:,}, {threshold:,} refute it",
            size=sure.size,
            classes=sure.classes,
            people=sure.people,
            threshold=sure.threshold,
        )
        yield make_reason("effective attack", detail)


def _list_unattacked(claim: ClaimFinding) -> Iterator[Reason]:
    if claim.standing is not Standing.HOLDS:
        detail = Said("nobody has tried to find people in it: its rows stayed with an engine")
        yield make_reason("no attack", detail)

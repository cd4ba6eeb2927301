"""Records at the gate: protected by methods, held to the round's conditions, attacked by those who know some of them.

A release is refused if it breaks a condition or if an adversary's mean risk over the test sets reaches the target.
Otherwise it may be released: every condition is met, and it is not refuted by these attacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sekisho.contest.records.conditions import Condition, check_conditions
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import take_kept
from sekisho.data.review import review_release
from sekisho.data.shape import Shape
from sekisho.gate.cache.steps import Steps
from sekisho.gate.fit import fit
from sekisho.gate.names import name_label
from sekisho.gate.outcome import Candidate, Certainty, Reason, Statement, Verdict
from sekisho.gate.policy import make_reason
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.risk import RecordsAttempt, RiskTest
from sekisho.gate.review_reasons import list_review_reasons
from sekisho.gate.statement_words import ATTACKS, tell_mean_risk
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.safety.usefulness import is_hardly_useful
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Said

UTILITY = ("rate", "odds", "cor")
"""The conditions that measure utility."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsCandidate(Candidate[RecordsAttempt]):
    """One way to protect records, and what came of it.

    Attributes:
        conditions: of the round, kept or broken.
        forbidden: what those came to whom the round forbids, by the order of the rows; they do not count.
        order: where the rows are shuffled before they leave, the published row of each kept one, which is confidential;
            None where they leave in the original's order.
    """

    release: Release
    conditions: tuple[Condition, ...]
    forbidden: tuple[RecordsAttempt, ...] = ()
    order: NDArray[np.int64] | None = None

    @property
    def admissible(self) -> bool:
        """Tell whether every condition is met."""
        return all(condition.met for condition in self.conditions)

    def published(self) -> Dataset:
        """Return what leaves: the kept rows, in their published order."""
        kept = take_kept(self.release)
        return kept if self.order is None else Dataset(kept.frame[np.argsort(self.order)], kept.schema)

    @property
    def risk(self) -> float:
        """The mean risk under the strongest adversary it met; 0 if nobody attacked."""
        return max((attempt.mean for attempt in self.attempts), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
@checked
class RecordsStage:
    """Records, their rules, the ways to protect them and those who attack.

    Attributes:
        recipe: what is asked; its rules are settled by the original.
        original: the records.
        steps: makes releases and guesses, and keeps them where a run keeps its steps.
    """

    recipe: RecordsRecipe
    original: Dataset
    steps: Steps = field(default_factory=Steps)

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.RECORDS

    def protections(self) -> Mapping[str, partial[Release]]:
        """Return the ways to protect the records, by label."""
        return {label: partial(self._protect, method) for label, method in self.recipe.methods.items()}

    def _protect(self, method: Method, seed: Seed) -> Release:
        parameters = self.recipe.rules.parameters(self.recipe.round_name)
        fitted = fit(method, parameters)
        return self.steps.make_release(fitted, self.original, seed, lambda: fitted.apply(self.original, rng=seed.rng()))

    def try_release(self, label: str, release: Release, *, seed: Seed) -> RecordsCandidate:
        """Let everyone attack a release; hold it to the conditions."""
        recipe = self.recipe
        checked = check_conditions(recipe.rules, self.original, release, round_name=recipe.round_name)
        test = RiskTest(
            rules=recipe.rules,
            seeds=[seed.child(f"test {number}") for number in range(recipe.tests)],
            shuffled=recipe.shuffled,
            target=recipe.target,
            round_name=recipe.round_name,
            steps=self.steps,
        )
        attempts = tuple(test.measure(self.original, release, recipe.adversaries).values())
        return RecordsCandidate(
            label=label,
            release=release,
            score=score_strain(checked),
            attempts=attempts,
            reasons=recipe.policy.judge(
                (
                    *list_reasons(checked, attempts, recipe.target),
                    *_list_usefulness(release),
                    *list_review_reasons(review_release(release, self.original, allowed=recipe.allowed_columns)),
                )
            ),
            statements=list_statements(checked, attempts, recipe.target),
            conditions=checked,
            order=self._draw_order(release, seed),
        )

    def _draw_order(self, release: Release, seed: Seed) -> NDArray[np.int64] | None:
        """Return where each kept row is published; None where the rows leave in the original's order."""
        if not self.recipe.shuffled:
            return None
        return seed.child("published order").rng().permutation(int((~release.deleted).sum())).astype(np.int64)


def score_strain(checked: tuple[Condition, ...]) -> Score:
    """Return how near a release comes to a limit of utility: the largest of value over limit, each in the detail.

    Where no measure of utility has a limit, the largest of the values themselves.
    """
    measured = [one for one in checked if one.value is not None and one.name in UTILITY]
    used = {one.name: one.value / one.limit for one in measured if one.value is not None and one.limit}
    if all(one.limit is None for one in checked if one.name in UTILITY):
        used = {one.name: one.value for one in measured if one.value is not None}
    return Score(value=max(used.values(), default=float("inf")), detail=used)


def list_statements(
    checked: tuple[Condition, ...], attempts: tuple[RecordsAttempt, ...], target: float
) -> tuple[Statement, ...]:
    """Return what is proven, not refuted and refuted of a release: the conditions, and the attacks."""
    statements = [
        Statement(
            standing=Certainty.PROVEN if one.met else Certainty.REFUTED,
            subject=f"condition {one.name}",
            detail=one.describe(),
            figures={"value": one.value, "limit": one.limit},
        )
        for one in checked
        if one.limit is not None
    ]
    strongest = max(attempts, key=lambda each: each.strength, default=None)
    if strongest is not None:
        tests = len(strongest.judged)
        detail = tell_mean_risk(
            len(attempts), strongest=strongest.adversary, mean=strongest.mean, tests=tests, target=target
        )
        figures = {
            "attacks": len(attempts),
            "strongest": strongest.adversary,
            "mean": strongest.mean,
            "worst": strongest.worst,
            "target": target,
            "tests": len(strongest.judged),
        }
        refuted = any(each.refutes for each in attempts)
        standing = Certainty.REFUTED if refuted else Certainty.NOT_REFUTED
        statements.append(Statement(standing=standing, subject=ATTACKS, detail=detail, figures=figures))
    return tuple(statements)


def _list_usefulness(release: Release) -> tuple[Reason, ...]:
    kept, rows = int((~release.deleted).sum()), len(release.deleted)
    if not is_hardly_useful(kept=kept, records=rows):
        return ()
    return (make_reason("hardly any use", Said("{kept:,} of {rows:,} records left", kept=kept, rows=rows)),)


def list_reasons(
    checked: tuple[Condition, ...], attempts: tuple[RecordsAttempt, ...], target: float
) -> tuple[Reason, ...]:
    """Return why a release may not simply leave."""
    listed = [
        Reason(rule="condition broken", verdict=Verdict.REFUSE, detail=one.describe()) for one in checked if not one.met
    ]
    if not attempts:
        listed.append(
            Reason(rule="no attack", verdict=Verdict.REVIEW, detail=Said("nobody has tried to find people in it"))
        )
    for each in attempts:
        if each.refutes:
            detail = Said(
                "{adversary}: mean risk {mean:.4f} over {tests} test sets, the target is {target:g}",
                adversary=name_label(each.adversary),
                mean=each.mean,
                tests=len(each.judged),
                target=target,
            )
            listed.append(Reason(rule="risk above target", verdict=Verdict.REFUSE, detail=detail))
    return tuple(listed)

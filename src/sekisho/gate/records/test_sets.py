"""Records judged by test sets: every adversary against the same ones, drawn with recorded seeds, beside the conditions.

A release is refused if it breaks a condition of the round or if an adversary's mean risk over the test sets reaches the
target. Otherwise it may be released: every condition is met, and it is not refuted by these attacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.attack.records.referee import RecordsJudgement, draw_test_set, judge
from sekisho.attack.records.row_scores import NearestRows
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import hide_identifier, take_kept
from sekisho.data.review import review_release
from sekisho.data.shape import Shape, read_abilities
from sekisho.gate.account.account import Account
from sekisho.gate.cache.steps import Steps
from sekisho.gate.certificate.claims import Claims, ConditionClaim, RiskClaim
from sekisho.gate.certificate.recount import PublishedForm
from sekisho.gate.fit import fit
from sekisho.gate.names import name_label
from sekisho.gate.outcome import Attempt, Certainty, Reason, Statement, Verdict
from sekisho.gate.policy import list_review_reasons, make_reason
from sekisho.gate.records.candidate import AnyRecordsCandidate, RecordsCandidate, list_broken, score_strain
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.statements import state_epsilon
from sekisho.gate.statement_words import ATTACKS, tell_mean_risk
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.terms import RecordTerms
from sekisho.safety.usefulness import is_hardly_useful
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition, check_conditions
from sekisho.words import Said

NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsAttempt(Attempt):
    """What one adversary came to over several test sets.

    ``strength`` is his mean risk over the target, or itself where there is none.

    Attributes:
        judged: what he came to on each.
    """

    judged: tuple[RecordsJudgement, ...]

    @property
    def mean(self) -> float:
        """The mean risk over the test sets."""
        return float(np.mean([one.risk for one in self.judged]))

    @property
    def worst(self) -> float:
        """The largest risk of a test set."""
        return max(one.risk for one in self.judged)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return float(np.std([one.risk for one in self.judged]) / max(1, len(self.judged) - 1) ** 0.5)

    @property
    def low(self) -> float:
        """The lower end of the mean's 95 % interval, by the normal law."""
        return max(0.0, self.mean - NORMAL_95 * self.error)

    @property
    def high(self) -> float:
        """The upper end of the mean's 95 % interval."""
        return self.mean + NORMAL_95 * self.error

    @property
    def topk(self) -> HitRate:
        """Hits among all members of all test sets, with their interval."""
        return HitRate(hits=self.hits, trials=sum(one.members for one in self.judged))


def combine_judgements(
    adversary: str, judged: Sequence[RecordsJudgement], *, target: float | None = None
) -> RecordsAttempt:
    """Return several judgements of one adversary as one attempt."""
    mean = float(np.mean([one.risk for one in judged]))
    return RecordsAttempt(
        adversary=adversary,
        claimed=sum(one.claimed for one in judged),
        hits=sum(one.hits for one in judged),
        baseline=sum(one.baseline for one in judged),
        strength=mean if target is None else mean / target,
        judged=tuple(judged),
    )


def needs_order(adversary: Adversary) -> bool:
    """Tell whether an adversary needs the release in the original's order."""
    return read_abilities(adversary).uses_order


def make_record_adversaries() -> dict[str, Adversary]:
    """Return every adversary of records by name who needs no parameters but those of the rules."""
    adversaries: dict[str, Adversary] = {"nearest-all": NearestRows(cut=False)}
    for name in ADVERSARIES.find_names(Shape.RECORDS):
        kind: Any = ADVERSARIES[name]
        if all(item.default is not MISSING or item.default_factory is not MISSING for item in fields(kind)):
            adversaries[name] = ADVERSARIES.make(name)
    return dict(sorted(adversaries.items()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
@checked
class RiskTest:
    """How the risk of a release is measured.

    Attributes:
        rules: the contest's, or one's own.
        seeds: one per test set; test sets depend on the seed only.
        shuffled: whether the rows are published in an order that tells nothing.
        target: the mean risk that no adversary may reach; None where none is set.
        round_name: whose delta holds.
        steps: makes guesses, and keeps them where a run keeps its steps.
    """

    rules: RecordTerms
    seeds: Sequence[Seed]
    shuffled: bool = False
    target: float | None = None
    round_name: str = ""
    steps: Steps = field(default_factory=Steps)

    def measure(
        self, original: Dataset, release: Release, adversaries: Mapping[str, Adversary]
    ) -> dict[str, RecordsAttempt]:
        """Let each adversary attack the release once per test set."""
        rules, parameters = self.rules, self.rules.parameters(self.round_name)
        fitted = {name: fit(adversary, parameters) for name, adversary in adversaries.items()}
        judged: dict[str, list[RecordsJudgement]] = {name: [] for name in adversaries}
        table = release.table.take(~release.deleted)
        about = (self.steps.digest_release(release), self.steps.digest_dataset(original))
        for seed in self.seeds:
            order = seed.child("order").rng().permutation(len(table)).astype(np.int64) if self.shuffled else None
            shown = table if order is None else table.take(np.argsort(order))
            test = draw_test_set(
                release.deleted,
                rng=seed.child("pick").rng(),
                members=rules.test.members,
                others=rules.test.others,
                order=order,
            )
            knowledge = hide_identifier(Dataset(original.frame[test.rows], original.schema))
            for name, adversary in fitted.items():
                drawn = f"test set {seed.value}, shuffled {self.shuffled}, {rules.test}"
                guess = self.steps.make_guess(adversary, shown, knowledge, seed=seed.child(name), about=(*about, drawn))
                judged[name].append(
                    judge(
                        test.answers,
                        guess,
                        delta=rules.find_round(self.round_name).delta,
                        count=rules.test.answers,
                        rows=len(table),
                        factors=rules.test.factors,
                    )
                )
        return {name: combine_judgements(name, judgements, target=self.target) for name, judgements in judged.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskCandidate(RecordsCandidate[RecordsAttempt]):
    """A release of records that was judged by test sets.

    Attributes:
        forbidden: what those came to whom the round forbids, by the order of the rows; they do not count.
        order: where the rows are shuffled before they leave, the published row of each kept one, which is confidential;
            None where they leave in the original's order.
    """

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
class RiskJudge:
    """Judges releases of records by test sets, under the conditions of a round.

    Attributes:
        recipe: what is asked; it has a target.
        original: the records.
        target: the mean risk that no adversary may reach.
        steps: makes guesses, and keeps them where a run keeps its steps.
    """

    keeps_attacks: ClassVar[bool] = True
    recipe: RecordsRecipe
    original: Dataset
    target: float
    steps: Steps = field(default_factory=Steps)

    def judge(self, label: str, release: Release, *, ordered: bool, seed: Seed) -> RiskCandidate:
        """Let everyone attack a release; hold it to the conditions."""
        recipe = self.recipe
        conditions = check_conditions(recipe.rules, self.original, release, round_name=recipe.round_name)
        test = RiskTest(
            rules=recipe.rules,
            seeds=[seed.child(f"test {number}") for number in range(recipe.tests)],
            shuffled=recipe.shuffled,
            target=self.target,
            round_name=recipe.round_name,
            steps=self.steps,
        )
        attempts = tuple(test.measure(self.original, release, recipe.adversaries).values())
        review = review_release(release, self.original, allowed=recipe.allowed_columns)
        reasons = (
            *list_reasons(conditions, attempts, self.target),
            *_list_usefulness(release),
            *list_review_reasons(review),
        )
        return RiskCandidate(
            label=label,
            release=release,
            score=score_strain(conditions),
            attempts=attempts,
            reasons=recipe.policy.judge(reasons),
            statements=(*list_statements(conditions, attempts, self.target), *state_epsilon(release)),
            conditions=conditions,
            ordered=ordered,
            review=review,
            account=Account.of_round(),
        )

    def add_trees(self, method: Method) -> Method:
        """Return a method as it is: values of a contest have no trees."""
        return method

    def leave_out_classes(self, release: Release) -> Release:
        """Return a release as it is: no guarantee is asked of classes."""
        return release

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: the target."""
        return {"target": self.target}

    def list_claims(self, best: AnyRecordsCandidate, published: bytes | None, form: PublishedForm) -> Claims:
        """Return what the certificate says of a release, to be counted again by anybody."""
        del published, form  # what is claimed is that of the attacks and conditions
        if not isinstance(best, RiskCandidate):
            return Claims()
        return Claims(
            risks=tuple(
                RiskClaim(
                    adversary=attempt.adversary,
                    risks=tuple(one.risk for one in attempt.judged),
                    target=self.target,
                    refuted=attempt.refutes,
                )
                for attempt in best.attempts
            ),
            conditions=tuple(
                ConditionClaim(name=one.name, value=one.value, limit=one.limit, side=one.side, met=one.met)
                for one in best.conditions
            ),
        )


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
    return (
        make_reason("hardly any use", Said("{kept:,} of {rows:,} {rows:record|records} left", kept=kept, rows=rows)),
    )


def list_reasons(
    checked: tuple[Condition, ...], attempts: tuple[RecordsAttempt, ...], target: float
) -> tuple[Reason, ...]:
    """Return why a release may not simply leave."""
    listed = list(list_broken(checked))
    if not attempts:
        listed.append(
            Reason(rule="no attack", verdict=Verdict.REVIEW, detail=Said("nobody has tried to find people in it"))
        )
    for each in attempts:
        if each.refutes:
            detail = Said(
                "{adversary}: mean risk {mean:.4f} over {tests} test {tests:set|sets}, the target is {target:g}",
                adversary=name_label(each.adversary),
                mean=each.mean,
                tests=len(each.judged),
                target=target,
            )
            listed.append(Reason(rule="risk above target", verdict=Verdict.REFUSE, detail=detail))
    return tuple(listed)

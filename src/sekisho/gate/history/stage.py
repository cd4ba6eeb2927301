"""Histories at the gate: protected, attacked by those who hold the whole original, judged by the rejection test.

A release is refused if an attack is effective under the bound that decides. It goes to review if one is effective under
the exact bound only, if an adversary predicted a chance above 5 % of being effective, if nobody attacked, if a column
of it names people, or, unless the recipe says otherwise, if the safety claim H0 itself is not proven of it; and always
if somebody is published as he was. Otherwise it may be released.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.candidate_search import number_twins
from sekisho.attack.history.explain import ClaimExplanation, explain_claims
from sekisho.attack.history.guess_files import write_guess
from sekisho.attack.history.histories import sort_published
from sekisho.attack.history.referee import check_claims, judge, write_release_truth
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, is_unchanged
from sekisho.data.history.files import read_release, write_published, write_release
from sekisho.data.review import check_allowed, review_release
from sekisho.data.shape import Shape, read_abilities
from sekisho.data.work_meter import begin_part
from sekisho.errors import FaultsError, join_faults
from sekisho.gate.cache.steps import Steps
from sekisho.gate.certificate.claims import Claims, RejectionClaim, TwinsClaim
from sekisho.gate.fit import Apply, apply_method, fit, name_method
from sekisho.gate.history.covering import account_for_history, count_twin_claim
from sekisho.gate.history.guarantees import (
    check_guarantees,
    check_learnable,
    list_broken_guarantees,
    settle_sensitive,
    state_guarantees,
)
from sekisho.gate.history.recipe import (
    HistoryRecipe,
    list_claim_reasons,
    list_statements,
    make_twins_claim,
)
from sekisho.gate.history.safe_k import check_claim
from sekisho.gate.names import name_label
from sekisho.gate.outcome import DOUBT, Attempt, Reason, ReviewedCandidate, Verdict
from sekisho.gate.output_files import BY_ROW, RELEASE, TRUTH, OutputFiles, name_guess_files
from sekisho.gate.policy import ClaimPolicy, list_review_reasons, make_reason
from sekisho.gate.recipes.keeping import list_kept_reasons, require_keepable
from sekisho.gate.statement_words import name_bound
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.protect.history.left_out import check_left_out, mark_left_out, put_back_rows
from sekisho.safety.claim import ClaimFinding
from sekisho.safety.guarantee import Finding
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed
from sekisho.utility import MEASURES
from sekisho.utility.kept import measure_kept
from sekisho.utility.score import Score
from sekisho.words import Said

EXPLAINED, EXPLAINED_ROWS = 3, 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryAttempt(Attempt):
    """One attack on the release of a history.

    Attributes:
        guess: whom he named.
        threshold: by bound, the fewest hits that refute the release.
    """

    guess: Guess
    threshold: Mapping[Bound, int]

    def effective(self, bound: Bound) -> bool:
        """Tell whether the attack refutes the release under a bound."""
        return self.hits >= self.threshold[bound]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryCandidate(ReviewedCandidate[HistoryAttempt]):
    """One way to protect a history, and what came of it.

    Three statements stand side by side and are never mixed: whether the claim H0 is proven for everybody, whether the
    attacks refuted the release under either bound, and with what chance the adversaries predicted to.

    Attributes:
        claim: whether the safety claim H0 itself holds.
        sharing: for each published pseudonym, how many publish the very same rows, itself included.
        explanations: of the strongest attack's surest claims, what gave the customers away.
        right: of each claim of that attack, by pseudonym, whether it is right.
    """

    claim: ClaimFinding
    sharing: NDArray[np.int64]
    explanations: tuple[ClaimExplanation, ...] = ()
    right: Mapping[int, bool] = field(default_factory=dict[int, bool])

    @property
    def risk(self) -> float:
        """The largest share of the published customers that an attack found."""
        return max((attempt.hits / max(1, len(self.sharing)) for attempt in self.attempts), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
@checked
class HistoryStage:
    """A history, its rules, the ways to protect it and those who attack.

    Attributes:
        recipe: what is asked; its rules are settled by the original.
        original: the history.
        written: by label the finished releases of one's own.
        steps: makes releases and guesses, and keeps them where a run keeps its steps.
        apply: applies a method; a door may watch it.
    """

    recipe: HistoryRecipe
    original: Dataset
    written: Mapping[str, Release] = field(default_factory=dict[str, Release])
    steps: Steps = field(default_factory=Steps)
    apply: Apply = apply_method

    @classmethod
    def open(cls, recipe: HistoryRecipe, data: Dataset) -> HistoryStage:
        """Return the stage of a recipe on a history that was read under its rules, the finished releases read too.

        Raises:
            ParameterError: a column is allowed that would not leave.
            FaultsError: a finished release breaks the rules; all faults at once.
        """
        check_allowed(recipe.allowed_columns, [column.name for column in data.schema.attributes])
        recipe.coarser.check(data)
        require_keepable(recipe.keep, data.schema, left_out=recipe.coarser.left_out)
        check_left_out(data, recipe.leave_out)
        sensitive = settle_sensitive(data.schema, recipe.sensitive)
        recipe.guarantees.check(sensitive)
        check_learnable(recipe.learnable, sensitive)
        written: dict[str, Release] = {}
        errors: list[FaultsError] = []
        for each in recipe.releases:
            try:
                written[each.name] = read_release(Path(each.file), recipe.rules, data)
            except FaultsError as error:
                errors.append(error)
        if errors:
            raise join_faults(errors)
        return cls(recipe=recipe, original=data, written=written)

    @property
    def keeps_attacks(self) -> bool:
        """Whether attacks are worth a process of their own."""
        return True

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.HISTORY

    def protections(self) -> Mapping[str, partial[Release]]:
        """Return the ways to protect the history, by label."""
        methods = {label: partial(self._protect, method) for label, method in self.recipe.methods.items()}
        return methods | {label: partial(self._hand_over, label) for label in self.written}

    def _hand_over(self, label: str, seed: Seed) -> Release:
        del seed  # no chance plays a part
        return self.written[label]

    def _protect(self, method: Method, seed: Seed) -> Release:
        fitted, own = fit(method, self.recipe.rules.parameters()), seed.child(name_method(method))
        coarser, few = dict(self.recipe.coarser.columns), self.recipe.leave_out
        about = (str(coarser) if coarser else "") + (f" without {few}" if few else "")
        return self.steps.make_release(fitted, self.original, own, lambda: self._apply(fitted, own), about=about)

    def _apply(self, method: Method, seed: Seed) -> Release:
        coarser, largest = self.recipe.coarser, self.recipe.rules.parameters().get("max_set")
        data, gone = coarser.blur(self.original), mark_left_out(self.original, self.recipe.leave_out)
        if gone.any():
            seen = Dataset(data.frame.filter(pl.Series(~gone)), data.schema)
            release = put_back_rows(self.apply(method, seen, seed), data, gone)
        else:
            release = self.apply(method, data, seed)
        return coarser.widen(release, self.original, largest=largest if isinstance(largest, int) else None)

    def try_release(self, label: str, release: Release, *, seed: Seed) -> HistoryCandidate:
        """Let everyone attack a release; judge and measure it."""
        recipe, shown = self.recipe, release.table.take(~release.deleted)
        attempts = tuple(self._attack(label, release, shown, seed))
        claim = check_claim(self.original, release, recipe.rules.verdict.p)
        score = MEASURES.make(recipe.rules.utility.measure).compare(self.original, release)
        review = review_release(release, self.original, allowed=recipe.allowed_columns)
        kept = measure_kept(recipe.keep, self.original, release)
        findings = self._check_guarantees(release)
        reasons = (
            *list_reasons(attempts, recipe.bound, by_lot=self._by_lot),
            *list_claim_reasons(claim, recipe.claim),
            *list_broken_guarantees(findings),
            *self._list_limits(release, score),
            *list_kept_reasons(kept),
            *list_review_reasons(review),
        )
        candidate = HistoryCandidate(
            label=label,
            release=release,
            score=score,
            attempts=attempts,
            reasons=recipe.policy.judge(reasons),
            statements=(*list_statements(claim, attempts, recipe.bound), *state_guarantees(findings)),
            kept=kept,
            account=account_for_history(recipe, self.original, release, claim, findings),
            claim=claim,
            sharing=_count_sharing(shown, self.original),
            review=review,
            unchanged=is_unchanged(release, self.original),
        )
        return self._explain_strongest(candidate, shown)

    def _attack(self, label: str, release: Release, shown: MaskedTable, seed: Seed) -> Iterator[HistoryAttempt]:
        parameters = self.recipe.rules.parameters(self.recipe.bound)
        about = (self.steps.digest_release(release), self.steps.digest_dataset(self.original))
        for name, adversary in self.recipe.adversaries.items():
            begin_part(Said("attack of {name} on {label}", name=name, label=label))
            own, fitted = seed.child(f"attack {name}"), fit(adversary, parameters)
            guess = self.steps.make_guess(fitted, shown, self.original, seed=own, about=about)
            yield self._attempt(name, guess, release)

    @property
    def _by_lot(self) -> frozenset[str]:
        """Those who name people by lot."""
        return frozenset(name for name, who in self.recipe.adversaries.items() if read_abilities(who).by_lot)

    def _check_guarantees(self, release: Release) -> Mapping[str, Finding]:
        schema = self.original.schema
        asked = self.recipe.guarantees.make(schema, settle_sensitive(schema, self.recipe.sensitive))
        return check_guarantees(asked, release)

    def review(self, label: str, release: Release, *, seed: Seed) -> ReviewedCandidate[Attempt]:
        """Measure a release and look at it; nobody attacks."""
        del seed
        recipe = self.recipe
        score = MEASURES.make(recipe.rules.utility.measure).compare(self.original, release)
        review = review_release(release, self.original, allowed=recipe.allowed_columns)
        kept = measure_kept(recipe.keep, self.original, release)
        findings, claim = self._check_guarantees(release), count_twin_claim(self.original, release, recipe)
        reasons = (
            *list_claim_reasons(claim, ClaimPolicy.REPORTED),
            *list_broken_guarantees(findings),
            *self._list_limits(release, score),
            *list_kept_reasons(kept),
            *list_review_reasons(review),
        )
        return ReviewedCandidate(
            label=label,
            release=release,
            score=score,
            attempts=(),
            reasons=recipe.policy.judge(reasons),
            statements=(*list_statements(claim, (), recipe.bound), *state_guarantees(findings)),
            kept=kept,
            account=account_for_history(recipe, self.original, release, claim, findings),
            review=review,
            unchanged=is_unchanged(release, self.original),
        )

    def write(self, best: ReviewedCandidate[Attempt]) -> bytes:
        """Return a release row by row beside its original; what a review says are reasons here."""
        return write_release(best.release, self.recipe.rules, review=best.review)

    def files(self, best: HistoryCandidate, *, seed: Seed, release: str = RELEASE) -> OutputFiles:
        """Return the files of the chosen candidate; a refused one is not offered.

        Args:
            best: the chosen release.
            seed: of the run; lines of a history are published sorted, so that none is drawn.
            release: the name of its file, whose ending says whether it is Parquet.
        """
        del seed
        rules, refused = self.recipe.rules, best.verdict is Verdict.REFUSE
        names = name_guess_files(self.recipe.adversaries)
        return OutputFiles(
            offered={}
            if refused
            else {release: write_published(best.release, rules, Path(release), review=best.review)},
            confidential={
                BY_ROW: self.write(best),
                TRUTH: write_release_truth(self.original, best.release, rules),
                **{names[attempt.adversary]: write_guess(attempt.guess, rules) for attempt in best.attempts},
            },
            claims=Claims(
                rejections=_list_rejections(self, best), twins=() if refused else (self._claim_twins(best, release),)
            ),
            release=None if refused else release,
        )

    def _claim_twins(self, best: HistoryCandidate, release: str) -> TwinsClaim:
        rules = self.recipe.rules
        layout = rules.layout.settle_columns(best.release.table.schema)
        return make_twins_claim(layout, best.claim, rules.verdict.p, release)

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: the bound, and what becomes of an unproven claim."""
        return self.recipe.tell()

    @property
    def notices(self) -> tuple[str, ...]:
        """What was found out of the finished releases."""
        return ()

    def _list_limits(self, release: Release, score: Score) -> Iterator[Reason]:
        def measure(name: str) -> float:
            return MEASURES.make(name).compare(self.original, release).value

        kept, rows = int((~release.deleted).sum()), len(release.deleted)
        return self.recipe.list_limits(score, kept=kept, rows=rows, measure=measure)

    def _attempt(self, name: str, guess: Guess, release: Release) -> HistoryAttempt:
        judged = {bound: judge(self.original, release, guess, self.recipe.rules, bound) for bound in Bound}
        deciding = judged[self.recipe.bound]
        return HistoryAttempt(
            adversary=name,
            claimed=deciding.claimed,
            hits=deciding.hits,
            baseline=deciding.baseline,
            strength=deciding.hits / deciding.threshold,
            predicted=guess.predicted,
            guess=guess,
            threshold={bound: each.threshold for bound, each in judged.items()},
        )

    def _explain_strongest(self, candidate: HistoryCandidate, shown: MaskedTable) -> HistoryCandidate:
        strongest = candidate.strongest
        if strongest is None:
            return candidate
        surest = np.argsort(-strongest.guess.chance, kind="stable")[:EXPLAINED].tolist()
        return replace(
            candidate,
            explanations=explain_claims(strongest.guess, shown, self.original, claims=surest, rows=EXPLAINED_ROWS),
            right=check_claims(self.original, candidate.release, strongest.guess),
        )


def list_reasons(
    attempts: tuple[HistoryAttempt, ...], bound: Bound, *, by_lot: Collection[str] = ()
) -> tuple[Reason, ...]:
    """Return why a release may not simply leave.

    Args:
        attempts: the attacks.
        bound: the one that decides.
        by_lot: adversaries who name people by lot, which is no attack.
    """
    listed: list[Reason] = []
    if all(attempt.adversary in by_lot for attempt in attempts):
        nobody = Said("nobody has tried to find people in it")
        lot = Said("people were named in it by lot only, which is no attack")
        listed.append(make_reason("no attack", lot if attempts else nobody))
    for each in attempts:
        if each.effective(bound):
            detail = _describe_refutation(each, bound)
            listed.append(Reason(rule="effective attack", verdict=Verdict.REFUSE, detail=detail))
        elif each.effective(Bound.EXACT):
            detail = _describe_refutation(each, Bound.EXACT)
            listed.append(Reason(rule="effective under the exact bound", verdict=Verdict.REVIEW, detail=detail))
        elif each.predicted is not None and each.predicted > DOUBT:
            detail = Said(
                "{adversary} predicted a chance of {chance:.1%} to refute it",
                adversary=name_label(each.adversary),
                chance=each.predicted,
            )
            listed.append(Reason(rule="predicted chance", verdict=Verdict.REVIEW, detail=detail))
    return tuple(listed)


def _describe_refutation(attempt: HistoryAttempt, bound: Bound) -> Said:
    return Said(
        "{adversary}: {hits} of {claimed} named rightly, {limit} refute ({bound})",
        adversary=name_label(attempt.adversary),
        hits=attempt.hits,
        claimed=attempt.claimed,
        limit=attempt.threshold[bound],
        bound=name_bound(bound),
    )


def _count_sharing(shown: MaskedTable, original: Dataset) -> NDArray[np.int64]:
    classes = number_twins(sort_published(shown, original))
    return np.bincount(classes)[classes] if len(classes) else classes


def _list_rejections(stage: HistoryStage, best: HistoryCandidate) -> tuple[RejectionClaim, ...]:
    rules = stage.recipe.rules
    return tuple(
        RejectionClaim(
            adversary=each.adversary,
            claimed=each.claimed,
            hits=each.hits,
            bound=bound,
            p=rules.verdict.p,
            alpha=rules.verdict.alpha,
            threshold=each.threshold[bound],
            effective=each.effective(bound),
            decides=bound is stage.recipe.bound,
            normative=bound is Bound.UNION and each.claimed in rules.normative,
            predicted=each.predicted,
        )
        for each in best.attempts
        for bound in Bound
    )

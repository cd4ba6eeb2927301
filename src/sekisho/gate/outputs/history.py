"""The files of a history at the gate: what is published, and who is who, who was guessed, what became of each row."""

from __future__ import annotations

from pathlib import Path

from sekisho.attack.history.guess_files import write_guess
from sekisho.attack.history.referee import write_release_truth
from sekisho.data.history import files as history_files
from sekisho.data.review import ReleaseReview
from sekisho.gate.certificate.claims import Claims, RejectionClaim, TwinsClaim
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Verdict
from sekisho.gate.outputs.files import BY_ROW, RELEASE, TRUTH, OutputFiles, describe_form, name_guess_files
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms

REASONED = ReleaseReview()
"""What a review says are reasons here, and the verdict says where the file goes."""


def make_history_files(stage: HistoryStage, best: HistoryCandidate, *, release: str = RELEASE) -> OutputFiles:
    """Return the files of the chosen candidate; a refused one is not offered.

    Args:
        stage: the history.
        best: the chosen release.
        release: the name of its file, whose ending says whether it is Parquet.
    """
    rules, refused = stage.recipe.rules, best.verdict is Verdict.REFUSE
    names = name_guess_files(stage.recipe.adversaries)
    return OutputFiles(
        offered={}
        if refused
        else {release: history_files.write_published(best.release, rules, Path(release), review=REASONED)},
        confidential={
            BY_ROW: history_files.write_release(best.release, rules, review=REASONED),
            TRUTH: write_release_truth(stage.original, best.release, rules),
            **{names[each.adversary]: write_guess(each.guess, rules) for each in best.attempts},
        },
        claims=Claims(
            rejections=_claim_rejections(stage, best), twins=() if refused else (_claim_twins(rules, best, release),)
        ),
        release=None if refused else release,
    )


def _claim_rejections(stage: HistoryStage, best: HistoryCandidate) -> tuple[RejectionClaim, ...]:
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


def _claim_twins(rules: HistoryTerms, best: HistoryCandidate, file: str) -> TwinsClaim:
    columns = [field.name for field in rules.layout.settle_columns(best.release.table.schema).columns]
    return TwinsClaim(
        published=describe_form(rules.layout.form, file),
        pseudonym=columns.index(rules.layout.holder.name),
        classes={str(each.size): each.classes for each in best.claim.by_size},
        p=rules.verdict.p,
        standing=best.claim.standing,
    )

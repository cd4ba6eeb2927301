"""Files beyond memory at the gate: the stage of a recipe whose rows stay with an engine.

It decides what the stages in memory decide, by the same rules, from what the engine counts: who is named, whether
anything is left to use, which promise is not kept or is refuted. Nobody attacks here but the one against whom a sample
was drawn: other attacks need every record beside its release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sekisho.data.engines.engine import Engine
from sekisho.data.engines.review_scan import review_scan
from sekisho.data.frame.dataset import Role
from sekisho.data.review import ReleaseReview
from sekisho.data.shape import Shape, read_abilities
from sekisho.errors import BugError, ParameterError
from sekisho.gate.account.account import Account
from sekisho.gate.account.records import CoverPromise
from sekisho.gate.fit import fit, name_method
from sekisho.gate.history.covering import account_for_engine_history
from sekisho.gate.history.engine_twins import count_twin_classes
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.outcome import CHANGED_NOTHING, Attempt, Candidate
from sekisho.gate.policy import list_review_reasons
from sekisho.gate.records.candidate import judge_use, list_useless_keys
from sekisho.gate.records.counted_comparison import measure_loss
from sekisho.gate.records.covering import list_drawn, list_promised
from sekisho.gate.records.engine.covering import account_for_scan
from sekisho.gate.records.engine.known_part import EngineSampled
from sekisho.gate.records.engine.recount_scan import ScanClasses
from sekisho.gate.records.engine.release_figures import CountedFigures, examine_release, list_coded
from sekisho.gate.records.known_part import KnownPartAttack, attack_with_known_part, list_promise_reasons
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.recount import Recount, recount_promises
from sekisho.protect import Method
from sekisho.protect.beyond_memory import ENGINE_METHODS, EngineRelease, EngineTask
from sekisho.protect.records.engine.release import EngineSampleRelease
from sekisho.protect.records.sample import DrawnSample
from sekisho.safety.terms import USUAL_MEASURE
from sekisho.seeds import Seed
from sekisho.utility.records.information_loss import CertaintyPenalty
from sekisho.utility.score import Score
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineCandidate(Candidate[Attempt]):
    """A release whose rows lie with an engine, and what came of it.

    Attributes:
        review: what a person must look at before it leaves.
        known_part: of a sample, what one came to who knows as many records as were named; else None.
    """

    release: EngineRelease
    review: ReleaseReview = field(default_factory=ReleaseReview)
    known_part: KnownPartAttack | None = None

    @property
    def remarks(self) -> tuple[Said, ...]:
        """What else belongs to the answer: that a method changed nothing."""
        return (CHANGED_NOTHING,) if self.release.unchanged else ()

    @property
    def refuted(self) -> bool:
        """Whether he was right more often than was promised."""
        risk = self.release.risk if isinstance(self.release, DrawnSample) else None
        return self.known_part is not None and self.known_part.refutes(risk)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineStage:
    """A file whose rows stay with an engine, and the ways to protect it.

    Attributes:
        recipe: what is asked.
        task: the file, and where its release goes.
        resources: the engines that are at work; they end with it, and so does every release.
    """

    recipe: RecordsRecipe | HistoryRecipe
    task: EngineTask
    resources: ExitStack

    @classmethod
    def open(
        cls, recipe: RecordsRecipe | HistoryRecipe, task: EngineTask, resources: ExitStack, *, shown: bool
    ) -> EngineStage:
        """Return the stage of a recipe.

        Args:
            recipe: what is asked.
            task: the file.
            resources: keeps the engines at work.
            shown: whether a page is asked for.

        Raises:
            ParameterError: a method has no way there; a page cannot be made there, or the usual measure is another.
        """
        for label, method in recipe.methods.items():
            if name_method(method) not in ENGINE_METHODS:
                raise ParameterError("engine", Said("be given for a method that works beyond memory"), label)
            if shown and task.choice.engine is Engine.SPARK and not read_abilities(method).reads_text:
                raise ParameterError("report", Said("be asked for with polars or duckdb"), task.choice.engine.value)
        if recipe.keep:
            raise ParameterError("keep", Said("not be given where rows stay with an engine"), recipe.keep[0].name)
        if isinstance(recipe, HistoryRecipe):
            _require_usual(recipe.rules.utility.measure)
        return cls(recipe=recipe, task=task, resources=resources)

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return self.recipe.rules.shape

    def protections(self) -> Mapping[str, partial[EngineRelease]]:
        """Return the ways to protect the file, by label."""
        return {label: partial(self.protect, method) for label, method in self.recipe.methods.items()}

    def protect(self, method: Method, seed: Seed) -> EngineRelease:
        """Return the release of a method, open as long as the resources are."""
        fitted = fit(method, self.recipe.rules.parameters())
        way = ENGINE_METHODS.make(name_method(method), method=fitted)
        return self.resources.enter_context(way.release(self.task, seed))

    def review(
        self,
        label: str,
        release: EngineRelease,
        *,
        seed: Seed,
        asked: Sequence[CoverPromise] = (),
        twins: NDArray[np.int64] | None = None,
    ) -> EngineCandidate:
        """Look at a release: whether anything is left to use, who is named in it, what it promises.

        Args:
            label: of the release.
            release: it.
            seed: of the run.
            asked: what is asked of it, as somebody counted it already.
            twins: of a history how many pseudonyms each class with the very same rows has, where that is counted.
        """
        counted = review_scan(
            release.published,
            release.detail,
            kinds=release.kinds,
            holder=release.holder,
            lasting=release.lasting,
            allowed=self.recipe.allowed_columns,
        )
        review = replace(counted, raw=release.raw)
        if isinstance(self.recipe, HistoryRecipe):
            score = Score(value=float(np.mean(list(release.errors.values()))), detail=release.errors)
            limits = self.recipe.list_limits(score, kept=release.kept, rows=release.records, measure=_require_usual)
            sizes = count_twin_classes(release.published, release.holder) if twins is None else twins
            account = account_for_engine_history(self.recipe, release, sizes)
            tried, reasons = None, tuple(limits)
        else:
            score = _measure_loss(self.recipe, release)
            review, useless = judge_use(
                review, kept=release.kept, rows=release.records, lost=score.value, drawn=release.drawn
            )
            left_out = self.recipe.coarser.left_out
            useless = useless or list_useless_keys(score, release.distinct.__getitem__, left_out=left_out)
            tried = _try_known_part(release, seed.child("attack"))
            broken = tuple(list_promise_reasons(release, tried))
            account = self._account(release, asked, refuted=bool(broken))
            reasons = (*broken, *useless)
        return EngineCandidate(
            label=label,
            release=release,
            score=score,
            attempts=(),
            reasons=self.recipe.policy.judge((*reasons, *list_review_reasons(review))),
            review=review,
            known_part=tried,
            account=account,
        )

    def _account(self, release: EngineRelease, asked: Sequence[CoverPromise], *, refuted: bool) -> Account:
        """Return the account of records by what is asked of them and what their method promises."""
        recipe = self.recipe
        if not isinstance(recipe, RecordsRecipe):
            raise BugError("an account of records was asked of a history")
        drawn = list_drawn(release, release.published.names, allowed=recipe.demanded, refuted=refuted)
        return account_for_scan(recipe, self.task, release, promises=(*asked, *list_promised(release.detail), *drawn))

    def recount(self, candidate: EngineCandidate) -> tuple[Recount, ...]:
        """Return every promise as the rows that are written keep it.

        Raises:
            BugError: they do not keep one of them.
        """
        release = candidate.release
        self.task.tell(Said("counting again"))
        fields = {} if release.drawn else {one.name: one for one in release.terms.layout.described.fields()}
        return recount_promises(ScanClasses(scan=release.published, fields=fields), release.detail)

    def examine(self, candidate: EngineCandidate, recounts: tuple[Recount, ...]) -> CountedFigures:
        """Return what a page shows of a release of records."""
        self.task.tell(Said("counting for the page"))
        recipe = self.recipe
        if not isinstance(recipe, RecordsRecipe):
            raise BugError("a page of records was asked of a history")
        return examine_release(
            self.task.source,
            candidate.release,
            recounts,
            candidate.review,
            keys=recipe.keys,
            sensitive=recipe.sensitive,
        )


def _require_usual(name: str) -> float:
    if name != USUAL_MEASURE:
        raise ParameterError("measure", Said("be {measure} where rows stay on a cluster", measure=USUAL_MEASURE), name)
    return 0.0


def _measure_loss(recipe: RecordsRecipe, release: EngineRelease) -> Score:
    """Return how much of what the keys told is lost, of at most 1, as it is measured in memory, and of each key."""
    told, by_key = release.detail.get("ncp"), release.detail.get("ncp_by_key")
    if isinstance(told, float) and isinstance(by_key, Mapping):
        return Score(value=told, detail={str(name): float(loss) for name, loss in by_key.items()})
    fields = release.terms.layout.described.fields() if release.coded else ()
    penalty = CertaintyPenalty(keys=recipe.keys or tuple(one.name for one in fields if one.role is Role.QUASI))
    lost = measure_loss(penalty, list_coded(release).values(), kept=release.kept, records=release.records)
    hidden = sum(name not in release.published.names for name in recipe.keys)
    withheld = hidden * release.kept / max(1, len(recipe.keys)) / max(1, release.records)
    return replace(lost, value=lost.value + withheld)


def _try_known_part(release: EngineRelease, seed: Seed) -> KnownPartAttack | None:
    if not isinstance(release, EngineSampleRelease) or release.known is None:
        return None
    return attack_with_known_part(EngineSampled(release=release), release.known, seed=seed)

"""Keyed records at the gate: protected, held to guarantees, attacked by those who know keys, measured.

A release is refused if a wanted guarantee does not hold, or if an adversary finds more people than are allowed. It goes
to review if a measure is above its limit, if hardly anything of the data is left, if a column of it names people, or if
nobody says which row is whose, so that hits cannot be counted. The policy may say otherwise. Otherwise it may leave:
the guarantees hold of what is published, and it is not refuted by these attacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sekisho.contest.records.rules import RecordRules
from sekisho.contest.records.written_release import WrittenRelease, read_written_release
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.frame.schema import Role, Schema
from sekisho.data.review import ReleaseReview, check_allowed, review_release
from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.gate.cache.steps import Steps
from sekisho.gate.fit import fit
from sekisho.gate.names import name_guarantee, name_label
from sekisho.gate.outcome import Candidate, Certainty, Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.records.cell_attacks import Scene
from sekisho.gate.records.comparison import Compared, Comparison
from sekisho.gate.records.keyed.attempts import CellAttempt, attack_scene, list_usual_adversaries
from sekisho.gate.records.keyed.recipe import KeyedRecipe
from sekisho.gate.records.keyed.statements import list_statements
from sekisho.gate.records.keyed.texts import apply_to_texts, reads_text
from sekisho.gate.records.keyed.unprotected import Unprotected, examine_original
from sekisho.gate.records.keyed.weights import INDIVIDUAL, find_individual_risk, read_weights
from sekisho.gate.records.release_file import write_and_count
from sekisho.gate.review_reasons import list_review_reasons
from sekisho.protect import Method
from sekisho.safety import Guarantee
from sekisho.safety.guarantee import Finding
from sekisho.safety.usefulness import is_hardly_useful
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Said

MOST_RISK = 0.5
"""Where more people than this may be found, hardly anything is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeyedCandidate(Candidate[CellAttempt]):
    """One release of keyed records, and what came of it.

    Attributes:
        compared: its classes, measures and attacks, as they are compared with others.
        findings: by guarantee whether it is kept.
        ordered: whether row i of it is known to be what became of row i of the original.
    """

    release: Release
    compared: Compared
    findings: Mapping[str, Finding]
    ordered: bool

    def draw_order(self, seed: Seed) -> NDArray[np.intp]:
        """Return the kept rows of the original in the order in which they are published, which tells nothing."""
        rows = np.flatnonzero(~self.release.deleted)
        return rows[seed.child("publish").rng().permutation(len(rows))]

    def write(self, rules: RecordRules, order: NDArray[np.intp], out: Path) -> bytes:
        """Return the rows of the release, in an order, as their file has them; what was promised is counted again.

        What a review says are reasons here, and the verdict says where the file goes.

        Args:
            rules: settled by the original.
            order: kept rows of the original, as they are published.
            out: the file; its ending says whether it is Parquet.
        """
        return write_and_count(self.release.take(order), rules, out, review=ReleaseReview()).content


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyedStage:
    """Keyed records, what is asked of a release, the ways to protect them and those who attack.

    Attributes:
        recipe: what is asked; its rules are settled by the original.
        original: the records, each column in the role that the recipe gives it.
        written: by label the finished releases of one's own.
        steps: makes releases, and keeps them where a run keeps its steps.
    """

    keeps_attacks: ClassVar = False  # they take less than a process does to start
    recipe: KeyedRecipe
    original: Dataset
    written: Mapping[str, WrittenRelease]
    steps: Steps = field(default_factory=Steps)

    @classmethod
    def open(cls, recipe: KeyedRecipe, data: Dataset) -> KeyedStage:
        """Return the stage of a recipe on records that were read under its rules, the finished releases read too.

        Raises:
            ParameterError: a column is unknown, or is named as two things.
            FaultsError: a finished release cannot be read beside the original; all faults at once.
        """
        original = settle_roles(recipe, data)
        check_allowed(recipe.allowed_columns, [column.name for column in original.schema.attributes])
        stage = cls(recipe=recipe, original=original, written={})
        _ = stage.question, stage.guarantees  # refuse what cannot be asked before anything is read
        if recipe.weights:
            read_weights(original, recipe.weights)
        return replace(stage, written=_read_releases(recipe, original, stage.question))

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.RECORDS

    @cached_property
    def question(self) -> Comparison:
        """What is compared, every column named."""
        recipe = self.recipe
        trees = {name: read_tree(path) for name, path in recipe.trees.items()}
        asked = Comparison(keys=recipe.keys, sensitive=recipe.sensitive, trees=trees, people=recipe.people)
        return asked.settle(self.original)

    @cached_property
    def guarantees(self) -> Mapping[str, Guarantee]:
        """What must hold, by name."""
        return self.recipe.guarantees.make(self.original.schema, self.question.keys, self.question.sensitive)

    @cached_property
    def unprotected(self) -> Unprotected:
        """What the keys give away of the original, for pages that tell of a release beside it."""
        return examine_original(self.original, self.question)

    @property
    def notices(self) -> tuple[str, ...]:
        """What was found out or had to be assumed of the finished releases."""
        return tuple(f"{label}: {notice}" for label, one in self.written.items() for notice in one.notices)

    def protections(self) -> Mapping[str, partial[Release]]:
        """Return the ways to protect the records, by label, and the finished releases."""
        methods = {label: partial(self._protect, method) for label, method in self.recipe.methods.items()}
        return methods | {label: partial(self._hand_over, label) for label in self.written}

    def _protect(self, method: Method, seed: Seed) -> Release:
        fitted = _add_trees(fit(method, self.recipe.rules.parameters()), self.question)
        release = self.steps.make_release(fitted, self.original, seed, lambda: self._apply(fitted, seed))
        return self.recipe.guarantees.leave_out_classes(release, self.guarantees)

    def _apply(self, method: Method, seed: Seed) -> Release:
        if reads_text(method):
            return apply_to_texts(method, self.original, rng=seed.rng())
        return method.apply(self.original, rng=seed.rng())

    def _hand_over(self, label: str, seed: Seed) -> Release:
        del seed  # no chance plays a part
        return self.written[label].release

    def try_release(self, label: str, release: Release, *, seed: Seed) -> KeyedCandidate:
        """Let everyone attack a release; check the guarantees and measure it."""
        recipe, question = self.recipe, self.question
        ordered = label not in self.written or self.written[label].ordered
        scene = Scene.draw(self.original, release, ordered=ordered, seed=seed, most=recipe.people)
        attempts = attack_scene(
            scene,
            recipe.adversaries or list_usual_adversaries(question.subsets),
            keys=question.keys,
            allowed=recipe.allowed,
            seed=seed,
        )
        compared = Compared(
            name=label,
            release=release,
            ordered=ordered,
            classes=question.assess_classes(release),
            scores=self._measure(release, ordered=ordered),
            attacks=tuple(each.attack for each in attempts),
        )
        findings = {name: _check(guarantee.check, release) for name, guarantee in self.guarantees.items()}
        if recipe.weights and ordered:
            findings[INDIVIDUAL] = _check(self._find_individual_risk, release)
        candidate = KeyedCandidate(
            label=label,
            release=release,
            score=choose_score(compared, recipe.utility),
            attempts=attempts,
            compared=compared,
            findings=findings,
            ordered=ordered,
        )
        reasons = recipe.policy.judge(self._list_reasons(candidate))
        return replace(candidate, reasons=reasons, statements=list_statements(candidate, question.keys))

    def _measure(self, release: Release, *, ordered: bool) -> Mapping[str, Score]:
        question, data = self.question, self.original
        return self.steps.measure_release(
            release, data, lambda: question.measure(data, release, ordered=ordered), about=(question, ordered)
        )

    def _find_individual_risk(self, release: Release) -> Finding:
        allowed = self.recipe.guarantees.individual
        weights = read_weights(self.original, self.recipe.weights)
        return find_individual_risk(release, self.question.keys, weights, allowed=1.0 if allowed is None else allowed)

    def _list_reasons(self, candidate: KeyedCandidate) -> Iterator[Reason]:
        for name, finding in candidate.findings.items():
            if not finding.kept:
                yield make_reason(
                    "guarantee broken",
                    Said("{guarantee}: {finding}", guarantee=name_guarantee(name), finding=finding.words),
                )
        yield from list_attack_reasons(candidate.attempts)
        if not candidate.ordered:
            detail = Said(
                "nobody says which row of the release is whose: say ordered = true, or deleted, if that is known"
            )
            yield make_reason("truth unknown", detail)
        for name, limit in self.recipe.limits.items():
            score = candidate.compared.scores.get(name)
            if score is None:
                raise ParameterError(f"limits.{name}", f"be of {', '.join(candidate.compared.scores)}", limit)
            if score.value > limit:
                yield make_reason(
                    "limit exceeded",
                    Said(
                        "{name} is {value:.4g}, at most {limit:g} leaves unseen",
                        name=name,
                        value=score.value,
                        limit=limit,
                    ),
                )
        yield from self._list_usefulness(candidate)
        yield from self._list_weakness(candidate)

    def _list_usefulness(self, candidate: KeyedCandidate) -> Iterator[Reason]:
        release, rows = candidate.release, len(self.original)
        kept, ncp = candidate.compared.rows, candidate.compared.scores["ncp"].value
        review = review_release(release, self.original, allowed=self.recipe.allowed_columns)
        noisy = review.noisy
        if is_hardly_useful(kept=kept, records=rows, lost=ncp) or not review.useful or noisy:
            noise = Said(", hardly anything is kept of {names}", names=", ".join(noisy)) if noisy else ""
            yield make_reason(
                "hardly any use",
                Said(
                    "{kept:,} of {rows:,} records left, NCP {ncp:.3f} of at most 1{noise}",
                    kept=kept,
                    rows=rows,
                    ncp=ncp,
                    noise=noise,
                ),
            )
        yield from list_review_reasons(review)

    def _list_weakness(self, candidate: KeyedCandidate) -> Iterator[Reason]:
        """Give why what was asked for is hardly anything: a raw file must not leave because nobody asked for more."""
        if self.recipe.allowed > MOST_RISK:
            yield make_reason(
                "weak demand", Said("an adversary may find {share:.0%} of the people", share=self.recipe.allowed)
            )
        release, keys = candidate.release, self.question.keys
        promised = any(one.standing is Certainty.PROMISED for one in list_statements(candidate, keys))
        if self.guarantees or promised or not candidate.ordered or not candidate.compared.uniques:
            return
        kept, original = ~release.deleted, exact_table(self.original)
        if all(are_equal_cells(release.table.columns[name], original.columns[name], kept) for name in keys):
            yield make_reason(
                "weak demand",
                Said(
                    "no guarantee is asked for, no key was changed, and {alone:,} people stand alone on them",
                    alone=candidate.compared.uniques,
                ),
            )


def are_equal_cells(cells: Cells, before: Cells, rows: NDArray[np.bool_]) -> bool:
    """Tell whether some rows of a column are what they were."""
    if isinstance(cells, SetCells) and isinstance(before, SetCells):
        return np.array_equal(cells.take(rows).codes, before.take(rows).codes) and cells.domain == before.domain
    if isinstance(cells, RangeCells) and isinstance(before, RangeCells):
        same = (cells.lower == before.lower) & (cells.upper == before.upper) & ~cells.suppressed
        return bool(same[rows].all())
    return False


def settle_roles(recipe: KeyedRecipe, data: Dataset) -> Dataset:
    """Return records with each column in the role that a recipe gives it, or else the schema.

    Raises:
        ParameterError: a column is unknown, or the identifier.
    """
    sensitive = recipe.sensitive or data.schema.with_role(Role.SENSITIVE)
    taken = {*sensitive, recipe.weights}
    keys = recipe.keys or tuple(name for name in data.schema.with_role(Role.QUASI) if name not in taken)
    names = [column.name for column in data.schema.attributes]
    weights = (recipe.weights,) if recipe.weights else ()
    for place, asked in (("keys", keys), ("sensitive", sensitive), ("weights", weights), ("trees", recipe.trees)):
        unknown = [name for name in asked if name not in names]
        if unknown:
            raise ParameterError(place, f"be among {', '.join(names)}", ", ".join(unknown))
    roles = (
        dict.fromkeys(names, Role.OTHER) | dict.fromkeys(keys, Role.QUASI) | dict.fromkeys(sensitive, Role.SENSITIVE)
    )
    columns = tuple(replace(column, role=roles.get(column.name, column.role)) for column in data.schema)
    return Dataset(data.frame, Schema(columns))


def list_attack_reasons(attempts: tuple[CellAttempt, ...]) -> Iterator[Reason]:
    """Give what attacks have against a release."""
    if not attempts:
        yield make_reason("no attack", Said("nobody has tried to find people in it"))
    for each in attempts:
        if not each.refutes:
            continue
        who, attack = name_label(each.adversary), each.attack
        if not each.truth_known:
            hoped = 0.0 if attack.hoped is None else attack.hoped
            yield make_reason(
                "possible risk",
                Said(
                    "{adversary} hopes for {hoped:.1f} hits among {people} people; at most {allowed:.1%} of the "
                    "people may be found",
                    adversary=who,
                    hoped=hoped,
                    people=attack.people,
                    allowed=each.allowed,
                ),
            )
            continue
        exact: str = (
            "" if attack.expected is None else Said(" ({expected:.1f} to be expected)", expected=attack.expected)
        )
        yield make_reason(
            "effective attack",
            Said(
                "{adversary}: {hits} of {claimed} named rightly{exact}, {people} looked for; at most {allowed:.1%} of "
                "the people may be found",
                adversary=who,
                hits=each.hits,
                claimed=each.claimed,
                exact=exact,
                people=attack.people,
                allowed=each.allowed,
            ),
        )


def choose_score(compared: Compared, wanted: str) -> Score:
    """Return the score that ranks candidates: as wanted, or of the pair tables; of a single column, its own."""
    pairs = compared.scores["pair-tables"]
    return compared.scores[wanted] if wanted else pairs if pairs.detail else compared.scores["marginals"]


def _check(check: Callable[[Release], Finding], release: Release) -> Finding:
    try:
        return check(release)
    except InfeasibleError as error:
        return Finding(kept=False, worst=float("nan"), wanted=float("nan"), where=(), words=str(error))


def _add_trees(method: Method, question: Comparison) -> Method:
    """Return a method with the recipe's trees of its keys where it has none of its own."""
    if not question.trees or getattr(method, "tree", ()) is not None:
        return method
    trees = {name: tree for name, tree in question.trees.items() if name in question.keys}
    return cast("Method", replace(cast("Any", method), tree=trees))


def _read_releases(recipe: KeyedRecipe, original: Dataset, question: Comparison) -> dict[str, WrittenRelease]:
    written: dict[str, WrittenRelease] = {}
    errors: list[FaultsError] = []
    for each in recipe.releases:
        try:
            written[each.name] = read_written_release(
                Path(each.file),
                recipe.rules,
                original,
                trees=question.trees,
                in_order=bool(each.ordered) and not each.deleted,
                deleted=Path(each.deleted) if each.deleted else None,
            )
        except FaultsError as error:
            errors.append(error)
    if errors:
        faults = [replace(one, message=f"{each.source}: {one.message}") for each in errors for one in each.faults]
        raise FaultsError(", ".join(each.source for each in errors), faults, count=sum(each.count for each in errors))
    return written

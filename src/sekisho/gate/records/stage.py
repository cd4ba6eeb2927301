"""Records at the gate: protected by methods or brought finished, judged by their keys or by test sets, written.

One stage for all records. How a release is judged is the recipe's: by test sets where it names a target
(:mod:`sekisho.gate.records.test_sets`), else by keys and guarantees (:mod:`sekisho.gate.records.keys_judge`); a recipe
that asks for a review alone has its release only looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.cells import MISSING_TEXT, Cells, RangeCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release, exact_table, is_unchanged, order_rows
from sekisho.data.records.files import write_number_lines
from sekisho.data.records.written_release import WrittenRelease, read_written_release
from sekisho.data.review import check_allowed, review_release
from sekisho.data.shape import Shape, read_abilities
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import FaultsError, ParameterError, join_faults
from sekisho.gate.account.account import Unit, UnitOrigin
from sekisho.gate.account.records import CoverPromise
from sekisho.gate.account.unit import find_unit
from sekisho.gate.cache.steps import Steps
from sekisho.gate.fit import Apply, apply_method, fit, name_method
from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.output_files import BY_ROW, DELETED, RELEASE, TRUTH, OutputFiles, describe_form
from sekisho.gate.policy import list_review_reasons
from sekisho.gate.recipes.keeping import list_kept_reasons, require_keepable
from sekisho.gate.records.candidate import (
    AnyRecordsCandidate,
    RecordsCandidate,
    judge_release_use,
    list_broken,
    list_useless_in_release,
    score_strain,
)
from sekisho.gate.records.covering import account_for_release, find_roles, list_asked, list_drawn, list_promised
from sekisho.gate.records.downcode.downcoding import add_downcode
from sekisho.gate.records.guarantees import check_finding
from sekisho.gate.records.guarantees import list_broken as list_broken_guarantees
from sekisho.gate.records.range_ends import widen_ranges
from sekisho.gate.records.recipe import RecordsRecipe, settle_roles
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.safety.guarantee import Finding
from sekisho.seeds import Seed
from sekisho.utility.kept import measure_kept
from sekisho.utility.records.conditions import Condition, check_conditions
from sekisho.utility.records.information_loss import CertaintyPenalty
from sekisho.utility.score import Score
from sekisho.words import Said

if TYPE_CHECKING:  # judges bring attacks and measures, which a release that is only looked at does not need
    from sekisho.gate.records.keys_judge import KeysJudge
    from sekisho.gate.records.known_part import KnownPartAttack
    from sekisho.gate.records.test_sets import RiskJudge


@dataclass(frozen=True, kw_only=True, eq=False)
@checked
class RecordsStage:
    """Records, the ways to protect them, and whoever judges a release.

    Attributes:
        recipe: what is asked; its rules are settled by the original.
        original: the records, each column in the role that the recipe gives it.
        written: by label the finished releases of one's own.
        steps: makes releases and guesses, and keeps them where a run keeps its steps.
        apply: applies a method; a door may watch it.
        spare: leaves out whom a release endangers together with what left before; None where nobody is to be left out.
    """

    recipe: RecordsRecipe
    original: Dataset
    written: Mapping[str, WrittenRelease] = field(default_factory=dict[str, WrittenRelease])
    steps: Steps = field(default_factory=Steps)
    apply: Apply = apply_method
    spare: Callable[[Release], Release] | None = None

    @classmethod
    def open(cls, recipe: RecordsRecipe, data: Dataset) -> RecordsStage:
        """Return the stage of a recipe on records that were read under its rules, the finished releases read too.

        Raises:
            ParameterError: a column is unknown, or is named as two things.
            FaultsError: a finished release cannot be read beside the original; all faults at once.
        """
        if recipe.target is not None:
            return cls(recipe=recipe, original=data)
        from sekisho.gate.records.keys_judge import KeysJudge
        from sekisho.gate.records.statements import read_weights

        original = settle_roles(recipe, data)
        check_allowed(recipe.allowed_columns, [column.name for column in original.schema.attributes])
        recipe.coarser.check(original)
        require_keepable(recipe.keep, original.schema, left_out=recipe.coarser.left_out)
        keyed = KeysJudge(recipe=recipe, original=original, unit=_find_unit(recipe, original))
        _ = (
            keyed.question,
            keyed.guarantees,
            keyed.controls,
            keyed.downcoders,
        )  # refuse what cannot be asked before anything is read
        if recipe.weights:
            read_weights(original, recipe.weights)
        return cls(recipe=recipe, original=original, written=_read_releases(recipe, original, keyed.question.trees))

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.RECORDS

    @cached_property
    def judge(self) -> KeysJudge | RiskJudge:
        """Whoever judges a release.

        Raises:
            ParameterError: records under a contest's rules are judged by test sets, and no target is given.
        """
        recipe, original, steps = self.recipe, self.original, self.steps
        if recipe.target is None and recipe.rules.layout.strict:
            rule = Said("be one's own: records under a contest's rules need a target")
            raise ParameterError("rules", rule, recipe.rules.name)
        if recipe.target is None:
            from sekisho.gate.records.keys_judge import KeysJudge

            return KeysJudge(recipe=recipe, original=original, unit=self.unit, steps=steps)
        from sekisho.gate.records.test_sets import RiskJudge

        return RiskJudge(recipe=recipe, original=original, target=recipe.target, steps=steps)

    @cached_property
    def unit(self) -> Unit:
        """Whose rows they are."""
        return _find_unit(self.recipe, self.original)

    @property
    def keeps_attacks(self) -> bool:
        """Whether attacks are worth a process of their own."""
        return self.judge.keeps_attacks

    @property
    def notices(self) -> tuple[str, ...]:
        """What was found out or had to be assumed of the finished releases."""
        return tuple(
            Said("{source}: {reason}", source=label, reason=notice)
            for label, one in self.written.items()
            for notice in one.notices
        )

    def protections(self) -> Mapping[str, partial[Release]]:
        """Return the ways to protect the records, by label, and the finished releases."""
        methods = {label: partial(self._protect, method) for label, method in self.recipe.methods.items()}
        return methods | {label: partial(self._hand_over, label) for label in self.written}

    def _protect(self, method: Method, seed: Seed) -> Release:
        recipe, own = self.recipe, seed.child(name_method(method))
        fitted = fit(method, recipe.rules.parameters(recipe.round_name))
        if recipe.trees and recipe.target is None and not recipe.rules.layout.strict:
            fitted = self.judge.add_trees(fitted)
        coarser = dict(recipe.coarser.columns)
        release = self.steps.make_release(
            fitted, self.original, own, lambda: self._apply(fitted, own), about=str(coarser) if coarser else ""
        )
        if not recipe.rules.layout.strict:
            fields = {rules.name: rules for rules in recipe.rules.layout.columns}
            release = widen_ranges(release, self.original, fields, spared=frozenset(coarser))
        release = self.judge.leave_out_classes(release) if recipe.guarantees.leave_out else release
        return add_downcode(release if self.spare is None else self.spare(release), self.original)

    def _apply(self, method: Method, seed: Seed) -> Release:
        coarser = self.recipe.coarser
        data = coarser.blur(self.original)
        if read_abilities(method).reads_text:
            return coarser.widen(apply_to_texts(method, data, apply=self.apply, seed=seed), self.original)
        return coarser.widen(self.apply(method, data, seed), self.original)

    def _hand_over(self, label: str, seed: Seed) -> Release:
        del seed  # no chance plays a part
        return self.written[label].release

    def try_release(self, label: str, release: Release, *, seed: Seed) -> AnyRecordsCandidate:
        """Let everyone attack a release; judge and measure it."""
        return self.judge.judge(label, release, ordered=self._is_ordered(label), seed=seed)

    def _is_ordered(self, label: str) -> bool:
        """Tell whether row i of a release is known to be what became of row i of the original."""
        return label not in self.written or self.written[label].ordered

    def review(self, label: str, release: Release, *, seed: Seed) -> AnyRecordsCandidate:
        """Look at a release: its conditions, whether anything is left to use, who is named in it; nobody attacks."""
        recipe, data = self.recipe, self.original
        conditions = () if label in self.written else self._check_conditions(recipe.methods[label], release)
        lost = self._measure_loss(release)
        review, useless = judge_release_use(
            release, review_release(release, data, allowed=recipe.allowed_columns), lost=lost.value
        )
        useless = useless or list_useless_in_release(lost, data, release, left_out=recipe.coarser.left_out)
        tried, promise = _try_promise(data, release, seed.child("attack"))
        kept = measure_kept(recipe.keep, data, release)
        limits = list_kept_reasons(kept)
        keys, sensitive = self._list_roles()
        findings, promises = self._check_asked(release, keys, sensitive)
        drawn = list_drawn(release, data.schema.names, allowed=recipe.demanded, refuted=bool(promise))
        account = account_for_release(
            recipe,
            data,
            release,
            self.unit,
            keys=keys,
            sensitive=sensitive,
            promises=(*promises, *list_promised(release.detail), *drawn),
        )
        broken = list_broken_guarantees(findings)
        reasons = (*list_broken(conditions), *broken, *promise, *limits, *useless, *list_review_reasons(review))
        return RecordsCandidate(
            label=label,
            release=release,
            score=score_strain(conditions) if recipe.rules.layout.strict else lost,
            attempts=(),
            reasons=recipe.policy.judge(reasons),
            kept=kept,
            review=review,
            unchanged=self._is_ordered(label) and is_unchanged(release, data),
            ordered=self._is_ordered(label),
            conditions=conditions,
            known_part=tried,
            account=account,
        )

    def _list_roles(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what may be known of a person and what must stay hidden, as far as anybody says so."""
        described = self.recipe.rules.layout.described.columns
        return find_roles(self.recipe, described, [column.name for column in self.original.schema.attributes])

    def _check_asked(
        self, release: Release, keys: tuple[str, ...], sensitive: tuple[str, ...]
    ) -> tuple[Mapping[str, Finding], tuple[CoverPromise, ...]]:
        """Return by name whether what is asked for holds, and the same as promises of an account."""
        asked = self.recipe.guarantees
        if not asked.asked or bool(release.deleted.all()):
            return {}, ()
        guarantees = asked.make(self.original.schema, keys, sensitive)
        findings = {name: check_finding(guarantee.check, release) for name, guarantee in guarantees.items()}
        return findings, tuple(list_asked(guarantees, findings, keys))

    def _check_conditions(self, method: Method, release: Release) -> tuple[Condition, ...]:
        """Return the conditions of a round, which only whole values are held to."""
        abilities, recipe = read_abilities(method), self.recipe
        if abilities.writes_cells or abilities.reads_text:
            return ()
        return check_conditions(recipe.rules, self.original, release, round_name=recipe.round_name, limited=True)

    def _measure_loss(self, release: Release) -> Score:
        """Return how much of what the keys told is lost, of at most 1, also by key; 0 of values only changed."""
        recipe = self.recipe
        keys = recipe.keys or self.original.schema.with_role(Role.QUASI)
        if recipe.rules.layout.strict or not keys or bool(release.deleted.all()):
            return Score(value=0.0)
        if all(bool((cells.is_exact() | release.deleted).all()) for cells in release.table.columns.values()):
            return Score(value=float(release.deleted.mean()))
        trees = {name: read_tree(path) for name, path in recipe.trees.items()}
        lost, told = CertaintyPenalty(keys=keys, tree=trees).compare(self.original, release), release.detail.get("ncp")
        by_key = cast("Mapping[str, float]", release.detail.get("ncp_by_key") or {})  # one figure for one thing
        return replace(lost, value=told, detail={**lost.detail, **by_key}) if isinstance(told, float) else lost

    def files(self, best: AnyRecordsCandidate, *, seed: Seed, release: str = RELEASE) -> OutputFiles:
        """Return the files of the chosen candidate; a refused one is not offered.

        The rows leave in an order that tells nothing; which they are, and which are gone, stays.

        Args:
            best: the chosen release.
            seed: of the run, from which the order of the published rows is drawn.
            release: the name of the public file, whose ending says whether it is Parquet.
        """
        rules, deleted = self.recipe.rules, best.release.deleted
        kept = np.flatnonzero(~deleted)
        order = order_rows(best.release, seed) if self.recipe.shuffled else kept
        stays = {BY_ROW: best.write(rules, kept, Path(BY_ROW)).content}
        if best.ordered:  # else nobody says which row is whose
            stays[DELETED] = write_number_lines(np.flatnonzero(deleted).astype(np.int64))
            stays[TRUTH] = write_number_lines(order.astype(np.int64))
        refused = best.verdict is Verdict.REFUSE
        published = None if refused else best.write(rules, order, Path(release)).content
        return OutputFiles(
            offered={} if published is None else {release: published},
            confidential=stays,
            claims=self.judge.list_claims(best, published, describe_form(rules.layout.form, release)),
            release=None if refused else release,
        )

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: the target, or keys, sensitive columns, guarantees."""
        return {**self.judge.tell(), **self.recipe.policy.tell()}


def _find_unit(recipe: RecordsRecipe, original: Dataset) -> Unit:
    """Return whose rows they are, by the columns that are read or left out, or by the recipe's word."""
    if recipe.rules.layout.strict:
        return Unit(origin=UnitOrigin.SAID, people=len(original), rows=len(original))
    return find_unit(original, owner=recipe.rules.layout.described.owner, reasons=recipe.unit)


def _try_promise(data: Dataset, release: Release, seed: Seed) -> tuple[KnownPartAttack | None, tuple[Reason, ...]]:
    """Return what one came to against whom records were drawn, and which promise does not hold; nothing of others."""
    if release.order is None:
        return None, ()
    from sekisho.gate.records.known_part import list_promise_reasons, try_known_part

    tried = try_known_part(data, release, seed=seed)
    return tried, tuple(list_promise_reasons(release, tried))


def _read_releases(recipe: RecordsRecipe, original: Dataset, trees: Mapping[str, Tree]) -> dict[str, WrittenRelease]:
    written: dict[str, WrittenRelease] = {}
    errors: list[FaultsError] = []
    for brought in recipe.releases:
        try:
            written[brought.name] = read_written_release(
                Path(brought.file),
                recipe.rules,
                original,
                trees=trees,
                in_order=bool(brought.ordered) and not brought.deleted,
                deleted=Path(brought.deleted) if brought.deleted else None,
                synthetic=brought.synthetic,
            )
        except FaultsError as error:
            errors.append(error)
    if errors:
        raise join_faults(errors)
    return written


def apply_to_texts(method: Method, data: Dataset, *, apply: Apply, seed: Seed) -> Release:
    """Return the release of a method that takes every column as a category, its cells as the data have them.

    Every value is written as its file has it, so that the method draws the same whether it was read as a number; the
    texts are read back: the method only draws among the values that a column has, so each text is one of them.
    """
    if not any(column.kind.numeric for column in data.schema.attributes):
        return apply(method, data, seed)
    texts = publish_values(exact_table(data)).frame
    columns = tuple(Column(name=one.name, kind=Kind.CATEGORY, role=one.role) for one in data.schema)
    frame = pl.DataFrame([(texts if one.name in texts.columns else data.frame)[one.name] for one in data.schema])
    release = apply(method, Dataset(frame.cast(pl.String), Schema(columns)), seed)
    cells = {one.name: _read_cells(data, one, frame[one.name], release) for one in data.schema.attributes}
    return replace(release, table=MaskedTable(schema=data.schema, columns=cells))


def _read_cells(data: Dataset, column: Column, texts: pl.Series, release: Release) -> Cells:
    cells = release.table.sets(column.name)
    if not column.kind.numeric:
        return cells
    written = texts.cast(pl.String).fill_null(MISSING_TEXT).to_list()
    value = dict(zip(written, data.grid(column.name).tolist(), strict=True))
    numbers = np.zeros(len(cells), dtype=np.int64)
    there = ~cells.suppressed
    strange = [text for text in cells.domain if text not in value]
    if strange:
        rule = Said("name numbers and dates that the column has")
        raise ParameterError(Said("matrix of {name}", name=column.name), rule, strange)
    values = np.array([value[text] for text in cells.domain], dtype=np.int64)
    numbers[there] = values[cells.codes[cells.offsets[:-1][there]]]
    return RangeCells.exact(numbers).suppress(~there)

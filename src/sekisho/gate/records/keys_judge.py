"""Records judged by their keys: held to guarantees, attacked by those who know keys, measured.

A release is refused if a wanted guarantee does not hold, or if an adversary finds more people than are allowed. It goes
to review if a measure is above its limit, if hardly anything of the data is left, if a column of it names people, or if
nobody says which row is whose, so that hits cannot be counted. The policy may say otherwise. Otherwise it may leave:
the guarantees hold of what is published, and it is not refuted by these attacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import numpy as np
import polars as pl

from sekisho.attack.records.attribute import AttributeAttack
from sekisho.attack.records.membership import MembershipAttack
from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, SyntheticRelease, is_unchanged
from sekisho.data.identity.survey_headers import is_household_number
from sekisho.data.review import review_release
from sekisho.data.trees.tree_files import read_tree
from sekisho.gate.account.account import Unit
from sekisho.gate.account.records import CoverPromise
from sekisho.gate.cache.steps import Steps
from sekisho.gate.certificate.claims import Claims, ClassesClaim
from sekisho.gate.certificate.recount import PublishedForm, SecretFigures, count_least_class, count_secret
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import list_exceeded, list_review_reasons, make_reason
from sekisho.gate.recipes.keeping import list_kept_reasons
from sekisho.gate.records.candidate import (
    AnyRecordsCandidate,
    RecordsCandidate,
    judge_release_use,
    list_hidden,
    list_useless_in_release,
)
from sekisho.gate.records.cell_attacks import (
    CellAttempt,
    Scene,
    attack_scene,
    list_attack_reasons,
    list_usual_adversaries,
    measure_share,
)
from sekisho.gate.records.comparison import Compared, Comparison
from sekisho.gate.records.control_attacks import ControlFiles, ControlledScene, list_controlled
from sekisho.gate.records.copies import attack_copies, tell_unattacked
from sekisho.gate.records.counted_attempt import CountedAttempt, list_counted_reasons, state_counted
from sekisho.gate.records.covering import account_for_release, list_asked, list_drawn, list_promised
from sekisho.gate.records.downcode.adversary import DowncodeScene
from sekisho.gate.records.guarantees import ClaimedClasses, check_finding, list_broken
from sekisho.gate.records.home_classes import list_home_reasons
from sekisho.gate.records.known_part import list_promise_reasons, try_known_part
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.statements import (
    INDIVIDUAL,
    Unprotected,
    examine_original,
    find_individual_risk,
    list_statements,
    read_weights,
)
from sekisho.gate.records.together.earlier_releases import EarlierQuestion, list_joint_reasons, state_joint
from sekisho.protect import Method, TakesTrees
from sekisho.protect.records.recoding.household_classes import recount_households
from sekisho.safety import Guarantee
from sekisho.safety.guarantee import Finding
from sekisho.seeds import Seed
from sekisho.utility.kept import measure_kept
from sekisho.utility.score import Score
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeyedCandidate(RecordsCandidate[CellAttempt]):
    """One release of keyed records, and what came of it.

    Attributes:
        compared: its classes, measures and attacks, as they are compared with others.
        findings: by guarantee whether it is kept.
        controlled: the attacks that were counted on people who are not in the original as well.
        downcoded: what was worked out of hidden and generalised cells.
    """

    compared: Compared
    findings: Mapping[str, Finding]
    controlled: tuple[CountedAttempt, ...] = ()
    downcoded: tuple[CountedAttempt, ...] = ()

    @property
    def risk(self) -> float:
        """The largest share of the people who are looked for that an attack finds, on average over its draws.

        Of a synthetic file, in which nobody has a row, what attacks beside controls surely find.
        """
        beside = self.controlled if isinstance(self.release, SyntheticRelease) else ()
        return max((*(measure_share(each.attack) for each in self.attempts), *(each.surely for each in beside), 0.0))

    @property
    def k(self) -> int:
        """The size of the smallest class of equal keys."""
        return self.compared.k


@dataclass(frozen=True, kw_only=True, eq=False)
class KeysJudge:
    """Judges releases of records by what their keys give away, and by what must hold.

    Attributes:
        recipe: what is asked; its rules are settled by the original.
        original: the records, each column in the role that the recipe gives it.
        unit: whose rows they are.
        steps: measures releases, and keeps that where a run keeps its steps.
    """

    keeps_attacks: ClassVar[bool] = False  # they take less than a process does to start
    recipe: RecordsRecipe
    original: Dataset
    unit: Unit
    steps: Steps = field(default_factory=Steps)

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
    def controls(self) -> ControlledScene | None:
        """People who are not in the original, on whom attacks are counted as well; None where none are named."""
        recipe = self.recipe
        if recipe.controls is None:
            return None
        files = ControlFiles.read(recipe.controls, recipe.reference, recipe.rules).with_roles(self.original)
        return ControlledScene(
            original=self.original,
            files=files,
            keys=self.question.keys,
            allowed=recipe.allowed,
            people=recipe.people,
        )

    @cached_property
    def downcoders(self) -> DowncodeScene:
        """Those who read values out of hidden and generalised cells.

        Raises:
            ParameterError: one of them has nothing to ask of any release.
        """
        recipe, question = self.recipe, self.question
        scene = DowncodeScene(
            original=self.original,
            adversaries=recipe.downcoders,
            methods=recipe.methods,
            keys=question.keys,
            trees=question.trees,
            allowed=recipe.allowed,
        )
        scene.require_suited([*recipe.methods, *(each.name for each in recipe.releases)])
        return scene

    def _attack_controls(self, release: Release, seed: Seed) -> tuple[CountedAttempt, ...]:
        others = None if self.controls is None else self.controls.files.controls
        copies = attack_copies(release, self.original, others, allowed=self.recipe.allowed)
        if self.controls is None:
            return copies
        named = {
            label: each
            for label, each in self.recipe.controlled.items()
            if isinstance(each, AttributeAttack | MembershipAttack)
        }
        asked = named or list_controlled(self.original, self.question.sensitive, release)
        return (*copies, *self.controls.attack(release, asked, seed.child("controls")))

    @cached_property
    def unprotected(self) -> Unprotected:
        """What the keys give away of the original, for pages that tell of a release beside it."""
        return examine_original(self.original, self.question)

    def judge(self, label: str, release: Release, *, ordered: bool, seed: Seed) -> KeyedCandidate:
        """Let everyone attack a release; check the guarantees and measure it."""
        recipe, question = self.recipe, self.question
        scene = Scene.draw(self.original, release, ordered=ordered, seed=seed, most=recipe.people)
        usual = {} if isinstance(release, SyntheticRelease) else list_usual_adversaries(question.subsets)
        attackers = recipe.adversaries or usual
        attempts = attack_scene(scene, attackers, keys=question.keys, allowed=recipe.allowed, seed=seed)
        compared = Compared(
            name=label,
            release=release,
            ordered=ordered,
            classes=question.assess_classes(release),
            scores=self._measure(release, ordered=ordered),
            attacks=tuple(each.attack for each in attempts),
        )
        findings = {name: check_finding(guarantee.check, release) for name, guarantee in self.guarantees.items()}
        if recipe.weights and ordered:
            findings[INDIVIDUAL] = check_finding(self._find_individual_risk, release)
        candidate = KeyedCandidate(
            label=label,
            review=review_release(release, self.original, allowed=recipe.allowed_columns),
            unchanged=ordered and is_unchanged(release, self.original),
            known_part=try_known_part(self.original, release, seed=seed.child("attack")),
            release=release,
            score=choose_score(compared, recipe.utility),
            kept=measure_kept(recipe.keep, self.original, release),
            attempts=attempts,
            compared=compared,
            findings=findings,
            controlled=self._attack_controls(release, seed),
            downcoded=self.downcoders.attack(label, release, ordered=ordered),
            ordered=ordered,
        )
        account = account_for_release(
            recipe,
            self.original,
            release,
            self.unit,
            keys=question.keys,
            sensitive=question.sensitive,
            promises=tuple(self._list_promises(candidate)),
        )
        joint = self._ask_earlier().attack(release, recipe.adversaries)
        reasons = recipe.policy.judge((*self._list_reasons(candidate), *list_joint_reasons(joint)))
        counted = (*candidate.downcoded, *candidate.controlled)
        stated = (*list_statements(candidate, question.keys), *state_counted(counted))
        statements = (*stated, *state_joint(joint, question.keys))
        return replace(candidate, account=account, reasons=reasons, statements=statements)

    def _list_promises(self, candidate: KeyedCandidate) -> Iterator[CoverPromise]:
        """Give what covers columns of a release: what is asked for, what its method promises, what chance does."""
        release = candidate.release
        yield from list_asked(self.guarantees, candidate.findings, self.question.keys)
        yield from list_promised(release.detail)
        refuted = any(True for _ in list_promise_reasons(release, candidate.known_part))
        yield from list_drawn(release, self.original.schema.names, allowed=self.recipe.demanded, refuted=refuted)

    def _ask_earlier(self) -> EarlierQuestion:
        """Return how a release is read together with those that left before."""
        question = self.question
        return EarlierQuestion(
            rules=self.recipe.rules,
            original=self.original,
            keys=question.keys,
            sensitive=question.sensitive,
            trees=question.trees,
            k=self.recipe.guarantees.k or 0,
        )

    def add_trees(self, method: Method) -> Method:
        """Return a method with the recipe's trees of its keys where it has none of its own."""
        question = self.question
        if not question.trees or not isinstance(method, TakesTrees) or method.tree is not None:
            return method
        return method.with_trees({name: tree for name, tree in question.trees.items() if name in question.keys})

    def leave_out_classes(self, release: Release) -> Release:
        """Return a release without the classes in which a guarantee does not hold, as far as the recipe allows it."""
        return self.recipe.guarantees.leave_out_classes(release, self.guarantees)

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: keys, sensitive columns and guarantees."""
        told = {"keys": list(self.question.keys), "sensitive": list(self.question.sensitive)}
        return {**told, "guarantees": self.recipe.guarantees.tell()}

    def list_claims(self, best: AnyRecordsCandidate, published: bytes | None, form: PublishedForm) -> Claims:
        """Return what the certificate says of a published file, to be counted again by anybody."""
        if published is None:
            return Claims()
        hidden = list_hidden(best.release)
        columns = [one.name for one in self.original.schema.attributes if one.name not in hidden]
        return Claims(classes=_count_classes(self, published, form, columns))

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
        yield from list_broken(candidate.findings)
        yield from self._list_linked(candidate.release)
        yield from list_home_reasons(
            candidate.release,
            self.original,
            self.recipe.guarantees,
            keys=self.question.keys,
            sensitive=self.question.sensitive,
            ordered=candidate.ordered,
        )
        yield from list_promise_reasons(candidate.release, candidate.known_part)
        yield from self._list_attack_reasons(candidate)
        yield from list_counted_reasons((*candidate.downcoded, *candidate.controlled))
        if not candidate.ordered and not isinstance(candidate.release, SyntheticRelease):
            detail = Said(
                "nobody says which row of the release is whose: say ordered = true, or deleted, if that is known"
            )
            yield make_reason("truth unknown", detail)
        measured = {name: score.value for name, score in candidate.compared.scores.items()}
        yield from list_exceeded(self.recipe.limits, measured)
        yield from list_kept_reasons(candidate.kept)
        ncp = candidate.compared.scores["ncp"]
        useless = judge_release_use(candidate.release, candidate.review, lost=ncp.value)[1]
        left_out = self.recipe.coarser.left_out
        yield from useless or list_useless_in_release(ncp, self.original, candidate.release, left_out=left_out)
        yield from list_review_reasons(candidate.review)

    def _list_attack_reasons(self, candidate: KeyedCandidate) -> Iterator[Reason]:
        """Give what those who look for people have against a release; a synthetic one is looked at beside controls."""
        if not isinstance(candidate.release, SyntheticRelease):
            yield from list_attack_reasons(candidate.attempts)
            return
        if candidate.attempts:
            yield from list_attack_reasons(candidate.attempts)
        if self.controls is None:
            yield tell_unattacked(candidate.controlled)

    def _list_linked(self, release: Release) -> Iterator[Reason]:
        """Give that a published number links those who live together, of whom k was asked person by person only."""
        wanted = self.recipe.guarantees.k
        names = [each.name for each in release.table.schema.attributes if is_household_number(each.name)]
        if wanted is None or not names:
            return
        frame = publish_values(release).frame
        for name in names:
            homes = frame[name].cast(pl.String).rank("dense").fill_null(0).to_numpy().astype(np.int64)
            if frame.height and 1 < len(np.unique(homes)) < frame.height:
                least = recount_households(frame, homes, self.question.keys)
                if least < wanted:
                    detail = Said(
                        "{column} links the rows of those who live together: {least:,} {least:household is|households "
                        "are} written alike, {wanted:,} are asked for",
                        column=name,
                        least=least,
                        wanted=wanted,
                    )
                    yield make_reason("guarantee broken", detail)


def choose_score(compared: Compared, wanted: str) -> Score:
    """Return the score that ranks candidates: as wanted, or of the pair tables; of a single column, its own."""
    pairs = compared.scores["pair-tables"]
    return compared.scores[wanted] if wanted else pairs if pairs.detail else compared.scores["marginals"]


def _count_classes(
    judge: KeysJudge, published: bytes, form: PublishedForm, columns: Sequence[str]
) -> tuple[ClassesClaim, ...]:
    """Return the classes as they stand in the columns of the published file, counted as whoever verifies counts."""
    with TemporaryDirectory() as folder:
        (Path(folder) / form.file).write_bytes(published)
        frame = form.read(Path(folder))
    question = judge.question
    kinds = {name: judge.original.schema[name].kind for name in columns}
    places = {name: place for place, name in enumerate(kinds)}
    shown = [name for name in question.keys if name in kinds]
    keys = tuple(places[name] for name in shown)
    if not keys or not frame.height:
        return ()

    def count_sensitive(name: str, t: float | None) -> SecretFigures:
        return count_secret(frame, keys, places[name], distance=t is not None)

    published_classes = ClaimedClasses(
        form=form,
        columns=columns,
        kinds=kinds,
        keys=shown,
        sensitive=[name for name in question.sensitive if name in kinds],
        least=count_least_class(frame, keys),
        count=count_sensitive,
    )
    return published_classes.list_claims(judge.recipe.guarantees)

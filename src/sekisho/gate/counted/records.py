"""Records at the gate whose rows stay with an engine: what must hold is counted from the file that would leave.

Nobody attacks: attacks need every record beside its release. What no attack by the keys can exceed is counted instead
(:mod:`sekisho.gate.records.engine.found_bound`); where that is more than is allowed, the release is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sekisho.data.frame.dataset import Role
from sekisho.data.identity.survey_headers import is_household_number
from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.certificate.claims import Claims
from sekisho.gate.counted.stage import CountedCandidate, CountedStage, OpenRelease
from sekisho.gate.fit import fit
from sekisho.gate.outcome import Reason
from sekisho.gate.output_files import RELEASE, FileOnDisk, describe_form
from sekisho.gate.policy import list_exceeded, make_reason
from sekisho.gate.records.covering import list_asked
from sekisho.gate.records.guarantees import list_broken
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.statements import state_guarantees, state_promise
from sekisho.protect import Method, TakesTrees
from sekisho.protect.beyond_memory import EngineRelease
from sekisho.safety.guarantee import Finding
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Said

if TYPE_CHECKING:  # engines, which are loaded where there is work for them
    from sekisho.gate.beyond_memory import EngineCandidate
    from sekisho.gate.records.engine.found_bound import FoundBound
    from sekisho.gate.records.engine.release_figures import CountedFigures
    from sekisho.gate.records.known_part import KnownPartAttack

SLACK = 1e-9
"""A share that exceeds what is allowed by less is not above it: a class of five gives 1/5 exactly."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedRecords(CountedCandidate):
    """A release of keyed records that an engine made, and what was counted of it.

    Attributes:
        findings: by guarantee whether it is kept.
        figures: its classes and columns beside those of the original.
        bound: what whoever knows the keys finds at most.
        known_part: of a sample, what one came to who knows as many records as were named; else None.
    """

    findings: Mapping[str, Finding]
    figures: CountedFigures
    bound: FoundBound
    known_part: KnownPartAttack | None = None

    @property
    def risk(self) -> float:
        """The share that whoever knows the keys finds at most."""
        return self.bound.share

    @property
    def found(self) -> Said:
        """How many people whoever knows the keys finds at most, in words."""
        return self.bound.words

    @property
    def k(self) -> int:
        """The size of the smallest class of equal keys."""
        return self.figures.after.k


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedRecordsStage(CountedStage):
    """A file of records whose rows stay with an engine, and the ways to protect it.

    Attributes:
        keys: what may be known of a person.
        sensitive: what must stay hidden.
    """

    recipe: RecordsRecipe
    keys: tuple[str, ...]
    sensitive: tuple[str, ...]

    @classmethod
    def open(cls, recipe: RecordsRecipe, source: Path, *, release_name: str = RELEASE) -> CountedRecordsStage:
        """Return the stage of a recipe that names an engine.

        Raises:
            ParameterError: nothing says what may be known of a person.
        """
        columns = recipe.rules.layout.described.columns
        by_role = {role: tuple(one.output_name for one in columns if one.role is role) for role in Role}
        sensitive = recipe.sensitive or by_role[Role.SENSITIVE]
        keys = recipe.keys or tuple(name for name in by_role[Role.QUASI] if name not in sensitive)
        if not keys:
            raise ParameterError("keys", Said("be named, or a column of the schema be quasi"), "")
        return cls(recipe=recipe, source=source, keys=keys, sensitive=sensitive, release_name=release_name)

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.RECORDS

    @property
    def notices(self) -> tuple[str, ...]:
        """What there is to say before a run: reading is a part of it."""
        return (Said("rows stay with an engine; nobody attacks, what keys can give away is counted"),)

    def settle_recipe(self) -> RecordsRecipe:
        """Return the recipe with its keys named."""
        return replace(self.recipe, keys=self.keys, sensitive=self.sensitive)

    def prepare(self, method: Method) -> Method:
        """Return a method with the recipe's keys and trees where it has none of its own."""
        recipe, method = self.recipe, fit(method, {"keys": self.keys})
        if recipe.trees and isinstance(method, TakesTrees) and method.tree is None:
            trees = {name: read_tree(path) for name, path in recipe.trees.items() if name in self.keys}
            method = method.with_trees(trees)
        return method

    def judge(self, label: str, opened: OpenRelease, seed: Seed) -> CountedRecords:
        """Return what a release keeps and shows."""
        from sekisho.gate.records.engine.drawn_counts import recount_drawn
        from sekisho.gate.records.engine.found_bound import bound_found
        from sekisho.gate.records.engine.keyed_counts import KeyedCounts

        stage, release, recipe = opened.stage, opened.release, self.recipe
        recount_drawn(release)
        keys = self._list_published(release)
        counts = KeyedCounts(release=release, wanted=recipe.guarantees, keys=keys, sensitive=self.sensitive)
        findings = counts.check()
        looked = stage.review(label, release, seed=seed, asked=tuple(list_asked(counts.asked, findings, keys)))
        figures = stage.examine(looked, stage.recount(looked))
        claims = counts.list_claims(describe_form(release.terms.layout.form, self.release_name))
        release.put()
        bound = bound_found(figures, release, people=recipe.people)
        statements = (*state_guarantees(findings, self.keys), *state_promise(release))
        reasons = (
            *list_broken(findings),
            *self._list_found(bound),
            *self._list_linked(release.published.names),
            *self._list_limits(looked, figures),
            *looked.reasons,
        )
        return CountedRecords(
            label=label,
            release=release,
            score=_choose_score(looked.score, figures, recipe.utility),
            attempts=(),
            reasons=recipe.policy.judge(reasons),
            statements=statements,
            review=looked.review,
            findings=findings,
            figures=figures,
            claims=Claims(classes=claims),
            file=FileOnDisk.of(stage.task.out),
            bound=bound,
            known_part=looked.known_part,
            account=looked.account,
        )

    def _list_published(self, release: EngineRelease) -> tuple[str, ...]:
        """Return the keys that leave; a method may hide the column of its strata.

        Raises:
            ParameterError: none of the keys leaves, or a sensitive column does not.
        """
        names = release.published.names
        keys = tuple(one for one in self.keys if one in names)
        hidden = [one for one in self.sensitive if one not in names]
        if not keys or hidden:
            rule = Said("be among what is published where rows stay with an engine: hide no such column")
            raise ParameterError("sensitive" if keys else "keys", rule, ", ".join(hidden if keys else self.keys))
        return keys

    def _list_found(self, bound: FoundBound) -> Iterator[Reason]:
        """Give that the keys may give more people away than is allowed."""
        allowed = self.recipe.allowed
        if bound.share > allowed + SLACK:
            detail = Said("nobody attacked; {bound}, {allowed:.1%} are allowed", bound=bound.words, allowed=allowed)
            yield make_reason("possible risk", detail)

    def _list_linked(self, names: Sequence[str]) -> Iterator[Reason]:
        """Give that a published number links those who live together, of whom nothing is counted here."""
        for name in names:
            if self.recipe.guarantees.k is not None and is_household_number(name):
                detail = Said(
                    "{column} links the rows of those who live together, and an engine does not count households that "
                    "are written alike",
                    column=name,
                )
                yield make_reason("possible risk", detail)

    def _list_limits(self, looked: EngineCandidate, figures: CountedFigures) -> Iterator[Reason]:
        scores = {"ncp": looked.score, **figures.scores}
        return list_exceeded(self.recipe.limits, {name: score.value for name, score in scores.items()})

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: keys, sensitive columns, guarantees."""
        told = {"keys": list(self.keys), "sensitive": list(self.sensitive)}
        return {**told, "guarantees": self.recipe.guarantees.tell(), **self.recipe.policy.tell()}


def _choose_score(ncp: Score, figures: CountedFigures, wanted: str) -> Score:
    """Return the score that ranks candidates: as wanted, else how much of what the keys told is lost."""
    return figures.scores[wanted] if wanted and wanted != "ncp" else ncp

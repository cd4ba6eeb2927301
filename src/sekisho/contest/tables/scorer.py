"""The scorer of contests whose releases are only tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from sekisho.contest.answers.mark import find_members
from sekisho.contest.board.rules import ProtectionRules
from sekisho.contest.board.tally import combine_figures
from sekisho.contest.scoring import ANSWERS, GUESS, HOUSE, AttackScore, DrawnTest, Publication, ReleaseScore
from sekisho.contest.tables.examiners import Examiner, find_examiner
from sekisho.contest.tables.release import (
    TablesOriginal,
    TablesRelease,
    find_form,
    read_tables_original,
    read_tables_release,
)
from sekisho.contest.tables.rules import MODEL, MODEL_ACCURACY, MeasureUse, PartRules, TablesRules
from sekisho.data.files.zip_guard import pack_files
from sekisho.errors import ParameterError
from sekisho.seeds import Seed
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import TABLE_MEASURES
from sekisho.utility.tables.tree_model import ModelAccuracy
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TablesScorer:
    """Scores releases that are tables, and attacks on them.

    Attributes:
        originals: of which a team picked one.
        seed: the referee's, for tests of the house and for rows that nobody is shown.
    """

    draws_tests: ClassVar[bool] = False
    keeps_truth: ClassVar[bool] = True

    rules: TablesRules
    originals: tuple[TablesOriginal, ...]
    seed: Seed

    @property
    def release_files(self) -> tuple[str, ...]:
        """What the files of a release are."""
        return self.rules.release_files

    @property
    def answer_width(self) -> int:
        """How many columns an answer about one release has."""
        return self.rules.original.secret or len(self.examiner.find_form(self.originals[0]).columns)

    @property
    def protection(self) -> ProtectionRules:
        """What attacks decide; several kinds of answers in one contest can be tallied, not yet judged."""
        first, *others = self.rules.board.protection
        if others:
            raise ParameterError("score.protection", Said("be one where a contest is held here"), len(others) + 1)
        return first

    @property
    def examiner(self) -> Examiner:
        """Who asks and judges."""
        return find_examiner(self.protection.answer, self.rules.answers.get(self.protection.answer, {}))

    def read_release(self, files: Mapping[str, Path]) -> TablesRelease:
        """Return a release, or raise everything that is wrong with it."""
        return read_tables_release(files, self.rules, self.originals)

    def measure(self, release: TablesRelease) -> ReleaseScore:
        """Return the utility, its parts, and what attackers of the house find on a test of their own."""
        values = {use.measure: self._measure(use, release) for use in self.rules.score.utility}
        utility = combine_figures(self.rules.score.combine, [Fraction(repr(value)) for value in values.values()])
        house = {f"{HOUSE}{name}": float(self._attack(name, release)) for name in self.protection.house}
        return ReleaseScore(utility=float(utility), detail=values | house)

    def publish(self, release: TablesRelease, *, rng: np.random.Generator) -> Publication:
        """Return an archive of the tables and of what is asked about them, and what the referee keeps."""
        asked = self.examiner.examine(release.original, rng=rng)
        files = {f"{part.name}.csv": self._write(part, release) for part in self.rules.release.parts if part.is_table}
        model = {} if release.model_file is None else {f"{MODEL}.json": release.model_file}
        return Publication(public=pack_files(files | model | dict(asked.shown)), secret=asked.truth)

    def draw_test(
        self, release: TablesRelease, publication: Publication, *, rng: np.random.Generator
    ) -> DrawnTest | None:
        """Draw nothing: all attackers are asked the same."""
        del release, publication, rng

    def judge(self, release: TablesRelease, files: Mapping[str, Path]) -> AttackScore:
        """Return how much of an answer is right."""
        return self.examiner.judge(release.original, files[GUESS], files[ANSWERS], seed=self.seed)

    def _attack(self, name: str, release: TablesRelease) -> int:
        return self.examiner.attack(self.rules.house.get(name, {}), release, rng=self.seed.child(name).rng())

    def _measure(self, use: MeasureUse, release: TablesRelease) -> float:
        settings = {name: _make_tuple(value) for name, value in use.settings.items()}
        if use.measure == MODEL_ACCURACY:
            return _count_points(use, self._try_model(use, release))
        measure = TABLE_MEASURES.make(use.measure, **settings)
        tables = list(release.tables.values()) if use.parts else [next(iter(release.tables.values()))]
        figures = [measure.compare(release.original.table, table, {}) for table in tables]
        points = [Fraction(repr(_count_points(use, figure))) for figure in figures]
        return float(combine_figures(use.combine, points))

    def _try_model(self, use: MeasureUse, release: TablesRelease) -> Score:
        if release.model is None:
            raise ParameterError("release.parts", Said("have a part model, for a measure asks for it"), MODEL)
        hidden = draw_hidden(release.original, use.hidden, rng=self.seed.child("hidden").rng())
        return ModelAccuracy(target=str(use.settings.get("target", ""))).judge(release.model, hidden)

    def _write(self, part: PartRules, release: TablesRelease) -> bytes:
        data = find_form(part, self.rules, release.original.table).write(release.tables[part.name])
        if not part.sorted:
            return data
        lines = data.splitlines(keepends=True)
        head = int(self.rules.release.header)
        return b"".join([*lines[:head], *sorted(lines[head:])])


def open_tables_scorer(rules: TablesRules, original: Path, seed: Seed) -> TablesScorer:
    """Return the scorer of a contest whose releases are tables.

    Raises:
        InputError: an original cannot be read, or lacks a column that the rules name.
    """
    require_held(rules)
    return TablesScorer(rules=rules, originals=read_tables_original(original, rules), seed=seed)


def require_held(rules: TablesRules) -> None:
    """Refuse rules of which boards can be made, but under which no contest can be held here.

    Raises:
        ParameterError: they ask for several kinds of answers, or for one that nobody judges.
    """
    answer = TablesScorer(rules=rules, originals=(), seed=Seed(0)).protection.answer
    find_examiner(answer, rules.answers.get(answer, {}))


def draw_hidden(original: TablesOriginal, rows: int, *, rng: np.random.Generator) -> pl.DataFrame:
    """Return rows on which a model is tried: so many members, and as many others; fewer where there are no more."""
    inside = find_members(original.candidates, original.table)
    picked = [
        rng.permutation(np.flatnonzero(flags))[: rows or original.table.height // 2] for flags in (inside, ~inside)
    ]
    return original.candidates[np.concatenate(picked)]


def _count_points(use: MeasureUse, score: Score) -> float:
    """Return a measure's value as it is, or as points: of those for which less is better, what is left of 1."""
    if use.points is None:
        return score.value
    return use.points * (score.value if score.direction is Direction.MORE else max(0.0, 1.0 - score.value))


def _make_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value

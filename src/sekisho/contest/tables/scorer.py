"""The scorer of contests whose releases are only tables."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar
from zipfile import ZipFile

import numpy as np
import polars as pl

from sekisho.contest.answers.mark import find_members
from sekisho.contest.board.rules import UTILITY, Combine, ProtectionRules, name_figure
from sekisho.contest.board.tally import combine_figures
from sekisho.contest.scoring import ANSWERS, GUESS, HOUSE, OWN, VALUE, AttackScore, DrawnTest, Publication, ReleaseScore
from sekisho.contest.tables.building_blocks import make_measure, require_held
from sekisho.contest.tables.examination import AskedRelease, AttackCase, Examiner, Ints
from sekisho.contest.tables.examiners import find_examiner
from sekisho.contest.tables.release import (
    TablesOriginal,
    TablesRelease,
    find_form,
    list_originals,
    name_part,
    read_tables_original,
    read_tables_release,
)
from sekisho.contest.tables.rules import MODEL, MODEL_ACCURACY, MeasureUse, PartRules, TablesRules
from sekisho.data.files.settings import build_settings
from sekisho.data.files.whole_files import read_bytes
from sekisho.data.files.zip_guard import ExactNames, ZipLimits, pack_files, read_zip
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.seeds import Seed
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables.tree_model import ModelAccuracy
from sekisho.words import Said

LIMITS = ZipLimits(most_ratio=2000)
"""Answers that say the same of everybody are short in an archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What attackers are asked about a release, or about one of its sets.

    Attributes:
        name: of its figure.
        file: what its answer is called in an archive of several.
        part: about which set; empty where there is one.
    """

    name: str
    file: str
    part: str
    protection: ProtectionRules
    examiner: Examiner


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TablesScorer:
    """Scores releases that are tables, and attacks on them.

    Where attackers are asked one question, an attack is one table; where they are asked several, it is an archive with
    the answers to some of them, each called as its question: membership.csv, id-01.csv.

    Attributes:
        originals: of which a team picked one, or all of its sets.
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
    def questions(self) -> tuple[Question, ...]:
        """What attackers are asked."""
        return tuple(
            Question(
                name=name_figure(each.name, part),
                file=name_figure(each.name, part).replace(" ", "-"),
                part=part,
                protection=each,
                examiner=find_examiner(each.answer, self.rules.answers.get(each.answer, {})),
            )
            for each, part in self.rules.board.questions
        )

    @property
    def answer_width(self) -> int:
        """How many columns the answer about one release has in a file about all; 0 where several are asked for."""
        first, *others = self.questions
        if others:
            return 0
        return self.rules.original.secret or len(first.examiner.find_form(self.originals[0]).columns)

    def find_original(self, part: str) -> TablesOriginal:
        """Return the original of a set; the first one where there are no sets."""
        sets = self.rules.original.sets
        return self.originals[sets.index(part) if part in sets else 0]

    def read_release(self, files: Mapping[str, Path]) -> TablesRelease:
        """Return a release, or raise everything that is wrong with it."""
        return read_tables_release(files, self.rules, self.originals)

    def measure(self, release: TablesRelease) -> ReleaseScore:
        """Return the utility, its parts, and what attackers of the house find on a test of their own."""
        sets = self.rules.original.sets or ("",)
        detail: dict[str, float] = {}
        utilities: dict[str, Fraction] = {}
        for part in sets:
            values = {use.measure: self._measure(use, release, part) for use in self.rules.score.utility}
            facets = self._combine_facets(values)
            utilities[part] = combine_figures(self.rules.score.combine, list(facets.values()))
            shown = values | {name: float(value) for name, value in facets.items() if name in self.rules.score.facets}
            detail |= {name_figure(name, part): value for name, value in shown.items()}
        if self.rules.original.sets:
            detail |= {name_figure(UTILITY, part): float(value) for part, value in utilities.items()}
        for question in self.questions:
            if question.part == question.protection.part:
                detail |= {f"{HOUSE}{by}": self._attack(by, question, release) for by in question.protection.house}
        return ReleaseScore(utility=float(min(utilities.values())), detail=detail)

    def publish(self, release: TablesRelease, *, rng: np.random.Generator) -> Publication:
        """Return an archive of the tables and of what is asked about them, and what the referee keeps."""
        files: dict[str, bytes] = {}
        orders: dict[str, Ints] = {}
        for part in self.rules.release.parts:
            if part.is_table:
                held, table = release.find_original(part.name).table, release.tables[part.name]
                if part.people:
                    table, orders[part.name] = mix_people(table, held[part.people], rng=rng)
                files[f"{part.name}.csv"] = self._write(part, held, table)
        files |= {} if release.model_file is None else {f"{MODEL}.json": release.model_file}
        truths: dict[str, bytes] = {}
        for each in self.questions:
            order = orders.get(each.part) if each.part else next(iter(orders.values()), None)
            asked = each.examiner.examine(release.find_original(each.part), order, rng=rng)
            files |= {_name_shown(name, each.part): data for name, data in asked.shown.items()}
            truths[f"{each.file}.csv"] = asked.truth
        secret = pack_files(truths) if len(truths) > 1 else next(iter(truths.values()))
        return Publication(public=pack_files(files), secret=secret)

    def draw_test(
        self, release: TablesRelease, publication: Publication, *, rng: np.random.Generator
    ) -> DrawnTest | None:
        """Draw nothing: all attackers are asked the same."""
        del release, publication, rng

    def judge(self, release: TablesRelease, files: Mapping[str, Path]) -> AttackScore:
        """Return how much of an answer is right; of several, the figure of each by its question's name."""
        own = read_tables_original(files[OWN], self.rules) if OWN in files and self.rules.original.given else None
        if len(self.questions) == 1:
            return self._judge(self.questions[0], release, files[GUESS], files[ANSWERS], own)
        with TemporaryDirectory() as place:
            kept = unpack_answers(files[ANSWERS], self.questions, Path(place) / "kept")
            told = unpack_answers(files[GUESS], self.questions, Path(place) / "told")
            scores: dict[str, AttackScore] = {}
            faults: list[Fault] = []
            for each in self.questions:
                if each.file not in told:
                    continue
                try:
                    scores[each.name] = self._judge(each, release, told[each.file], kept[each.file], own)
                except FaultsError as error:
                    faults += [name_part(each.file, fault) for fault in error.faults]
        if faults:
            raise FaultsError(files[GUESS], faults)
        return join_scores(scores)

    def check_guess(self, published: Path, guess: Path) -> None:
        """Raise everything that is wrong with an answer, as far as what is published tells."""
        with ZipFile(published) as archive:
            shown = {name: archive.read(name) for name in archive.namelist()}
        if len(self.questions) == 1:
            self._check(self.questions[0], guess, shown)
            return
        with TemporaryDirectory() as place:
            told = unpack_answers(guess, self.questions, Path(place) / "told")
            faults: list[Fault] = []
            for each in self.questions:
                try:
                    if each.file in told:
                        self._check(each, told[each.file], shown)
                except FaultsError as error:
                    faults += [name_part(each.file, fault) for fault in error.faults]
        if faults:
            raise FaultsError(guess, faults)

    def _check(self, question: Question, guess: Path, shown: Mapping[str, bytes]) -> None:
        tables = [part.name for part in self.rules.release.parts if part.is_table]
        name = question.part or tables[0]
        rows = shown[f"{name}.csv"].count(b"\n") - int(self.rules.release.header)
        own = {each.removeprefix(f"{question.part}-"): data for each, data in shown.items()} if question.part else shown
        question.examiner.check(guess, AskedRelease(rows=rows, secret=self.rules.original.secret, shown=own))

    def _judge(
        self, question: Question, release: TablesRelease, guess: Path, truth: Path, own: TablesOriginal | None
    ) -> AttackScore:
        case = AttackCase(
            original=release.find_original(question.part),
            guess=guess,
            truth=truth,
            own=own,
            seed=self.seed,
        )
        return question.examiner.judge(case)

    def _attack(self, name: str, question: Question, release: TablesRelease) -> float:
        program = self.rules.house.get(name, {})
        return float(question.examiner.attack(program, release, question.part, rng=self.seed.child(name).rng()))

    def _combine_facets(self, values: Mapping[str, float]) -> dict[str, Fraction]:
        """Return the figure of each facet; a measure of none is one of its own."""
        facets: dict[str, list[Fraction]] = {}
        for use in self.rules.score.utility:
            facets.setdefault(use.facet or use.measure, []).append(Fraction(repr(values[use.measure])))
        rules = self.rules.score.facets
        return {name: combine_figures(rules.get(name, Combine.SUM), figures) for name, figures in facets.items()}

    def _measure(self, use: MeasureUse, release: TablesRelease, part: str) -> float:
        if use.measure == MODEL_ACCURACY:
            return _count_points(use, self._try_model(use, release))
        measure = make_measure(use.measure, use.settings)
        original = release.find_original(part)
        tables = list(release.tables.values()) if use.parts else [next(iter(release.tables.values()))]
        try:
            figures = [
                measure.compare(original.table, table, original.given)
                for table in ([release.tables[part]] if part else tables)
            ]
        except (np.linalg.LinAlgError, pl.exceptions.PolarsError) as error:
            rule = Said("be of columns that there are and can be counted with: {reason}", reason=str(error)[:100])
            raise ParameterError(f"score.{UTILITY}", rule, use.measure) from error
        points = [Fraction(repr(_count_points(use, figure))) for figure in figures]
        return float(combine_figures(use.combine, points))

    def _try_model(self, use: MeasureUse, release: TablesRelease) -> Score:
        if release.model is None:
            raise ParameterError("release.parts", Said("have a part model, for a measure asks for it"), MODEL)
        if str(use.settings["target"]) not in release.original.table.columns:
            rule = Said("be a column of the original")
            raise ParameterError(f"score.{UTILITY}.settings.target", rule, use.settings["target"])
        hidden = draw_hidden(release.original, use.hidden, rng=self.seed.child("hidden").rng())
        return build_settings(use.settings, ModelAccuracy, source="rules").judge(release.model, hidden)

    def _write(self, part: PartRules, original: pl.DataFrame, table: pl.DataFrame) -> bytes:
        data = find_form(part, self.rules, original).write(table)
        if not part.sorted:
            return data
        lines = data.splitlines(keepends=True)
        head = int(self.rules.release.header)
        return b"".join([*lines[:head], *sorted(lines[head:])])


def mix_people(table: pl.DataFrame, people: pl.Series, *, rng: np.random.Generator) -> tuple[pl.DataFrame, Ints]:
    """Return rows with people in another order, each with his rows as they stood, and that order."""
    names = people.unique(maintain_order=True)
    order = rng.permutation(len(names))
    place = names.to_frame("name").with_columns(place=np.argsort(order))
    rows = people.to_frame("name").join(place, on="name", maintain_order="left")["place"].to_numpy()
    return table[np.argsort(rows, kind="stable")], order


def _name_shown(name: str, part: str) -> str:
    return f"{part}-{name}" if part else name


def join_scores(scores: Mapping[str, AttackScore]) -> AttackScore:
    """Return the answers to several questions as one attack; its risk is what the first gives the attacker."""
    detail: dict[str, float] = {}
    for name, score in scores.items():
        detail |= {name: score.risk or 0.0} | {f"{name} {key}": value for key, value in score.detail.items()}
    first = next(iter(scores.values()))
    return AttackScore(
        claimed=sum(score.claimed for score in scores.values()),
        hits=sum(score.hits for score in scores.values()),
        effective=False,
        risk=first.detail.get(VALUE, first.risk),
        detail=detail,
    )


def unpack_answers(path: Path, questions: Sequence[Question], place: Path) -> dict[str, Path]:
    """Unpack the answers to several questions into a new folder, and return them by their questions' files.

    Raises:
        FaultsError: the archive is dangerous, damaged, empty, or holds other names.
    """
    names = {f"{each.file}.csv": each.file for each in questions}
    content = read_bytes(path)
    try:
        found = read_zip(io.BytesIO(content), ExactNames(tuple(names)), LIMITS, lambda _, pieces: b"".join(pieces))
    except FaultsError as error:
        raise FaultsError(path, error.faults, count=error.count) from error
    if not found:
        message = Said("the archive has no answer: it may hold {names}", names=", ".join(names))
        raise FaultsError(path, [Fault(row=0, column="", rule="missing", value="", message=message)])
    place.mkdir()
    for name, data in found.items():
        (place / name).write_bytes(data)
    return {names[name]: place / name for name in found}


def open_tables_scorer(rules: TablesRules, original: Path, seed: Seed) -> TablesScorer:
    """Return the scorer of a contest whose releases are tables.

    Raises:
        InputError: an original cannot be read, or lacks a column that the rules name.
    """
    require_held(rules)
    originals = tuple(read_tables_original(each, rules) for each in list_originals(original, rules))
    return TablesScorer(rules=rules, originals=originals, seed=seed)


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

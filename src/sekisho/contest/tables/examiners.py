"""What attackers of tables are asked, and what their answers come to: one examiner for each kind of answer.

An examiner says what is published beside a release, what the referee keeps of it, and judges an answer by what he kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.tables.density_ratio import DensityRatio
from sekisho.attack.tables.sheet_join import SheetJoin
from sekisho.contest.answers.cells import CellAnswer
from sekisho.contest.answers.mark import MARK, MarkAnswer, find_members
from sekisho.contest.answers.match import MatchAnswer
from sekisho.contest.scoring import AttackScore, pack_bits
from sekisho.contest.tables.examination import (
    AskedRelease,
    AtRandom,
    AttackCase,
    Examination,
    Examiner,
    Ints,
    Settings,
    read_program,
    refuse_program,
)
from sekisho.contest.tables.people_examiners import ConfidenceExaminer, IntervalExaminer
from sekisho.contest.tables.release import TablesOriginal, TablesRelease, name_secrets
from sekisho.contest.tables.trace_examiners import ByVisits, IdExaminer, TraceColumns, TraceExaminer, TraceSettings
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.settings import build_settings
from sekisho.errors import ParameterError
from sekisho.words import Said

CANDIDATES, MARKED = "candidates.csv", "marked.txt"
"""What is published beside a release where members are asked for: everybody, and how many of them are to be marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellExaminer:
    """Asks for the secret columns of every row."""

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer."""
        return self._answer(original).form

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Ask for the secret columns; everybody has the public ones."""
        del order, rng
        return Examination(shown={}, truth=self.find_form(original).write(_require_secret(original)))

    def judge(self, case: AttackCase) -> AttackScore:
        """Return how many cells are right."""
        answer = self._answer(case.original)
        secret = answer.read(case.truth)
        claimed = secret.height * secret.width
        share = answer.score(answer.read(case.guess), secret)
        return AttackScore(claimed=claimed, hits=int(share * claimed), effective=False, risk=float(share))

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise everything that is wrong with an answer."""
        CellAnswer(columns=name_secrets(asked.secret), rows=asked.rows).read(guess)

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Refuse: no program of the house asks for cells."""
        del release, part, rng
        raise refuse_program(program)

    def _answer(self, original: TablesOriginal) -> CellAnswer:
        secret = _require_secret(original)
        return CellAnswer(columns=tuple(secret.columns), rows=secret.height)


def _require_secret(original: TablesOriginal) -> pl.DataFrame:
    if original.secret is None:
        raise ParameterError("original.secret", Said("be 1 or more"), 0)
    return original.secret


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchExaminer:
    """Asks whose each masked row is, and what was masked."""

    answer: MatchAnswer

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer."""
        del original
        return self.answer.form

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Draw the rows that are asked about."""
        del order
        test = self.answer.draw_test(original.table, rng=rng)
        shown = {
            f"{name}.csv": PartTable(columns=tuple(table.columns)).write(table)
            for name, table in (("known", test.known), ("masked", test.masked))
        }
        return Examination(shown=shown, truth=self.answer.form.write(test.truth))

    def judge(self, case: AttackCase) -> AttackScore:
        """Return how many rows are matched and how many values found."""
        matched, values = self.answer.score(self.answer.read(case.guess), self.answer.read(case.truth))
        claimed, hits = 2 * self.answer.rows, matched + values
        detail = {"identification": float(matched), "reconstruction": float(values)}
        return AttackScore(claimed=claimed, hits=hits, effective=False, risk=hits / claimed, detail=detail)

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise everything that is wrong with an answer."""
        del asked
        self.answer.read(guess)

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Join the sheets row by row, as the sample program does."""
        del part
        test = self.answer.draw_test(release.original.table, rng=rng)
        attack = read_program(program, SheetJoin)
        guess = attack.guess(test.known, test.masked, list(release.tables.values()))
        return sum(self.answer.score(guess, test.truth))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkExaminer:
    """Asks which candidates are members."""

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer."""
        return self._answer(original).form

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Ask about all candidates, and say how many of them are members."""
        del order, rng
        flags = find_members(original.candidates, original.table)
        candidates = PartTable(columns=tuple(original.candidates.columns)).write(original.candidates)
        shown = {CANDIDATES: candidates, MARKED: f"{int(flags.sum())}\n".encode()}
        return Examination(shown=shown, truth=self.find_form(original).write(_write_marks(flags)))

    def judge(self, case: AttackCase) -> AttackScore:
        """Return how many members are marked, and which, in an order that only the referee knows."""
        answer = self._answer(case.original)
        members = answer.read(case.truth)
        struck = answer.score(answer.read(case.guess), members)[members]
        order = case.seed.child("struck").rng().permutation(len(struck))
        hits, claimed, bits = int(struck.sum()), answer.marked, pack_bits(struck[order])
        return AttackScore(claimed=claimed, hits=hits, effective=False, risk=hits / claimed, struck=bits)

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise everything that is wrong with an answer."""
        rows = asked.shown[CANDIDATES].count(b"\n") - 1
        MarkAnswer(rows=rows, marked=int(asked.shown[MARKED])).read(guess)

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Refuse: no program of the house marks members."""
        del release, part, rng
        raise refuse_program(program)

    def _answer(self, original: TablesOriginal) -> MarkAnswer:
        marked = int(find_members(original.candidates, original.table).sum())
        return MarkAnswer(rows=original.candidates.height, marked=marked)


def _write_marks(flags: NDArray[np.bool_]) -> pl.DataFrame:
    return pl.DataFrame({MARK: flags.astype(np.int64).astype(str)})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKind:
    """A kind of answer.

    Attributes:
        settings: what its examiner must be told.
        make: its examiner from that.
        needs: what the rules must say of originals.
        programs: by name what attackers of the house run, each with what it must be told.
    """

    settings: type
    make: Callable[[Any], Examiner]
    needs: str = ""
    programs: Mapping[str, type] = field(default_factory=dict[str, type])


def _take(examiner: Examiner) -> Examiner:
    return examiner


VISITS: Mapping[str, type] = {"random": AtRandom, "visits": ByVisits}
EXAMINERS: dict[str, AnswerKind] = {
    "cells": AnswerKind(settings=CellExaminer, make=_take, needs="secret"),
    "match": AnswerKind(
        settings=MatchAnswer, make=lambda told: MatchExaminer(answer=told), programs={"sheet-join": SheetJoin}
    ),
    "mark": AnswerKind(settings=MarkExaminer, make=_take, needs="members"),
    "confidence": AnswerKind(
        settings=ConfidenceExaminer, make=_take, needs="given", programs={"density-ratio": DensityRatio}
    ),
    "interval": AnswerKind(settings=IntervalExaminer, make=_take, needs="given"),
    "ids": AnswerKind(settings=TraceColumns, make=lambda told: IdExaminer(columns=told), programs=VISITS),
    "trace": AnswerKind(settings=TraceSettings, make=TraceExaminer.make, programs=VISITS),
}
"""Who asks for a kind of answer."""


def find_examiner(answer: str, settings: Settings) -> Examiner:
    """Return the examiner of a kind of answer.

    Raises:
        ParameterError: there is none, so that such a contest can be tallied but not held.
        SettingsError: he does not know what he is told, or is not told what he asks for.
    """
    if answer not in EXAMINERS:
        raise ParameterError("answer", Said("be one of {choices}", choices=", ".join(sorted(EXAMINERS))), answer)
    kind = EXAMINERS[answer]
    return kind.make(build_settings(settings, kind.settings, source="rules", place=f"answers.{answer}"))

"""Questions about traces: whose is this one, and where was this person?

People are published in an order of their own, under the numbers 1, 2, ... of their places. Attackers know a reference
trace of everybody. ``ids`` asks for the person behind each number, ``trace`` for everybody's regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.attack.tables.visits import VisitLikelihood, read_traces
from sekisho.contest.answers.ids import IdAnswer, TraceAnswer
from sekisho.contest.scoring import AttackScore
from sekisho.contest.tables.examination import (
    AskedRelease,
    AttackCase,
    Examination,
    Ints,
    Settings,
    find_program,
    read_program,
    refuse_program,
)
from sekisho.contest.tables.release import TablesOriginal, TablesRelease
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.region_cells import RegionCells, RegionGrid
from sekisho.errors import ParameterError
from sekisho.words import Said

REFERENCE = "reference.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class ByVisits:
    """A program of the house that names people by the regions where they were seen.

    Attributes:
        hours: at which it looks, as places of a day's times; at all if empty.
    """

    hours: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceColumns:
    """What the columns of an original are for, and where its regions lie.

    Attributes:
        person: whose a row is; everybody has as many rows, in the order of time.
        region: where he was.
        reference: where he was at another time, which attackers know.
        times: of a day.
        grid: of the regions.
    """

    person: str
    region: str
    reference: str
    grid: RegionGrid
    times: int = 20

    def __post_init__(self) -> None:
        if self.times < 1:
            raise ParameterError("times", Said("be 1 or more"), self.times)

    def number_people(self, original: TablesOriginal) -> Ints:
        """Return for each row the number of its person, from 0, as they come."""
        names = original.table[self.person]
        order = names.unique(maintain_order=True)
        rows = names.replace_strict(order, np.arange(len(order)), return_dtype=pl.Int64).to_numpy()
        if len(rows) % len(order) or not (rows == np.repeat(np.arange(len(order)), len(rows) // len(order))).all():
            raise ParameterError(self.person, Said("have as many rows each, person by person"), len(rows))
        return rows

    def find_traces(self, original: TablesOriginal, column: str) -> Ints:
        """Return regions, a row each person."""
        people = int(self.number_people(original).max()) + 1
        return original.table[column].cast(pl.Int64).to_numpy().reshape(people, -1)

    def show_reference(self, original: TablesOriginal) -> dict[str, bytes]:
        """Return what attackers know."""
        columns = [pl.col(self.person), pl.col(self.reference).alias(self.region)]
        return {REFERENCE: PartTable(columns=(self.person, self.region)).write(original.table.select(columns))}

    def take_for(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> _Taken:
        """Return whom a program of the house takes pseudonyms for, in an order that it does not know."""
        original = release.find_original(part)
        reference = self.find_traces(original, self.reference)
        people, length = reference.shape
        order = rng.permutation(people)
        table = release.tables[part] if part in release.tables else next(iter(release.tables.values()))
        cells = table[self.region].to_numpy().reshape(people, length)[order]
        published = RegionCells.parse(pl.Series(cells.ravel()))
        kind = find_program(program)
        if kind == "random":
            return _Taken(order=order, named=rng.permutation(people), published=published)
        if kind != "visits":
            raise refuse_program(program)
        hours = read_program(program, ByVisits).hours
        attack = VisitLikelihood(regions=self.grid.regions, times=self.times, hours=hours, once=True)
        return _Taken(order=order, named=attack.guess(reference, published), published=published)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Taken:
    """For each pseudonym who it is, and whom it is taken for."""

    order: Ints
    named: Ints
    published: RegionCells


@dataclass(frozen=True, slots=True, kw_only=True)
class IdExaminer:
    """Asks for the person behind each number."""

    columns: TraceColumns

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer."""
        return self.find_answer(original).form

    def find_answer(self, original: TablesOriginal) -> IdAnswer:
        """Return the kind of answer about this original."""
        return IdAnswer(people=int(self.columns.number_people(original).max()) + 1, column=self.columns.person)

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Show the reference traces, and keep who is who."""
        del rng
        if order is None:
            raise ParameterError("release.parts", Said("say by people whose rows are published in another order"), "")
        answer = self.find_answer(original)
        truth = pl.DataFrame({answer.column: (order + 1).astype(str)})
        return Examination(shown=self.columns.show_reference(original), truth=answer.form.write(truth))

    def judge(self, case: AttackCase) -> AttackScore:
        """Return the share of pseudonyms that are named rightly."""
        answer = self.find_answer(case.original)
        share = answer.score(answer.read(case.guess), answer.read(case.truth))
        hits = int(share * answer.people)
        return AttackScore(claimed=answer.people, hits=hits, effective=False, risk=float(share))

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise everything that is wrong with an answer."""
        people = len({line.split(b",")[0] for line in asked.shown[REFERENCE].splitlines()[1:]})
        IdAnswer(people=people, column=self.columns.person).read(guess)

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Name people by where they were seen, as the sample programs do."""
        taken = self.columns.take_for(program, release, part, rng=rng)
        return float((taken.named == taken.order).mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings(TraceColumns):
    """What must be told where everybody's regions are asked for.

    Attributes:
        sensitive: regions that weigh more.
        weight: how much.
        far: kilometres from which on an answer is worth nothing.
    """

    sensitive: tuple[int, ...] = ()
    weight: float = 10.0
    far: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceExaminer:
    """Asks for everybody's regions."""

    columns: TraceColumns
    answer: TraceAnswer

    @classmethod
    def make(cls, told: TraceSettings) -> TraceExaminer:
        """Return the examiner that rules ask for."""
        answer = TraceAnswer(
            grid=told.grid, sensitive=told.sensitive, weight=told.weight, far=told.far, column=told.region
        )
        return cls(columns=told, answer=answer)

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer."""
        return self.answer.find_form(original.table.height)

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Show the reference traces, and keep the true ones."""
        del order, rng
        truth = self.find_form(original).write(original.table.select(self.answer.column))
        return Examination(shown=self.columns.show_reference(original), truth=truth)

    def judge(self, case: AttackCase) -> AttackScore:
        """Return how near the answer is; hits are the regions that are named rightly."""
        rows = case.original.table.height
        told, truth = (self.answer.read(path, rows=rows) for path in (case.guess, case.truth))
        hits = int((told == truth).sum())
        return AttackScore(claimed=rows, hits=hits, effective=False, risk=self.answer.score(told, truth))

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise everything that is wrong with an answer."""
        self.answer.read(guess, rows=asked.rows)

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Name people by where they were seen, and read their traces off, as the sample programs do."""
        taken = self.columns.take_for(program, release, part, rng=rng)
        told = read_traces(taken.named, taken.published, regions=self.columns.grid.regions, rng=rng)
        truth = self.columns.find_traces(release.find_original(part), self.columns.region)
        return self.answer.score(told.ravel(), truth.ravel())

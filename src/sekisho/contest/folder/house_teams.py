"""How teams of the house attack: as the sample programs of the contests do, or at random."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from sekisho.attack.tables.density_ratio import DensityRatio
from sekisho.attack.tables.sheet_join import SheetJoin
from sekisho.attack.tables.sorted_lines import SortedLines
from sekisho.attack.tables.visits import VisitLikelihood, read_traces
from sekisho.contest.answers.mark import MARK, find_members
from sekisho.contest.tables.people_examiners import BACKGROUND, CHALLENGES, ConfidenceExaminer, IntervalExaminer
from sekisho.contest.tables.release import TablesOriginal
from sekisho.contest.tables.rules import TablesRules
from sekisho.contest.tables.scorer import Question
from sekisho.contest.tables.trace_examiners import REFERENCE, IdExaminer, TraceColumns, TraceExaminer
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.region_cells import RegionCells

SHOWN, KNOWN = CHALLENGES.removesuffix(".csv"), REFERENCE.removesuffix(".csv")
"""What is published of challenges, and of reference traces."""


@dataclass(frozen=True, slots=True)
class HouseTask:
    """What an attacker of the house has in hand.

    Attributes:
        original: what the release was made of; only what attackers are given of it is looked at.
        own: what the attacker himself was given.
        published: by name the tables of what is published, those of another set left out.
        question: what is asked.
    """

    rules: TablesRules
    original: TablesOriginal
    own: TablesOriginal
    published: Mapping[str, pl.DataFrame]
    question: Question

    @property
    def form(self) -> PartTable:
        """Of the answer."""
        held = self.own if isinstance(self.question.examiner, ConfidenceExaminer) else self.original
        return self.question.examiner.find_form(held)

    @property
    def released(self) -> pl.DataFrame:
        """The first table of the release, or that of the set that is asked about."""
        tables = [part.name for part in self.rules.release.parts if part.is_table]
        return self.published[self.question.part or tables[0]]


def read_archive(path: Path, rules: TablesRules, part: str) -> dict[str, pl.DataFrame]:
    """Return the tables of what is published, by name; of a set, what is shown beside it without its name."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".csv")]
        header = rules.release.header
        tables = {
            name.removesuffix(".csv"): pl.read_csv(archive.read(name), has_header=header, infer_schema=False)
            for name in names
        }
    return {name.removeprefix(f"{part}-") if part else name: table for name, table in tables.items()}


def answer_as_house(task: HouseTask, *, knows: bool, rng: np.random.Generator) -> bytes:
    """Return an answer: as the sample programs give it, or one that knows nothing."""
    kind = task.question.protection.answer
    attack = ATTACKS[kind] if knows and kind in ATTACKS else _answer_at_random
    return task.form.write(attack(task, rng))


def _answer_at_random(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Return an answer that knows nothing."""
    if MARK in task.form.columns:
        rows = rng.permutation(task.original.candidates.height)
        return _mark(rows, task)
    examiner = task.question.examiner
    if isinstance(examiner, ConfidenceExaminer):
        return examiner.find_answer(task.own).draw(task.own.table[examiner.person], rng=rng)
    if isinstance(examiner, IntervalExaminer):
        most = task.released[examiner.time].cast(pl.Float64).to_numpy().max()
        return examiner.find_answer(task.published[SHOWN].height).draw(float(most), rng=rng)
    drawn: dict[str, list[str]] = {}
    for name in task.form.columns:
        cell = task.form.cells.get(name, task.form.others)
        choices = cell.values or tuple(map(str, range(int(cell.least or 0), int(cell.most or 0) + 1)))
        drawn[name] = rng.choice(choices, size=task.form.rows or 0).tolist()
    return pl.DataFrame(drawn)


def _answer_by_order(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Pair sorted lines, as the sample attack of 2023 does."""
    width = task.original.table.width - task.rules.original.secret
    public = task.original.table[:, :width]
    guess = SortedLines().guess(public, task.released, rng=rng)
    return guess.rename(dict(zip(guess.columns, task.form.columns, strict=True)))


def _answer_by_joining(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Join sheets row by row, as the sample attack of 2024 does, each column from the first sheet that has it."""
    del rng
    sheets = {part.name: part.columns for part in task.rules.release.parts if part.is_table}
    masked, known = task.published["masked"], task.published["known"]
    seen: set[str] = set()
    chosen: list[tuple[str, ...]] = []
    for name in sheets:
        columns = task.published[name].columns
        chosen.append(tuple(each for each in columns if each not in seen))
        seen |= set(columns)
    base = tuple(name for name in known.columns if name in seen)
    joined = SheetJoin(chosen=tuple(chosen), known=base)
    held = masked.select(name for name in masked.columns if name in seen)
    return joined.guess(known, held, [task.published[name] for name in sheets])


def _answer_by_equality(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Mark the candidates that stand in the release as they are, and others at random until there are enough."""
    same = find_members(task.original.candidates, task.released)
    rows = rng.permutation(len(same))
    return _mark(rows[np.argsort(~same[rows], kind="stable")], task)


def _mark(rows: NDArray[np.int64], task: HouseTask) -> pl.DataFrame:
    count = int(find_members(task.original.candidates, task.original.table).sum())
    marks = np.zeros(len(rows), dtype=np.int64)
    marks[rows[:count]] = 1
    return pl.DataFrame({MARK: marks.astype(str)})


def _answer_by_density(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Say who lies where the release is denser than the background, as the reference attack of 2026 does."""
    del rng
    examiner = cast("ConfidenceExaminer", task.question.examiner)
    background = task.own.given[BACKGROUND]
    columns = tuple(name for name in task.released.columns if _counts(task.released[name], background))
    told = DensityRatio(columns=columns).guess(task.released, background, task.own.table)
    return examiner.find_answer(task.own).write(task.own.table[examiner.person], told)


def _counts(column: pl.Series, background: pl.DataFrame) -> bool:
    """Tell whether a column is of numbers that move, more than flags do."""
    numbers = column.cast(pl.Float64, strict=False)
    return column.name in background.columns and not numbers.null_count() and numbers.n_unique() > len(column) / 10


def _answer_by_neighbour(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Tell everybody the time of the released row that is nearest in what is known."""
    del rng
    examiner = cast("IntervalExaminer", task.question.examiner)
    asked = task.published[SHOWN]
    numbers = [name for name in examiner.known if not asked[name].cast(pl.Float64, strict=False).null_count()]
    one, two = (table.select(pl.col(numbers).cast(pl.Float64)).to_numpy() for table in (asked, task.released))
    spread = np.maximum(two.std(axis=0), 1e-9)
    nearest = cKDTree(two / spread).query(one / spread)[1]
    times = task.released[examiner.time].cast(pl.Float64).to_numpy()[nearest]
    return examiner.find_answer(asked.height).write(times)


def _answer_by_visits(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Name people by where they were seen, as the sample programs of 2019 do."""
    del rng
    columns = cast("IdExaminer", task.question.examiner).columns
    named, _ = _take_for(task, columns)
    return pl.DataFrame({columns.person: (named + 1).astype(str)})


def _answer_by_reading(task: HouseTask, rng: np.random.Generator) -> pl.DataFrame:
    """Name people by where they were seen, and read their traces off."""
    columns = cast("TraceExaminer", task.question.examiner).columns
    named, cells = _take_for(task, columns)
    traces = read_traces(named, cells, regions=columns.grid.regions, rng=rng)
    return pl.DataFrame({columns.region: traces.ravel().astype(str)})


def _take_for(task: HouseTask, columns: TraceColumns) -> tuple[NDArray[np.int64], RegionCells]:
    shown = task.published[KNOWN]
    people = shown[columns.person].n_unique()
    reference = shown[columns.region].cast(pl.Int64).to_numpy().reshape(people, -1)
    cells = RegionCells.parse(task.released[columns.region])
    attack = VisitLikelihood(regions=columns.grid.regions, times=columns.times, once=True)
    return attack.guess(reference, cells), cells


ATTACKS: dict[str, Callable[[HouseTask, np.random.Generator], pl.DataFrame]] = {
    "cells": _answer_by_order,
    "match": _answer_by_joining,
    "mark": _answer_by_equality,
    "confidence": _answer_by_density,
    "interval": _answer_by_neighbour,
    "ids": _answer_by_visits,
    "trace": _answer_by_reading,
}
"""By kind of answer what a team of the house does that knows the sample programs."""

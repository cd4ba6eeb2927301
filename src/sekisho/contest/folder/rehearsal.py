"""A round rehearsed with teams of the house before anybody is invited: an organiser sees what his rules come to.

Data are invented from what the rules say of cells; three teams release them as they are, with a fifth of the cells
changed, and mixed: half the cells changed and every table in an order of its own. The second team answers at random,
the others attack as the sample programs of the contests do. Everything goes the way of a contest that is held.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.tables.sheet_join import SheetJoin
from sekisho.attack.tables.sorted_lines import SortedLines
from sekisho.contest.answers.mark import MARK, find_members
from sekisho.contest.event import Event, Opened, Registered
from sekisho.contest.folder.desk import publish_round, submit_attack, submit_release
from sekisho.contest.folder.live import LiveContest, create_contest
from sekisho.contest.rules import PhaseKind
from sekisho.contest.standing import TeamStanding, gather_round, rank_round_of
from sekisho.contest.tables.release import TablesOriginal, add_secret, find_form
from sekisho.contest.tables.rules import CHOICE, MODEL, MODEL_ACCURACY, SEED, TablesRules
from sekisho.contest.tables.scorer import TablesScorer, require_held
from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.data.synthetic.secret_cells import draw_public_cells
from sekisho.protect.tables.change_cells import ChangeCells
from sekisho.seeds import Seed

AT = "2000-01-0{}T00:00:00.000000Z"
ROWS, OTHERS, PUBLIC, NUMBER = 120, 4, 6, 7
CATEGORIES = tuple("ABCDE")
SHARES = {"as-is": 0.0, "changed": 0.2, "mixed": 0.5}
"""By team of the house, which share of the cells it changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What a rehearsed round came to."""

    round: str
    rows: int
    standings: tuple[TeamStanding, ...]


def rehearse_round(path: Path, rules: TablesRules, *, seed: Seed) -> Rehearsal:
    """Hold the last round of a contest with teams of the house, in a place that is removed at the end.

    Raises:
        ParameterError: the rules ask for something that a contest held here cannot have.
    """
    require_held(rules)
    rows = max(ROWS, 2 * cast("int", rules.answers.get("match", {}).get("rows", 0)))
    original = invent_original(rules, rows, rng=seed.child("original").rng())
    with TemporaryDirectory() as place:
        work = _Rehearsal(place=Path(place), rules=rules, path=path, original=original, seed=seed)
        return Rehearsal(round=rules.usual_round, rows=rows, standings=work.hold())


def invent_original(rules: TablesRules, rows: int, *, rng: np.random.Generator) -> pl.DataFrame:
    """Return an original as rules describe it, of nobody: every column drawn on its own."""
    if not rules.original.header:
        cells = draw_public_cells(rows=rows, columns=PUBLIC, rng=rng).astype(str)
        return pl.DataFrame({f"c{place}": cells[:, place - 1] for place in range(1, PUBLIC + 1)})
    known = cast("list[str]", rules.answers.get("match", {}).get("known", []))
    listed = [name for part in rules.release.parts for name in part.columns]
    names = list(dict.fromkeys([*known, *listed, *rules.release.cells]))
    members = rules.original.members
    many = rows * OTHERS if members else rows
    columns = {name: _invent_column(rules.release.cells.get(name), rules.release.others, many, rng) for name in names}
    if not members:
        return pl.DataFrame(columns)
    inside = np.zeros(many, dtype=np.int64)
    inside[rng.choice(many, size=rows, replace=False)] = 1
    return pl.DataFrame(columns | {members: inside.astype(str)})


def _invent_column(own: CellRules | None, others: CellRules, rows: int, rng: np.random.Generator) -> list[str]:
    rules = own or others
    if rules.values:
        return rng.choice(rules.values, size=rows).tolist()
    if rules.numeric:
        return rng.poisson(40, size=rows).astype(str).tolist()
    return rng.choice(CATEGORIES, size=rows).tolist()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rehearsal:
    place: Path
    rules: TablesRules
    path: Path
    original: pl.DataFrame
    seed: Seed

    def hold(self) -> tuple[TeamStanding, ...]:
        name = self.rules.usual_round
        live = self.begin()
        live = _send(live, Opened(at=AT.format(2), phase=PhaseKind.REGISTER))
        live = _send(live, *(Registered(at=AT.format(2), team=team) for team in SHARES))
        live = _send(live, Opened(at=AT.format(3), phase=PhaseKind.ANONYMISE, round=name))
        for team, share in SHARES.items():
            scorer = cast("TablesScorer", live.open_scorer(name, team))
            files = self.make_release(scorer.originals[0], share, team)
            live = submit_release(live, team, name, files, at=AT.format(3)).contest
        live = publish_round(live, name, at=AT.format(4))
        live = _send(live, Opened(at=AT.format(5), phase=PhaseKind.ATTACK, round=name))
        for attacker in SHARES:
            for target in SHARES:
                if attacker != target and live.state.find_target(name, target) is not None:
                    guess = self.attack(live, name, attacker, target)
                    live = submit_attack(live, attacker, target, name, guess, at=AT.format(5)).contest
        return rank_round_of(live.state.contest, gather_round(live.state, name), name)

    def begin(self) -> LiveContest:
        folder = self.place / "originals"
        folder.mkdir()
        data = self.original.write_csv(include_header=self.rules.original.header).encode()
        count = self.rules.original.choices
        names = [f"{team}-{number}.csv" for team in SHARES for number in range(1, count + 1)]
        for name in names if count > 1 else ["original.csv"]:
            (folder / name).write_bytes(data)
        source = folder if count > 1 else folder / "original.csv"
        places = dict.fromkeys(self.rules.settle_contest().round_names, source)
        secret = self.seed.child("referee")
        return create_contest(self.place / "cup", str(self.path), places, at=AT.format(1), first_day="", secret=secret)

    def make_release(self, original: TablesOriginal, share: float, team: str) -> dict[str, Path]:
        """Write the parts of a team's release."""
        rng = self.seed.child(team).rng()
        held = add_secret(original, NUMBER, self.rules) if self.rules.original.secret else original
        changed = ChangeCells(share=share).apply(held.table, rng=rng)
        files: dict[str, Path] = {}
        for part in self.rules.release.parts:
            files[part.name] = self.place / f"{team} {part.name}"
            if part.is_table:
                form = find_form(part, self.rules, held.table)
                mixed = changed[rng.permutation(changed.height)] if team == "mixed" and not part.sorted else changed
                files[part.name].write_bytes(form.write(mixed))
            else:
                numbers = {SEED: str(NUMBER).encode(), CHOICE: b"1"}
                files[part.name].write_bytes(numbers[part.name] if part.name != MODEL else self.write_model(held.table))
        return files

    def write_model(self, table: pl.DataFrame) -> bytes:
        """Return a model that always says the same."""
        use = next(each for each in self.rules.score.utility if each.measure == MODEL_ACCURACY)
        target = str(use.settings.get("target", ""))
        features = [name for name in table.columns if name != target][:1]
        leaf: dict[str, list[float]] = {
            "left_children": [-1],
            "right_children": [-1],
            "split_indices": [0],
            "split_conditions": [-0.1],
            "default_left": [0],
        }
        learner = {
            "learner_model_param": {"num_feature": str(len(features)), "base_score": "5E-1"},
            "objective": {"name": "binary:logistic"},
            "gradient_booster": {"name": "gbtree", "model": {"trees": [leaf]}},
        }
        told = {"feature_names": json.dumps(features), "target": target, "xgboost_version": "0"}
        return json.dumps({"attributes": told, "learner": learner}).encode()

    def attack(self, live: LiveContest, round_name: str, attacker: str, target: str) -> Path:
        """Write an attack: as the sample programs do, that of one team at random."""
        scorer = cast("TablesScorer", live.open_scorer(round_name, target))
        original = scorer.originals[0]
        held = add_secret(original, NUMBER, self.rules) if self.rules.original.secret else original
        form = scorer.examiner.find_form(held)
        rng = self.seed.child(f"{attacker} on {target}").rng()
        archive = live.find_round_folder(round_name) / "published" / f"{target}.zip"
        known = attacker != "changed" and scorer.protection.answer in ATTACKS
        attack = ATTACKS[scorer.protection.answer] if known else _answer_at_random
        path = self.place / f"{attacker} on {target}"
        path.write_bytes(form.write(attack(_Task(self.rules, held, _read_archive(archive, self.rules), form), rng)))
        return path


@dataclass(frozen=True, slots=True)
class _Task:
    """What an attacker of the house has in hand."""

    rules: TablesRules
    original: TablesOriginal
    published: Mapping[str, pl.DataFrame]
    form: PartTable


def _read_archive(path: Path, rules: TablesRules) -> dict[str, pl.DataFrame]:
    """Return the tables of what is published, by name."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".csv")]
        header = rules.release.header
        return {
            name.removesuffix(".csv"): pl.read_csv(archive.read(name), has_header=header, infer_schema=False)
            for name in names
        }


def _answer_at_random(task: _Task, rng: np.random.Generator) -> pl.DataFrame:
    """Return an answer that knows nothing."""
    if MARK in task.form.columns:
        rows = rng.permutation(task.original.candidates.height)
        return _mark(rows, task)
    drawn: dict[str, list[str]] = {}
    for name in task.form.columns:
        cell = task.form.cells.get(name, task.form.others)
        choices = cell.values or tuple(map(str, range(int(cell.most or 0) + 1)))
        drawn[name] = rng.choice(choices, size=task.form.rows or 0).tolist()
    return pl.DataFrame(drawn)


def _answer_by_order(task: _Task, rng: np.random.Generator) -> pl.DataFrame:
    """Pair sorted lines, as the sample attack of 2023 does."""
    width = task.original.table.width - task.rules.original.secret
    public = task.original.table[:, :width]
    guess = SortedLines().guess(public, next(iter(task.published.values())), rng=rng)
    return guess.rename(dict(zip(guess.columns, task.form.columns, strict=True)))


def _answer_by_joining(task: _Task, rng: np.random.Generator) -> pl.DataFrame:
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


def _answer_by_equality(task: _Task, rng: np.random.Generator) -> pl.DataFrame:
    """Mark the candidates that stand in the release as they are, and others at random until there are enough."""
    released = task.published[next(part.name for part in task.rules.release.parts if part.is_table)]
    same = find_members(task.original.candidates, released)
    rows = rng.permutation(len(same))
    return _mark(rows[np.argsort(~same[rows], kind="stable")], task)


def _mark(rows: NDArray[np.int64], task: _Task) -> pl.DataFrame:
    count = int(find_members(task.original.candidates, task.original.table).sum())
    marks = np.zeros(len(rows), dtype=np.int64)
    marks[rows[:count]] = 1
    return pl.DataFrame({MARK: marks.astype(str)})


ATTACKS: dict[str, Callable[[_Task, np.random.Generator], pl.DataFrame]] = {
    "cells": _answer_by_order,
    "match": _answer_by_joining,
    "mark": _answer_by_equality,
}
"""By kind of answer what a team of the house does that knows the sample programs."""


def _send(live: LiveContest, *events: Event) -> LiveContest:
    for event in events:
        live, _ = live.send(event)
    return live

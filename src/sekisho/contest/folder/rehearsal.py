"""A round rehearsed with teams of the house before anybody is invited: an organiser sees what his rules come to.

Data are invented from what the rules say of cells; three teams release them as they are, with a fifth of the cells
changed, and mixed: half the cells changed and every table in an order of its own. The second team answers at random,
the others attack as the sample programs of the contests do. Everything goes the way of a contest that is held.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import polars as pl

from sekisho.contest.event import Event, Opened, Registered
from sekisho.contest.folder.desk import FileReceipt, publish_round, submit_attack, submit_release
from sekisho.contest.folder.house_teams import HouseTask, answer_as_house, read_archive
from sekisho.contest.folder.live import SHARED, LiveContest, create_contest
from sekisho.contest.folder.new_rules import write_fitted_rules
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.rules import PhaseKind
from sekisho.contest.standing import TeamStanding, gather_round, rank_round_of
from sekisho.contest.tables.building_blocks import require_held
from sekisho.contest.tables.release import TablesOriginal, add_secret, find_form
from sekisho.contest.tables.rules import CHOICE, MODEL, MODEL_ACCURACY, SEED, TablesRules
from sekisho.contest.tables.scorer import TablesScorer
from sekisho.data.files.part_table import CellRules
from sekisho.data.files.zip_guard import pack_files
from sekisho.data.synthetic.patients import make_overlapping_cohorts
from sekisho.data.synthetic.secret_cells import draw_public_cells
from sekisho.data.synthetic.traces import make_trace_table
from sekisho.errors import FaultsError
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

    Invented originals are small; what the rules count by rows is put in proportion, so that figures are as they would
    be in a contest of the rules' own size.

    Raises:
        SettingsError: the rules ask for something that a contest held here cannot have.
        SekishoError: what the house hands in under them is refused, or the data that they describe do not suit them.
    """
    require_held(rules)
    rows = max(ROWS, 2 * cast("int", rules.answers.get("match", {}).get("rows", 0)))
    with TemporaryDirectory() as place:
        fitted = Path(place) / "rules.toml"
        fitted.write_bytes(write_fitted_rules(str(path), rows))
        rules = read_tables_rules(str(fitted))
        originals = Path(place) / "originals"
        originals.mkdir()
        for name, data in invent_originals(rules, rows, rng=seed.child("original").rng()).items():
            (originals / name).write_bytes(data)
        work = _Rehearsal(place=Path(place), rules=rules, path=fitted, seed=seed)
        return Rehearsal(round=rules.usual_round, rows=rows, standings=work.hold())


def invent_originals(rules: TablesRules, rows: int, *, rng: np.random.Generator) -> dict[str, bytes]:
    """Return the files of originals as rules describe them, of nobody, by their names."""
    if rules.original.sets:
        return _invent_traces(rules, rows, rng=rng)
    if rules.original.given:
        return _invent_cohorts(rules, rows, rng=rng)
    original = invent_original(rules, rows, rng=rng)
    data = original.write_csv(include_header=rules.original.header).encode()
    count = rules.original.choices
    names = [f"{team}-{number}.csv" for team in SHARES for number in range(1, count + 1)]
    return dict.fromkeys(names if count > 1 else [SHARED], data)


def _invent_traces(rules: TablesRules, rows: int, *, rng: np.random.Generator) -> dict[str, bytes]:
    """Return traces for each team and set, with the columns that the kinds of answers name."""
    told = next(iter(rules.answers.values()))
    names = {"user_id": told["person"], "reg_id": told["region"], "reference": told["reference"]}
    renamed = {old: cast("str", new) for old, new in names.items()}
    times = cast("int", told.get("times", 20))
    files: dict[str, bytes] = {}
    for team in SHARES:
        for part in rules.original.sets:
            table = make_trace_table(max(10, rows // 4), days=2, times=times, rng=rng).rename(renamed)
            files[f"{team}-{part}.csv"] = table.write_csv().encode()
    return files


def _invent_cohorts(rules: TablesRules, rows: int, *, rng: np.random.Generator) -> dict[str, bytes]:
    """Return overlapping cohorts and their background; columns that our cohorts lack are drawn on their own."""
    world = make_overlapping_cohorts(len(SHARES), private=rows, shared=rows // 2, background=6 * rows, rng=rng)
    wanted = {name for part in rules.release.parts for name in part.columns}
    wanted |= {cast("str", each[key]) for each in rules.answers.values() for key in ("person", "rare") if key in each}
    tables = dict(zip(SHARES, world.cohorts, strict=True)) | dict.fromkeys(rules.original.given, world.background)
    files: dict[str, bytes] = {}
    for name, table in tables.items():
        lacking = sorted(wanted - set(table.columns))
        columns = [
            pl.Series(each, _invent_column(rules.release.cells.get(each), rules.release.others, table.height, rng))
            for each in lacking
        ]
        files[f"{name}.csv"] = table.with_columns(columns).write_csv().encode()
    return files


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
    seed: Seed

    def hold(self) -> tuple[TeamStanding, ...]:
        name = self.rules.usual_round
        live = self.begin()
        live = _send(live, Opened(at=AT.format(2), phase=PhaseKind.REGISTER))
        live = _send(live, *(Registered(at=AT.format(2), team=team) for team in SHARES))
        live = _send(live, Opened(at=AT.format(3), phase=PhaseKind.ANONYMISE, round=name))
        for team, share in SHARES.items():
            scorer = cast("TablesScorer", live.open_scorer(name, team))
            files = self.make_release(scorer, share, team)
            live = _accept(submit_release(live, team, name, files, at=AT.format(3)))
        live = publish_round(live, name, at=AT.format(4))
        live = _send(live, Opened(at=AT.format(5), phase=PhaseKind.ATTACK, round=name))
        for attacker in SHARES:
            for target in SHARES:
                if attacker != target and live.state.find_target(name, target) is not None:
                    guess = self.attack(live, name, attacker, target)
                    live = _accept(submit_attack(live, attacker, target, name, guess, at=AT.format(5)))
        return rank_round_of(live.state.contest, gather_round(live.state, name), name)

    def begin(self) -> LiveContest:
        folder = self.place / "originals"
        source = folder / SHARED if (folder / SHARED).is_file() else folder
        places = dict.fromkeys(self.rules.settle_contest().round_names, source)
        secret = self.seed.child("referee")
        return create_contest(self.place / "cup", str(self.path), places, at=AT.format(1), first_day="", secret=secret)

    def make_release(self, scorer: TablesScorer, share: float, team: str) -> dict[str, Path]:
        """Write the parts of a team's release."""
        rng = self.seed.child(team).rng()
        files: dict[str, Path] = {}
        for part in self.rules.release.parts:
            held = self.hold_original(scorer, part.name)
            files[part.name] = self.place / f"{team} {part.name}"
            if not part.is_table:
                numbers = {SEED: str(NUMBER).encode(), CHOICE: b"1"}
                files[part.name].write_bytes(numbers[part.name] if part.name != MODEL else self.write_model(held.table))
                continue
            form = find_form(part, self.rules, held.table)
            kept = [name for names in self.rules.release.exclusive for name in names]
            changed = ChangeCells(share=share).apply(held.table.drop(kept, strict=False), rng=rng)
            whole = changed.with_columns(held.table[name] for name in kept)
            mixed = team == "mixed" and not part.sorted and not part.people
            files[part.name].write_bytes(form.write(whole[rng.permutation(whole.height)] if mixed else whole))
        return files

    def hold_original(self, scorer: TablesScorer, part: str) -> TablesOriginal:
        """Return what a team has in hand, its secret included."""
        original = scorer.find_original(part)
        return add_secret(original, NUMBER, self.rules) if self.rules.original.secret else original

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
        scorer, own = (cast("TablesScorer", live.open_scorer(round_name, team)) for team in (target, attacker))
        rng = self.seed.child(f"{attacker} on {target}").rng()
        archive = live.find_round_folder(round_name) / "published" / f"{target}.zip"
        answers: dict[str, bytes] = {}
        for question in scorer.questions:
            task = HouseTask(
                rules=self.rules,
                original=self.hold_original(scorer, question.part),
                own=self.hold_original(own, question.part),
                published=read_archive(archive, self.rules, question.part),
                question=question,
            )
            answers[f"{question.file}.csv"] = answer_as_house(task, knows=attacker != "changed", rng=rng)
        path = self.place / f"{attacker} on {target}"
        path.write_bytes(pack_files(answers) if len(answers) > 1 else next(iter(answers.values())))
        return path


def _accept(receipt: FileReceipt) -> LiveContest:
    """Return the contest with a file of the house, which must be as the rules ask for it: else they contradict."""
    if receipt.faults:
        raise FaultsError(receipt.entry.team, receipt.faults)
    return receipt.contest


def _send(live: LiveContest, *events: Event) -> LiveContest:
    for event in events:
        live, _ = live.send(event)
    return live

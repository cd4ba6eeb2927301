"""The rules of 2021 with other names for two columns run end to end: no name of a column stands in the code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.renamed import renamed_data, renamed_rules

from sekisho.attack import ADVERSARIES
from sekisho.attack.records.guess_files import read_guess
from sekisho.attack.records.referee import RecordsJudgement, draw_test_set, judge
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import read_original, read_release, write_number_lines, write_records
from sekisho.data.records.space import take_kept
from sekisho.data.synthetic.health import health_records
from sekisho.errors import ParameterError
from sekisho.gate.fit import fit
from sekisho.gate.records.plan import RecordPlanner
from sekisho.protect import METHODS
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition, check_conditions

NAMES = {"age": "years", "dia": "ill"}
PEOPLE = health_records(2000, rng=Seed(2021).child("people").rng())


def played(rules: RecordRules, data: Dataset, folder: Path) -> tuple[tuple[Condition, ...], RecordsJudgement]:
    """Take the data through the files of the contest: check, protect, attack and judge."""
    folder.mkdir()
    (folder / "B.csv").write_bytes(write_records(data, rules))
    original = read_original(folder / "B.csv", rules)
    assert original.frame.equals(data.frame)
    said = rules.parameters()
    swap = fit(METHODS.find_class("swap", rules.shape)(), said)
    release = InTurn(delete=DeleteRandom(share=0.45), change=swap).apply(original, rng=Seed(1).rng())
    (folder / "D.csv").write_bytes(write_records(take_kept(release), rules))
    (folder / "X.csv").write_bytes(write_number_lines(np.flatnonzero(release.deleted)))
    again = read_release(folder / "D.csv", folder / "X.csv", rules, original)
    assert take_kept(again).frame.equals(take_kept(release).frame)
    test = draw_test_set(again.deleted, rng=Seed(2).rng(), members=rules.test.members, others=rules.test.others)
    known = Dataset(original.frame[test.rows], original.schema)
    nearest = fit(ADVERSARIES.find_class("nearest", rules.shape)(), said)
    guess = nearest.guess(again.table.take(~again.deleted), known, rng=Seed(3).rng())
    (folder / "E.csv").write_bytes(write_number_lines(guess.rows(len(known), rules.test.answers)))
    guess = read_guess(folder / "E.csv", rules, records=len(known), rows=len(take_kept(again)))
    judged = judge(
        test.answers, guess, delta=rules.find_round("").delta, count=rules.test.answers, rows=len(take_kept(again))
    )
    return check_conditions(rules, original, again), judged


def test_files_are_checked_protected_attacked_and_judged_alike_under_either_names(tmp_path: Path) -> None:
    rules = renamed_rules(tmp_path, NAMES)
    assert {"years", "ill"} < set(rules.schema.names)
    assert not {"age", "dia"} & set(rules.schema.names)
    renamed = played(rules, renamed_data(PEOPLE, NAMES), tmp_path / "renamed")
    assert renamed == played(read_record_rules("pwscup2021"), PEOPLE, tmp_path / "as they were")
    assert renamed[1].claimed >= 50  # half of the hundred known records are called members
    assert len(renamed[0]) == 6


def test_a_release_is_planned_under_other_names(tmp_path: Path) -> None:
    rules = renamed_rules(tmp_path, NAMES)
    planner = RecordPlanner(leans=(0.0,), pulls=(-0.5,), scouting=1, seeds=1)
    *_, last = planner.steps(rules, renamed_data(PEOPLE, NAMES), seed=Seed(1), target=0.3)
    assert last.best is not None
    assert last.best.admissible
    assert set(take_kept(last.best.release).schema.names) == set(rules.schema.names)
    assert 0 < last.best.risk < 0.3


def test_a_file_of_other_names_is_refused_by_the_rules_that_know_the_old_ones(tmp_path: Path) -> None:
    rules = renamed_rules(tmp_path, NAMES)
    with pytest.raises(ParameterError, match="not 'years'"):
        rules.space.points(PEOPLE)

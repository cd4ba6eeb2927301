"""Data of one's own pass the gate by a recipe that names their schema as rules.

Nothing in it bears a contest's name.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sekisho.data.files.layout import open_original
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import outcome_frame
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.records.test_sets import RiskCandidate
from sekisho.journey.candidates import run
from sekisho.report.kit.html import render_page
from sekisho.report.pages.history.outcome import outcome_blocks, outcome_title
from sekisho.seeds import Seed

HISTORY = """
shape = "history"
[[columns]]
name = "driver"
role = "identifier"
[[columns]]
name = "day"
[[columns]]
name = "road"
"""
RECORDS = """
shape = "records"
[rounds.usual]
iloss = 2
[test]
members = 3
others = 3
[[columns]]
name = "age"
[[columns]]
name = "town"
"""


def test_a_history_of_trips(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    trips = [f"d{rng.integers(6)},2024-01-{rng.integers(1, 31):02},road {rng.integers(4)}" for _ in range(40)]
    (tmp_path / "trips.csv").write_text("driver,day,road\n" + "\n".join(trips) + "\n")
    (tmp_path / "trips.toml").write_text(HISTORY)
    (tmp_path / "recipe.toml").write_text(
        'rules = "trips.toml"\noriginal = "trips.csv"\n[[methods]]\nname = "groups"\nk = 2\n'
        '[[adversaries]]\nname = "containment"\n'
    )
    recipe, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe, HistoryRecipe)
    original, _ = open_original(Path(file.original), recipe.rules)
    stage = HistoryStage(recipe=recipe, original=original.data)
    *_, last = run(stage, seed=Seed(1))
    assert outcome_frame(last.outcome)["adversary"].to_list() == ["containment"]
    shown = render_page(outcome_title(stage), outcome_blocks(stage, last.outcome))
    assert "trips" not in shown  # a file's name is no title
    assert "pwscup" not in shown
    assert "PWS" not in shown


def test_records_of_a_town(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    people = [f"{rng.integers(20, 26)},town {rng.integers(3)}" for _ in range(40)]
    (tmp_path / "people.csv").write_text("age,town\n" + "\n".join(people) + "\n")
    (tmp_path / "people.toml").write_text(RECORDS)
    (tmp_path / "recipe.toml").write_text(
        'rules = "people.toml"\noriginal = "people.csv"\ntarget = 0.9\ntests = 2\n[[methods]]\nname = "decoy"\n'
        '[[adversaries]]\nname = "nearest"\n[[adversaries]]\nname = "band"\n'
    )
    recipe, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe, RecordsRecipe)
    original, _ = open_original(Path(file.original), recipe.rules)
    *_, last = run(RecordsStage(recipe=recipe, original=original.data), seed=Seed(1))
    best = last.outcome.best
    assert isinstance(best, RiskCandidate)
    assert [condition.name for condition in best.conditions] == ["cor", "iloss", "uniqrt", "kept"]
    assert best.admissible

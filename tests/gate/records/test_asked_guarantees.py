"""What a recipe may ask for is what the registry of guarantees holds: ours by short keys, all of them by their names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.data.shape import Shape
from sekisho.gate.records.guarantees import RecordGuarantees, read_guarantees
from sekisho.safety import GUARANTEES
from sekisho.safety.records.diversity import Diversity

# 12 people in 3 towns, ages 1 to 4 in each: by town alone every class has 4, and three illnesses stand in each
PEOPLE = pl.DataFrame(
    {
        "town": [town for town in "abc" for _ in range(4)],
        "illness": ["x", "y", "z", "x"] * 3,
    }
)
RECIPE = (
    'shape = "records"\noriginal = "people.csv"\nkeys = ["town"]\nsensitive = ["illness"]\nrelease = "people.csv"\n'
)


def ask(section: dict[str, object]) -> RecordGuarantees:
    guarantees, faults = read_guarantees(section, source="recipe.toml")
    assert not faults
    return guarantees


def refuse(section: dict[str, object]) -> list[str]:
    return [fault.column for fault in read_guarantees(section, source="recipe.toml")[1]]


def run_gate(
    folder: Path, section: str, capsys: pytest.CaptureFixture[str], people: pl.DataFrame
) -> tuple[int, dict[str, Any]]:
    people.write_csv(folder / "people.csv")
    (folder / "recipe.toml").write_text(RECIPE + section)
    status = status_of(["gate", str(folder / "recipe.toml"), "--out", str(folder / "gate"), "--seed", "1", "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_every_key_of_a_recipe_is_told_again() -> None:
    section: dict[str, object] = {
        "k": 5,
        "l": 2.5,
        "l_kind": "entropy",
        "c": 4.0,
        "t": 0.3,
        "t_distance": "equal",
        "beta": 1.0,
        "delta": 1.5,
        "highest": 0.2,
        "average": 0.05,
        "k_map": 5,
        "presence": [0.0, 0.5],
        "population": "folder/all.csv",
        "individual": 0.1,
    }
    asked = ask(section)
    told = {**section, "presence": (0.0, 0.5), "population": "all.csv"}
    assert asked.tell() == told
    assert asked.tell(whole=True)["population"] == "folder/all.csv"
    assert (asked.k, asked.l, asked.l_kind, asked.c, asked.t) == (5, 2.5, Diversity.ENTROPY, 4.0, 0.3)
    assert asked.of_sensitive == ("l", "t", "beta", "delta")
    assert ask({"leave_out": 0.1, "l": 2}).tell() == {"l": 2.0, "leave_out": 0.1}


def test_what_is_as_usual_is_not_told_and_details_alone_ask_for_nothing() -> None:
    assert ask({"l": 2, "l_kind": "distinct", "c": 3.0}).tell() == {"l": 2.0}
    assert not ask({"l_kind": "entropy", "t_distance": "equal", "population": "all.csv"}).asked


def test_a_name_and_its_keys_say_the_same() -> None:
    assert ask({"k-anonymity": {"k": 4}}) == ask({"k": 4})
    both = ask({"beta": 2.0, "beta-likeness": {"enhanced": True}})
    assert both.tell() == {"beta": 2.0, "beta-likeness": {"enhanced": True}}


@pytest.mark.parametrize(
    ("section", "places"),
    [
        ({"k": 1}, ["guarantees.k"]),
        ({"k": "five", "m": 3}, ["guarantees.m", "guarantees.k"]),
        ({"l": 1}, ["guarantees.l"]),
        ({"k_map": 1, "population": "all.csv"}, ["guarantees.k_map"]),
        ({"k_map": 2}, ["guarantees.population"]),
        ({"presence": [0.1]}, ["guarantees.presence"]),
        ({"presence": [0, 1], "population": "all.csv"}, ["guarantees.presence"]),
        ({"t": 0.2, "t_distance": "hierarchical"}, ["guarantees.t_distance"]),
        ({"individual": 1.0}, ["guarantees.individual"]),
        ({"t": 0.2, "leave_out": 0.1}, ["guarantees.leave_out"]),
        ({"population-uniqueness": {"share": 2.0}}, ["guarantees.population-uniqueness.share"]),
        ({"population-uniqueness": {"keys": ["a"]}}, ["guarantees.population-uniqueness.keys"]),
        ({"population-uniqueness": 0.1}, ["guarantees.population-uniqueness"]),
    ],
)
def test_what_is_wrong_is_named_as_the_recipe_names_it(section: dict[str, object], places: list[str]) -> None:
    assert refuse(section) == places


def test_every_guarantee_of_records_can_be_asked_for_by_its_name() -> None:
    files = {"k-map": {"population": "all.csv"}, "delta-presence": {"population": "all.csv"}}
    names = set(GUARANTEES.find_names(Shape.RECORDS))
    asked = ask({name: files.get(name, {}) for name in names})
    assert set(asked.wanted) == names


@pytest.mark.parametrize(("people", "share", "standing"), [(24, 0.1, "promised"), (12, 0.0, "refuted")])
def test_population_uniqueness_is_promised_if_its_model_holds(
    people: int, share: float, standing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # the tenth to twelfth person stand alone in their towns: of a population of those twelve, a quarter is unique
    alone = PEOPLE.with_columns(pl.Series("town", [*"aaaabbbbb", *"cde"]))
    section = f"[guarantees.population-uniqueness]\nshare = {share}\npeople = {people}\n"
    status, answer = run_gate(tmp_path, section, capsys, PEOPLE if standing == "promised" else alone)
    said = [one for one in answer["statements"] if one["subject"] == "population-uniqueness"]
    assert [one["standing"] for one in said] == [standing]
    if standing == "promised":
        assert said[0]["assumes"].startswith("the population's classes have the sizes of the sample's")
        assert status != 2
    else:
        broken = "population-uniqueness: 0.25 of the population is estimated to be unique, 0 is allowed"
        assert any(one["detail"].startswith(broken) for one in answer["reasons"])
    certificates = [*(tmp_path / "gate").rglob("*certificate.json")]
    assert all(status_of(["verify", str(path)]) in (0, 3) for path in certificates)  # nobody signed them


STRANGER = dedent('''
    """Few rows. Against whom: nobody in particular. Source: a test."""
    from dataclasses import dataclass, field
    from typing import ClassVar
    from sekisho.data.shape import Shape
    from sekisho.safety.guarantee import Finding

    @dataclass(frozen=True, slots=True, kw_only=True)
    class FewRows:
        shapes: ClassVar = frozenset({Shape.RECORDS})
        most: int = field(default=10, metadata={"help": "How many.", "recipe": "most_rows"})

        def check(self, release):
            rows = int((~release.deleted).sum())
            return Finding(kept=rows <= self.most, worst=rows, wanted=self.most, where=(), words=f"{rows} rows")
''')


@pytest.mark.parametrize(
    ("section", "broken"),
    [("[guarantees.few-rows]\nmost = 5\n", ["few-rows: 12 rows"]), ("[guarantees]\nmost_rows = 20\n", [])],
)
def test_a_stranger_s_guarantee_is_asked_for_through_its_entry_point(
    section: str, broken: list[str], tmp_path: Path
) -> None:
    site = tmp_path / "site"
    (site / "stranger-1.0.dist-info").mkdir(parents=True)
    (site / "stranger.py").write_text(STRANGER)
    (site / "stranger-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    points = "[sekisho.guarantees]\nfew-rows = stranger:FewRows\n"
    (site / "stranger-1.0.dist-info" / "entry_points.txt").write_text(points)
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "recipe.toml").write_text(RECIPE + section)
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", ""), *sys.path])
    command = [sys.executable, "-m", "sekisho", "gate", "recipe.toml", "--out", "gate", "--seed", "1", "--json"]
    answer = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    reasons = json.loads(answer.stdout)["reasons"]
    assert [one["detail"] for one in reasons if one["rule"] == "guarantee broken"] == broken

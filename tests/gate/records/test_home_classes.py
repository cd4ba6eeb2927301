"""A class of five people of one home is one household: k and l are counted in households where the data tell them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.home_classes import HOUSEHOLDS
from sekisho.journey.run import pass_gate

RECIPE = """
shape = "records"
original = "homes.csv"
schema = "homes.schema.toml"
seed = 1
[[methods]]
name = "partition"
k = 5
[guarantees]
k = 5
l = 2
"""
COLUMNS = """
[[columns]]
name = "person_id"
role = "identifier"
[[columns]]
name = "town"
role = "quasi"
[[columns]]
name = "illness"
role = "sensitive"
"""


def write_homes(folder: Path, home: str, *, towns: int, schema: str) -> None:
    """Write sixty homes of five, one of whom is ill; homes have towns, so a class is one home where there are sixty."""
    lines = [f"P{row:03},H{row // 5:02},T{row // 5 % towns},{'i' if row % 5 == 0 else 'none'}" for row in range(300)]
    (folder / "homes.csv").write_text("\n".join([f"person_id,{home},town,illness", *lines]) + "\n")
    (folder / "homes.schema.toml").write_text(f'shape = "records"\n{COLUMNS}{schema}')
    (folder / "r.toml").write_text(RECIPE)


def list_reasons(folder: Path) -> list[str]:
    result = pass_gate(folder / "r.toml")
    assert result.outcome is not None
    assert result.outcome.verdict is Verdict.REVIEW
    return [str(reason.detail) for reason in result.reasons if reason.rule == HOUSEHOLDS]


@pytest.mark.parametrize(
    ("home", "schema"),
    [
        ("household_id", '[[columns]]\nname = "household_id"\nrole = "household"\n'),
        ("home", '[[columns]]\nname = "home"\nrole = "household"\n'),
        ("family", ""),
        ("世帯コード", ""),
    ],
)
def test_sixty_homes_are_sixty_classes(tmp_path: Path, home: str, schema: str) -> None:
    write_homes(tmp_path, home, towns=60, schema=schema)
    first, second = list_reasons(tmp_path)
    assert first.startswith(f"a class of equal keys holds 1 household by {home}, k = 5 is asked for")
    assert "1 different set of illness" in second


def test_twelve_homes_in_a_town_still_tell_what_a_home_has(tmp_path: Path) -> None:
    """Sixty people of twelve homes: k holds in households, but in each home one is ill."""
    write_homes(tmp_path, "household_id", towns=5, schema="")
    (only,) = list_reasons(tmp_path)
    assert "1 different set of illness" in only


def test_init_leaves_a_family_out(tmp_path: Path) -> None:
    lines = [f"P{row:03},FAM{row // 5:02},{'fm'[row % 2]},{20 + row // 5},{row % 3}" for row in range(300)]
    (tmp_path / "own.csv").write_text("\n".join(["person_id,family,sex,age,illness", *lines]) + "\n")
    assert status_of(["init", str(tmp_path / "own.csv"), "--out", str(tmp_path / "r.toml")]) == 0
    columns = tomllib.loads((tmp_path / "own.schema.toml").read_text())["columns"]
    assert {column["name"]: column["role"] for column in columns}["family"] == "household"

"""A file without rules is read, protected and judged without a contest: nothing of that room is even loaded.

A schema of one's own says how its file is written and how it is judged; only rules by name are a contest's.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ASK = """
import sys
from sekisho.cli import status_of
status = status_of(sys.argv[1:])
print(status, *sorted(name for name in sys.modules if name.startswith("sekisho.contest")))
"""
RECIPE = """
shape = "records"
original = "people.csv"
keys = ["age", "sex"]
[[methods]]
name = "partition"
k = 5
[guarantees]
k = 5
"""
RECORDS = """
shape = "records"
[[columns]]
name = "age"
kind = "integer"
[[columns]]
name = "sex"
[rounds.one]
iloss = 3
"""
HISTORY = """
shape = "history"
[[columns]]
name = "who"
role = "identifier"
[[columns]]
name = "what"
[verdict]
p = "1/4"
[contest]
zone = "Asia/Tokyo"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of a file of records, one of a history, their schemas and a recipe."""
    place = tmp_path_factory.mktemp("plain")
    rows = "".join(f"{20 + number % 40},{'fm'[number % 2]}\n" for number in range(80))
    (place / "people.csv").write_text(f"age,sex\n{rows}", "utf-8")
    (place / "visits.csv").write_text("who,what\n" + "".join(f"p{n % 9},{'abc'[n % 3]}\n" for n in range(45)), "utf-8")
    (place / "recipe.toml").write_text(RECIPE, "utf-8")
    (place / "records.toml").write_text(RECORDS, "utf-8")
    (place / "history.toml").write_text(HISTORY, "utf-8")
    return place


def list_loaded(folder: Path, command: str) -> tuple[int, list[str]]:
    """Return a command's status and the modules of contests that it loaded."""
    run = subprocess.run(
        [sys.executable, "-c", ASK, *command.split()], cwd=folder, capture_output=True, text=True, check=True
    )
    status, *modules = run.stdout.strip().splitlines()[-1].split()
    return int(status), modules


@pytest.mark.parametrize(
    "command",
    [
        "protect partition people.csv --keys age,sex --k 5 --out R.csv --report R.html --seed 1",
        "protect delete-random people.csv --schema records.toml --share 0.1 --out D.csv --deleted X.csv --seed 1",
        "protect pseudonymise visits.csv --schema history.toml --out A.csv --seed 1",
        "risk people.csv --schema records.toml --keys age,sex",
        "gate recipe.toml --out out --seed 1",
    ],
)
def test_no_contest_is_loaded_for_a_file_without_rules(folder: Path, command: str) -> None:
    status, modules = list_loaded(folder, command)
    assert status in {0, 1, 3}
    assert modules == []


def test_rules_by_name_are_a_contest_s(folder: Path) -> None:
    status, modules = list_loaded(folder, "protect pseudonymise people.csv --rules pwscup2018 --out A2.csv")
    assert status == 2  # the file is none of that contest's
    assert "sekisho.contest.rulebook" in modules

"""Every published standing of the later cups follows from what was measured in them.

A total or rank that a table prints is never read by the program: the tests compare with it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.contest.board.rules import AttackerRules, BoardRules
from sekisho.contest.board.tally import BoardResults, tally_round
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.tables.published import PublishedBoards, tally_folder

PRINTED = 1e-5
"""Figures of 2023 are printed with five decimals, cut or rounded."""


@pytest.fixture(scope="module")
def cups(shared: Callable[[str], Path]) -> Path:
    """Return where the official tables are."""
    return shared("cups")


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def tally(cups: Path, rules: str, folder: str) -> PublishedBoards:
    return tally_folder(cups / folder, read_tables_rules(rules))


@pytest.mark.parametrize(
    ("rules", "folder", "tables", "columns", "teams"),
    [
        ("pwscup2023", "2023", ("main_release", "main_attacker"), ("value", "value"), (15, 15)),
        ("pwscup2024", "2024", ("main_release", "main_attacker"), ("total", "top5"), (22, 22)),
        ("ipwscup2024", "ipws2024", ("release", "attacker"), ("total", "top5"), (10, 10)),
        ("pwscup2025", "2025", ("main_release", "main_attacker"), ("total", "top10"), (24, 24)),
    ],
)
def test_every_total_value_and_rank_of_a_final(
    cups: Path, rules: str, folder: str, tables: tuple[str, str], columns: tuple[str, str], teams: tuple[int, int]
) -> None:
    board = tally(cups, rules, folder).board
    releases, attackers = (read(cups / folder / f"{table}.csv") for table in tables)
    assert (len(releases), len(attackers)) == teams
    totals = {line.team: (float(line.total), line.rank) for line in board.releases}
    values = {line.team: (float(line.value), line.rank) for line in board.attackers}
    assert totals == {
        row["team"]: (pytest.approx(float(row[columns[0]]), abs=PRINTED), int(row["rank"])) for row in releases
    }
    assert values == {
        row["attacker"]: (pytest.approx(float(row[columns[1]]), abs=PRINTED), int(row["rank"])) for row in attackers
    }


def test_the_whole_contest_of_2024(cups: Path) -> None:
    overall = tally(cups, "pwscup2024", "2024").overall
    assert overall is not None
    releases, attackers = read(cups / "2024/main_release.csv"), read(cups / "2024/main_attacker.csv")
    assert {line.team: (float(line.total), line.rank) for line in overall.releases} == {
        row["team"]: (pytest.approx(float(row["overall"])), int(row["overall_rank"])) for row in releases
    }
    assert {line.team: (float(line.value), line.rank) for line in overall.attackers} == {
        row["attacker"]: (pytest.approx(float(row["overall"])), int(row["overall_rank"])) for row in attackers
    }


def test_every_release_and_attacker_of_2019(cups: Path) -> None:
    board = tally(cups, "pwscup2019", "2019").board
    releases = read(cups / "2019/final_release.csv")
    assert {line.team: float(line.total) for line in board.releases} == {
        row["team"]: pytest.approx(float(row["total"]), abs=1e-9) for row in releases
    }
    assert len(releases) == 21
    best = {line.rank: line.team for line in board.releases}
    assert (best[1], best[2], best[3]) == ("001", "009", "016")
    for name, first in (("id", "004"), ("trace", "002")):
        expected = read(cups / f"2019/final_attacker_{name}.csv")
        lines = [line for line in board.attackers if line.board == name]
        assert {line.team: float(line.value) for line in lines} == {
            row["attacker"]: pytest.approx(float(row["final_sum"]), abs=1e-9) for row in expected
        }
        assert len(lines) == 24
        assert [line.team for line in lines if line.rank == 1] == [first]
        assert sorted(line.team for line in lines if line.rank is None) == [f"{name[0].upper()}{n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("rules", "table"), [("pwscup2024", "2024/pre_phase.csv"), ("ipwscup2024", "ipws2024/phase.csv")]
)
def test_the_scores_of_a_phase_in_which_only_the_house_attacked(cups: Path, rules: str, table: str) -> None:
    book = read_tables_rules(rules)
    rows = [row for row in read(cups / table) if row["utility"] != "NA"]
    results = BoardResults(
        releases={row["team"]: {"utility": Fraction(row["utility"])} for row in rows},
        sets=frozenset((row["team"], "") for row in rows),
        attacks={
            ("protection", "sample-2024", (row["team"], "")): 100 - Fraction(row["sample_anonymity"]) for row in rows
        },
    )
    board = tally_round(results, book.board, book.contest.attackers or AttackerRules())
    assert {line.team: float(line.total) for line in board.releases} == {
        row["team"]: pytest.approx(float(row["phase_score"])) for row in rows
    }
    assert [line.rank for line in board.attackers if line.team == "sample-2024"] == [None]
    assert isinstance(book.board, BoardRules)


def test_the_command_gives_the_same_boards(cups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["contest", "board", "pwscup2025", "--results", str(cups / "2025"), "--json"]) == 0
    keys = json.loads(capsys.readouterr().out)
    assert {name: keys["releases"][0][name] for name in ("team", "total", "rank")} == {
        "team": "18",
        "total": 170.83,
        "rank": 1,
    }
    assert keys["attackers"][0] == {"team": "08", "value": 12113.0, "rank": 1}
    assert keys["overall"] is None

"""Every published standing of the later cups follows from what was measured in them.

A total or rank that a table prints is never read by the program: the tests compare with it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.contest.board.overall import WeighedRound, weigh_boards
from sekisho.contest.board.rules import AttackerRules, OwnRelease, RoundsBy
from sekisho.contest.board.tally import RoundBoard
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
    ("rules", "round_name", "table", "teams"),
    [("pwscup2024", "preliminary", "2024/pre_phase.csv", 19), ("ipwscup2024", "", "ipws2024/phase.csv", 10)],
)
def test_the_scores_of_a_phase_in_which_only_the_house_attacked(
    cups: Path, rules: str, round_name: str, table: str, teams: int
) -> None:
    path = cups / table
    board = tally_folder(path.parent, read_tables_rules(rules), round_name, before_attacks=True).board
    rows = [row for row in read(path) if row["utility"] != "NA"]
    assert len(rows) == teams
    assert {line.team: float(line.total) for line in board.releases if line.present} == {
        row["team"]: pytest.approx(float(row["phase_score"])) for row in rows
    }
    assert board.attackers == ()


def test_sums_over_all_releases_are_boards_of_another_rulebook(cups: Path) -> None:
    # the tables print beside the value that counts the sum over all others: over = 0, own left out
    for rules, folder, table in (
        ("pwscup2024", "2024", "main_attacker"),
        ("ipwscup2024", "ipws2024", "attacker"),
        ("pwscup2025", "2025", "main_attacker"),
    ):
        book = read_tables_rules(rules)
        attackers = replace(book.contest.attackers or AttackerRules(), over=None, over_in={}, own=OwnRelease.LEFT_OUT)
        board = tally_folder(cups / folder, replace(book, contest=replace(book.contest, attackers=attackers))).board
        assert {line.team: int(line.value) for line in board.attackers} == {
            row["attacker"]: int(row["sum_all"]) for row in read(cups / folder / f"{table}.csv")
        }


def test_a_folder_without_an_earlier_round_has_no_whole_contest(cups: Path) -> None:
    assert tally(cups, "pwscup2024", "2025").overall is None


def test_hits_of_2024_are_identifications_and_reconstructions(cups: Path) -> None:
    parts = {(row["target"], row["attacker"]): row for row in read(cups / "2024/main_attack_parts.csv")}
    hits = {(row["target"], row["attacker"]): int(row["hits"]) for row in read(cups / "2024/main_attack.csv")}
    assert hits == {key: int(row["identification"]) + int(row["reconstruction"]) for key, row in parts.items()}
    assert len(hits) == 462


def test_weighted_sums_of_2019(cups: Path) -> None:
    # the preliminary round's figures are told only in the sums: what is left of them is put in as that round's board
    book = read_tables_rules("pwscup2019")
    final = tally(cups, "pwscup2019", "2019").board
    releases = {row["team"]: row for row in read(cups / "2019/final_release.csv")}
    sums = {
        (name, row["attacker"]): row
        for name in ("id", "trace")
        for row in read(cups / f"2019/final_attacker_{name}.csv")
    }
    before = RoundBoard(
        releases=tuple(
            replace(line, total=Fraction(row["sum_total"]) - 9 * Fraction(row["total"]), present=True)
            for line in final.releases
            for row in [releases[line.team]]
        ),
        attackers=tuple(
            replace(line, value=Fraction(row["weighted_sum"]) - 9 * Fraction(row["final_sum"]))
            for line in final.attackers
            for row in [sums[line.board, line.team]]
        ),
    )
    assert all(-1e-9 < line.total <= 2 for line in before.releases)
    weights = {each.name: Fraction(repr(each.weight)) for each in book.contest.rounds}
    boards = [
        WeighedRound(name=name, weight=weights[name], board=board)
        for name, board in (("preliminary", before), ("final", final))
    ]
    rounds = book.contest.rounds_by or RoundsBy()
    overall = weigh_boards(boards, rounds, book.contest.attackers or AttackerRules(), book.board.house)
    assert {line.team: float(line.total) for line in overall.releases} == {
        team: pytest.approx(float(row["sum_total"]), abs=1e-8) for team, row in releases.items()
    }
    assert [line.team for line in overall.releases if line.rank == 1] == ["001"]
    assert {(line.board, line.team): float(line.value) for line in overall.attackers} == {
        key: pytest.approx(float(row["weighted_sum"]), abs=1e-8) for key, row in sums.items()
    }
    assert len(sums) == 48
    assert {line.board: line.team for line in overall.attackers if line.rank == 1} == {"id": "004", "trace": "002"}


def test_no_table_of_results_is_left_out(cups: Path) -> None:
    # a table or case that is added to the shared data must be asked for here, or by the tests named beside it
    tables = {path.relative_to(cups).as_posix() for path in cups.glob("*/*.csv")}
    assert tables == {
        *(f"2019/final_{name}.csv" for name in ("id", "trace", "release", "attacker_id", "attacker_trace", "utility")),
        *(f"2023/main_{name}.csv" for name in ("release", "attack", "attacker")),
        *(f"2024/main_{name}.csv" for name in ("release", "attack", "attacker", "attack_parts")),
        "2024/pre_phase.csv",
        "2024/sheets.csv",  # tests/utility/tables/test_sheets.py
        *(f"ipws2024/{name}.csv" for name in ("release", "attack", "attacker", "phase")),
        *(f"2025/main_{name}.csv" for name in ("release", "attack", "attacker")),
    }
    cases = {path.relative_to(cups).as_posix() for path in cups.glob("*/*") if path.is_dir()}
    assert cases == {
        *(f"2019/case-{name}" for name in ("copy", "mixed", "noise")),  # test_traces.py, in tests/utility/tables
        *(f"2023/case-{name}" for name in ("copy", "rewrite", "star")),  # test_secret_cells.py
        *(f"2024/case-{name}" for name in ("copy", "pram", "shuffle")),  # test_sheets.py
        "2025/world1",  # test_health_model.py
        "2026/world1",  # test_cohort.py
        "2026/attacks",  # test_cohort.py
    }


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

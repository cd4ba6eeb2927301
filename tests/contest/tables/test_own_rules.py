"""An organiser must get a rulebook of his own that works, every fault of it at once, and its standings beforehand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contest.tables.table_cups import read_rules

from sekisho.cli import status_of
from sekisho.contest.board.rules import OwnRelease
from sekisho.contest.rulebook import read_tables_rules


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of([*map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_rulebook_like_another_one_is_rehearsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "ours.toml"
    words = ["--like", "pwscup2024", "--name", "ours", "--round", "only=1", "--over", 2, "--own", "zero"]
    words += ["--choices", 1, "--floor", "utility=40,3", "--floor", "protection=50,2", "--zone", "UTC"]
    assert run(capsys, "contest", "init", *words, "--out", out)[0] == 0
    book = read_tables_rules(str(out))
    assert (book.name, book.contest.round_names, book.original.choices) == ("ours", ("only",), 1)
    assert book.contest.attackers is not None
    assert (book.contest.attackers.over, book.contest.attackers.own) == (2, OwnRelease.ZERO)
    assert dict(book.score.total.floors) == {"utility": (40, 3), "protection": (50, 2)}
    assert "choice" not in book.release_files
    status, answer = run(capsys, "contest", "check-rules", out, "--seed", 1)
    assert (status, answer["valid"]) == (0, True)
    standings = {each["team"]: each for each in answer["rehearsal"]["standings"]}
    # sheets as they are can be joined row by row; mixed ones cannot
    assert standings["as-is"]["rank"] == 3
    assert standings["mixed"]["rank"] == 1


@pytest.mark.parametrize("rules", ["ipwscup2024", "pwscup2019", "pwscup2023", "pwscup2025", "pwscup2026"])
def test_rulebooks_that_ship_are_rehearsed(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, answer = run(capsys, "contest", "check-rules", rules, "--seed", 1)
    assert status == 0
    assert {each["team"] for each in answer["rehearsal"]["standings"]} == {"as-is", "changed", "mixed"}
    standings = answer["rehearsal"]["standings"]
    assert any(each["total"] > 0 for each in standings)
    if rules in ("pwscup2019", "pwscup2026"):  # data as they are keep nothing from those who know where to look
        assert {each["team"]: each["total"] for each in standings}["as-is"] == 0


def test_every_fault_is_told_and_what_cannot_be_held_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "bad.toml"
    assert run(capsys, "contest", "init", "--like", "pwscup2023", "--name", "bad", "--out", out)[0] == 0
    out.write_text(
        out.read_text().replace('combine = "mean"', 'combine = "luck"').replace("secret = 10", "secret = -1")
    )
    status, answer = run(capsys, "contest", "check-rules", out, "--seed", 1)
    assert status == 1
    assert {error["column"] for error in answer["errors"]} >= {
        "score.total.combine",
        "contest.attackers.combine",
        "original.secret",
    }
    out.write_text(read_rules("pwscup2023").replace('answer = "cells"', 'answer = "poem"'))
    status, answer = run(capsys, "contest", "check-rules", out, "--seed", 1)
    assert (status, answer["valid"], answer["rehearsal"]) == (1, False, None)
    assert [error["column"] for error in answer["errors"]] == ["score.protection.1.answer"]
    status = status_of(["contest", "new", str(tmp_path / "x"), "--rules", "pwscup2026", "--original", str(out)])
    assert status == 2


@pytest.mark.parametrize(
    ("rules", "changes", "places"),
    [
        (
            "pwscup2024",
            {
                'measure = "pair-tables"': 'measure = "pear-tables"',
                "rows = 50": "rows = -3",
                'program = "sheet-join"': 'program = "luck"',
                'zone = "Asia/Tokyo"': 'zone = "Asia/Edo"',
                'own = "best-attack"': 'own = "best"',
                "least = 0": 'least = "x"',
            },
            [
                "answers.match.rows",
                "contest.attackers.own",
                "contest.zone",
                "house.sample-2024.program",
                "score.total.least",
                "score.utility.1.measure",
            ],
        ),
        (
            "pwscup2024",
            {"normaliser = 20000": "normalizer = 20000, foo = 1", 'house = ["sample-2024"]': 'house = ["nobody"]'},
            [
                "house.nobody.program",
                "score.utility.1.settings.foo",
                "score.utility.1.settings.normaliser",
                "score.utility.1.settings.normalizer",
            ],
        ),
        ("pwscup2025", {'members = "member"': ""}, ["original.members"]),
        ("pwscup2025", {'name = "model"': 'name = "modl"'}, ["release.parts"]),
        ("pwscup2025", {'name = "choice"': 'name = "chose"'}, ["release.parts"]),
        ("pwscup2023", {"secret = 10": "secret = 0"}, ["original.secret"]),
        ("pwscup2023", {'name = "seed"': 'name = "sead"'}, ["release.parts"]),
        ("pwscup2019", {'sets = ["01", "02"]': ""}, ["score.protection.1.part", "score.protection.2.part"]),
        ("pwscup2026", {"permutations = 20000": "permutations = 0"}, ["answers.confidence.permutations"]),
        ("pwscup2026", {"challenges = 326": "challenges = 1"}, ["answers.interval.challenges"]),
    ],
)
def test_blocks_that_there_are_not_and_what_they_do_not_know_are_told_at_once(
    rules: str, changes: dict[str, str], places: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "bad.toml"
    out.write_text(read_rules(rules, **changes))
    status, answer = run(capsys, "contest", "check-rules", out, "--seed", 1)
    assert (status, answer["valid"]) == (1, False)
    assert sorted(error["column"] for error in answer["errors"]) == places


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({'outcome = "asthma_flag"': 'outcome = "asthma"'}, "lr-diff"),
        ({'target = "stroke_flag"': 'target = "stroke"'}, "stroke"),
        ({'group = "AGE"': 'group = "YEARS"'}, "kw-diff"),
    ],
)
def test_columns_that_there_are_not_are_told_by_the_rehearsal(
    change: dict[str, str], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "bad.toml"
    out.write_text(read_rules("pwscup2025", **change))
    status, answer = run(capsys, "contest", "check-rules", out, "--seed", 1)
    assert (status, answer["valid"], len(answer["errors"])) == (1, False, 1)
    assert word in answer["errors"][0]["message"]


def test_what_counts_rows_is_put_in_proportion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # of 500 rows a pair table is at most 1,000 apart, and 500 members can be hit: a point is five of them, not 100
    for like in ("pwscup2024", "pwscup2025"):
        out = tmp_path / f"{like}.toml"
        assert run(capsys, "contest", "init", "--like", like, "--name", "ours", "--rows", 500, "--out", out)[0] == 0
    assert read_tables_rules(str(tmp_path / "pwscup2024.toml")).score.utility[0].settings["normaliser"] == 1000
    marks = read_tables_rules(str(tmp_path / "pwscup2025.toml")).score.protection[0]
    assert (marks.most, marks.per) == (500, 5)
    # in the rehearsal of 120 rows data as they are keep nothing: every member is hit
    _, answer = run(capsys, "contest", "check-rules", "pwscup2025", "--seed", 1)
    totals = {each["team"]: each["total"] for each in answer["rehearsal"]["standings"]}
    assert totals["as-is"] < 100 < totals["changed"]


def test_a_terminal_is_asked_for_what_no_option_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"Like which": "pwscup2025", "called": "town", "title": "Our town", "rounds": "only=1", "rows": "500"}
    seen: list[str] = []

    def answer(question: str, *, default: str) -> str:
        seen.append(question)
        return next((reply for word, reply in told.items() if word in question), default)

    monkeypatch.setattr("typer.prompt", answer)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    out = tmp_path / "ours.toml"
    assert status_of(["contest", "init", "--own", "zero", "--out", str(out), "--language", "en"]) == 0
    capsys.readouterr()
    book = read_tables_rules(str(out))
    assert (book.name, book.title.en, book.contest.round_names) == ("town", "Our town", ("only",))
    assert (book.score.protection[0].most, book.score.total.combine) == (500, "sum")
    assert book.contest.attackers is not None
    # what an option says is not asked; what is answered with nothing stays as it is
    assert (book.contest.attackers.own, book.contest.attackers.over) == (OwnRelease.ZERO, 10)
    assert not any("own release" in question for question in seen)

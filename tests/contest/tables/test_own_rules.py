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
    words += ["--choices", 1, "--floor", "utility=60,3", "--zone", "UTC"]
    assert run(capsys, "contest", "init", *words, "--out", out)[0] == 0
    book = read_tables_rules(str(out))
    assert (book.name, book.contest.round_names, book.original.choices) == ("ours", ("only",), 1)
    assert book.contest.attackers is not None
    assert (book.contest.attackers.over, book.contest.attackers.own) == (2, OwnRelease.ZERO)
    assert dict(book.score.total.floors) == {"utility": (60, 3)}
    assert "choice" not in book.release_files
    status, answer = run(capsys, "contest", "check-rules", out, "--seed", 1)
    assert (status, answer["valid"]) == (0, True)
    standings = {each["team"]: each for each in answer["rehearsal"]["standings"]}
    # sheets as they are can be joined row by row; mixed ones cannot
    assert standings["as-is"]["rank"] == 3
    assert standings["mixed"]["rank"] == 1


@pytest.mark.parametrize("rules", ["pwscup2019", "pwscup2023", "pwscup2025", "pwscup2026"])
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
    assert (status, answer["valid"], answer["rehearsal"]) == (3, True, None)
    status = status_of(["contest", "new", str(tmp_path / "x"), "--rules", "pwscup2026", "--original", str(out)])
    assert status == 2

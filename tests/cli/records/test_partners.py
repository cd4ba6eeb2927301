"""``sekisho partners`` lists the candidates of a contest's records and of any file of records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.records.files import write_records
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed


def answer(capsys: pytest.CaptureFixture[str], *line: object, status: int = 0) -> dict[str, Any]:
    assert status_of([*map(str, line), "--json"]) == status
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def clients(tmp_path: Path) -> Path:
    path = tmp_path / "clients.csv"
    path.write_text("years;town;smokes\n30;a;y\n31;a;y\n33;b;y\n70;b;n\n")
    return path


def test_a_file_of_ones_own(capsys: pytest.CaptureFixture[str], clients: Path, tmp_path: Path) -> None:
    # rows 0 and 1 differ by 1 year; 1 and 2 by 2 years and a town; 0 and 2 by 3 years; 3 is alone
    out = tmp_path / "P.csv"
    found = answer(capsys, "partners", clients, "--limit", 2, "--few", 1, "--out", out, "--first", 1)
    assert (found["records"], found["min"], found["max"], found["none"]) == (4, 0, 2, 1)
    assert (found["limit"], found["few"], found["at_most_few"]) == (2.0, 1, 3)
    assert out.read_text() == "record,partners,first\n0,1,1\n1,2,0\n2,1,1\n3,0,\n".replace("3,0,\n", '3,0,""\n')
    assert answer(capsys, "partners", clients, "--limit", 2, "--columns", "years")["none"] == 1
    assert status_of(["partners", str(clients), "--limit", "2"]) == 0
    assert "4 records have at most 25 partners, 1 have none" in capsys.readouterr().out


def test_the_rules_say_columns_and_limit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "B.csv"
    rules = read_record_rules("pwscup2021")
    path.write_bytes(write_records(health_records(200, rng=Seed(1).rng()), rules))
    final = answer(capsys, "partners", path, "--rules", "pwscup2021")
    early = answer(capsys, "partners", path, "--rules", "pwscup2021", "--round", "preliminary")
    assert (final["limit"], early["limit"]) == (4.0, 6.0)
    assert early["mean"] > final["mean"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "limit must be given, at least 0, where no rules say it"),
        (["--limit", "-1"], "limit must be given, at least 0"),
        (["--limit", "2", "--first", "3"], "first must be asked for together with --out"),
        (["--limit", "2", "--rules", "pwscup2018"], "records"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    capsys: pytest.CaptureFixture[str], clients: Path, more: list[str], words: str
) -> None:
    assert status_of(["partners", str(clients), *more]) == 2
    assert words in capsys.readouterr().err

"""A tree is offered, shown and checked by command: in the writing that ``--tree`` reads, with all faults at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

ZIPS = ("0600001", "0600002", "0610001", "1000001", "1000002")
JOBS = ("会社員", "公務員", "無職")


@pytest.fixture
def patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a made-up file of a hospital: CP932, Japanese eras, leading zeros, gaps, two rare jobs."""
    lines = ["患者,生年月日,郵便番号,職業,年齢"]
    for place in range(150):
        job = {7: "力士", 8: "宮司", 9: ""}.get(place, JOBS[place % 3])
        born = "" if place == 5 else f"昭和{30 + place % 20}年{1 + place % 12}月{1 + place % 28}日"
        lines.append(f"P{place:03},{born},{ZIPS[place % 5]},{job},{20 + place % 60}")
    (tmp_path / "patients.csv").write_bytes("\r\n".join(lines).encode("cp932"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], line: str, status: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert status_of([*line.split(), "--json"]) == status
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("column", "first", "rule"),
    [
        ("生年月日", "1955-01-01;1955-01;", "date"),
        ("郵便番号", "0600001;060;06;*", "code"),
        ("職業", "会社員;会社員;*", "category"),
        ("年齢", "20;20-", "number"),
    ],
)
def test_a_tree_is_offered_written_and_fits_its_data(
    patients: Path, capsys: pytest.CaptureFixture[str], column: str, first: str, rule: str
) -> None:
    offered = answer(capsys, f"tree propose patients.csv --id 患者 --column {column} --out t.tree.csv")
    assert rule in offered["rule"]
    assert (patients / "t.tree.csv").read_text(encoding="utf-8").startswith(first)
    assert (patients / "t.rule.toml").exists()
    checked = answer(capsys, f"tree check t.tree.csv --data patients.csv --id 患者 --column {column}")
    assert (checked["valid"], checked["unused"]) == (True, 0)
    again = answer(capsys, f"tree show t.tree.csv --data patients.csv --id 患者 --column {column}")
    assert again["steps"] == offered["steps"]
    assert again["rule"] == offered["rule"]
    assert answer(capsys, f"tree propose patients.csv --id 患者 --column {column} --out t.tree.csv", 2)["error"]
    line = f"protect lattice patients.csv --id 患者 --keys {column} --tree {column}=t.tree.csv --k 2 --suppress 0.2"
    assert status_of([*line.split(), "--out", "R.csv", "--seed", "1"]) in {0, 3}


def test_rare_values_are_told_by_name(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del patients
    assert status_of(["tree", "propose", "patients.csv", "--column", "職業", "--language", "ja"]) == 0
    shown = capsys.readouterr().out
    assert "その他: 力士, 宮司" in shown or "その他: 宮司, 力士" in shown
    assert "書き出していません" in shown


@pytest.mark.parametrize(
    ("column", "options", "line"),
    [
        ("年齢", "--width 10 --low 30 --high 70 --joins 2", "20;<30;<30;*"),
        ("年齢", "--edges 40,65", "20;<40;*"),
        ("年齢", "--quantiles 2", "20;<45;*"),  # 3 people of each age up to 49: 75 are below 45
        ("生年月日", "--units=year", "1955-01-01;1955;*"),
        ("郵便番号", "--lengths 2", "0600001;06;*"),
        ("職業", "--rare 2", "会社員;会社員;*"),
    ],
)
def test_steps_are_made_as_they_are_asked_for(patients: Path, column: str, options: str, line: str) -> None:
    assert status_of(f"tree propose patients.csv --column {column} {options} --out t.csv".split()) == 0
    first = (patients / "t.csv").read_text(encoding="utf-8")
    assert first.startswith(line)
    again = f"tree propose patients.csv --column {column} --rule t.rule.toml --out again.csv"
    assert status_of(again.split()) == 0
    assert (patients / "again.csv").read_text(encoding="utf-8") == first


def test_other_keys_are_counted_at_their_steps(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del patients
    for column, name in (("年齢", "age"), ("郵便番号", "zip")):
        assert status_of(f"tree propose patients.csv --column {column} --out {name}.csv".split()) == 0
    line = "tree show age.csv --data patients.csv --column 年齢 --keys 年齢,郵便番号"
    fine = answer(capsys, line)["steps"]
    coarse = answer(capsys, f"{line} --tree 郵便番号=zip.csv --step 郵便番号=9")["steps"]
    alone = answer(capsys, "tree show age.csv --data patients.csv --column 年齢")["steps"]
    assert [step["classes"] for step in coarse] == [step["classes"] for step in alone]
    assert fine != coarse


def test_all_faults_of_a_tree_and_its_data_are_told_at_once(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (patients / "t.csv").write_text("会社員;x;*\n公務員;x;+\n会社員;x;*\n", encoding="utf-8")
    refused = answer(capsys, "tree check t.csv --data patients.csv --column 職業", 2)
    faults = [(fault["row"], fault["rule"], fault["value"]) for fault in refused["errors"]]
    assert sorted(faults) == [
        (2, "one parent", "x"),
        (3, "doubled", "会社員"),
        (3, "leaf", "無職"),
        (8, "leaf", "力士"),
        (9, "leaf", "宮司"),
    ]
    (patients / "t.csv").write_text("会社員;x;*\n公務員;x;*\n", encoding="utf-8")
    shown = answer(capsys, "tree show t.csv --data patients.csv --column 職業")
    assert set(shown["missing_in_tree"]) == {"力士", "宮司", "無職"}


def test_a_tree_alone_shows_its_steps(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (patients / "t.hrc").write_text("N\n@a\n@b\nS\n@c\n")
    shown = answer(capsys, "tree show t.hrc")
    assert [(step["values"], step["shown"]) for step in shown["steps"]] == [
        (3, ["a", "b", "c"]),
        (2, ["N", "S"]),
        (1, ["Total"]),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "tree propose patients.csv --column nobody",
        "tree propose patients.csv --column 年齢 --width 5 --lengths 2",
        "tree propose patients.csv --column 年齢 --joins 2",
        "tree propose patients.csv --column 年齢 --units year",
        "tree propose patients.csv --column 生年月日 --units week",
        "tree propose patients.csv --column 郵便番号 --lengths 2,x",
        "tree propose patients.csv --column 年齢 --out patients.csv",
        "tree show t.csv",
        "tree show patients.csv --keys a",
        "tree show ok.csv --keys a",
        "tree show ok.csv --data patients.csv",
        "tree show ok.csv --data patients.csv --column 年齢 --step 職業=1",
        "tree show ok.csv --data patients.csv --column 年齢 --keys 職業 --step 職業",
        "tree show ok.csv --data patients.csv --column 年齢 --keys 職業 --step 職業=x",
    ],
)
def test_what_makes_no_sense_is_refused(patients: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    (patients / "ok.csv").write_text("20;x;*\n")
    assert answer(capsys, line, 2)["error"]

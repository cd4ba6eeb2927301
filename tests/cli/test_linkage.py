"""The contest of 2021 must run from the command line, and bad files must be told everything at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sekisho.attack.records.referee import DoubtfulRecord
from sekisho.cli import status_of
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import read_record_rules, read_rulebook
from sekisho.data.records.files import write_records
from sekisho.data.synthetic.health import HEALTH, health_records
from sekisho.errors import ParameterError
from sekisho.seeds import Seed

RULES = read_record_rules("pwscup2021")
DATA = health_records(600, rng=Seed(2).rng())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("B.csv").write_bytes(write_records(DATA, RULES))
    words = "protect swap B.csv --rules pwscup2021 --out D.csv --deleted X.csv --seed 1 --few 30"
    assert status_of(words.split()) in {0, 1}
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of([*words.split(), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_the_rulebook_has_both_rounds_and_the_columns_of_health() -> None:
    assert RULES.schema == HEALTH
    assert (RULES.rounds["preliminary"].iloss, RULES.rounds["final"].iloss) == (6, 4)
    assert (RULES.find_round("").delta, RULES.find_round("preliminary").delta) == (0.01, 0)
    with pytest.raises(ParameterError, match="final"):
        RULES.find_round("semi")
    assert isinstance(read_rulebook("pwscup2018"), HistoryRules)
    with pytest.raises(ParameterError, match="records"):
        read_record_rules("pwscup2018")


def test_from_protection_to_judgement(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = "--original B.csv --released D.csv --deleted X.csv"
    assert told(capsys, f"check pwscup2021 {files}") == (0, {"valid": True, "errors": [], "count": 0})
    status, found = told(capsys, f"utility pwscup2021 {files}")
    assert {"rate", "odds", "cor", "iloss", "uniqrt", "conditions"} <= found.keys()
    assert status == (0 if all(part["met"] for part in found["conditions"].values()) else 1)
    assert found["conditions"]["iloss"] == {"value": found["iloss"], "limit": 4, "met": True}
    assert told(capsys, f"utility pwscup2021 {files} --round preliminary")[1]["conditions"]["iloss"]["limit"] == 6
    told(capsys, "draw-test-set pwscup2021 --original B.csv --deleted X.csv --out CT.csv --answers Ea.csv --seed 3")
    known, answers = Path("CT.csv").read_text().splitlines(), Path("Ea.csv").read_text().splitlines()
    assert len(known) == len(answers) == 100
    _, attack = told(
        capsys, "attack nearest --rules pwscup2021 --original CT.csv --published D.csv --out E.csv --seed 1"
    )
    assert {"claimed", "expected_hits"} <= attack.keys()
    assert told(capsys, "check pwscup2021 --original B.csv --published D.csv --guess E.csv")[0] == 0
    status, judged = told(capsys, "judge pwscup2021 --answers Ea.csv --guess E.csv")
    assert status == 0
    plain = (judged["recall"] + 0.01) * (judged["precision"] + 0.01) * (judged["topk"] + 0.01)
    assert judged["risk"] == pytest.approx(plain, abs=1e-12)
    before = told(capsys, "judge pwscup2021 --answers Ea.csv --guess E.csv --round preliminary")[1]
    assert before["risk"] == pytest.approx(judged["recall"] * judged["precision"] * judged["topk"], abs=1e-12)
    assert judged["risk_without_delta"] == before["risk"]
    assert folder.exists()


def test_a_shuffled_release_is_judged_like_an_ordered_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "publish pwscup2021 --released D.csv --out D1.csv --truth O.csv --seed 5")
    rows, moved = Path("D.csv").read_text().splitlines(), Path("D1.csv").read_text().splitlines()
    order = [int(line) for line in Path("O.csv").read_text().splitlines()]
    assert all(moved[order[row]] == line for row, line in enumerate(rows))
    assert moved != rows
    pick = "draw-test-set pwscup2021 --original B.csv --deleted X.csv --out CT.csv --seed 3 --answers"
    told(capsys, f"{pick} Ea.csv")
    told(capsys, f"{pick} Eb.csv --order O.csv")
    plain, shuffled = (np.loadtxt(name, dtype=int) for name in ("Ea.csv", "Eb.csv"))
    assert (shuffled[plain >= 0] == np.array(order)[plain[plain >= 0]]).all()
    Path("O.csv").write_text("0\n0\n")
    assert told(capsys, f"{pick} Ea.csv --order O.csv")[0] == 2
    assert folder.exists()


def rules_told(found: dict[str, Any]) -> set[tuple[int, str, str]]:
    return {(fault["row"], fault["column"], fault["rule"]) for fault in found["errors"]}


def test_every_fault_of_d_and_x_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("D.csv").read_text().splitlines()
    first = lines[0].split(",")
    first[0], first[1], first[8] = "Man", "86", "3"
    lines[0], lines[1] = ",".join(first), lines[1] + ",7"
    second = lines[2].split(",")
    second[1], second[5], second[6] = "12.9", "75.5", "2"
    lines[2] = ",".join(second)
    Path("D.csv").write_text("\n".join(lines[:-1]) + "\n")
    gone = Path("X.csv").read_text().splitlines()
    gone[1], gone[2], gone[3], gone[4] = gone[0], "600", "-1", "two"
    Path("X.csv").write_text("\n".join(gone) + "\n")
    status, found = told(capsys, "check pwscup2021 --original B.csv --released D.csv --deleted X.csv")
    assert status == 1
    assert not found["valid"]
    places = {(row, column) for row, column, _ in rules_told(found)}
    assert places == {
        (0, ""),
        (1, "gen"),
        (1, "age"),
        (1, "gh"),
        (2, ""),
        (3, "age"),
        (3, "bmi"),
        (3, "dep"),
        (2, "X"),
        (3, "X"),
        (4, "X"),
        (5, "X"),
    }
    assert folder.exists()


def test_an_age_of_too_many_decimals_is_told_the_limit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("D.csv").read_text().splitlines()
    first = lines[0].split(",")
    first[1] = "34.1234567"
    Path("D.csv").write_text("\n".join([",".join(first), *lines[1:]]) + "\n")
    status, found = told(capsys, "check pwscup2021 --original B.csv --released D.csv --deleted X.csv")
    assert (status, found["count"]) == (1, 1)
    limit = "a decimal of at most 6 digits before the point and 6 after it"
    assert found["errors"][0]["message"] == f"age '34.1234567' is not {limit}"
    assert folder.exists()


def test_every_fault_of_e_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["0,1,2"] * 99
    lines[0], lines[1], lines[2], lines[3], lines[4] = "0,1,2,3", "-1,3,4", "1.5,2,3", "9999,1,2", "-2,0,1"
    Path("E.csv").write_text("\n".join(lines) + "\n")
    status, found = told(capsys, "check pwscup2021 --original B.csv --published D.csv --guess E.csv")
    assert status == 1
    assert rules_told(found) == {
        (0, "", "rows"),
        (1, "", "columns"),
        (2, "", "mixture"),
        (3, "answer 1", "integer"),
        (4, "answer 1", "range"),
        (5, "answer 1", "range"),
    }
    assert folder.exists()


def test_a_value_that_b_lacks_is_refused_and_whole_floats_are_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path("B.csv").read_text().replace("Separated", "Married")
    Path("B.csv").write_text(text)
    lines = Path("D.csv").read_text().replace("Separated", "Married").splitlines()
    cells = lines[0].split(",")
    cells[6], cells[11] = "0.0", "1.0"
    lines[0] = ",".join(cells)
    Path("D.csv").write_text("\n".join(lines) + "\n")
    files = "--original B.csv --released D.csv --deleted X.csv"
    assert told(capsys, f"check pwscup2021 {files}")[0] == 0
    cells[4] = "Separated"
    lines[0] = ",".join(cells)
    Path("D.csv").write_text("\n".join(lines) + "\n")
    assert rules_told(told(capsys, f"check pwscup2021 {files}")[1]) == {(1, "mar", "domain")}
    assert folder.exists()


def test_missing_options_and_foreign_adversaries_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        "judge pwscup2021 --guess E.csv",
        "utility pwscup2021 --original B.csv --released D.csv",
        "protect swap B.csv --out D.csv",
        "attack chance --rules pwscup2021 --original B.csv --published D.csv --out E.csv",
        "attack nearest --rules pwscup2018 --original B.csv --published D.csv --out E.csv",
        "check pwscup2021 --original B.csv --released D.csv --guess X.csv",
    ):
        assert status_of(words.split()) == 2
        assert capsys.readouterr().err.strip()
    assert folder.exists()


@pytest.mark.parametrize(("hit", "called"), [(1, 0.16329), (0.1, 0.15865), (0.01, 0.15819), (0.0001, 0.15814)])
def test_the_seeds_decision_table(hit: float, called: float, capsys: pytest.CaptureFixture[str]) -> None:
    # (1.01)(0.51)(0.99 * 0.3 + 0.01 p + 0.01) against (1.00)(0.51)(0.31) = 0.15810, and 0.51 * 0.307 = 0.15657 as
    # judged.
    _, found = told(capsys, f"decide-membership {hit}")
    assert round(found["called"], 5) == called
    assert round(found["left_out"], 5) == 0.15810
    assert round(found["left_out_judged"], 5) == 0.15657
    assert found["call"]


def test_sure_misses_are_better_left_out_when_precision_can_rise() -> None:
    assert not DoubtfulRecord(hit=0, others=1, share=0.5, delta=0.9).call
    with pytest.raises(ParameterError, match="hit"):
        DoubtfulRecord(hit=2)


@pytest.mark.parametrize(
    ("former", "today"),
    [("doubt 0.1", "decide-membership"), ("pick pwscup2021 --original B.csv", "draw-test-set")],
)
def test_verbs_of_the_version_before_say_what_they_are_called_now(
    former: str, today: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, answer = told(capsys, former)
    assert status == 2
    assert f"must be given as {today}, its name since this version" in answer["error"]
    assert status_of([*former.split(), "--language", "ja"]) == 2
    assert f"この版からの名前 {today}" in capsys.readouterr().err

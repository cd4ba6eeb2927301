"""An organiser's folder must be evaluated whole: bad files named, everybody else judged, the same bytes every time."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contest.folder.cup import RULES, write_cup

from sekisho.cli import status_of
from sekisho.contest.folder.evaluation import evaluate_folder, write_table
from sekisho.contest.ledger import read_ledger, write_ledger
from sekisho.contest.referee import replay
from sekisho.contest.standing import digest_standings, gather_round, rank_round


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    write_cup(folder)
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of([*map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_malformed_release_is_named_and_costs_only_its_team(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, answer = run(capsys, "contest", "evaluate", cup, "--rules", "pwscup2018")
    assert status == 0
    assert {error["file"] for error in answer["errors"]} == {"releases/bad.csv"}
    assert {(error["row"], error["column"]) for error in answer["errors"]} == {(3, ""), (5, "quantity")}
    assert set(answer["errors"][0]) == {"file", "row", "column", "rule", "value", "message"}
    standings = {each["team"]: each for each in answer["standings"]}
    assert standings["bad"] | {"breaks": []} == {
        "team": "bad",
        "rank": None,
        "utility": None,
        "survives": False,
        "broken_by": [],
        "breaks": [],
    }
    assert standings["bad"]["breaks"] == ["raw"]  # who has no valid release still attacks
    assert standings["raw"]["broken_by"] == ["bad", "more", "pairs", "triples"]
    ranked = [each for each in answer["standings"] if each["rank"]]
    assert [each["rank"] for each in ranked] == [1, 2, 3]
    assert [each["utility"] for each in ranked] == sorted(each["utility"] for each in ranked)
    assert all(each["survives"] for each in ranked)
    assert answer["matrix"]["pairs"]["raw"]["effective"]
    assert "raw" not in answer["matrix"]["raw"]
    assert answer["missing"] == []


def test_scores_are_those_of_utility_and_judge(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys, "contest", "evaluate", cup, "--rules", "pwscup2018")[1]
    files = ("--original", cup / "original.csv", "--released", cup / "releases" / "triples.csv")
    utility = run(capsys, "utility", "pwscup2018", *files)[1]["utility"]
    assert utility == next(each["utility"] for each in answer["standings"] if each["team"] == "triples")
    judged = run(capsys, "judge", "pwscup2018", *files, "--guess", cup / "guesses" / "raw-on-triples.csv")[1]
    cell = answer["matrix"]["raw"]["triples"]
    assert {key: judged[key] for key in cell} == cell


def test_every_file_of_the_result_is_written_and_the_same_each_time(
    cup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = run(capsys, "contest", "evaluate", cup, "--rules", "pwscup2018")[1]["digest"]
    first = {path.name: path.read_bytes() for path in (cup / "result").iterdir()}
    assert set(first) == {"matrix.csv", "standings.csv", "standings.json", "report.html", "ledger.jsonl"}
    assert run(capsys, "contest", "evaluate", cup, "--rules", "pwscup2018")[1]["digest"] == digest
    assert {path.name: path.read_bytes() for path in (cup / "result").iterdir()} == first
    assert json.loads(first["standings.json"])["digest"] == digest
    page = first["report.html"].decode()
    wrong = ("the line has 2 cells, not 5", "行のセルは 5 個ではなく 2 個です")
    for words in ("Standings", "順位表", "Who attacked whom", "的中数と基準値", "releases/bad.csv", digest, *wrong):
        assert words in page
    matrix = list(csv.reader(io.StringIO(first["matrix.csv"].decode("utf-8-sig"))))
    assert matrix[0][:4] == ["attacker", "target", "claimed", "hits"]
    assert len(matrix) == 1 + 16  # five attackers, four releases, not one's own


def test_the_ledger_of_an_evaluation_replays_to_its_standings(cup: Path) -> None:
    evaluation = evaluate_folder(cup, RULES)
    events, _ = read_ledger(evaluation.ledger, "ledger")
    assert write_ledger(events) == evaluation.ledger
    state = replay(events)
    again = rank_round(gather_round(state, "final"), state.contest.ranking)
    assert digest_standings(again) == evaluation.digest


def test_what_is_misnamed_missing_or_not_allowed_is_said(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "cup"
    shutil.copytree(cup, folder)
    (folder / "releases" / "notes.txt").write_text("hello")
    (folder / "releases" / "folder.csv").mkdir()
    (folder / "guesses" / "raw-on-raw.csv").write_text("")
    (folder / "guesses" / "raw-on-nobody.csv").write_text("")
    (folder / "guesses" / "raw-at-pairs.csv").write_text("")
    (folder / "guesses" / "pairs-on-bad.csv").write_text("")
    (folder / "guesses" / "pairs-on-raw.csv").unlink()
    (folder / "guesses" / "more-on-raw.csv").write_text("1,nobody\n")
    status, answer = run(capsys, "contest", "evaluate", folder, "--rules", "pwscup2018")
    assert status == 0
    errors = {error["file"]: error["rule"] for error in answer["errors"]}
    assert errors["releases/notes.txt"] == errors["guesses/raw-at-pairs.csv"] == "name"
    assert errors["guesses/raw-on-raw.csv"] == errors["guesses/raw-on-nobody.csv"] == "target"
    assert errors["releases/folder.csv"] == "file"
    assert errors["guesses/more-on-raw.csv"] == "unknown"
    assert answer["skipped"] == ["guesses/pairs-on-bad.csv"]
    assert {"attacker": "pairs", "target": "raw"} in answer["missing"]
    assert next(each for each in answer["standings"] if each["team"] == "raw")["broken_by"] == ["bad", "triples"]


def drop_releases(folder: Path) -> None:
    shutil.rmtree(folder / "releases")


def drop_original(folder: Path) -> None:
    (folder / "original.csv").unlink()


def spoil_original(folder: Path) -> None:
    (folder / "original.csv").write_text("a,b\n")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (drop_releases, "no such file"),
        (drop_original, "no such file"),
        (spoil_original, "2 cells"),
        (shutil.rmtree, "no such folder"),
    ],
)
def test_without_the_organisers_own_files_there_is_no_answer(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[[Path], object], words: str
) -> None:
    folder = tmp_path / "cup"
    shutil.copytree(cup, folder)
    spoil(folder)
    status, answer = run(capsys, "contest", "evaluate", folder, "--rules", "pwscup2018")
    assert status == 2
    assert words in answer["error"]


def test_a_round_that_the_rules_do_not_have_is_refused(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, answer = run(capsys, "contest", "evaluate", cup, "--rules", "pwscup2018", "--round", "semi")
    assert status == 2
    assert "preliminary, final" in answer["error"]
    assert run(capsys, "contest", "evaluate", cup, "--rules", "pwscup2018", "--round", "preliminary")[0] == 0


def test_a_cell_that_a_spreadsheet_would_run_is_escaped() -> None:
    table = write_table(("team", "x"), [("=1+1", -2), ("@a", None), ("a", True), ("-b", 0.5)]).decode("utf-8-sig")
    assert table.splitlines() == ["team,x", "'=1+1,-2", "'@a,", "a,yes", "'-b,0.5"]


OWN = """shape = "history"
[[columns]]
name = "who"
role = "identifier"
[[columns]]
name = "what"
kind = "category"
[[columns]]
name = "n"
kind = "integer"
"""


def test_a_contest_over_data_of_ones_own_needs_a_schema_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("releases", "guesses"):
        (tmp_path / name).mkdir()
    (tmp_path / "own.toml").write_text(OWN)
    rows = [f"p{number % 12},item{number * number % 5},{1 + number % 7}" for number in range(40)]
    (tmp_path / "original.csv").write_text("\n".join(["who,what,n", *rows]) + "\n")
    for method, team in (("similar-length", "ann"), ("pseudonymise", "bob")):
        out = tmp_path / "releases" / f"{team}.csv"
        line = ("protect", method, tmp_path / "original.csv", "--schema", tmp_path / "own.toml", "--out", out)
        assert run(capsys, *line, "--seed", 1)[0] == 3  # nothing proves that nobody is found
    told = run(capsys, "contest", "evaluate", tmp_path, "--rules", tmp_path / "own.toml")
    assert told[0] == 0
    assert [(each["team"], each["rank"]) for each in told[1]["standings"]] == [("bob", 1), ("ann", 2)]
    assert told[1]["missing"] == [{"attacker": "ann", "target": "bob"}, {"attacker": "bob", "target": "ann"}]


def test_a_folder_without_files_has_no_standings(tmp_path: Path, cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "releases").mkdir()
    shutil.copy(cup / "original.csv", tmp_path)
    status, answer = run(capsys, "contest", "evaluate", tmp_path, "--rules", "pwscup2018")
    assert (status, answer["standings"], answer["matrix"], answer["errors"]) == (0, [], {}, [])
    assert "nobody is ranked" in (tmp_path / "result" / "report.html").read_text()
    assert run(capsys, "contest", "evaluate", tmp_path)[0] == 2  # no rules

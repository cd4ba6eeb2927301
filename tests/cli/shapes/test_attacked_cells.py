"""Attacks on recoded files from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of

PEOPLE = "id,age,town\np,20,a\nq,24,b\nr,40,c\ns,41,c\n"
RELEASE = "age,town\n[20;24],north\n[20;24],north\n>=40,c\n>=40,c\n"
TREE = "a,north\nb,north\nc,south\nnorth,all\nsouth,all\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("people.csv", PEOPLE), ("R.csv", RELEASE), ("tree.csv", TREE)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_prosecutor_names_rows_of_a_recoded_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "attack prosecutor --original people.csv --id id --published R.csv --tree town=tree.csv --out G.csv --seed 1"
    assert status_of([*line.split(), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    # two classes of two: 4 claims at 1/2; blindly each claim is right once in 4 rows
    assert (answer["claimed"], answer["expected_hits"], answer["by_chance"]) == (4, 2.0, 1.0)
    lines = (folder / "G.csv").read_text().splitlines()
    assert lines[0] == "record,person,chance"
    assert [line.split(",")[1] for line in lines[1:]] == ["p", "q", "r", "s"]
    assert all(line.endswith(",0.5") for line in lines[1:])


def test_a_label_without_its_tree_is_said_and_everything_is_admitted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "attack nearest-cell --original people.csv --published R.csv --keys town --out G.csv --seed 1"
    assert status_of(line.split()) == 0
    said = capsys.readouterr()
    assert "'north' is no value, set or label; taken as any of 2 values that are not written otherwise" in said.err
    assert "4 of 4 people named" in said.out
    assert (folder / "G.csv").read_text().splitlines()[1].split(",")[1] == "1"  # by their rows from 1


def test_cells_that_mean_nothing_are_refused_all_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "R.csv").write_text("age,town\nyoung,a\n[9;,b\n")
    line = "attack prosecutor --original people.csv --published R.csv --out G.csv --seed 1"
    assert status_of([*line.split(), "--json"]) == 2
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert [(error["row"], error["value"]) for error in errors] == [(1, "young"), (2, "[9;")]
    assert not (folder / "G.csv").exists()


def test_who_knows_a_part_reads_ranges_and_sets_without_being_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "R.csv").write_text('age,town\n[20;24],"{a;b}"\n[20;24],"{a;b}"\n>=41,c\n[30;40],*\n')
    line = "attack partial-knowledge --original people.csv --id id --published R.csv --out G.csv --seed 1"
    assert status_of([*line.split(), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    # p and q fit two rows each; r fits the last only, s the third only, and these fit nobody else
    assert (answer["claimed"], answer["expected_hits"], answer["known"]) == (2, None, 4)
    assert (folder / "G.csv").read_text() == "record,person,chance\n4,r,\n3,s,\n"
    # what he believes of each claim, where it is said how many records there are
    assert status_of([*line.split(), "--records", "9"]) == 0
    assert "2 of 4 people named" in capsys.readouterr().out


def test_who_knows_a_part_reads_labels_by_their_tree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "R.csv").write_text("town\nnorth\nsouth\n")
    line = "attack partial-knowledge --original people.csv --id id --published R.csv --tree town=tree.csv --out G.csv"
    assert status_of([*line.split(), "--known", "4", "--keys", "town", "--json"]) == 0
    # two people fit each row: nobody is named
    assert json.loads(capsys.readouterr().out)["claimed"] == 0
    assert (folder / "G.csv").read_text() == "record,person,chance\n"


def test_values_that_only_look_like_cells_are_texts_as_they_stand(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "people.csv").write_text("id,pay\np,<=50K\nq,>50K\nr,*\n")
    (folder / "R.csv").write_text("pay\n<=50K\n*\n")
    line = "attack partial-knowledge --original people.csv --id id --published R.csv --out G.csv --seed 1"
    assert status_of(line.split()) == 0
    assert "2 claims" in capsys.readouterr().out
    assert sorted((folder / "G.csv").read_text().splitlines()) == ["1,p,", "2,r,", "record,person,chance"]

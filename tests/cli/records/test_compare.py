"""Releases of one file beside one another: what is counted, what is only hoped, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

PEOPLE = "id,age,town,ill\np,20,a,no\nq,24,b,flu\nr,40,c,no\ns,41,c,flu\n"
CLASSES = "age,town,ill\n[20;24],{a;b},no\n[20;24],{a;b},flu\n[40;41],c,no\n[40;41],c,flu\n"
LABELS = "ill,town,age\nflu,south,>=40\nno,south,>=40\nno,north,<=24\n"
TREE = "a,north\nb,north\nc,south\nnorth,all\nsouth,all\n"
LINE = "compare people.csv A.csv B.csv --id id --keys age,town --sensitive ill --tree town=tree.csv --seed 1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"people.csv": PEOPLE, "A.csv": CLASSES, "B.csv": LABELS, "tree.csv": TREE, "X.csv": "1\n", "N.csv": ""}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(capsys: pytest.CaptureFixture[str], line: str, status: int = 3) -> dict[str, Any]:
    """Return the answer; where nobody says what must hold, nothing is accounted for."""
    assert status_of([*line.split(), "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_before_and_after_by_hand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, f"{LINE} --deleted A.csv=N.csv --report c.html")
    before, (first, second) = answer["original"], answer["releases"]
    assert (before["k"], before["uniques"], before["classes"], before["l"]) == (1, 4, 4, 1)
    assert (first["k"], first["uniques"], first["classes"], first["l"]) == (2, 0, 2, 2)
    # half of the whole is ill: a class of one is 1/2 away, a class of one each not at all
    assert (before["t"], first["t"]) == (0.5, 0.0)
    # B lacks a record; its classes are those of its texts: two of >=40,south and one of <=24,north
    assert (second["rows"], second["left_out"], second["k"], second["uniques"]) == (3, 1, 1, 1)
    assert before["measures"]["ncp"] == 0.0
    # age: 4/21, 4/21, 1/21, 1/21; town by the tree: north covers two of three leaves, 1/2, twice, 0 twice
    assert first["measures"]["ncp"] == pytest.approx((10 / 21 / 4 + 1 / 4) / 2)
    assert "classifier of ill" in first["measures"]
    assert (folder / "c.html").read_text().count("<svg") > 4


def test_where_the_order_is_known_hits_are_counted_elsewhere_they_are_hoped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = ask(capsys, f"{LINE} --deleted A.csv=N.csv")
    assert folder.exists()
    before, (first, second) = answer["original"], answer["releases"]
    told = [(one["adversary"], one["keys"]) for one in first["attacks"]]
    assert told == [
        ("prosecutor", ["age", "town"]),
        ("prosecutor", ["age"]),
        ("nearest-cell", ["age", "town"]),
        ("partial-knowledge", ["age", "town"]),
    ]
    # the original gives everybody away; two classes of two give one hit each
    assert (before["attacks"][0]["right"], before["attacks"][0]["expected"]) == (4, 4.0)
    assert (first["attacks"][0]["claimed"], first["attacks"][0]["expected"]) == (4, 2.0)
    assert first["attacks"][0]["low"] <= first["attacks"][0]["right"] / 4 <= first["attacks"][0]["high"]
    assert first["attacks"][0]["by_chance"] == 1.0
    # in B the two of 24 and less share the only row of the north, the others two: 1 + 1 + 1/2 + 1/2, of which 1 is hopeless
    hoped = second["attacks"][0]
    assert (hoped["claimed"], hoped["hoped"], hoped["right"], hoped["expected"]) == (4, 3.0, None, None)


def test_deleted_rows_say_whose_the_others_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "B.csv").write_text("ill,town,age\nno,north,<=24\nno,south,>=40\nflu,south,>=40\n")
    attack = ask(capsys, f"{LINE} --deleted B.csv=X.csv")["releases"][1]["attacks"][0]
    # q was left out: he is named all the same, wrongly, and counts nothing: 1 + 1/2 + 1/2
    assert (attack["claimed"], attack["hoped"], attack["expected"]) == (4, 3.0, 2.0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"{LINE} --in-order", "B.csv: the file has 3 rows, the original 4; say with --deleted which are left out"),
        (LINE.replace("age,town", "age,height"), "--keys: people.csv: has no column height; it has id, age, town, ill"),
        (LINE.replace("--sensitive ill", "--sensitive age"), "keys must be at least one, distinct, and not sensitive"),
        (f"{LINE} --known ill", "known must be keys, not [('ill',)]"),
        (f"{LINE} --deleted C.csv=X.csv", "deleted must name one of the releases (A.csv, B.csv), not ['C.csv']"),
        (f"{LINE} --deleted X.csv", "deleted must be NAME=FILE, once for each name, not 'X.csv'"),
        (LINE.replace("B.csv", "A.csv"), "releases must each be named once"),
        (f"{LINE} --people 0", "--people"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    assert status_of([*line.split(), "--report", "c.html"]) == 2
    assert words in capsys.readouterr().err
    assert not (folder / "c.html").exists()


def test_faults_of_all_releases_are_told_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "A.csv").write_text(CLASSES.replace("[20;24]", "young"))
    (folder / "B.csv").write_text("height\n1\n")
    errors = ask(capsys, LINE, status=2)["errors"]
    assert [error["message"] for error in errors] == [
        "A.csv: age 'young' is no number, range, tail or label",
        "A.csv: age 'young' is no number, range, tail or label",
        "B.csv: the file has no column of the original",
    ]


def test_words_for_people_and_both_languages_on_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*LINE.split(), "--report", "c.html"]) == 3
    words = capsys.readouterr().out
    assert "A.csv: age, town: others may know it" in words
    assert "Classes of equal keys" in words
    assert "prosecutor (all keys)" in words
    assert "prosecutor (age)" in words
    page = (folder / "c.html").read_text()
    assert '<span lang="ja">加工データの比較</span>' in page
    assert "Risk against loss" in page
    assert "リスクと情報損失" in page
    assert "before and after" in page
    assert "What leaves, and why it may" in page
    assert "公開されるものと、その根拠" in page


@pytest.mark.usefixtures("folder")
def test_a_release_of_which_all_is_accounted_for_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    line = LINE.replace("A.csv B.csv", "A.csv")
    closed = ask(capsys, f"{line} --k 2 --l 2", status=0)["releases"][0]
    assert closed["account_closed"]
    covers = "2 keyed (k-anonymity 2, counted), 1 secret (l-diversity of ill 2, counted), 1 left out"
    assert closed["account_words"].endswith(covers)
    asked_more = ask(capsys, f"{line} --k 3 --l 2")["releases"][0]
    assert {entry["cover"] for entry in asked_more["account"] if entry["column"] in {"age", "town"}} == {"open"}
    learnt = ask(capsys, f"{line} --k 2")["releases"][0]
    assert [entry["column"] for entry in learnt["account"] if entry["cover"] == "open"] == ["ill"]


def test_t_heeds_the_order_of_sensitive_numbers_whatever_their_texts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pay.csv").write_text("age,pay\n20,9\n20,10\n40,9\n40,100\n")
    (folder / "P.csv").write_text("age,pay\n[20;40],9\n[20;40],10\n[20;40],9\n[20;40],100\n")
    # every age is all of 20 to 40, so that the key tells nothing: of hardly any use, as the gate has it
    answer = ask(capsys, "compare pay.csv P.csv --keys age --sensitive pay --seed 1", status=3)
    assert answer["warnings"] == ["P.csv: the release is of hardly any use: NCP 1.000, of at most 1"]
    # 9, 10, 100 have shares 1/2, 1/4, 1/4; both classes of two have 9: |1/2 - 1/2| + |1 - 3/4| and 0 + 1/4, over 2
    assert answer["original"]["t"] == pytest.approx(1 / 8)
    assert answer["releases"][0]["t"] == 0.0

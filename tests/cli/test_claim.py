"""``sekisho claim`` answers by its exit status, and keeps proven, not proven and refuted apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.seeds import Seed


@pytest.fixture
def history(tmp_path: Path) -> Path:
    data = SyntheticHistory(customers=30, items=100, median_rows=8).draw(rng=Seed(3).rng())
    (tmp_path / "T.csv").write_bytes(write_original(data, read_history_rules("pwscup2018")))
    return tmp_path


def make_release(folder: Path, k: int) -> list[str]:
    original, released = str(folder / "T.csv"), str(folder / f"A{k}.csv")
    made = ["protect", "similar-length", original, "--rules", "pwscup2018", "--k", str(k), "--seed", "1"]
    assert status_of([*made, "--out", released]) == 0
    return ["claim", "pwscup2018", "--original", original, "--released", released]


@pytest.mark.parametrize(("k", "status", "holds"), [(3, 1, False), (7, 0, True)])
def test_threes_do_not_hold_and_sevens_do(
    history: Path, capsys: pytest.CaptureFixture[str], k: int, status: int, *, holds: bool
) -> None:
    call = make_release(history, k)
    capsys.readouterr()
    assert status_of([*call, "--json"]) == status
    answer = json.loads(capsys.readouterr().out)
    assert answer["holds"] is holds
    # 1/3! = 1/6 against 1/27, and 1/7! = 1/5040 against 1/2187.
    assert answer["worst"]["size"] == k
    assert answer["worst"]["chance"] == pytest.approx({3: 1 / 6, 7: 1 / 5040}[k])
    assert answer["worst"]["allowed"] == pytest.approx(3.0**-k)
    assert "drawn at random" in answer["assumes"]
    assert sum(each["size"] * each["classes"] for each in answer["classes"]) == 30


def test_people_read_the_fractions(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = make_release(history, 3)
    capsys.readouterr()
    status_of(call)
    words = capsys.readouterr().out
    assert "the claim does not hold" in words
    assert "named whole with 1/3! = 1/6, allowed (1/3)^3 = 1/27" in words


def test_another_p_asks_for_other_classes(history: Path) -> None:
    call = make_release(history, 4)
    assert status_of([*call, "--p", "1/2"]) == 0  # 4! = 24 >= 16
    assert status_of([*call, "--p", "0.4"]) == 1  # 24 < 39.06
    assert status_of([*call, "--p", "2"]) == 2


def test_what_is_not_proven_is_for_a_person(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything but the pseudonym suppressed: nobody can tell who is who, but classes differ by their length."""
    original = (history / "T.csv").read_text().splitlines()
    owner = {line.split(",")[0] for line in original[:1]}
    lines = ["5,*,*,*,*" if line.split(",")[0] in owner else "*,*,*,*,*" for line in original]
    (history / "A.csv").write_text("".join(f"{line}\n" for line in lines))
    call = ["claim", "pwscup2018", "--original", str(history / "T.csv"), "--released", str(history / "A.csv")]
    assert status_of([*call, "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert (answer["holds"], answer["standing"]) == (None, "not proven")


def test_records_have_no_such_claim(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = make_release(history, 3)
    call[1] = "pwscup2021"
    capsys.readouterr()
    assert status_of(call) == 2
    assert "pwscup2021" in capsys.readouterr().err


def test_the_least_k_that_proves_the_claim_is_taken(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = ["protect", "similar-length", str(history / "T.csv"), "--rules", "pwscup2018", "--seed", "1"]
    released = str(history / "A.csv")
    assert status_of([*made, "--safe", "claim", "--out", released, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["k"], answer["claim"]) == (7, "holds")
    assert status_of(["claim", "pwscup2018", "--original", str(history / "T.csv"), "--released", released]) == 0


@pytest.mark.parametrize("extra", [["--safe", "claim", "--attackers", "5"], ["--confidence", "0.9"]])
def test_what_does_not_suit_a_proof_is_refused(
    history: Path, capsys: pytest.CaptureFixture[str], extra: list[str]
) -> None:
    made = ["protect", "similar-length", str(history / "T.csv"), "--rules", "pwscup2018", "--seed", "1", *extra]
    assert status_of([*made, "--out", str(history / "A.csv")]) == 2
    assert "must be given with --safe union or --safe exact" in capsys.readouterr().err


def test_fewer_people_than_a_proof_needs_is_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = SyntheticHistory(customers=6, items=100, median_rows=8).draw(rng=Seed(3).rng())
    (tmp_path / "T.csv").write_bytes(write_original(data, read_history_rules("pwscup2018")))
    made = ["protect", "similar-length", str(tmp_path / "T.csv"), "--rules", "pwscup2018", "--seed", "1"]
    assert status_of([*made, "--safe", "claim", "--out", str(tmp_path / "A.csv")]) in {1, 2}
    assert "7" in capsys.readouterr().err
    assert not (tmp_path / "A.csv").exists()


@pytest.mark.parametrize(
    ("names", "labels", "sign"),
    [
        ("5 4 3 2 1 10 7 6", "5 4 3 2 1 10 7 6", "equal"),
        ("15 14 13 12 11 10 17", "51 41 31 21 11 1 71", "equal"),
        ("5 4 3 2 1 10 7 6", "1005 1004 1003 1002 1001 1010 1007 1006", "rising"),
        ("5 4 3 2 1 10 7 6", "95 96 97 98 99 90 93 94", "falling"),
        ("3 8 5 1 7 2 6 4", "11 12 13 14 15 16 17 18", "rising"),
    ],
)
def test_pseudonyms_that_tell_names_prove_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: str, labels: str, sign: str
) -> None:
    """Seven or eight customers alike, which would hold if their pseudonyms had been drawn at random."""
    for file, column in (("T.csv", names), ("A.csv", labels)):
        (tmp_path / file).write_text("".join(f"{each},2010/1/1,A,1,1\n" for each in column.split()))
    call = ["claim", "pwscup2018", "--original", str(tmp_path / "T.csv"), "--released", str(tmp_path / "A.csv")]
    assert status_of([*call, "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert (answer["holds"], answer["pseudonyms"]["sign"]) == (None, sign)
    assert status_of(call) == 3
    assert "hardly drawn at random" in capsys.readouterr().out
    mixed = labels.split()
    mixed[0], mixed[2], mixed[5], mixed[6] = mixed[5], mixed[6], mixed[2], mixed[0]
    (tmp_path / "A.csv").write_text("".join(f"{each},2010/1/1,A,1,1\n" for each in mixed))
    assert status_of(call) == 0

"""Several releases attacked together from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of

PEOPLE = "age,town\n31,a\n33,b\n"
FIRST = "age,town,illness\n[31;32],{a;b},hiv\n[31;32],{a;b},flu\n[33;34],{a;b},burn\n[33;34],{a;b},flu\n"
SECOND = "age,town,illness\n[31;34],a,cold\n[31;34],a,hiv\n[31;34],b,burn\n[31;34],b,gout\n"
CALL = "attack composition --original people.csv --published R1.csv R2.csv --keys age,town"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("people.csv", PEOPLE), ("R1.csv", FIRST), ("R2.csv", SECOND)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_two_safe_releases_tell_values_together(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"{CALL} --sensitive illness --stable illness --k 2 --overlap 2"
    assert status_of([*line.split(), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["least_candidates"], answer["alone"], answer["disclosed"]) == (1, 2, 2)
    release = {"least_alone": 2, "disclosed_alone": 0, "least_joint": 1, "disclosed_joint": 2}
    assert answer["releases"] == [release, release]
    assert (answer["linked_by"], answer["people"], answer["unsettled"]) == (["illness"], 2, 0)
    assert answer["own"] == {"least_candidates": 1, "alone": 2, "disclosed": 2}
    assert (answer["chance"]["largest"], answer["chance"]["overlap"]) == (1.0, 2)
    assert answer["against"] == {"method": "rule", "people": "one", "present": "all"}
    assert status_of(line.split()) == 1
    assert "safe alone, unsafe together" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_what_changes_links_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    line = [*CALL.split(), "--sensitive", "illness", "--stable", "", "--k", "2"]
    assert status_of(line) == 0
    assert "they tell no more together than each alone" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_stable_columns_that_nobody_named_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(CALL.split()) == 3
    assert "linked by all columns that several releases share, taken as stable: illness" in capsys.readouterr().out


def test_originals_of_each_time_are_bound_by_an_id(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "T1.csv").write_text("id,age,town\np,31,a\nq,32,a\nr,33,b\ns,34,b\n")
    (folder / "T2.csv").write_text("id,age,town\nu,34,a\np,32,a\nr,33,b\nv,31,b\n")  # p is older now
    line = "attack composition --original T1.csv --original T2.csv --id id --published R1.csv R2.csv --keys age,town"
    assert status_of([*line.split(), "--sensitive", "illness", "--stable", "illness", "--in-order", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["people"], answer["alone"], answer["disclosed"]) == (6, 2, 2)
    assert answer["own"] == {"least_candidates": 1, "alone": 2, "disclosed": 2}
    line = line.replace(" --id id", "")
    assert status_of(line.split()) == 2
    assert "it binds the people" in capsys.readouterr().err


def _write_schema(path: Path, columns: dict[str, str]) -> None:
    lines = "".join(f'[[columns]]\nname = "{name}"\n{text}\n' for name, text in columns.items())
    path.write_text(f'shape = "records"\n[file]\nencoding = "cp932"\nheader_line = 2\n{lines}')


def test_a_schema_says_what_an_office_wrote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # a title, names, dates of the imperial calendar, towns with leading zeros; p and r as above, born 1995 and 1993
    title, header = "令和8年9月 患者一覧\r\n", "番号,氏名,生年月日,町,病名\r\n"
    first = "01,佐藤,H7.1.1,01,胃炎\r\n02,鈴木,H6.1.1,01,風邪\r\n03,高橋,H5.1.1,02,喘息\r\n04,田中,H4.1.1,02,風邪\r\n"
    second = "01,佐藤,H7.1.1,01,胃炎\r\n05,伊藤,H4.1.1,01,痛風\r\n03,高橋,H5.1.1,02,喘息\r\n06,中村,H7.1.1,02,腰痛\r\n"
    (folder / "T1.csv").write_bytes((title + header + first).encode("cp932"))
    (folder / "T2.csv").write_bytes((title + header + second).encode("cp932"))
    later, older = "[1994-01-01;1995-01-01]", "[1992-01-01;1993-01-01]"
    released = f"生年月日,町,病名\r\n{later},01,胃炎\r\n{later},01,風邪\r\n{older},02,喘息\r\n{older},02,風邪\r\n"
    (folder / "R1.csv").write_bytes(released.encode("cp932"))
    whole = "[1992-01-01;1995-01-01]"
    released = f"生年月日,町,病名\r\n{whole},01,胃炎\r\n{whole},01,痛風\r\n{whole},02,喘息\r\n{whole},02,腰痛\r\n"
    (folder / "R2.csv").write_bytes(released.encode("cp932"))
    roles = {"番号": 'role = "identifier"', "生年月日": 'kind = "date"\nformat = "wareki"', "町": 'kind = "category"'}
    columns = {**roles, "病名": 'kind = "category"\nrole = "sensitive"'}
    _write_schema(folder / "office.toml", columns)
    line = "attack composition --original T1.csv --original T2.csv --schema office.toml --published R1.csv R2.csv"
    assert status_of([*line.split(), "--stable", "病名", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["people"], answer["alone"], answer["disclosed"], answer["unexplained"]) == (6, 2, 2, 0)
    assert answer["releases"][0]["least_alone"] == 2
    columns |= {"町": 'kind = "category"\nrole = "sensitive"'}
    _write_schema(folder / "office.toml", columns)
    assert status_of(line.split()) == 2
    assert "町, 病名" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("--keys age,shoe", "has no column shoe"),
        ("--sensitive wealth", "be columns of the releases"),
        ("--sensitive age", "not be a key"),
        ("--overlap 9 --stable illness", "lie between 1 and 2"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*CALL.split(), *given.split()]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_who_contradicts_every_row_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("people.csv").write_text("age,town\n31,a\n60,a\n")
    assert status_of([*CALL.split(), "--stable", ""]) == 3
    assert "1 people have no candidate" in capsys.readouterr().out


SCHEMA = 'shape = "history"\n[[columns]]\nname = "who"\nrole = "identifier"\n[[columns]]\nname = "item"\n'
MONTHS = {
    "T1.csv": "who,item\np,a\nq,a\nr,b\ns,b\n",
    "T2.csv": "who,item\np,c\nr,c\nq,c\n",
    "A1.csv": "who,item\n11,a\n12,a\n13,b\n14,b\n",
    "A2.csv": "who,item\n11,c\n13,c\n12,c\n",
}
HISTORY = "attack composition --schema s.toml --original T1.csv --original T2.csv --published A1.csv A2.csv"


@pytest.fixture
def months(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (*MONTHS.items(), ("s.toml", SCHEMA)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("months")
def test_being_there_is_a_key_where_pseudonyms_stay(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*HISTORY.split(), "--k", "2", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["least_candidates"], answer["alone"], answer["blocks"]) == (1, 2, [[0, 1]])  # r is there, s is not
    assert [each["least_alone"] for each in answer["releases"]] == [2, 3]
    assert status_of([*HISTORY.split(), "--k", "2", "--blocks", "1,2"]) == 0
    assert "2 blocks of pseudonyms: least candidates 2" in capsys.readouterr().out


@pytest.mark.usefixtures("months")
def test_keys_do_not_suit_histories(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*HISTORY.split(), "--keys", "item"]) == 2
    assert "--keys does not suit histories" in capsys.readouterr().err

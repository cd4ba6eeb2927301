"""People are counted, never rows: the unit of an account at the gate, at ``protect`` and from Python."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import sekisho
from sekisho.cli import status_of
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.identity.row_owner import OwnerRank, RowOwner
from sekisho.errors import SekishoError
from sekisho.gate.account.account import Unit, UnitOrigin
from sekisho.gate.account.unit import check_unit, find_unit
from sekisho.journey.run import pass_gate

REASON = "each visit stands for itself in this survey"
RECIPE = """
title = "visits"
shape = "records"
original = "visits.csv"
schema = "visits.schema.toml"
seed = 1
{unit}
[[methods]]
name = "partition"
k = 5
[guarantees]
k = 5
"""
SCHEMA = """
shape = "records"
[[columns]]
name = "sex"
role = "quasi"
[[columns]]
name = "town"
role = "quasi"
"""


def write_visits(folder: Path, header: str = "patient_id", *, visits: int = 6) -> Path:
    """Write 240 rows of 240/visits patients, each six visits by default, and a schema that leaves the patient out."""
    lines = [
        f"C{row:03},P{row // visits:03},{'fm'[row // visits % 2]},{'ab'[row // visits // 2 % 2]}" for row in range(240)
    ]
    (folder / "visits.csv").write_text("\n".join([f"case_no,{header},sex,town", *lines]) + "\n")
    (folder / "visits.schema.toml").write_text(SCHEMA)
    return folder / "visits.csv"


def pass_visits(folder: Path, unit: str = "") -> sekisho.GateResult:
    (folder / "visits.toml").write_text(RECIPE.format(unit=unit))
    return pass_gate(folder / "visits.toml", out=folder / "out")


def test_a_column_that_is_left_out_is_asked_all_the_same(tmp_path: Path) -> None:
    """60 rows a class, ten patients: k = 60 rows says nothing of people before somebody settles whose rows they are."""
    write_visits(tmp_path)
    result = pass_visits(tmp_path)
    assert result.outcome is not None
    account = result.outcome.best.account
    assert account.unit == Unit(who="patient_id", origin=UnitOrigin.OPEN, people=40, rows=240)
    assert not account.is_closed
    assert (str(result.outcome.verdict), result.public) == ("review", {})
    said = str(account.describe())
    assert "240 rows belong to 40 people by patient_id" in said


def test_one_row_a_person_is_known(tmp_path: Path) -> None:
    write_visits(tmp_path, visits=1)
    result = pass_visits(tmp_path)
    assert result.outcome is not None
    assert result.outcome.best.account.unit == Unit(who="patient_id", origin=UnitOrigin.KNOWN, people=240, rows=240)
    assert str(result.outcome.verdict) == "release"


def test_a_person_may_say_why_a_row_is_a_person(tmp_path: Path) -> None:
    write_visits(tmp_path)
    result = pass_visits(tmp_path, f'unit = {{row = "{REASON}"}}')
    assert result.outcome is not None
    assert result.outcome.best.account.unit == Unit(origin=UnitOrigin.SAID, people=240, rows=240)
    assert str(result.outcome.verdict) == "release"


@pytest.mark.parametrize("unit", ['unit = {row = "x"}', f'unit = {{patient = "{REASON}"}}'])
def test_one_letter_is_no_reason(tmp_path: Path, unit: str) -> None:
    write_visits(tmp_path)
    with pytest.raises(SekishoError):
        pass_visits(tmp_path, unit)


def test_protect_asks_the_same(tmp_path: Path) -> None:
    source = write_visits(tmp_path)
    call = ["protect", "partition", str(source), "--schema", str(tmp_path / "visits.schema.toml"), "--k", "5"]
    assert status_of([*call, "--out", str(tmp_path / "a.csv")]) == 3
    assert status_of([*call, "--out", str(tmp_path / "b.csv"), "--unit", f"row={REASON}"]) == 0


def test_python_asks_the_same(tmp_path: Path) -> None:
    frame = pl.read_csv(write_visits(tmp_path))
    made = sekisho.protect(frame, keys=["sex", "town"], k=5, drop=["case_no", "patient_id"], seed=1)
    assert made.made.candidate.account.unit == Unit(who="patient_id", origin=UnitOrigin.OPEN, people=40, rows=240)


def test_init_never_calls_visits_one_row_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing tells an event of these rows, so they stay records, and whose they are is asked."""
    source = write_visits(tmp_path)
    assert status_of(["init", str(source), "--out", str(tmp_path / "r.toml"), "--force"]) == 0
    words = capsys.readouterr().out
    assert "records: one row a person" not in words
    assert "patient_id says whose a row is and repeats: 40 people have 240 rows" in words
    assert status_of(["gate", str(tmp_path / "r.toml"), "--out", str(tmp_path / "out")]) == 3


def test_whoever_holds_the_data_may_name_the_column() -> None:
    schema = Schema(
        (Column(name="q", kind=Kind.CATEGORY, role=Role.IDENTIFIER), Column(name="sex", kind=Kind.CATEGORY))
    )
    data = Dataset(pl.DataFrame({"q": [f"x{row}" for row in range(30)], "sex": ["f", "m", "f"] * 10}), schema)
    assert find_unit(data) == Unit(who="q", origin=UnitOrigin.KNOWN, people=30, rows=30)
    nobody = RowOwner(column="", people=30, rows=30, rank=OwnerRank.NOBODY)
    assert find_unit(data, owner=nobody) == Unit(origin=UnitOrigin.SAID, people=30, rows=30)


def test_a_unit_speaks_of_rows() -> None:
    check_unit({"row": REASON})
    with pytest.raises(SekishoError):
        check_unit({"row": "yes"})

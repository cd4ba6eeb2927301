"""Whose the rows of microdata are is settled before anything is counted: by a column, by a reason, or asked."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from sekisho.errors import ParameterError
from sekisho.tables.files.records import RecordSource
from sekisho.tables.files.row_unit import RowUnit, UnitGround

REASON = "one return a firm and year, each year a table"


def write(path: Path, **columns: list[str]) -> Path:
    pl.DataFrame(columns).write_csv(path)
    return path


def settle(source: Path, contributor: str = "", dims: tuple[str, ...] = ("region",)) -> RowUnit:
    read = RecordSource(dims=dims, contributor=contributor).read_table(source)
    assert read.unit is not None
    return read.unit


REGIONS = list("NS" * 12)


def test_a_column_that_repeats_is_the_contributor(tmp_path: Path) -> None:
    source = write(tmp_path / "f.csv", region=REGIONS, firm=[f"F{at // 4}" for at in range(24)])
    unit = settle(source)
    assert (unit.column, unit.ground, unit.owners, unit.rows) == ("firm", UnitGround.COLUMN, 6, 24)
    # six firms, four rows each; the table counts rows, its contributors are firms
    table = RecordSource(dims=("region",)).read_table(source).table
    assert table.frequency[table.position["Total",]] == 6
    assert table.value[table.position["Total",]] == 24


def test_whoever_holds_the_data_may_say_why_rows_count(tmp_path: Path) -> None:
    source = write(tmp_path / "f.csv", region=REGIONS, firm=[f"F{at // 4}" for at in range(24)])
    unit = settle(source, f"row={REASON}")
    assert (unit.column, unit.ground, unit.owners, unit.reason) == ("", UnitGround.HOLDER, 24, REASON)
    for short in ("row", "row=", "row=x", "row=nineteen letters  "):
        with pytest.raises(ParameterError, match="a reason of at least 20 letters"):
            settle(source, short)


def test_rows_are_known_to_be_one_each_by_a_column_that_is_all_distinct(tmp_path: Path) -> None:
    source = write(tmp_path / "f.csv", region=REGIONS, firm=[f"F{at}" for at in range(24)])
    unit = settle(source)
    assert (unit.column, unit.known_by, unit.ground) == ("", "firm", UnitGround.COLUMN)
    nothing = settle(write(tmp_path / "n.csv", region=REGIONS))
    assert (nothing.column, nothing.ground, nothing.list_doubts()) == ("", UnitGround.NOTHING, [])


def test_of_owners_that_nest_the_coarsest_contributes(tmp_path: Path) -> None:
    people, homes = [f"P{at // 2}" for at in range(24)], [f"H{at // 6}" for at in range(24)]
    source = write(tmp_path / "h.csv", region=REGIONS, person=people, household=homes)
    assert settle(source).column == "household"
    # each person in several households: nobody knows which of them contributes
    crossed = write(tmp_path / "c.csv", region=REGIONS, person=people, household=[f"H{at % 4}" for at in range(24)])
    unit = settle(crossed)
    assert (unit.column, unit.ground) == ("", UnitGround.DOUBT)
    assert set(unit.doubted) == {"person", "household"}


def test_codes_of_a_few_rows_each_are_asked_about(tmp_path: Path) -> None:
    source = write(tmp_path / "k.csv", region=REGIONS, k=[f"A{at // 4:03d}" for at in range(24)])
    unit = settle(source)
    assert (unit.column, unit.ground, unit.doubted) == ("", UnitGround.DOUBT, ("k",))
    (doubt,) = unit.list_doubts()
    assert "k may tell contributors apart" in doubt
    assert settle(source, "k").list_doubts() == []
    assert settle(source, f"row={REASON}").list_doubts() == []


def test_a_dimension_that_names_contributors_is_told(tmp_path: Path) -> None:
    source = write(tmp_path / "f.csv", region=REGIONS, firm=[f"F{at // 4}" for at in range(24)])
    unit = settle(source, dims=("region", "firm"))
    assert (unit.column, unit.dims) == ("", ("firm",))
    assert "firm tells contributors apart, and is a dimension" in unit.list_doubts()[0]

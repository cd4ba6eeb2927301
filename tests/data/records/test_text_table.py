"""Cells as texts: what is missing is null, whatever the file calls it, and what a schema says is obeyed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, Missing, SchemaFile
from sekisho.data.frame.dataset import Kind, Role
from sekisho.data.records.text_table import read_text_table, treat_missing
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, InputError

PLAIN = SchemaFile(shape=Shape.RECORDS)


def test_texts_stand_as_they_are_and_missing_is_null(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x;y\n01;NA\n1; \n;b\n")
    table = read_text_table(tmp_path / "a.csv", PLAIN)
    assert table.frame.to_dict(as_series=False) == {"x": ["01", "1", None], "y": [None, None, "b"]}
    assert (table.names, table.roles) == (("x", "y"), {})
    own = SchemaFile(shape=Shape.RECORDS, file=FileRules(missing=("", "b")))
    assert read_text_table(tmp_path / "a.csv", own).frame["y"].to_list() == ["NA", None, None]


def test_a_parquet_file_has_numbers_and_nulls(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1, None], "y": ["a", ""]}).write_parquet(tmp_path / "a.parquet")
    table = read_text_table(tmp_path / "a.parquet", PLAIN)
    assert table.frame.to_dict(as_series=False) == {"x": ["1", None], "y": ["a", None]}


def test_a_schema_names_and_drops_and_hides_the_identifier(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("nr,income,town,pay\n1,12.50,x,1\n2,,y,2\n3,7.00,NA,3\n")
    schema = SchemaFile(
        shape=Shape.RECORDS,
        columns=(
            ColumnRules(name="who", source="nr", role=Role.IDENTIFIER),
            ColumnRules(name="income", kind=Kind.DECIMAL, missing=Missing.DROP),
            ColumnRules(name="town", missing=Missing.CATEGORY, role=Role.SENSITIVE),
        ),
    )
    table = read_text_table(tmp_path / "a.csv", schema)
    assert table.frame.to_dict(as_series=False) == {"income": ["12.5", "7.0"], "town": ["x", None]}
    assert table.names == ("who", "income", "town")
    assert [name for name, role in table.roles.items() if role is Role.SENSITIVE] == ["town"]
    assert {notice.what for notice in table.notices} >= {"columns left out", "rows dropped"}


def test_missing_cells_are_kept_dropped_or_refused() -> None:
    frame = pl.DataFrame({"x": ["a", None, "b"], "y": ["p", "q", None]})
    assert treat_missing(frame, Missing.CATEGORY, source="file").tolist() == [0, 1, 2]
    assert treat_missing(frame, Missing.DROP, source="file").tolist() == [0]
    with pytest.raises(FaultsError, match="row 2, x: x is missing; row 3, y: y is missing"):
        treat_missing(frame, Missing.REFUSE, source="file")
    assert treat_missing(frame[:1], Missing.REFUSE, source="file").tolist() == [0]
    with pytest.raises(InputError, match="no record is left of 2"):
        treat_missing(frame[1:], Missing.DROP, source="file")


def test_no_records_are_no_data(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n")
    with pytest.raises(InputError, match="has no records"):
        read_text_table(tmp_path / "a.csv", SchemaFile(shape=Shape.RECORDS, file=FileRules(header=True)))


def test_what_a_schema_leaves_open_is_not_cut(tmp_path: Path) -> None:
    """Whoever asks which rows are equal must not be told of days where the file has times."""
    path = tmp_path / "times.csv"
    path.write_text("at,sex\n2020-01-01 10:00:00,f\n2020-01-01 11:00:00,f\n")
    at = ColumnRules(name="at")
    asked = SchemaFile(shape=Shape.RECORDS, columns=(at, ColumnRules(name="sex")))
    with pytest.raises(InputError, match="what differs would be the same: 2 times of day in at were dropped"):
        read_text_table(path, asked)
    said = replace(asked, columns=(replace(at, kind=Kind.DATE), ColumnRules(name="sex")))
    assert read_text_table(path, said).frame["at"].n_unique() == 1
    text = replace(asked, columns=(replace(at, kind=Kind.CATEGORY), ColumnRules(name="sex")))
    assert read_text_table(path, text).frame["at"].n_unique() == 2

"""The texts of a file that a schema describes are beyond memory those of memory, row by row, wherever a block ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.data.engines.engines import CHOICES, show

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.schema_files import survey
from sekisho.data.engines.schema_files.text_rows import open_table_within, open_text_table
from sekisho.data.engines.session import Session
from sekisho.data.files.schema_files.schema_file import ColumnRules, Missing, SchemaFile
from sekisho.data.frame.dataset import Kind, Role
from sekisho.data.records.text_table import read_text_table
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError

ROW = "place"
SCHEMA = SchemaFile(
    shape=Shape.RECORDS,
    columns=(
        ColumnRules(name="who", source="nr", role=Role.IDENTIFIER),
        ColumnRules(name="income", kind=Kind.DECIMAL, missing=Missing.DROP),
        ColumnRules(name="town", missing=Missing.CATEGORY, role=Role.SENSITIVE),
    ),
)
FRAME = pl.DataFrame({"nr": [1, 2, 3, 4], "income": [12.5, None, 7.0, 7.25], "town": ["x", "y", "NA", None]})


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "folder"])
def test_texts_rows_roles_and_notices_are_those_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choice: EngineChoice, name: str
) -> None:
    path, whole = tmp_path / name, tmp_path / "whole.parquet"
    FRAME.write_parquet(whole)
    if name == "a.csv":
        FRAME.write_csv(path)
    elif name == "a.parquet":
        FRAME.write_parquet(path)
    else:
        path.mkdir()
        FRAME[:1].write_parquet(path / "1.parquet")
        FRAME[1:].write_parquet(path / "2.parquet")
    monkeypatch.setattr(survey, "ROWS", 2)
    expected = read_text_table(whole if path.is_dir() else path, SCHEMA)
    with open_text_table(path, SCHEMA, choice, row=ROW) as table:
        found = show(table.scan)
        assert_frame_equal(found.drop(ROW), expected.frame)
        # the second row has no income and is gone
        assert found[ROW].cast(pl.Int64).to_list() == expected.rows.tolist() == [0, 2, 3]
        assert (table.names, table.roles, table.scan.form) == (expected.names, expected.roles, expected.form)
        assert sorted(map(str, table.notices)) == sorted(map(str, expected.notices))


def test_without_columns_a_file_is_opened_as_it_is(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "a.csv")
    with open_text_table(tmp_path / "a.csv", SchemaFile(shape=Shape.RECORDS), CHOICES[0], row=ROW) as table:
        assert (table.names, table.roles, table.scan.names) == (
            ("nr", "income", "town"),
            {},
            ("nr", "income", "town", ROW),
        )


def test_a_column_that_is_called_like_the_rows_places_is_refused(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "a.csv")
    with (
        pytest.raises(ParameterError, match="row must be no column of the file, not 'town'"),
        open_text_table(tmp_path / "a.csv", SCHEMA, CHOICES[0], row="town"),
    ):
        pass


class _SparkSession:
    engine = Engine.SPARK


def test_spark_is_refused_before_its_rows_come_to_the_driver(tmp_path: Path) -> None:
    session = cast("Session", _SparkSession())
    with pytest.raises(ParameterError, match=r"schema must have no columns of its own on Spark, not \['town'\]"):
        open_table_within(session, tmp_path / "a.parquet", replace(SCHEMA, columns=SCHEMA.columns[2:]))

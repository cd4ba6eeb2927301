"""Odd keys are remarked on beyond memory as in memory, whatever kind of column they are."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest
from tests.data.engines.engines import CHOICES, RECORDS

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.scan import open_scan
from sekisho.data.records.text_table import read_text_table
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.engine.assessment import survey_keys
from sekisho.safety.records.engine.records import EngineRecords
from sekisho.safety.records.key_choice import KeyChoice, find_remarks

ROWS = 3000  # more than are probed, and more than an 8-bit number has values
COLUMNS = {
    "one": pl.Series([7] * ROWS, dtype=pl.Int16),
    "late": pl.Series([7] * (ROWS - 1) + [8], dtype=pl.Int64),  # its second value comes after those that are probed
    "small": pl.Series([place % 100 for place in range(ROWS)], dtype=pl.Int8),
    "number": pl.Series(range(ROWS), dtype=pl.Int32),
    "nearly": pl.Series([None, *(max(place, 140) for place in range(1, ROWS))], dtype=pl.Int64),  # 2,861 of 3,000
    "wide": pl.Series([place % 5 * 10**9 for place in range(ROWS)], dtype=pl.Int64),
    "day": pl.Series([date(2000, 1, 1) + timedelta(place) for place in range(ROWS)], dtype=pl.Date),
    "text": pl.Series([f"p{place}" for place in range(ROWS)], dtype=pl.String),
    "none": pl.Series([None] * ROWS, dtype=pl.String),
    "gaps": pl.Series([None, "a"] * (ROWS // 2), dtype=pl.String),
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("rows", [ROWS, 19, 2])
@pytest.mark.parametrize("counted", [False, True])
def test_remarks_are_those_of_memory(tmp_path: Path, choice: EngineChoice, rows: int, *, counted: bool) -> None:
    path = tmp_path / "some.parquet"
    pl.DataFrame(COLUMNS).head(rows).write_parquet(path)
    table = read_text_table(path, RECORDS)
    keys = {name: ColumnCodes.of(table.frame[name]) for name in COLUMNS}
    with open_scan(path, RECORDS, choice) as scan:
        survey = survey_keys(EngineRecords(scan=scan, choice=KeyChoice(keys=tuple(keys))), count_values=counted)
    assert survey.remarks == find_remarks(keys)
    assert (survey.rows, survey.missing) == (rows, {name: int(column.missing.sum()) for name, column in keys.items()})
    exact = {name: len(column.values) for name, column in keys.items()}
    assert {name: exact[name] if values is None else values for name, values in survey.values.items()} == exact
    assert not counted or None not in survey.values.values()

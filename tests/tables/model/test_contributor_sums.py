"""Whose rows they are matters beyond memory as in memory: a contributor's rows, or a holding's, are one contribution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.tables.files.records import RecordSource
from sekisho.tables.files.scanned_records import read_large_table
from sekisho.tables.model import contributor_sums
from sekisho.tables.model.contributors import Contributors, Surveyed

CHOICES = (EngineChoice(engine=Engine.POLARS), EngineChoice(engine=Engine.DUCKDB, memory=10**9))
CELLS = {
    "town": st.sampled_from(["a", "b", " a"]),
    "kind": st.sampled_from(["x", "y", "z"]),
    "firm": st.sampled_from(["1", "2", "3", "4", ""]),
    "group": st.sampled_from(["g", "h", " g", "", " "]),
    "pay": st.sampled_from(["1", "2.5", "-3", "0.25", "10"]),
    "w": st.sampled_from(["1", "2", "0.5", "0"]),
    "ask": st.sampled_from(["0", "1"]),
    "free": st.sampled_from(["0", "1"]),
}
rows = st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=16)
DIMS = ("town", "kind")
COLUMNS = (
    RecordSource(dims=DIMS, contributor="firm"),
    RecordSource(dims=DIMS, contributor="firm", weight="w", request="ask", waiver="free"),
    RecordSource(dims=DIMS, contributor="firm", holding="group", waiver="free"),
    RecordSource(dims=DIMS, contributor="firm", holding="group", weight="w", request="ask"),
    RecordSource(dims=DIMS, holding="group", weight="w"),
)
quick = try_examples(40, share_fixtures=True)
# firm 1 has 3 rows in two cells: 10 + 10 in one, so it is the largest there and, by 30, in the margins
SEVERAL = [
    {"town": "a", "kind": kind, "firm": firm, "group": "", "pay": pay, "w": "1", "ask": "0", "free": "0"}
    for kind, firm, pay in (("x", "1", "10"), ("x", "1", "10"), ("y", "1", "10"), ("x", "2", "12"), ("y", "", "1"))
]


def write(table: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        table.write_csv(path)
        return
    numbers = pl.col("pay", "w").cast(pl.Float64)
    table.with_columns(numbers, pl.col("firm").replace("", None).cast(pl.Int32)).write_parquet(path)


def list_figures(units: Contributors | None) -> list[np.ndarray]:
    if units is None:
        return []
    asked = np.zeros(0) if units.asked is None else units.asked
    return [units.total, units.count, units.largest, units.target, asked]


def list_all(table: Surveyed) -> list[np.ndarray]:
    return [table.value, table.frequency, table.largest, *list_figures(table.units), *list_figures(table.holdings)]


@quick
@given(
    drawn=rows,
    columns=st.sampled_from(COLUMNS),
    value=st.sampled_from(["", "pay"]),
    ending=st.sampled_from(["csv", "parquet"]),
    block=st.integers(1, 4),
)
@example(drawn=SEVERAL, columns=COLUMNS[0], value="pay", ending="csv", block=1)
@example(drawn=SEVERAL, columns=COLUMNS[0], value="", ending="parquet", block=2)
def test_contributors_and_holdings_are_those_of_memory(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    drawn: list[dict[str, str]],
    columns: RecordSource,
    value: str,
    ending: str,
    block: int,
) -> None:
    path = tmp_path / f"some.{ending}"
    write(pl.DataFrame(drawn), path)
    monkeypatch.setattr(contributor_sums, "BLOCK", block)
    micro = replace(columns, value=value)
    expected = micro.read_table(path).table
    assert isinstance(expected, Surveyed)
    for choice in CHOICES:
        found = read_large_table(micro, path, choice).table
        assert isinstance(found, Surveyed)
        assert (found.keys, found.holdings is None) == (expected.keys, not columns.holding)
        for ours, theirs in zip(list_all(found), list_all(expected), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("choice", CHOICES)
def test_a_contributor_with_several_rows_is_one_in_every_margin(tmp_path: Path, choice: EngineChoice) -> None:
    path = tmp_path / "some.csv"
    write(pl.DataFrame(SEVERAL), path)
    micro = RecordSource(dims=("town", "kind"), value="pay", contributor="firm")
    table = read_large_table(micro, path, choice).table
    top = {
        key: (count, *largest[:2])
        for key, count, largest in zip(table.keys, table.frequency, table.largest, strict=True)
    }
    # of the whole: firm 1 with 30, firm 2 with 12, and nobody's row with 1
    assert top["Total", "Total"] == (3, 30.0, 12.0)
    assert top["a", "x"] == (2, 20.0, 12.0)
    assert top["Total", "y"] == (2, 10.0, 1.0)

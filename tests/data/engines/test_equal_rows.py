"""Nothing is cut or joined when a file is read: rows are equal in memory and on every engine if they were written so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import narwhals as nw
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, RECORDS
from tests.laws import try_examples
from tests.typed_frames import Drawn, count_equal, frames, text_frames, write_csv, write_parquet

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.schema_files.text_rows import open_text_table
from sekisho.data.engines.session import open_session
from sekisho.data.engines.spark.session import find_cluster_source
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.records.text_table import read_text_table
from sekisho.errors import InputError

Array: TypeAlias = Any
quick = try_examples(60, share_fixtures=True)


def count_in_memory(path: Path) -> Counter[int]:
    frame = read_text_table(path, RECORDS).frame
    return Counter(frame.group_by(frame.columns).len("rows")["rows"].to_list())


def count_on_engine(path: Path, choice: EngineChoice) -> Counter[int]:
    with open_text_table(path, RECORDS, choice) as table:
        classes = table.scan.frame.group_by(*table.names).agg(nw.len().alias("rows"))
        return Counter(table.scan.collect(classes.select("rows"))["rows"].to_list())


@quick
@given(drawn=frames())
def test_equal_rows_of_parquet_are_those_that_were_written(tmp_path: Path, drawn: list[Drawn]) -> None:
    path = tmp_path / "drawn.parquet"
    write_parquet(drawn, path)
    expected = count_equal(drawn)
    assert count_in_memory(path) == expected
    for choice in CHOICES:
        assert count_on_engine(path, choice) == expected


@quick
@given(drawn=text_frames(), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_equal_rows_of_csv_are_those_that_were_written(tmp_path: Path, drawn: list[Drawn], end: str) -> None:
    path = tmp_path / "drawn.csv"
    write_csv(drawn, path, end=end)
    expected = count_equal(drawn)
    assert count_in_memory(path) == expected
    assert count_on_engine(path, CHOICES[0]) == expected


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2], pa.timestamp("ns")),
        pa.array([1603585800, 1603589400], pa.timestamp("s", "Europe/Paris")),  # half past two, twice in a night
        pa.array([0, 1], pa.time64("ns")),
        pa.array([0, 1], pa.duration("ns")),
        pa.array([0.0, -0.0]),
        pa.array(["a\nb", "a\r\nb"]),
        pa.array([2**64 - 1, 2**64 - 2], pa.uint64()),
    ],
    ids=str,
)
def test_two_different_cells_are_two_classes(tmp_path: Path, values: Array) -> None:
    path = tmp_path / "two.parquet"
    pq.write_table(pa.table({"key": values}), path)
    assert count_in_memory(path) == {1: 2}
    for choice in CHOICES:
        assert count_on_engine(path, choice) == {1: 2}


def test_whole_numbers_of_128_bits_are_exact_in_memory_and_refused_by_engines(tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    pl.DataFrame({"key": pl.Series([2**100, 2**100 + 1], dtype=pl.Int128)}).write_parquet(path)
    assert count_in_memory(path) == {1: 2}
    for choice in CHOICES:
        with pytest.raises(InputError, match="no engine takes"):
            count_on_engine(path, choice)


@pytest.mark.parametrize(
    "values",
    [pl.Series([[1], [2]]), pl.Series([{"a": 1}, {"a": 2}]), pl.Series([b"\xff", b"\xfe"])],
    ids=["list", "structure", "bytes"],
)
def test_what_has_no_text_is_refused(tmp_path: Path, values: pl.Series) -> None:
    path = tmp_path / "nested.parquet"
    values.alias("key").to_frame().write_parquet(path)
    with pytest.raises(InputError, match="column key holds"):
        count_in_memory(path)
    for choice in CHOICES:
        with pytest.raises(InputError, match="column key holds"):
            count_on_engine(path, choice)


def test_a_cluster_refuses_a_zero_with_a_sign(tmp_path: Path) -> None:
    """Nothing is written anew for a cluster; polars stands in for it here, and sees the files as it would."""
    path = tmp_path / "zeros.parquet"
    pl.DataFrame({"key": [0.0, -0.0]}).write_parquet(path)
    session = open_session(CHOICES[0], tmp_path)
    with pytest.raises(InputError, match="Spark takes a zero with a sign for one without"):
        find_cluster_source(session, path, FileRules())
    pl.DataFrame({"key": [0.0, -1.0]}).write_parquet(path)
    assert find_cluster_source(session, path, FileRules()).rows == 2

"""A kernel gets all rows of a group at once, wherever the blocks of the rows end."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, RECORDS

from sekisho.data.engines.blocks import gather_groups, map_groups
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import Table
from sekisho.data.engines.scan import open_scan


def add_up(table: Table) -> Table:
    rows = pl.DataFrame(table)
    return rows.select(pl.col("key").first(), pl.col("x").sum()).to_arrow()


@pytest.mark.parametrize("choice", CHOICES)
def test_groups_come_whole(tmp_path: Path, choice: EngineChoice) -> None:
    pl.DataFrame({"key": [2, 1, 2, 3, 1], "x": [10, 20, 30, 40, 50]}).write_parquet(tmp_path / "a.parquet")
    with open_scan(tmp_path / "a.parquet", RECORDS, choice) as scan:
        sums = map_groups(scan, "key", add_up, pa.schema({"key": pa.int64(), "x": pa.int64()}))
        # 20 + 50, 10 + 30, 40
        assert sums.collect(sums.frame.sort("key")).rows() == [(1, 70), (2, 40), (3, 40)]


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(1, 7))
def test_no_border_of_a_block_parts_a_group(keys: list[int], size: int) -> None:
    rows = pa.table({"key": pa.array(sorted(keys), pa.int64())})
    groups = [table["key"].to_pylist() for table in gather_groups(iter(rows.to_batches(max_chunksize=size)), "key")]
    assert groups == [[key] * keys.count(key) for key in sorted(set(keys))]

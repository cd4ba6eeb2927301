"""What is published must show nothing that is suppressed; a pattern read must be the pattern written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sekisho.data.files.plain_table import frame_bytes, read_frame
from sekisho.errors import FaultsError, InputError, ParameterError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.pattern import apply_pattern, freeze_pattern, pattern_frame
from sekisho.tables.model.table import Status, Table

CELLS = pl.DataFrame({"a": list("xxyy"), "b": list("pqpq"), "n": [1, 20, 30, 40]})


def suppressed() -> Table:
    table = CellFile(dims=("a", "b"), value="n").table(CELLS)
    status = table.status.copy()
    status[table.position["x", "p"]] = Status.PRIMARY
    for key in (("x", "q"), ("y", "p"), ("y", "q")):
        status[table.position[key]] = Status.SECONDARY
    status[table.position["x", "Total"]] = Status.PUBLISH
    return table.mark_cells(status)


def test_suppressed_values_are_not_written() -> None:
    frame = pattern_frame(suppressed(), value="n")
    assert frame.columns == ["a", "b", "n", "status"]
    hidden = frame.filter(pl.col("status") != "safe")
    assert hidden.height == 4
    assert hidden["n"].null_count() == 4
    assert frame.filter(pl.col("status") == "safe")["n"].null_count() == 0
    with pytest.raises(ParameterError, match="named like a dimension"):
        pattern_frame(suppressed(), value="a")


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_a_pattern_written_is_the_pattern_read(tmp_path: Path, name: str) -> None:
    table, path = suppressed(), tmp_path / name
    path.write_bytes(frame_bytes(pattern_frame(table, value="n"), path))
    plain = CellFile(dims=("a", "b"), value="n").table(CELLS)
    again = apply_pattern(plain, read_frame(path).frame, value="n")
    assert again.suppressed.tolist() == table.suppressed.tolist()
    assert again.primary.tolist() == table.primary.tolist()
    assert apply_pattern(table, read_frame(path).frame, value="n").status.tolist() == table.status.tolist()


def test_a_bad_pattern_tells_all() -> None:
    table = suppressed()
    frame = pattern_frame(table, value="n").with_columns(
        a=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("moon")).otherwise("a"),
        status=pl.when(pl.int_range(pl.len()) == 1).then(pl.lit("odd")).otherwise("status"),
        n=pl.when(pl.int_range(pl.len()) == 2).then(7).otherwise("n"),
    )
    with pytest.raises(FaultsError) as caught:
        apply_pattern(table, pl.concat([frame, frame[3]]), value="n")
    assert {fault.rule for fault in caught.value.faults} == {"cell", "status", "value", "complete", "duplicate"}
    with pytest.raises(InputError, match="has no column status"):
        apply_pattern(table, frame.drop("status"), value="n")


def test_an_earlier_publication_is_respected() -> None:
    table = CellFile(dims=("a", "b"), value="n").table(CELLS)
    earlier = pattern_frame(suppressed(), value="n")
    kept = freeze_pattern(table, earlier, value="n")
    at = kept.position
    assert kept.status[at["x", "q"]] == Status.SECONDARY
    assert kept.weight[at["x", "q"]] == 0
    assert kept.status[at["Total", "p"]] == Status.PUBLISH
    # A cell that the earlier table did not have is free.
    free = freeze_pattern(table, earlier.filter(pl.col("a") != "Total"), value="n")
    assert free.status[at["Total", "p"]] == Status.SAFE


def test_what_was_shown_cannot_be_hidden_later() -> None:
    table = CellFile(dims=("a", "b"), value="n").table(CELLS)
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[table.position["Total", "p"]] = True
    with pytest.raises(FaultsError, match="is unsafe, but 31 was shown"):
        freeze_pattern(table.flag_cells(mask, sliding=1.0), pattern_frame(suppressed(), value="n"), value="n")
    revised = pattern_frame(suppressed(), value="n").with_columns(pl.col("n") + 1)
    assert freeze_pattern(table.flag_cells(mask, sliding=1.0), revised, value="n").primary[table.position["Total", "p"]]

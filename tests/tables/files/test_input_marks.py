"""What a file of cells says of them is read by whoever reads the table; what only looks like it is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sekisho.errors import FaultsError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.source import CellSource, TableRead
from sekisho.tables.model.table import Status

ROWS = "a,b,n{head}\nx,p,20{one}\nx,q,30{two}\ny,p,40{two}\ny,q,50{two}\n"


def read(path: Path, head: str, one: str, two: str, *, cells: CellFile | None = None) -> TableRead:
    path.write_text(ROWS.format(head=head, one=one, two=two), encoding="utf-8")
    return CellSource(cells=cells or CellFile(dims=("a", "b"), value="n")).read_table(path)


def test_a_status_a_cost_and_a_level_are_those_of_the_cell(tmp_path: Path) -> None:
    found = read(tmp_path / "t.csv", ",status,cost,sliding_level", ",primary,2,15", ",safe,3,")
    cell = found.table.position["x", "p"]
    assert found.table.status[cell] == Status.PRIMARY
    assert (found.table.weight[cell], found.table.sliding_level[cell]) == (2, 15)
    assert (found.marks.read, found.marks.unused, found.marks.rated) == (("status", "cost", "sliding_level"), (), True)


def test_contributors_are_those_of_the_file_where_nobody_names_them(tmp_path: Path) -> None:
    sums = CellFile(dims=("a", "b"), value="n", counts=False)
    found = read(tmp_path / "t.csv", ",frequency,x1,x2", ",2,12,8", ",9,5,4", cells=sums)
    cell = found.table.position["x", "p"]
    assert found.table.frequency[cell] == 2
    assert found.table.largest[cell].tolist() == [12, 8]
    assert found.marks.read == ("frequency", "x1", "x2")


def test_what_is_named_otherwise_is_nobodys_mark(tmp_path: Path) -> None:
    # cost is the measure, status a dimension: neither is a mark
    path = tmp_path / "t.csv"
    path.write_text("status,b,cost\nx,p,20\nx,q,30\ny,p,40\ny,q,50\n", encoding="utf-8")
    found = CellSource(cells=CellFile(dims=("status", "b"), value="cost")).read_table(path)
    assert found.marks.read == ()
    assert np.all(found.table.weight == 1)


@pytest.mark.parametrize("name", ["sdcStatus", "LPL", "Contributors", "秘匿", "STATUS", "n_firms"])
def test_what_looks_like_a_mark_and_is_not_used_is_named(name: str, tmp_path: Path) -> None:
    assert read(tmp_path / "t.csv", f",{name}", ",1", ",2").marks.unused == (name,)


def test_a_status_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FaultsError, match="'final' is no status"):
        read(tmp_path / "t.csv", ",status", ",final", ",safe")

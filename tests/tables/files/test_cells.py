"""A file of cells must become the table it describes, or be refused with every fault named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from sekisho.data.files.plain_table import read_frame
from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import FaultsError, InputError, ParameterError
from sekisho.tables.files.cells import CellFile, dimension_of

TREE = Hierarchy(tree=Tree.of([("N", "all"), ("n1", "N"), ("n2", "N"), ("s", "all")]), groups=(("x", ("n1", "s")),))
INNER = pl.DataFrame(
    {
        "r": ["n1", "n2", "s", "n1"],
        "c": ["a", "a", "a", "b"],
        "v": ["10.5", "4", "3", "2"],
        "f": ["5", "4", "3", "2"],
        "x1": ["6", "1", "2", "1"],
        "x2": ["4", "3", "1", "1"],
        "w": ["1", "2", "1", "1"],
    }
)
FILE = CellFile(
    dims=("r", "c"), value="v", counts=False, frequency="f", largest=("x1", "x2"), weight="w", trees={"r": TREE}
)


def test_margins_are_made_up() -> None:
    table = FILE.table(INNER)
    at = table.position
    assert table.value[at["N", "a"]] == 14.5
    assert table.value[at["x", "Total"]] == 15.5
    assert table.frequency[at["all", "Total"]] == 14
    # The largest of N, a: 6 and 4 of n1, 3 and 1 of n2, in falling order whatever the columns say.
    assert table.largest[at["N", "a"]].tolist() == [6, 4]
    assert table.largest[at["s", "Total"]].tolist() == [2, 1]
    assert table.largest[at["n2", "a"]].tolist() == [3, 1]
    assert table.weight[at["N", "a"]] == 3


def test_given_margins_are_kept() -> None:
    flat = CellFile(dims=("c",), value="v", frequency="f", largest=("x1",))
    frame = pl.DataFrame({"c": ["a", "b", "Total"], "v": [3, 4, 7], "f": [2, 2, 3], "x1": [2, 3, 4]})
    table = flat.table(frame)
    # One contributor stands in both cells: three in all, and the largest of them gives 4.
    assert table.frequency[table.position["Total",]] == 3
    assert table.largest[table.position["Total",]].tolist() == [4]


def test_all_faults_are_told_at_once() -> None:
    frame = pl.DataFrame(
        {"r": ["n1", "moon", "n1", "", "s"], "c": ["a", "a", "a", "a", "b"], "n": ["3", "4", "-3", "1.5", "two"]}
    )
    with pytest.raises(FaultsError) as caught:
        CellFile(dims=("r", "c"), value="n", trees={"r": TREE}).table(frame, source="bad.csv")
    told = {(fault.row, fault.rule, fault.value) for fault in caught.value.faults}
    assert told == {
        (2, "code", "moon"),
        (3, "duplicate", "n1,a"),
        (3, "count", "-3"),
        (4, "code", ""),
        (4, "count", "1.5"),
        (5, "number", "two"),
    }
    assert str(caught.value).startswith("bad.csv: ")


def test_a_table_that_does_not_add_up_is_refused() -> None:
    frame = pl.DataFrame({"c": ["a", "b", "Total"], "n": [3, 4, 8]})
    with pytest.raises(FaultsError, match="does not add up"):
        CellFile(dims=("c",), value="n").table(frame, source="f.csv")
    with pytest.raises(FaultsError, match="is missing"):
        CellFile(dims=("c", "d"), value="n").table(
            pl.DataFrame({"c": ["a", "b", "Total"], "d": ["x", "x", "Total"], "n": [3, 4, 7]})
        )


def test_missing_columns_rows_and_wrong_trees_are_named() -> None:
    with pytest.raises(InputError, match="has no column q"):
        CellFile(dims=("q",), value="v").table(INNER)
    with pytest.raises(InputError, match="has no rows"):
        CellFile(dims=("c",), value="v").table(INNER.clear())
    with pytest.raises(ParameterError, match="tree"):
        CellFile(dims=("c",), value="v", trees={"r": TREE})
    with pytest.raises(ParameterError, match="dims"):
        CellFile(dims=(), value="v")
    again = Hierarchy(tree=TREE.tree, groups=(("N", ("n1", "n2")),))
    with pytest.raises(ParameterError, match="codes of their own"):
        dimension_of("r", again)


def test_real_tables_are_read(shared: Callable[[str], Path]) -> None:
    flat = CellFile(dims=("v1", "v2"), value="n").table(read_frame(shared("tables/t50x50.csv")).frame)
    assert len(flat) == 2601
    trees = {name: Hierarchy(tree=read_tree(shared(f"tables/h_{name}.csv"))) for name in ("v1", "v2")}
    deep = CellFile(dims=("v1", "v2"), value="n", trees=trees).table(read_frame(shared("tables/h.csv")).frame)
    assert len(deep) == 3250

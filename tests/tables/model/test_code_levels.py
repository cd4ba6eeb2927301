"""Codes that are levels of a tree by their names are proposed as one, and refused where their cells say so too."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.trees.tree_files import propose_tree, read_tree, write_tree
from sekisho.errors import FaultsError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.source import CellSource, choose_cells
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.margins import Margins

CODES = ("01", "01001", "01002", "02", "02001", "02002")
# 30 = 12 + 18, 40 = 25 + 15, and so on in S: 33 = 14 + 19, 47 = 28 + 19
SUMS = {"N": (30, 12, 18, 40, 25, 15), "S": (33, 14, 19, 47, 28, 19)}


def write_cells(path: Path, values: dict[str, tuple[int, ...]]) -> Path:
    rows = [f"{region},{code},{n}" for region, those in values.items() for code, n in zip(CODES, those, strict=True)]
    path.write_text("\n".join(["region,job,n", *rows]) + "\n")
    return path


def read(path: Path, form: TableForm | None = None) -> CellSource:
    return choose_cells(path, form or TableForm(), dims=["region", "job"], count="n")


@pytest.mark.parametrize(
    ("codes", "children"),
    [
        (CODES, {"Total": ("01", "02"), "01": ("01001", "01002"), "02": ("02001", "02002")}),
        (("A", "A01", "A02", "B"), {"Total": ("A", "B"), "A": ("A01", "A02")}),
        (("A", "A01", "A011", "A012"), {"Total": ("A",), "A": ("A01",), "A01": ("A011", "A012")}),
        (("11", "111", "112", "21", "211", "212"), {"Total": ("11", "21"), "11": ("111", "112"), "21": ("211", "212")}),
    ],
)
def test_a_tree_is_proposed_by_lengths(codes: tuple[str, ...], children: dict[str, tuple[str, ...]]) -> None:
    tree = propose_tree(codes)
    assert tree is not None
    assert tree.children == children


@pytest.mark.parametrize(
    "codes",
    [
        tuple(map(str, range(1, 21))),  # 10 begins with 1, by chance
        tuple(map(str, range(90, 112))),
        ("a", "b", "c"),
        ("N", "North"),  # one below another is no level
        ("01", "01001", "03001"),  # 03 is not there
        ("0-4", "0-4 years", "5-9"),
        (),
    ],
)
def test_other_codes_are_no_tree(codes: tuple[str, ...]) -> None:
    assert propose_tree(codes) is None


@given(st.lists(st.sampled_from(["01", "02", "03"]), min_size=1, unique=True), st.integers(2, 5))
def test_a_tree_that_is_written_is_read_again(tops: list[str], below: int) -> None:
    tree = propose_tree([*tops, *(f"{top}{at:03}" for top in tops for at in range(below))])
    assert tree is not None
    assert tree.leaves == tuple(f"{top}{at:03}" for top in sorted(tops) for at in range(below))


def test_the_file_of_a_proposed_tree(tmp_path: Path) -> None:
    tree = propose_tree(CODES, root="総数")
    assert tree is not None
    (tmp_path / "tree.csv").write_bytes(write_tree(tree))
    assert read_tree(tmp_path / "tree.csv") == tree


def test_levels_that_add_up_are_refused_until_somebody_says_what_they_are(tmp_path: Path) -> None:
    path = write_cells(tmp_path / "t.csv", SUMS)
    with pytest.raises(FaultsError, match=r"tree job=FILE, or say category job=01") as caught:
        read(path).read_table(path)
    assert [(fault.column, fault.rule, fault.value) for fault in caught.value.faults] == [("job", "tree", "01")]
    beside = TableForm(margins=Margins(categories={"job": ("01", "02")}))
    assert len(read(path, beside).read_table(path).table) == 3 * 7
    tree = propose_tree(CODES)
    assert tree is not None
    whole = CellFile(dims=("region", "job"), value="n").table  # the same cells without sub-totals
    inner = pl.read_csv(path, schema_overrides={"job": pl.String}).filter(pl.col("job").str.len_chars() == 5)
    assert whole(inner).value[0] == sum(sum(those[at] for at in (1, 2, 4, 5)) for those in SUMS.values())


def test_levels_that_do_not_add_up_are_told(tmp_path: Path) -> None:
    path = write_cells(tmp_path / "t.csv", {**SUMS, "S": (33, 14, 12, 47, 28, 3)})
    told = [notice for notice in read(path).read_table(path).notices if "levels of a tree" in notice]
    assert len(told) == 1
    assert "01 above 01001, 01002" in told[0]
    assert told[0].endswith("give it with tree job=FILE")

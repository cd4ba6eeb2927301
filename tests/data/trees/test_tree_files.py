"""A tree written is the tree read, in every notation; a bad file is told whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.data.trees.tree_files import (
    by_digits,
    groups_csv,
    outline,
    read_groups,
    read_tree,
    tree_csv,
    tree_hrc,
    tree_wide,
    wide,
)
from sekisho.errors import FaultsError, ParameterError

SMALL = Tree.of([("a", "N"), ("b", "N"), ("N", "Total"), ("S", "Total"), ("c", "S"), ("d", "Total")])
# The manual's region2.hrc, spaces as printed there.
REGION = "Nr\n@ 1\n@ 2\n@ 3\nOs \n@ 4\n@ 5\n@ 6\n@ 7\nWs\n@ 8\n@ 9\n@10\nZd\n@11\n@12"


@pytest.mark.parametrize(("name", "write"), [("t.csv", tree_csv), ("t.hrc", tree_hrc)])
def test_a_tree_written_is_the_tree_read(tmp_path: Path, name: str, write: Callable[[Tree], str]) -> None:
    (tmp_path / name).write_text(write(SMALL))
    assert read_tree(tmp_path / name) == SMALL


def test_a_wide_file_keeps_the_tree(tmp_path: Path) -> None:
    # d stands still for a level: d;d;Total.
    (tmp_path / "t.csv").write_text(tree_wide(SMALL))
    assert (tmp_path / "t.csv").read_text().splitlines()[-1] == "d;d;Total"
    again = read_tree(tmp_path / "t.csv")
    assert {code: again.line(code) for code in again.codes} == {code: SMALL.line(code) for code in SMALL.codes}


def test_the_manuals_outline_is_read() -> None:
    tree = outline(REGION)
    assert tree.children["Total"] == ("Nr", "Os", "Ws", "Zd")
    assert tree.children["Os"] == ("4", "5", "6", "7")


def test_real_hierarchies_are_read(shared: Callable[[str], Path]) -> None:
    age = read_tree(shared("adult/adult_hierarchy_age.csv"))
    assert age.line("3") == ("3", "0-4", "0-9", "0-19", "*")
    assert read_tree(shared("adult/adult_hierarchy_sex.csv")).leaves == ("Male", "Female")
    assert read_tree(shared("tables/h_v1.csv")).root == "Total"


def test_a_bad_outline_tells_all() -> None:
    with pytest.raises(FaultsError) as caught:
        outline("a\n@@b\n@c\nd\n@c\n")
    assert [(fault.row, fault.rule) for fault in caught.value.faults] == [(2, "level"), (5, "one parent")]
    with pytest.raises(ParameterError, match="lead"):
        outline("a", lead="")


def test_a_bad_wide_table_tells_all() -> None:
    with pytest.raises(FaultsError) as caught:
        wide([["1", "x", "*"], ["2", "x", "+"], ["1", "x", "*"], ["3", "*"]])
    rules = [(fault.row, fault.rule) for fault in caught.value.faults]
    assert rules == [(2, "one parent"), (3, "doubled"), (4, "columns")]


def test_levels_by_digits() -> None:
    # Widths 2, 1, 0: codes of two digits are sections, of three classes.
    tree = by_digits(["111", "112", "12"], [2, 1, 0])
    assert tree.relations == (("Total", ("11", "12")), ("11", ("111", "112")))
    with pytest.raises(FaultsError, match="has 4 digits"):
        by_digits(["1111"], [2, 1])


def test_groups_come_back(tmp_path: Path) -> None:
    hierarchy = Hierarchy(tree=SMALL, groups=(("odd", ("a", "c")), ("even", ("b", "d"))))
    (tmp_path / "g.csv").write_text(groups_csv(hierarchy))
    assert read_groups(tmp_path / "g.csv") == hierarchy.groups


def test_empty_and_ragged_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("node,parent\n")
    with pytest.raises(FaultsError, match="has no rows"):
        read_tree(tmp_path / "e.csv")
    (tmp_path / "r.csv").write_text("node,parent\na,b\nc\n")
    with pytest.raises(FaultsError, match="1 columns instead of 2"):
        read_tree(tmp_path / "r.csv")


def test_codes_that_an_outline_cannot_hold_are_refused() -> None:
    with pytest.raises(ParameterError, match="codes must not begin"):
        tree_hrc(Tree.flat(["@a"]))


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_trees_and_groupings_with_other_line_ends_are_read(tmp_path: Path, end: str) -> None:
    (tmp_path / "t.csv").write_text(tree_csv(SMALL).replace("\n", end), newline="")
    assert read_tree(tmp_path / "t.csv") == SMALL
    groups = (("odd", ("a", "c")),)
    (tmp_path / "g.csv").write_text(end.join(["group,member", "odd,a", "odd,c"]), newline="")
    assert read_groups(tmp_path / "g.csv") == groups


def test_a_tree_with_an_endless_cell_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("node,parent\na,Total\n" + "x" * 131_073 + ",Total\n")
    for read in (read_tree, read_groups):
        with pytest.raises(FaultsError, match=r"t\.csv: row 3: a cell has more than 131,072 characters"):
            read(tmp_path / "t.csv")

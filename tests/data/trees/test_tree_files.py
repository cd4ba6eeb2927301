"""A tree written is the tree read, in every notation; a bad file is told whole."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.data.trees.tree_files import (
    UNWRITABLE,
    build_by_digits,
    parse_edges,
    parse_outline,
    parse_wide,
    read_edges,
    read_groups,
    read_tree,
    write_hrc,
    write_tree,
)
from sekisho.errors import FaultsError, ParameterError

SMALL_CSV = "node,parent\nN,Total\na,N\nb,N\nS,Total\nc,S\nd,Total\n"
SMALL = Tree.of([("a", "N"), ("b", "N"), ("N", "Total"), ("S", "Total"), ("c", "S"), ("d", "Total")])
# The manual's region2.hrc, spaces as printed there.
REGION = "Nr\n@ 1\n@ 2\n@ 3\nOs \n@ 4\n@ 5\n@ 6\n@ 7\nWs\n@ 8\n@ 9\n@10\nZd\n@11\n@12"


def test_a_tree_is_read_from_pairs_and_from_the_outline_written_of_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(SMALL_CSV)
    assert read_tree(tmp_path / "t.csv") == SMALL
    (tmp_path / "t.hrc").write_text(write_hrc(SMALL))
    assert read_tree(tmp_path / "t.hrc") == SMALL


def test_a_wide_file_keeps_the_tree(tmp_path: Path) -> None:
    # d stands still for a level: d;d;Total.
    (tmp_path / "t.csv").write_text("a;N;Total\nb;N;Total\nc;S;Total\nd;d;Total\n")
    again = read_tree(tmp_path / "t.csv")
    assert again.leaves == SMALL.leaves
    assert {code: set(below) for code, below in again.relations} == {
        code: set(below) for code, below in SMALL.relations
    }


def test_the_manuals_outline_is_read() -> None:
    tree = parse_outline(REGION)
    assert tree.children["Total"] == ("Nr", "Os", "Ws", "Zd")
    assert tree.children["Os"] == ("4", "5", "6", "7")


def test_real_hierarchies_are_read(shared: Callable[[str], Path]) -> None:
    age = read_tree(shared("adult/adult_hierarchy_age.csv"))
    steps = ("3", "0-4", "0-9", "0-19", "*")
    assert all(code in age.children[above] for code, above in pairwise(steps))
    assert read_tree(shared("adult/adult_hierarchy_sex.csv")).leaves == ("Male", "Female")
    assert read_tree(shared("tables/h_v1.csv")).root == "Total"


def test_a_bad_outline_tells_all() -> None:
    with pytest.raises(FaultsError) as caught:
        parse_outline("a\n@@b\n@c\nd\n@c\n")
    assert [(fault.row, fault.rule) for fault in caught.value.faults] == [(2, "level"), (5, "one parent")]
    with pytest.raises(ParameterError, match="lead"):
        parse_outline("a", lead="")


def test_a_bad_wide_table_tells_all() -> None:
    with pytest.raises(FaultsError) as caught:
        parse_wide([["1", "x", "*"], ["2", "x", "+"], ["1", "x", "*"], ["3", "*"]])
    rules = [(fault.row, fault.rule) for fault in caught.value.faults]
    assert rules == [(2, "one parent"), (3, "doubled"), (4, "columns")]


def test_levels_by_digits() -> None:
    # Widths 2, 1, 0: codes of two digits are sections, of three classes.
    tree = build_by_digits(["111", "112", "12"], [2, 1, 0])
    assert tree.relations == (("Total", ("11", "12")), ("11", ("111", "112")))
    with pytest.raises(FaultsError, match="has 4 digits"):
        build_by_digits(["1111"], [2, 1])


def test_groups_come_back(tmp_path: Path) -> None:
    hierarchy = Hierarchy(tree=SMALL, groups=(("odd", ("a", "c")), ("even", ("b", "d"))))
    (tmp_path / "g.csv").write_text("group,member\nodd,a\nodd,c\neven,b\neven,d\n")
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
        write_hrc(Tree.flat(["@a"]))


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_trees_and_groupings_with_other_line_ends_are_read(tmp_path: Path, end: str) -> None:
    (tmp_path / "t.csv").write_text(SMALL_CSV.replace("\n", end), newline="")
    assert read_tree(tmp_path / "t.csv") == SMALL
    groups = (("odd", ("a", "c")),)
    (tmp_path / "g.csv").write_text(end.join(["group,member", "odd,a", "odd,c"]), newline="")
    assert read_groups(tmp_path / "g.csv") == groups


def test_a_tree_with_an_endless_cell_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("node,parent\na,Total\n" + "x" * 131_073 + ",Total\n")
    for read in (read_tree, read_groups):
        with pytest.raises(FaultsError, match=r"t\.csv: row 3: a cell has more than 131,072 characters"):
            read(tmp_path / "t.csv")


@st.composite
def draw_trees(draw: st.DrawFn) -> Tree:
    texts = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=4)
    fit = texts.filter(lambda text: text == text.strip() and not UNWRITABLE.search(text))
    codes = draw(st.lists(fit, min_size=2, max_size=10, unique=True))
    edges = [(code, codes[draw(st.integers(0, place))]) for place, code in enumerate(codes[1:])]
    return Tree.of(edges, root=codes[0])


@given(draw_trees())
@example(Tree.flat(["node", "b"], root="*"))  # two columns would be pairs below a header
@example(Tree.flat(["@", "@@"], root="a;b"))
def test_a_written_tree_is_read_as_it_was_with_its_steps(tree: Tree) -> None:
    content = write_tree(tree)
    again = parse_edges(content, Path("t.csv"), encoding="utf-8").build()
    assert again == tree
    if len(tree.children) > 1:
        assert again.steps == tree.steps
    assert write_tree(again) == content


def test_a_group_that_stands_still_keeps_the_step_at_which_it_begins() -> None:
    # At step 1 driver is hands, though hands is no part of anything at step 2.
    rows = [["driver", "hands", "hands", "*"], ["clerk", "desk", "office", "*"]]
    tree = parse_wide(rows)
    assert dict(zip(tree.codes, tree.steps, strict=True)) == {
        "*": 3,
        "hands": 1,
        "driver": 0,
        "office": 2,
        "desk": 1,
        "clerk": 0,
    }
    assert write_tree(tree).decode().splitlines() == [";".join(row) for row in rows]


def test_trees_that_no_file_holds_are_refused() -> None:
    with pytest.raises(ParameterError, match="have a code below its root"):
        write_tree(Tree.flat([]))
    with pytest.raises(FaultsError) as caught:
        write_tree(Tree.flat([" a", "b\n", "c", ""]))
    assert len(caught.value.faults) == 3


@pytest.mark.parametrize(
    "text",
    ["level,name\n@,Total\n@@,N\n@@@,a\n@@@,b\n@@,d\n", "@;N\n@@;a\n@@;b\n@;d\n", "level;name\n@;N\n@@;a\n@@;b\n@;d\n"],
)
def test_a_data_frame_of_levels_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert read_tree(tmp_path / "t.csv") == Tree.of([("N", "Total"), ("a", "N"), ("b", "N"), ("d", "Total")])


def test_what_a_file_says_can_be_asked_though_it_is_no_tree(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1;x;*\n2;x;+\n1;x;*\n")
    edges = read_edges(tmp_path / "t.csv")
    assert edges.leaves == ("1", "2")
    with pytest.raises(FaultsError) as caught:
        edges.build()
    assert [(fault.row, fault.rule) for fault in caught.value.faults] == [(2, "one parent"), (3, "doubled")]

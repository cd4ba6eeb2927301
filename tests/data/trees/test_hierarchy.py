"""A tree that is none must be refused with every reason; a good one must tell sums, ladders and spans rightly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.errors import FaultsError, ParameterError

#       Total
#      /     \
#     N       S
#    / \      |
#   a   b     c      and d, a leaf right under Total
SMALL = Tree.of([("a", "N"), ("b", "N"), ("N", "Total"), ("S", "Total"), ("c", "S"), ("d", "Total")])


def path_to_root(tree: Tree, code: str) -> tuple[str, ...]:
    place = tree.position[code]
    above = tree.parents[place]
    return (code,) if above < 0 else (code, *path_to_root(tree, tree.codes[above]))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    size = draw(st.integers(1, 12))
    parents = (-1, *(draw(st.integers(0, place - 1)) for place in range(1, size)))
    return Tree(codes=tuple(f"c{place}" for place in range(size)), parents=parents)


def test_the_small_tree_is_told_in_order_from_the_root() -> None:
    assert SMALL.codes == ("Total", "N", "a", "b", "S", "c", "d")
    assert SMALL.leaves == ("a", "b", "c", "d")
    assert SMALL.depths == (0, 1, 2, 2, 1, 2, 1)
    assert SMALL.relations == (("Total", ("N", "S", "d")), ("N", ("a", "b")), ("S", ("c",)))


@given(trees())
def test_a_tree_survives_its_own_edges(tree: Tree) -> None:
    if len(tree.codes) == 1:
        return
    edges = [(code, tree.codes[parent]) for code, parent in zip(tree.codes[1:], tree.parents[1:], strict=True)]
    again = Tree.of(reversed(edges))
    assert set(again.codes) == set(tree.codes)
    assert all(set(path_to_root(again, code)) == set(path_to_root(tree, code)) for code in tree.codes)


@given(trees())
def test_the_spans_are_the_leaves_whose_line_passes_the_code(tree: Tree) -> None:
    spans = Hierarchy(tree=tree).spans
    for code in tree.codes:
        assert spans[code] == {leaf for leaf in tree.leaves if code in path_to_root(tree, leaf)}


def test_all_faults_are_told_at_once() -> None:
    edges = [
        ("a", "N"),
        ("N", "Total"),
        ("a", "S"),  # a second parent for a
        ("S", "Total"),
        ("x", "y"),
        ("y", "x"),  # a cycle of two
        ("z", "lost"),  # lost hangs from nothing
        ("S", "Total"),  # doubled
        ("", "N"),
        ("w", "w"),  # its own parent
    ]
    with pytest.raises(FaultsError) as caught:
        Tree.of(edges)
    told = {(fault.row, fault.rule) for fault in caught.value.faults}
    assert told == {
        (3, "one parent"),
        (5, "cycle"),
        (6, "cycle"),
        (7, "orphan"),
        (8, "doubled"),
        (9, "code"),
        (10, "cycle"),
    }


def test_a_ring_has_no_root() -> None:
    with pytest.raises(FaultsError, match="there is no root"):
        Tree.of([("a", "b"), ("b", "a")])
    with pytest.raises(FaultsError, match="the root 'a' has a parent"):
        Tree.of([("a", "Total"), ("b", "a")], root="a")


def test_an_empty_parent_marks_the_root() -> None:
    assert Tree.of([("all", ""), ("a", "all")]).root == "all"


def test_groupings_cut_across_the_tree() -> None:
    hierarchy = Hierarchy(tree=SMALL, groups=(("odd", ("a", "c")), ("even", ("b", "d")), ("Total", ("odd", "even"))))
    assert hierarchy.codes == (*SMALL.codes, "odd", "even")
    assert hierarchy.spans["odd"] == {"a", "c"}
    assert hierarchy.relations[-1] == ("Total", ("odd", "even"))


def test_bad_groupings_are_refused_together() -> None:
    groups = (("g", ("a", "nowhere")), ("h", ("a", "N")), ("N", ("a", "c")), ("k", ()))
    with pytest.raises(FaultsError) as caught:
        Hierarchy(tree=SMALL, groups=groups)
    assert [fault.rule for fault in caught.value.faults] == ["code", "disjoint", "span", "disjoint"]


def test_ill_formed_trees_are_refused() -> None:
    with pytest.raises(ParameterError, match="codes must be distinct"):
        Tree.flat(["a", "a"])
    with pytest.raises(ParameterError, match="stand before"):
        Tree(codes=("r", "a", "b"), parents=(-1, 2, 0))
    with pytest.raises(ParameterError, match="begin with -1"):
        Tree(codes=("r",), parents=(0,))
    with pytest.raises(ParameterError, match="one entry per code"):
        Tree(codes=("r",), parents=())

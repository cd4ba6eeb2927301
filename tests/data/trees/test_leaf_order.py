"""Leaves in the order of a walk: what is under a label stands side by side."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.leaf_order import order_leaves


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    count = draw(st.integers(1, 12))
    parents = [-1, *(draw(st.integers(0, place - 1)) for place in range(1, count))]
    return Tree(codes=tuple(f"c{place}" for place in range(count)), parents=tuple(parents))


def line_of(tree: Tree, code: str) -> list[str]:
    """Return a code and all above it."""
    place, line = tree.codes.index(code), list[str]()
    while place >= 0:
        line.append(tree.codes[place])
        place = tree.parents[place]
    return line


@given(trees())
def test_each_label_spans_exactly_its_leaves(tree: Tree) -> None:
    order = order_leaves(tree)
    names = [tree.codes[label] for label in order.leaf]
    assert sorted(names) == sorted(tree.leaves)
    for label, code in enumerate(tree.codes):
        under = {leaf for leaf in tree.leaves if code in line_of(tree, leaf)}
        assert set(names[order.first[label] : order.last[label] + 1]) == under


@given(trees(), st.data())
def test_the_least_label_above_two_leaves_is_their_lowest_common_ancestor(tree: Tree, data: st.DataObject) -> None:
    order = order_leaves(tree)
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(order.leaf) - 1)] * 2)))
    label = int(order.find_labels(np.array([low]), np.array([high]))[0])
    lines = [line_of(tree, tree.codes[order.leaf[place]]) for place in (low, high)]
    common = next(code for code in lines[0] if code in lines[1])
    assert order.share()[label] == order.share()[tree.codes.index(common)]
    assert {common} <= set(line_of(tree, tree.codes[label])) | {tree.codes[label]}


def test_shares_are_between_leaf_and_root() -> None:
    # root over x (a, b) and c: x covers 2 of 3 leaves, (2 - 1) / (3 - 1)
    tree = Tree(codes=("root", "x", "a", "b", "c"), parents=(-1, 0, 1, 1, 0))
    assert order_leaves(tree).share().tolist() == [1.0, 0.5, 0.0, 0.0, 0.0]

"""Coarse cuts are the first cuts of a partition in memory; parts are small, and each keeps the rule by itself."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.protect.records.recoding.plain_recoding import ask_k, number_codes, set_codes, split_plainly, tree_codes

from sekisho.data.trees.hierarchy import Tree
from sekisho.protect.records.recoding.classed_method import count_distinct
from sekisho.protect.records.recoding.key_space import KeyCodes, KeySpace, Records, join_columns, measure_span
from sekisho.protect.records.recoding.value_sums import ClassRule, keeps_rule
from sekisho.protect.records.streamed.cut_tree import PartSize, find_value_cut, grow_tree, join_parts
from sekisho.protect.records.streamed.recoding_plan import shrink_space

TOWNS = Tree(codes=("all", "north", "a", "b", "south", "c", "d", "e"), parents=(-1, 0, 1, 1, 0, 4, 4, 4))


@st.composite
def records(draw: st.DrawFn, *, most: int = 40) -> list[KeyCodes]:
    rows = draw(st.integers(4, most))

    def drawn(values: int) -> list[int]:
        return draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows))

    return [number_codes("n", drawn(9), 9), set_codes("s", drawn(4), 4), tree_codes("t", drawn(5), TOWNS)]


def count(columns: list[KeyCodes]) -> tuple[KeySpace, Records]:
    return join_columns(columns), count_distinct(columns, None)[0]


@given(columns=records(most=12), k=st.integers(1, 4))
def test_the_first_cut_is_that_of_the_plain_program(columns: list[KeyCodes], k: int) -> None:
    space, distinct = count(columns)
    column, goes_left = find_value_cut(space, distinct, ask_k(k))
    rows = list(zip(*(each.codes.tolist() for each in columns), strict=True))
    plain = split_plainly(columns, rows, k)
    if column < 0:
        assert len(plain) == 1
        return
    left = sorted(row for row in rows if goes_left[row[column]])
    # the plain program cuts on; some of its classes together are the left half of its first cut
    assert all(set(map(tuple, part)) <= set(left) or not set(map(tuple, part)) & set(left) for part in plain)
    assert min(len(left), len(rows) - len(left)) >= k


@given(columns=records(), k=st.integers(1, 4), size=st.integers(2, 15))
def test_parts_are_small_and_keep_the_rule(columns: list[KeyCodes], k: int, size: int) -> None:
    space, distinct = count(columns)
    rule = ask_k(k)
    tree = grow_tree(space, distinct, rule, PartSize(records=size))
    part = tree.find_parts(distinct.codes)
    assert set(part.tolist()) == set(range(tree.parts))
    for one in range(tree.parts):
        at = part == one
        members = Records(distinct.codes[at], distinct.copies[at], distinct.sensitive[at])
        assert members.copies.sum() >= k
        assert len(members.copies) <= size or find_value_cut(space, members, rule)[0] < 0
    assert pickle.dumps(tree)
    assert (deepcopy(tree).find_parts(distinct.codes) == part).all()


def test_values_that_were_not_drawn_belong_somewhere() -> None:
    # of numbers 0 and 8 were drawn: the cut lies behind 0; of the set 0 and 1, so 2 and 3 go right
    drawn = [number_codes("n", [0, 0, 8, 8], 9), set_codes("s", [0, 1, 0, 1], 4)]
    space, distinct = count(drawn)
    tree = grow_tree(space, distinct, ask_k(1), PartSize(records=1))
    codes = np.array([(n, s) for n in range(9) for s in range(4)], dtype=np.int32)
    assert set(tree.find_parts(codes).tolist()) <= set(range(4))
    assert (tree.find_parts(distinct.codes)[[0, 1]] != tree.find_parts(distinct.codes)[[2, 3]]).all()


@given(
    columns=records(),
    size=st.integers(2, 10),
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=40, max_size=40),
    k=st.integers(1, 12),
)
def test_parts_that_do_not_keep_the_rule_are_joined(
    columns: list[KeyCodes], size: int, pairs: list[tuple[int, int]], k: int
) -> None:
    space, distinct = count(columns)
    tree = grow_tree(space, distinct, ask_k(1), PartSize(records=size))
    counts = np.array(pairs, dtype=np.int64)[: tree.parts]
    rule = ClassRule(k, 2, 0.0, 0.0, 0, 1.0, False, np.array([0.5, 0.5]), -1)
    joined = join_parts(tree, rule, counts)
    parts = [counts[joined == one].sum(axis=0) for one in range(int(joined.max()) + 1)]
    if keeps_rule(rule, counts.sum(axis=0), int(counts.sum())):
        assert all(keeps_rule(rule, part, int(part.sum())) for part in parts)
    if all(keeps_rule(rule, one, int(one.sum())) for one in counts):
        assert len(parts) == tree.parts


@given(columns=records())
def test_cells_cost_the_same_in_the_space_of_a_part(columns: list[KeyCodes]) -> None:
    space, distinct = count(columns)
    some = distinct.codes[::2]
    local = shrink_space(space, some)
    for column in range(len(columns)):
        assert (local.values[column][local.codes[:, column]] == some[:, column]).all()
    for column in (0, 2):
        low, high = int(local.codes[:, column].min()), int(local.codes[:, column].max())
        ends = int(some[:, column].min()), int(some[:, column].max())
        assert measure_span(local.space, column, low, high) == measure_span(space, column, *ends)
    assert (local.space.unit == space.unit).all()

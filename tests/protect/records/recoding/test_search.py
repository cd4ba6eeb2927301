"""Classes must have k records, lose what is said, and lose less the longer one looks.

The cuts are those of the plain program; no partition beats the best of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.protect.records.recoding.plain_recoding import (
    Record,
    ask_k,
    cost_all,
    cost_class,
    least_loss,
    number_codes,
    problem_of,
    rows_of,
    set_codes,
    split_plainly,
    tree_codes,
)

from sekisho.data.trees.hierarchy import Tree
from sekisho.protect.records.recoding.key_space import KeyCodes
from sekisho.protect.records.recoding.search import Problem, RecodedClasses, search_classes
from sekisho.protect.records.recoding.split import Pieces, split_records
from sekisho.seeds import Seed

TOWNS = Tree(codes=("all", "north", "a", "b", "south", "c", "d", "e"), parents=(-1, 0, 1, 1, 0, 4, 4, 4))
"""Five towns in two regions: north has a and b, south c, d and e."""

SEPARATELY = 10**9
"""No class has so many pieces that equal values are summed up."""


@st.composite
def few_records(draw: st.DrawFn, *, most: int = 14, trees: bool = True) -> list[KeyCodes]:
    """Draw a few records with keys of every kind."""
    rows = draw(st.integers(2, most))

    def drawn(values: int) -> list[int]:
        return draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows))

    columns = [number_codes("n", drawn(6), 6), set_codes("s", drawn(3), 3)]
    if trees:
        columns.append(tree_codes("t", drawn(5), TOWNS))
    return columns


def expand(pieces: Pieces, problem: Problem) -> list[list[Record]]:
    """Return the members of each class, copy by copy; what is left out is in none."""
    classes: dict[int, list[Record]] = {}
    for record, copies, owner in zip(pieces.record, pieces.copies, pieces.owner, strict=True):
        if owner >= 0 and copies:
            row = tuple(problem.records.codes[record].tolist())
            classes.setdefault(int(owner), []).extend([row] * int(copies))
    return list(classes.values())


def run(problem: Problem, looks: int = 10**6) -> list[RecodedClasses]:
    return list(search_classes(problem, looks=looks, rng=Seed(1).rng()))


def sort_rows(rows: Sequence[Record]) -> list[Record]:
    return sorted(rows)


@given(few_records(most=20), st.integers(1, 4), st.sampled_from([1, 6, SEPARATELY]))
def test_cuts_are_those_of_the_plain_program(columns: list[KeyCodes], k: int, many: int) -> None:
    problem = problem_of(columns, ask_k(k))
    pieces = split_records(problem.space, problem.records, problem.rule, 0, many)
    ours = expand(pieces, problem)
    plain = split_plainly(columns, rows_of(columns), k)
    assert cost_all(columns, ours) == pytest.approx(cost_all(columns, plain), abs=1e-9)
    if len(rows_of(columns)) >= k:
        assert min(map(len, ours)) >= k


@given(few_records(most=20), st.integers(1, 4))
@example([number_codes("n", [0, 0, 0, 1, 1, 1, 1, 2, 2, 2], 3)], 5)
def test_relaxed_cuts_lose_no_more_than_strict_ones(columns: list[KeyCodes], k: int) -> None:
    problem = problem_of(columns, ask_k(k))
    both = [
        expand(split_records(problem.space, problem.records, problem.rule, loose, SEPARATELY), problem)
        for loose in (0, 1)
    ]
    strict, relaxed = (cost_all(columns, classes) for classes in both)
    assert relaxed <= strict + 1e-9
    assert sort_rows([row for one in both[1] for row in one]) == sort_rows(rows_of(columns))


def test_a_relaxed_cut_goes_through_copies_where_no_other_is_left() -> None:
    # 3 zeros, 4 ones, 3 twos and k = 5: no cut between values leaves 5 on both sides. Through the ones: 0 0 0 1 1 and
    # 1 1 2 2 2, each half as wide as the whole: NCP 1/2 instead of 1.
    columns = [number_codes("n", [0, 0, 0, 1, 1, 1, 1, 2, 2, 2], 3)]
    problem = problem_of(columns, ask_k(5))
    strict, relaxed = (
        expand(split_records(problem.space, problem.records, problem.rule, loose, SEPARATELY), problem)
        for loose in (0, 1)
    )
    assert cost_all(columns, strict) == 1.0
    assert sorted(map(sort_rows, relaxed)) == [[(0,), (0,), (0,), (1,), (1,)], [(1,), (1,), (2,), (2,), (2,)]]


@given(few_records(most=24), st.integers(1, 5), st.integers(0, 3))
def test_every_step_keeps_k_and_all_records_and_tells_its_true_loss(columns: list[KeyCodes], k: int, room: int) -> None:
    rows = rows_of(columns)
    if len(rows) < k:
        return
    problem = problem_of(columns, ask_k(k), room=room)
    before = np.inf
    for grouping in run(problem):
        classes = expand(grouping.pieces, problem)
        kept = [row for one in classes for row in one]
        lost = len(rows) - len(kept)
        assert lost <= room
        assert all(len(one) >= k for one in classes)
        assert not set(kept) - set(rows)
        loss = (sum(cost_class(columns, one) for one in classes) / len(columns) + lost) / len(rows)
        assert grouping.loss == pytest.approx(loss, abs=1e-9)
        assert grouping.loss <= before + 1e-9
        before = grouping.loss
        if not room:
            assert sort_rows(kept) == sort_rows(rows)


@try_examples(40)
@given(few_records(most=7), st.integers(2, 3))
def test_no_search_beats_the_best_of_all_partitions(columns: list[KeyCodes], k: int) -> None:
    if len(rows_of(columns)) < k:
        return
    assert run(problem_of(columns, ask_k(k)))[-1].loss >= least_loss(columns, k) - 1e-9


def test_the_search_finds_what_cuts_cannot() -> None:
    # Records (0,0) (1,1) (0,1) (1,0), twice each, two sets of two values, k = 2: every record has a twin, so nothing
    # need be lost; and with one twin moved away a search must find the pairs again.
    first, second = [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1, 0, 0]
    assert run(problem_of([set_codes("a", first, 2), set_codes("b", second, 2)], ask_k(2)))[-1].loss == 0.0


@try_examples(30)
@given(few_records(most=20), st.integers(2, 4))
def test_a_strict_partition_writes_equal_records_alike(columns: list[KeyCodes], k: int) -> None:
    problem = problem_of(columns, ask_k(k), strict=True)
    classes = expand(run(problem)[-1].pieces, problem)
    where: dict[Record, int] = {}
    for place, one in enumerate(classes):
        for row in one:
            assert where.setdefault(row, place) == place


def test_what_is_left_out_is_what_costs_most() -> None:
    # Twelve records at 0 and one at 5 of 0 to 5, k = 3: with it the class of three or more that holds it costs at
    # least 3 times 1; left out it costs 1 of 13.
    columns = [number_codes("n", [0] * 12 + [5], 6)]
    assert run(problem_of(columns, ask_k(3), room=1))[-1].loss == pytest.approx(1 / 13)
    assert run(problem_of(columns, ask_k(3)))[-1].loss == pytest.approx(3 / 13)


def test_where_nothing_is_lost_the_search_ends_at_once() -> None:
    steps = run(problem_of([set_codes("a", [0, 0, 1, 1], 2)], ask_k(2)))
    assert steps[-1].loss == 0.0
    assert len(steps) == 1


@given(few_records(most=24), st.integers(1, 5))
def test_many_records_begin_with_those_alike_but_for_narrow_numbers(columns: list[KeyCodes], k: int) -> None:
    rows = rows_of(columns)
    if len(rows) < k:
        return
    problem = problem_of(columns, ask_k(k))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sekisho.protect.records.recoding.search.FEW", 0)
        grouping = run(problem, looks=0)[-1]
    classes = expand(grouping.pieces, problem)
    assert sort_rows([row for one in classes for row in one]) == sort_rows(rows)
    assert min(map(len, classes)) >= k
    assert grouping.loss == pytest.approx(cost_all(columns, classes), abs=1e-9)


def test_of_many_records_equal_ones_leave_exact_and_the_rest_is_cut() -> None:
    # k = 2: 0 0 and 8 8 leave as they are; 3 and 5 are left, 2 apart of 8 in one of two keys: (2 + 2) / 8 / 6 / 2.
    columns = [number_codes("n", [0, 0, 3, 5, 8, 8], 9), set_codes("s", [0, 0, 1, 1, 2, 2], 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sekisho.protect.records.recoding.search.FEW", 0)
        grouping = run(problem_of(columns, ask_k(2)), looks=0)[-1]
    assert grouping.classes == 3
    assert grouping.loss == pytest.approx(1 / 24)

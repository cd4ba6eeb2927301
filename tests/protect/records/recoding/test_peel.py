"""What leaves under a vector of levels is what a plain count of labels says; the vectors are the cheapest there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.protect.records.recoding.plain_recoding import ask_k, number_codes, problem_of, set_codes, tree_codes

from sekisho.data.trees.hierarchy import Tree
from sekisho.protect.records.recoding import classes as ladders_module
from sekisho.protect.records.recoding.classes import Ladders, build_ladders, list_vectors
from sekisho.protect.records.recoding.key_space import KeyCodes
from sekisho.protect.records.recoding.search import Problem, peel_records

TOWNS = Tree(codes=("all", "north", "a", "b", "south", "c", "d", "e"), parents=(-1, 0, 1, 1, 0, 4, 4, 4))
"""Five towns in two regions: north has a and b, south c, d and e."""


@st.composite
def some_records(draw: st.DrawFn) -> list[KeyCodes]:
    """Draw records with a number, a set and two trees."""
    rows = draw(st.integers(1, 60))

    def drawn(values: int) -> list[int]:
        return draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows))

    return [
        number_codes("n", drawn(9), 9),
        set_codes("s", drawn(3), 3),
        tree_codes("t", drawn(5), TOWNS),
        tree_codes("u", drawn(5), TOWNS),
    ]


def peel_plainly(problem: Problem, ladders: Ladders, vectors: Sequence[Sequence[int]], k: int) -> set[frozenset[int]]:
    """Return the classes: under each vector count what is written alike among the records left; k or more leave."""
    left, classes = list(range(len(problem.records.copies))), set[frozenset[int]]()
    for vector in vectors:
        alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for record in left:
            codes = problem.records.codes[record].tolist()
            places = problem.space.starts[:-1] + codes
            label = tuple(int(ladders.rung[level, place]) for level, place in zip(vector, places, strict=True))
            alike[label].append(record)
        for group in alike.values():
            if sum(int(problem.records.copies[record]) for record in group) >= k:
                classes.add(frozenset(group))
        gone = {record for one in classes for record in one}
        left = [record for record in left if record not in gone]
    return classes | ({frozenset(left)} if left else set())


@pytest.mark.parametrize("told_apart", [True, False])
@try_examples(60)
@given(columns=some_records(), k=st.integers(1, 12))
def test_classes_are_those_of_a_plain_count(columns: list[KeyCodes], k: int, *, told_apart: bool) -> None:
    problem = problem_of(columns, ask_k(k))
    ladders = build_ladders(problem.space)
    vectors = list_vectors(problem.space, problem.records, ladders)
    if not told_apart:  # as with very many labels: the number of one way to write a record is that of every other
        ladders = ladders._replace(part=np.zeros_like(ladders.part), exact=False)
    pieces = peel_records(problem.space, problem.records, problem.rule, ladders, vectors)
    ours: dict[int, set[int]] = defaultdict(set)
    for record, owner in zip(pieces.record.tolist(), pieces.owner.tolist(), strict=True):
        ours[owner].add(record)
    assert {frozenset(one) for one in ours.values()} == peel_plainly(problem, ladders, vectors.tolist(), k)
    assert pieces.copies.tolist() == problem.records.copies.tolist()


@try_examples(40)
@given(columns=some_records(), most=st.integers(1, 400), limit=st.sampled_from([0.1, 0.5, 2.0, np.inf]))
def test_the_vectors_are_the_cheapest_of_all(columns: list[KeyCodes], most: int, limit: float) -> None:
    problem = problem_of(columns, ask_k(2))
    space, ladders = problem.space, build_ladders(problem.space)
    people, often = int(problem.records.copies.sum()), [Counter[int]() for _ in columns]
    for codes, copies in zip(problem.records.codes.tolist(), problem.records.copies.tolist(), strict=True):
        for column, code in enumerate(codes):
            often[column][code] += copies

    def cost(vector: Sequence[int]) -> float:
        return sum(
            copies / people * float(ladders.loss[level, int(space.starts[column]) + code])
            for column, level in enumerate(vector)
            for code, copies in often[column].items()
        )

    every = sorted(cost(vector) for vector in product(*(range(top + 1) for top in ladders.height.tolist())))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladders_module, "MOST_VECTORS", most)
        vectors = list_vectors(space, problem.records, ladders, most=limit).tolist()
    if np.isinf(limit):
        assert vectors[-1] == ladders.height.tolist()
    ours = [cost(vector) for vector in vectors]
    cheapest = [each for each in every[:most] if each <= limit + 1e-9]
    assert ours[: len(cheapest)] == pytest.approx(cheapest, abs=1e-9)
    assert len({tuple(vector) for vector in vectors}) == len(vectors)


def test_very_many_keys_do_not_make_all_vectors() -> None:
    # 30 numbers of 9 values have 3 levels each: 3 ** 30 vectors, which no memory holds.
    columns = [number_codes(f"n{place}", [0, 4, 8, 8], 9) for place in range(30)]
    problem = problem_of(columns, ask_k(2))
    ladders = build_ladders(problem.space)
    assert not ladders.exact
    vectors = list_vectors(problem.space, problem.records, ladders)
    assert len(vectors) == ladders_module.MOST_VECTORS + 1
    assert vectors[0].tolist() == [0] * 30

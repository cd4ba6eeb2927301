"""A customer is a candidate exactly if his rows explain the published ones, each by a row of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from tests.attack.histories import MaskedRow, Row, make_history, make_release, pseudonymise, read_contest

from sekisho.attack.history.candidate_search import find_candidates
from sekisho.attack.history.histories import gather_known, gather_published
from sekisho.attack.history.row_fit import ROWS
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

small = st.integers(0, 3)
cells = st.one_of(st.none(), st.tuples(small, small).map(lambda pair: (min(pair), max(pair))))
original_rows = st.lists(
    st.tuples(st.sampled_from("abc"), small, st.sampled_from("xyz"), small, small), min_size=1, max_size=12
)
published_rows = st.lists(
    st.tuples(st.integers(1, 3), cells, st.sets(st.sampled_from("xyz")), cells, cells), max_size=8
)


def row_fits(row: MaskedRow, fact: Row) -> bool:
    numbers = all(
        cell is None or cell[0] <= value <= cell[1]
        for cell, value in zip((row[1], *row[3:]), (fact[1], *fact[3:]), strict=True)
    )
    return numbers and (not row[2] or fact[2] in row[2])


def find_plainly(rows: list[Row], blurred: list[MaskedRow]) -> dict[int, set[str]]:
    """Decide each pair by scipy's matching on the graph of fitting rows."""
    customers: dict[int, set[str]] = {}
    for name in {row[0] for row in blurred}:
        mine = [row for row in blurred if row[0] == name]
        customers[name] = set()
        for who in {fact[0] for fact in rows}:
            graph = np.array([[row_fits(row, fact) for fact in rows if fact[0] == who] for row in mine])
            if bool((maximum_bipartite_matching(csr_array(graph), perm_type="column") >= 0).all()):
                customers[name].add(who)
    return customers


def find_quickly(original: Dataset, table: MaskedTable, chunk: int = ROWS) -> dict[int, set[str]]:
    facts, rows = gather_known(original), gather_published(table, original)
    candidates = find_candidates(rows, facts, chunk=chunk)
    possible = candidates.possible.toarray()
    return {
        name: {facts.customers[who] for who in possible[candidates.twin[place]].nonzero()[0]}
        for place, name in enumerate(rows.pseudonyms.tolist())
    }


def test_golden() -> None:
    original = make_history([("a", 1, "x", 1, 1), ("a", 2, "x", 1, 1), ("b", 1, "x", 1, 1), ("b", 1, "y", 1, 1)])
    table = make_release(
        original,
        [
            *((1, (1, 2), ("x",), None, None), (1, (1, 2), ("x",), None, None)),  # two x: b has one only
            *((2, (1, 1), ("x", "y"), None, None), (2, (1, 1), ("x", "y"), None, None)),  # two on day 1: a has one only
            (3, (1, 1), (), None, None),  # one row on day 1: both
            (4, (2, 2), ("y",), None, None),  # nobody
        ],
    )
    assert find_quickly(original, table) == {1: {"a"}, 2: {"b"}, 3: {"a", "b"}, 4: set()}


def test_an_augmenting_path_is_found() -> None:
    # The first row may take either of a's rows, the second only the one that the first takes first.
    original = make_history([("a", 1, "x", 1, 1), ("a", 2, "x", 1, 1)])
    table = make_release(original, [(1, (1, 2), ("x",), None, None), (1, (1, 1), ("x",), None, None)])
    assert find_quickly(original, table) == {1: {"a"}}


@given(original_rows, published_rows, st.sampled_from([1, 4, ROWS]))
def test_against_the_plain_version(
    rows: list[Row],
    blurred: list[tuple[int, tuple[int, int] | None, set[str], tuple[int, int] | None, None]],
    chunk: int,
) -> None:
    here = {fact[2] for fact in rows}
    masked: list[MaskedRow] = [(row[0], row[1], tuple(sorted(row[2] & here)), row[3], row[4]) for row in blurred]
    if masked:
        original = make_history(rows)
        assert find_quickly(original, make_release(original, masked), chunk) == find_plainly(rows, masked)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_nobody_escapes_on_round_two(shared: Callable[[str], Path], k: int) -> None:
    # The true customer is always a candidate; in groups of k there are at least k candidates, raw there is hardly
    # another.
    original = read_contest(shared("pwscup2018/T_round2.csv"))
    release = SimilarLength(k=k).apply(original, rng=Seed(1).rng())
    table = release.table.take(~release.deleted)
    candidates = find_candidates(gather_published(table, original), gather_known(original))
    assert table.pseudonym is not None
    names, first = np.unique(table.pseudonym, return_index=True)
    truth = original.codes("customer")[~release.deleted][first]
    assert len(names) == 1000
    assert bool(candidates.possible.toarray()[candidates.twin, truth].all())
    assert candidates.sizes().min() == k
    assert candidates.counts().min() == k
    assert np.median(candidates.counts()) == k


def test_a_raw_history_leaves_hardly_a_doubt() -> None:
    rng = Seed(1).rng()
    original = make_history(
        [
            (f"c{who}", int(rng.integers(300)), f"i{int(rng.integers(50))}", 100, 1)
            for who in range(40)
            for _ in range(9)
        ]
    )
    table, truth = pseudonymise(original, rng=rng)
    assert find_quickly(original, table) == {name: {who} for name, who in truth.items()}


@given(original_rows, published_rows)
def test_filters_by_numbers_alone_lose_nobody(
    rows: list[Row], blurred: list[tuple[int, tuple[int, int] | None, set[str], tuple[int, int] | None, None]]
) -> None:
    """With every item suppressed only the ranges tell where to look."""
    if not blurred:
        return
    hidden: list[MaskedRow] = [(row[0], row[1], (), row[3], row[4]) for row in blurred]
    original = make_history(rows)
    assert find_quickly(original, make_release(original, hidden)) == find_plainly(rows, hidden)

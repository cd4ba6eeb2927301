"""Associations: by hand, and against scipy on releases that are plain data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats.contingency import association
from tests.recodings import Case

from sekisho.utility.records.distributions import Associations, compute_v

PLAIN = Case(
    numbers={"age": [0, 1, 2, 3], "pay": [0, 1, 2, 3]},
    texts={"town": ["a", "a", "b", "b"], "job": ["x", "x", "y", "y"]},
    ranges={"age": [(0, 0), (1, 1), (2, 2), (3, 3)], "pay": [(3, 3), (2, 2), (0, 2), (0, 0)]},
    sets={
        "town": [frozenset("a"), frozenset("b"), frozenset("a"), frozenset("b")],
        "job": [frozenset("x"), frozenset("x"), frozenset("y"), frozenset("y")],
    },
    deleted=[False] * 4,
)


def test_associations_by_hand() -> None:
    # age and pay moved together (1) and now move apart: middles 3, 2, 1, 0 (-1): 2. town and job told each other (V =
    # 1), now all four pairs stand once (V = 0): 1.
    score = Associations().compare(PLAIN.data, PLAIN.release)
    assert score.detail["age x pay"] == pytest.approx(2.0)
    assert score.detail["town x job"] == pytest.approx(1.0)
    assert len(score.detail) == 6


def test_what_is_constant_or_not_told_has_no_association() -> None:
    gone = Case(
        numbers=PLAIN.numbers,
        texts=PLAIN.texts,
        ranges=PLAIN.ranges,
        sets=PLAIN.sets,
        deleted=[True, True, True, False],
    )
    # one record is left: no correlation and no table; what there was (1 and 1) is lost
    detail = Associations().compare(gone.data, gone.release).detail
    assert detail["age x pay"] == pytest.approx(1.0)
    assert detail["town x job"] == pytest.approx(1.0)


counts = st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=2, max_size=4)


@given(counts)
def test_v_is_scipys(table: list[list[int]]) -> None:
    whole = np.array(table)
    assume(bool((whole.sum(axis=0) > 0).all()) and bool((whole.sum(axis=1) > 0).all()))
    assert compute_v(whole.astype(np.float64)) == pytest.approx(float(association(whole, method="cramer")), abs=1e-9)
    padded = np.pad(whole, 1).astype(np.float64)  # classes that do not occur change nothing
    assert compute_v(padded) == pytest.approx(compute_v(whole.astype(np.float64)))


numbers = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=9)


@given(numbers, numbers)
def test_correlations_are_scipys(before: list[tuple[int, int]], after: list[tuple[int, int]]) -> None:
    rows = min(len(before), len(after))
    columns = [[list(part) for part in zip(*pairs[:rows], strict=True)] for pairs in (before, after)]
    assume(all(len(set(values)) > 1 for pair in columns for values in pair))
    case = Case(
        numbers=dict(zip(("age", "pay"), columns[0], strict=True)),
        texts={"town": ["a"] * rows, "job": ["b"] * rows},
        ranges={name: [(v, v) for v in values] for name, values in zip(("age", "pay"), columns[1], strict=True)},
        sets={"town": [frozenset("a")] * rows, "job": [frozenset("b")] * rows},
        deleted=[False] * rows,
    )
    was, now = (float(stats.pearsonr(*pair).statistic) for pair in columns)
    score = Associations(columns=("age", "pay")).compare(case.data, case.release)
    assert score.value == pytest.approx(abs(was - now), abs=1e-9)

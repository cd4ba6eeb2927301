"""Twins are the pseudonyms that publish the same rows the same number of times, and no others."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.attack.histories import MaskedRow, make_history, make_release

from sekisho.attack.history.candidate_search import number_twins
from sekisho.attack.history.histories import gather_published
from sekisho.data.history.arrays import number_runs

ORIGINAL = make_history([("a", 0, "x", 1, 1), ("a", 0, "y", 1, 1)])
rows = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.sampled_from([None, (0, 0), (0, 1)]),
        st.sampled_from([(), ("x",), ("x", "y")]),
        st.none(),
        st.sampled_from([None, (1, 1)]),
    ),
    min_size=1,
    max_size=10,
)


@given(rows)
def test_against_counters(masked: list[MaskedRow]) -> None:
    histories = gather_published(make_release(ORIGINAL, masked), ORIGINAL)
    number = dict(zip(histories.pseudonyms.tolist(), number_twins(histories).tolist(), strict=True))
    bags = {name: Counter(row[1:] for row in masked if row[0] == name) for name in number}
    for (one, first), (other, second) in product(number.items(), repeat=2):
        assert (first == second) == (bags[one] == bags[other])


def test_a_run_is_not_its_prefix() -> None:
    # Runs: (1), (1, 1), (), (1): the first and the last are equal, the empty one is 0.
    ids = number_runs(np.array([0, 0, 0, 1]), np.array([1, 2, 0, 2]), np.array([1, 1]))
    assert ids[0] == ids[3]
    assert len(set(ids.tolist())) == 3
    assert ids[2] == 0


def test_the_order_of_rows_does_not_tell_twins_apart() -> None:
    one, other = ((0, 0), ("x",), None, None), ((0, 1), ("y",), None, None)
    histories = gather_published(
        make_release(ORIGINAL, [(1, *one), (1, *other), (2, *other), (2, *one), (3, *one)]), ORIGINAL
    )
    first, second, third = number_twins(histories).tolist()
    assert first == second != third

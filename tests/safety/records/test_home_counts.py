"""Households of a class, and what they have: the fast counts beside slow ones that go through every class."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.safety.records.households import count_home_values, count_homes

ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40)


def count_slowly(rows: list[tuple[int, int, int]]) -> tuple[int, int]:
    members: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for home, kind, value in rows:
        members[kind][home].append(value)
    return (
        min(len(homes) for homes in members.values()),
        min(len({tuple(sorted(values)) for values in homes.values()}) for homes in members.values()),
    )


def test_five_people_of_one_home_are_one_household() -> None:
    """Two classes of five people: one home each, one of its members ill: one household, one set of values."""
    homes, classes = np.repeat([0, 1], 5), np.repeat([0, 1], 5)
    ill = np.tile([1, 0, 0, 0, 0], 2)
    assert (count_homes(homes, classes), count_home_values(homes, classes, ill)) == (1, 1)


def test_homes_with_other_values_differ() -> None:
    """One class, two homes of two: in the first one is ill, in the second none."""
    homes, classes = np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)
    assert count_home_values(homes, classes, np.array([1, 0, 0, 0])) == 2


@try_examples(200)
@given(rows=ROWS)
def test_as_a_slow_count(rows: list[tuple[int, int, int]]) -> None:
    homes, classes, values = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    assert (count_homes(homes, classes), count_home_values(homes, classes, values)) == count_slowly(rows)

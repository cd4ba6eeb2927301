"""Equal cells get one number and different ones two, whatever the kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from tests.recodings import NUMBERS, TEXTS, Case, cases, make_ranges, make_sets

from sekisho.data.frame import cells as distinct_cells
from sekisho.data.frame.cells import Cells, number_cells


def assert_numbers_tell_apart(cells: Cells, plain: Sequence[object]) -> None:
    place, first = number_cells(cells)
    assert sorted(set(place.tolist())) == list(range(len(first)))
    assert [place[row] for row in first] == list(range(len(first)))
    for one in range(len(plain)):
        for two in range(len(plain)):
            assert bool(place[one] == place[two]) is (plain[one] == plain[two])


@given(cases())
def test_equal_cells_have_one_number(case: Case) -> None:
    for name in NUMBERS:
        assert_numbers_tell_apart(make_ranges(case.ranges[name]), case.ranges[name])
    for name in TEXTS:
        assert_numbers_tell_apart(make_sets(case.sets[name], case.data.domain(name)), case.sets[name])


def add_one(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Give a word for each value with which {0, 2} and {3} share a sum."""
    return numbers + np.uint64(1)


@given(cases())
def test_different_sets_of_one_sum_are_told_apart(case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct_cells, "mix_words", add_one)
        for name in TEXTS:
            assert_numbers_tell_apart(make_sets(case.sets[name], case.data.domain(name)), case.sets[name])
        sets = [frozenset("ac"), frozenset("d"), frozenset("ab"), frozenset("c"), None]
        assert_numbers_tell_apart(make_sets(sets, ("a", "b", "c", "d")), sets)


def test_a_set_is_not_its_beginning_and_a_suppressed_range_is_not_zero() -> None:
    sets: list[frozenset[str] | None] = [frozenset("a"), frozenset("ab"), None, frozenset("b"), frozenset("ab")]
    assert_numbers_tell_apart(make_sets(sets, ("a", "b")), sets)
    ranges = [(0, 0), None, (0, 1), (1, 1), None]
    assert_numbers_tell_apart(make_ranges(ranges), ranges)
    place, first = number_cells(make_ranges([]))
    assert len(place) == len(first) == 0
    assert place.dtype == np.int64

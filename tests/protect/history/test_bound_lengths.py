"""No grouping deletes fewer rows than the bound from lengths says, and some grouping of the lengths deletes as few."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sekisho.protect.history.bound_lengths import bound_by_lengths


def list_partitions(people: list[int]) -> Iterator[list[list[int]]]:
    """Give every way to split people into parts."""
    if not people:
        yield []
        return
    for parts in list_partitions(people[1:]):
        yield [[people[0]], *parts]
        for place, part in enumerate(parts):
            yield [*parts[:place], [people[0], *part], *parts[place + 1 :]]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=7), st.integers(2, 4))
def test_it_is_the_least_over_all_ways_to_group_and_delete(lengths: list[int], k: int) -> None:
    # A part of fewer than k people is deleted whole; a larger one publishes its shortest member's number of rows.
    least = min(
        sum(sum(part) - (len(part) * min(part) if len(part) >= k else 0) for part in parts)
        for parts in list_partitions(lengths)
    )
    assert bound_by_lengths(np.array(lengths), k) == least


def test_golden() -> None:
    # Sorted 1, 5, 5, 9: with k = 2 the pairs (1, 5), (5, 9) delete 4 + 4; 1 deleted and (5, 5, 9) delete 1 + 4.
    assert bound_by_lengths(np.array([5, 1, 9, 5]), 2) == 5

"""What is told of a difference's contributors must never be less concentrated than the truth, nor more than can be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.difference_contributors import bound_contributors
from sekisho.tables.model.table import Table

FIRMS = st.lists(st.integers(1, 9), max_size=4)


def one_cell(firms: list[int], places: int, *, told: bool = True) -> Table:
    """A cell c and an empty one beside it, with the largest contributions."""
    plain = from_inner((Dimension.flat("a", ["c", "d"]),), [("c",), ("d",)], np.array([float(sum(firms)), 0.0]))
    top = (sorted(firms, reverse=True) + [0] * places)[:places]
    largest = np.array([top, top, [0] * places], dtype=np.float64)
    count = np.array([len(firms), len(firms), 0]) if told else np.zeros(3, dtype=np.int64)
    return replace(plain, largest=largest, frequency=count)


def subtract(whole: Table, parts: list[Table]) -> Table:
    apart = whole.value - np.sum([part.value for part in parts], axis=0)
    return replace(whole, value=apart, largest=np.zeros((3, 0)), frequency=np.zeros(3, dtype=np.int64))


def tops(firms: tuple[int, ...] | list[int], places: int) -> list[int]:
    ordered = (sorted(firms, reverse=True) + [0] * places)[:places]
    return [sum(ordered[: place + 1]) for place in range(places)]


@given(
    part=FIRMS,
    other=FIRMS,
    rest=FIRMS,
    places=st.integers(1, 4),
    short=st.integers(1, 4),
    split=st.booleans(),
    told=st.booleans(),
)
@example(part=[7, 6], other=[], rest=[5], places=3, short=1, split=False, told=True)
def test_the_bounds_are_those_of_the_most_concentrated_difference_that_the_tables_allow(
    part: list[int], other: list[int], rest: list[int], places: int, short: int, *, split: bool, told: bool
) -> None:
    # The oracle tries every difference of whole contributions that fits the numbers and lists of whole and parts.
    parts = [part, other] if split else [part]
    everybody = [firm for each in parts for firm in each] + rest
    whole, lists = one_cell(everybody, places, told=told), [one_cell(each, short, told=told) for each in parts]
    found = bound_contributors(subtract(whole, lists), whole, lists)
    if told:
        assert found.frequency.tolist() == [len(rest), len(rest), 0]
    bound = np.cumsum(found.largest[1])
    assert all(true <= most + 1e-9 for true, most in zip(tops(rest, places), bound, strict=True))
    if told and len(everybody) <= places and max(map(len, parts)) <= short:
        assert bound.tolist() == tops(rest, places)
    if told and len(parts) == 1:
        possible = [
            candidate
            for candidate in combinations_with_replacement(range(1, 10), len(rest))
            if sum(candidate) == sum(rest) and fits(everybody, part, candidate, (places, short))
        ]
        assert tuple(sorted(rest)) in {tuple(sorted(each)) for each in possible}
        for place in range(places):
            assert bound[place] >= max(tops(each, places)[place] for each in possible) - 1e-9


def fits(everybody: list[int], part: list[int], rest: tuple[int, ...], listed: tuple[int, int]) -> bool:
    """Whether some part with the published list and sum makes, with this rest, the whole with its list."""
    places, short = listed
    head = sorted(part, reverse=True)[:short]
    unlisted = len(part) - len(head)
    for tail in combinations_with_replacement(range(1, (head[-1] if head else 9) + 1), unlisted):
        inside = [*head, *tail]
        together = sorted([*inside, *rest], reverse=True)
        if sum(inside) == sum(part) and together[:places] == sorted(everybody, reverse=True)[:places]:
            return True
    return False


def test_a_worked_example() -> None:
    # The whole lists 50, 30, 20 of six who give 130; the part 30, 10, 5 of three who give 45. So t = 20: 50 is left of
    # the list above 20, and two more of at most 20 each give 130 - 45 - 50 = 35: at worst 20 and 15.
    whole, part = one_cell([50, 30, 20, 15, 10, 5], 3), one_cell([30, 10, 5], 3)
    found = bound_contributors(subtract(whole, [part]), whole, [part])
    assert found.largest[1].tolist() == [50, 20, 15]
    assert found.frequency.tolist() == [3, 3, 0]
    assert Counter(found.largest[2].tolist()) == {0.0: 3}


@pytest.mark.parametrize(
    ("everybody", "part", "said"),
    [
        ([50, 30], [30, 10, 5], "more contributors in the parts"),
        ([50, 30, 20], [40, 1], "in a part that is not among the whole's"),
        ([50, 30, 20], [50, 30, 10], "is no sum of what the contributors"),
    ],
)
def test_what_is_no_part_is_refused_by_its_cell(everybody: list[int], part: list[int], said: str) -> None:
    whole, inside = one_cell(everybody, 2), one_cell(part, 2)
    with pytest.raises(FaultsError, match=f"a=c .*{said}"):
        bound_contributors(subtract(whole, [inside]), whole, [inside])


def test_without_largest_contributions_only_their_number_is_subtracted() -> None:
    whole, part = one_cell([5, 5, 5], 0), one_cell([5, 5], 0)
    assert bound_contributors(subtract(whole, [part]), whole, [part]).frequency.tolist() == [1, 1, 0]
    other = one_cell([5, 4, 1], 0)
    with pytest.raises(FaultsError, match="left without a contributor"):
        bound_contributors(subtract(whole, [other]), whole, [other])


def test_sizes_of_contributions_below_0_cannot_be_subtracted() -> None:
    whole, part = one_cell([5, 5, 5], 2), one_cell([5, 5], 2)
    signed = replace(subtract(whole, [part]), lower=np.full(3, -np.inf))
    with pytest.raises(ParameterError, match="contributors must be told one by one where values are below 0"):
        bound_contributors(signed, whole, [part])

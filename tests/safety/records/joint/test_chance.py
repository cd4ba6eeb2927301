"""Chances of links by partial matchings: by hand, against listing, golden, and floats beside fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases

from sekisho.errors import ParameterError
from sekisho.safety.records.joint import chance
from sekisho.safety.records.joint.chance import LinkSizes


def _find_chances(
    rows: tuple[Sequence[int], Sequence[int]], classes: tuple[Sequence[int], Sequence[int]], overlap: int
) -> list[Fraction | float]:
    weights = LinkSizes(first=np.array(rows[0]), second=np.array(rows[1])).weigh(overlap)
    ways = [weight * a * b for weight, a, b in zip(weights, *classes, strict=True)]
    return [way / sum(ways) for way in ways]


@pytest.mark.parametrize(("overlap", "expected"), [(1, "1/2"), (2, "50/91"), (5, "5/7"), (10, "10/11"), (11, "10/11")])
def test_a_rare_link_outweighs_a_common_one(overlap: int, expected: str) -> None:
    assert _find_chances(([1, 10], [1, 10]), ([1, 1], [1, 1]), overlap)[0] == Fraction(expected)


def _list_chances(first: list[int], second: list[int], overlap: int) -> list[Fraction]:
    """Return the chance of each link of a person whose class is the first row of each link, by listing matchings."""
    left = [link for link, rows in enumerate(first) for _ in range(rows)]
    right = [link for link, rows in enumerate(second) for _ in range(rows)]
    heads = [{side.index(link) for link in range(len(first)) if link in side} for side in (left, right)]
    ways = [0] * len(first)
    for mine in combinations(range(len(left)), overlap):
        for theirs in permutations(range(len(right)), overlap):
            pairs = list(zip(mine, theirs, strict=True))
            if all(left[a] == right[b] for a, b in pairs):
                for a, b in pairs:
                    ways[left[a]] += a in heads[0] and b in heads[1]
    return [Fraction(way, sum(ways)) for way in ways]


@given(st.lists(st.tuples(st.integers(1, 2), st.integers(1, 2)), min_size=2, max_size=2), st.data())
def test_chances_equal_listing(sizes: list[tuple[int, int]], data: st.DataObject) -> None:
    first, second = [a for a, _ in sizes], [b for _, b in sizes]
    overlap = data.draw(st.integers(1, sum(map(min, first, second))))
    ones = [1] * len(sizes)
    assert _find_chances((first, second), (ones, ones), overlap) == _list_chances(first, second, overlap)


def test_golden_overlaps(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared, "composition-overlap", "all"):
        rows, classes = (case["rows1"], case["rows2"]), (case["class1"], case["class2"])
        chances = _find_chances(rows, classes, case["overlap"])
        assert {link: str(chances[int(link)]) for link in case["chance"]} == case["chance"]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=2, max_size=6), st.data())
def test_floats_equal_fractions(sizes: list[tuple[int, int]], data: st.DataObject) -> None:
    rows = LinkSizes(first=np.array([a for a, _ in sizes]), second=np.array([b for _, b in sizes]))
    if not rows.most:
        return
    overlap = data.draw(st.integers(1, rows.most))
    exact = rows.weigh(overlap)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chance, "EXACT", 0)
        floats = rows.weigh(overlap)
    shares = [float(each / sum(exact)) for each in exact]
    assert [each / sum(floats) for each in floats] == pytest.approx(shares, rel=1e-9)


def test_more_people_than_rows_link_are_refused() -> None:
    with pytest.raises(ParameterError, match="between 1 and 3"):
        LinkSizes(first=np.array([1, 5]), second=np.array([4, 2])).weigh(4)

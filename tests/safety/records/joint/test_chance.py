"""Chances of links by partial matchings: by hand, against listing, golden, and floats beside fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases
from verify.red_team.joint_listing import PopulationCase, Row, draw_case, list_fitting

from sekisho.errors import ParameterError
from sekisho.safety.records.joint import chance
from sekisho.safety.records.joint.chance import LinkSizes, find_largest_chance


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


def _make_case(*releases: Sequence[tuple[int, str]]) -> PopulationCase:
    """Return a case of people aged 0 and 1; a row tells the age, and values of which one never changes."""
    listed: list[list[Row]] = [
        [
            {"age": frozenset({age}), "town": None, "s": frozenset(values), "year": None, "blood": None}
            for age, values in rows
        ]
        for rows in releases
    ]
    present = (True,) * len(releases)
    return PopulationCase(people=[(0, "a"), (1, "a")], present=[present, present], releases=listed, stable=("s",))


def test_the_largest_chance_of_a_row_and_of_a_value_over_two_releases() -> None:
    # With one person in both every pair alike. Age 0: four pairs of a, two of b; a value of 4/6, and any one of its
    # rows in two pairs. Age 1: a pair of a and one of c, half each; what was added up for age 0 counts no more.
    case = _make_case(
        [(0, "a"), (0, "a"), (0, "b"), (0, "b"), (1, "a"), (1, "c")],
        [(0, "a"), (0, "a"), (0, "b"), (1, "a"), (1, "c")],
    )
    question = case.to_question()
    largest = find_largest_chance(question, case.fit_people(question), 1)
    assert largest is not None
    assert (largest.row, largest.value, largest.exact) == (pytest.approx(1 / 2), pytest.approx(2 / 3), True)


def test_nobody_has_a_chance_where_no_rows_agree() -> None:
    case = _make_case([(0, "a"), (1, "b")], [(0, "b"), (1, "a")])
    question = case.to_question()
    largest = find_largest_chance(question, case.fit_people(question), 1)
    assert largest is not None
    assert (largest.row, largest.value) == (None, None)


@pytest.mark.parametrize("releases", [1, 3])
def test_nothing_is_said_of_other_than_two_releases(releases: int) -> None:
    case = _make_case(*[[(0, "a"), (1, "b")]] * releases)
    question = case.to_question()
    assert find_largest_chance(question, case.fit_people(question), 1) is None


def test_nothing_is_said_where_a_stable_cell_may_be_several_values() -> None:
    case = _make_case([(0, "ab"), (1, "b")], [(0, "a"), (1, "b")])
    question = case.to_question()
    assert find_largest_chance(question, case.fit_people(question), 1) is None


def _list_largest(case: PopulationCase) -> tuple[float, float]:
    """Return the largest chances where one person is in both releases, by counting pairs of rows of one value."""
    best_row, best_value = 0.0, 0.0
    for person in range(len(case.people)):
        first, second = (list_fitting(case, person, place) for place in (0, 1))
        told = [[tuple(row[name] for name in case.stable) for row in rows] for rows in case.releases]
        pairs = [(one, two) for one in first for two in second if told[0][one] == told[1][two]]
        if pairs and all(case.present[person]):
            rows = Counter(row for pair in pairs for row in zip((0, 1), pair, strict=True))
            values = Counter(case.releases[0][one]["s"] for one, _ in pairs)
            best_row = max(best_row, max(rows.values()) / len(pairs))
            best_value = max(best_value, max(values.values()) / len(pairs))
    return best_row, best_value


@given(st.integers(0, 2**32))
def test_the_largest_chances_equal_listing(seed: int) -> None:
    case = draw_case(np.random.default_rng(seed), releases=2, generalised=False)
    question = case.to_question()
    links = question.link().link
    if not set(links[0].tolist()) & set(links[1].tolist()):
        return
    largest = find_largest_chance(question, case.fit_people(question), 1)
    assert largest is not None
    row, value = _list_largest(case)
    assert (largest.row or 0.0) == pytest.approx(row)
    assert (largest.value or 0.0) == pytest.approx(value if "s" in case.stable else 0.0)


def test_more_people_than_rows_link_are_refused() -> None:
    with pytest.raises(ParameterError, match="between 1 and 3"):
        LinkSizes(first=np.array([1, 5]), second=np.array([4, 2])).weigh(4)

"""Who lives together betrays each other: nobody may read a household's risk off its members one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases

from sekisho.errors import ParameterError
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.households import HouseholdRisk, assess_households, compute_found

People = Sequence[tuple[int, str]]


def assess(people: People) -> HouseholdRisk:
    homes = np.unique([home for home, _ in people], return_inverse=True)[1].astype(np.int64)
    classes = np.unique([kind for _, kind in people], return_inverse=True)[1].astype(np.int64)
    return assess_households(ColumnCodes(codes=homes, values=tuple(map(str, range(int(homes.max()) + 1)))), classes)


def list_found(people: People, home: int) -> Fraction:
    """Of all sets of rows that he may name, as many of each class as there are members, the share with a member."""
    own = Counter(kind for each, kind in people if each == home)
    choices = [
        list(combinations([row for row, (_, kind) in enumerate(people) if kind == wanted], times))
        for wanted, times in own.items()
    ]
    named = list(product(*choices))
    right = sum(any(people[row][0] == home for rows in each for row in rows) for each in named)
    return Fraction(right, len(named))


def test_golden_cases(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared, "households", "all"):
        risk = assess(case["people"])
        homes = sorted({home for home, _ in case["people"]})
        assert (risk.k, risk.households) == (case["k_household"], len(homes)), case["id"]
        by_home = {entry["household"]: entry for entry in case["households"]}
        for place, home in enumerate(homes):
            entry = by_home[home]
            assert risk.found[place] == pytest.approx(float(Fraction(entry["found"])), abs=1e-12)
            assert risk.independent[place] == pytest.approx(float(Fraction(entry["product_rule"])), abs=1e-12)
            assert risk.claims[place] == pytest.approx(float(Fraction(entry["best_single_claim"])), abs=1e-12)
            assert risk.alike[place] == entry["households_alike"]
        assert risk.worst == max(Fraction(entry["found"]) for entry in by_home.values())
        least = min(fewest for entry in by_home.values() for fewest in entry["person_candidates_if_linked"].values())
        assert risk.candidates == least


def test_a_couple_that_is_a_class_is_found_for_sure() -> None:
    # The couple has class a to itself: 1 - C(0, 2)/C(2, 2) = 1, where the product says 1 - 1/2 * 1/2 = 3/4.
    risk = assess([(1, "a"), (1, "a"), (2, "b"), (2, "c"), (3, "b"), (3, "c")])
    assert risk.found.tolist() == [1.0, 0.75, 0.75]
    assert risk.independent.tolist() == [0.75, 0.75, 0.75]
    assert (risk.k, risk.patterns, risk.understated, risk.worst) == (1, 2, 1, 1)
    # Three of a class of five: C(2, 3) = 0; the product says 1 - (4/5)^3 = .488.
    assert compute_found({"a": (5, 3)}) == 1
    # Every class has two people and every pattern is unique.
    assert assess([(1, "a"), (1, "b"), (2, "a"), (2, "c"), (3, "b"), (3, "c")]).alike.tolist() == [1, 1, 1]


def test_a_household_is_said_of_everybody() -> None:
    with pytest.raises(ParameterError, match="be said of every record"):
        assess_households(ColumnCodes(codes=np.array([0, 1]), values=("1", None)), np.array([0, 0]))


@given(people=st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abc")), min_size=1, max_size=8))
def test_chances_are_those_of_all_sets_that_may_be_named(people: People) -> None:
    risk = assess(people)
    homes = sorted({home for home, _ in people})
    patterns = [tuple(sorted(kind for each, kind in people if each == home)) for home in homes]
    sizes = Counter(kind for _, kind in people)
    for place, home in enumerate(homes):
        assert risk.found[place] == pytest.approx(float(list_found(people, home)), abs=1e-12)
        assert risk.alike[place] == patterns.count(patterns[place])
        own = Counter(patterns[place])
        assert compute_found({kind: (sizes[kind], times) for kind, times in own.items()}) == list_found(people, home)
        apart = 1 - prod(1 - Fraction(1, sizes[kind]) for kind in patterns[place])
        assert risk.independent[place] == pytest.approx(float(apart), abs=1e-12)
        assert risk.found[place] >= risk.independent[place] - 1e-12  # the product is never too high
    assert risk.patterns == len(set(patterns))


def test_large_households_stay_exact() -> None:
    # One household of 40 among 1,000 alike: C(960, 40)/C(1000, 40).
    people = [(0, "a")] * 40 + [(home, "a") for home in range(1, 961)]
    expected = 1 - Fraction(comb(960, 40), comb(1000, 40))
    assert assess(people).found[0] == pytest.approx(float(expected), abs=1e-12)

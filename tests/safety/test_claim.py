"""Nobody may be told that a release is proven safe while a class of twins can be named too easily, nor the reverse."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import ParameterError
from sekisho.safety.claim import SafetyClaim, Standing, TwinClasses

THIRD = Fraction(1, 3)


def check(sizes: list[int], closed: list[bool], p: Fraction = THIRD) -> Standing:
    return SafetyClaim(p=p).check_classes(np.array(sizes, dtype=np.int64), np.array(closed)).standing


def name_whole_best(size: int, taken: int) -> Fraction:
    """Return the best chance of naming some of a class rightly, over all dealings: brute force."""
    dealings = list(permutations(range(size)))
    best = 0
    for people in permutations(range(size), taken):
        right = sum(all(dealing[at] == who for at, who in enumerate(people)) for dealing in dealings)
        best = max(best, right)
    return Fraction(best, len(dealings))


def test_seven_twins_hold_and_six_do_not() -> None:
    # 7! = 5040 >= 3**7 = 2187, but 6! = 720 < 3**6 = 729: the examples of the safety evaluation.
    assert check([7, 7, 9], [True, True, True]) is Standing.HOLDS
    assert check([7, 6], [True, True]) is Standing.REFUTED
    assert SafetyClaim(p=THIRD).least_size() == 7


def test_a_class_of_three_is_named_with_a_sixth_where_a_27th_is_allowed() -> None:
    finding = SafetyClaim().check_classes(np.array([3, 3, 8]), np.array([True, False, True]))
    worst = finding.worst
    assert worst is not None
    assert (worst.size, worst.chance, worst.allowed) == (3, Fraction(1, 6), Fraction(1, 27))
    assert (worst.classes, worst.closed) == (2, 1)
    assert finding.standing is Standing.REFUTED


def test_a_class_with_further_candidates_is_not_proven_either_way() -> None:
    assert check([3, 9], [False, True]) is Standing.NOT_PROVEN


def test_a_refuted_class_is_the_worst_even_if_another_is_further_from_proven() -> None:
    # Classes of 2 and 3 exceed p = 1/3 alike (9/2 and 27/6 times); 6 by 729/720 only, but that is certain.
    finding = SafetyClaim().check_classes(np.array([3, 6]), np.array([False, True]))
    assert finding.worst is not None
    assert finding.worst.size == 6


def test_nobody_published_is_nobody_named() -> None:
    finding = SafetyClaim().check_classes(np.array([], dtype=np.int64), np.array([], dtype=np.bool_))
    assert finding.standing is Standing.HOLDS
    assert finding.worst is None


@pytest.mark.parametrize(("p", "least"), [("1/2", 4), ("1/3", 7), ("1/5", 12), ("2/3", 3), ("99/100", 2)])
def test_least_sizes(p: str, least: int) -> None:
    # 1/2: 3! = 6 < 8, 4! = 24 >= 16. 1/5: 11! = 39,916,800 < 5**11 = 48,828,125, 12! > 5**12.
    # 2/3: 2 * 4/9 < 1, 6 * 8/27 = 16/9. 99/100: 1 * .99 < 1, 2 * .9801 > 1.
    claim = SafetyClaim(p=Fraction(p))
    assert claim.least_size() == least
    for size in range(1, 30):
        held = TwinClasses(size=size, classes=1, closed=1, p=claim.p).standing is Standing.HOLDS
        assert held == (size >= least)


@given(size=st.integers(1, 5), data=st.data())
def test_the_chance_of_a_part_of_a_class_is_that_of_the_proof(size: int, data: st.DataObject) -> None:
    taken = data.draw(st.integers(1, size))
    assert name_whole_best(size, taken) == Fraction(factorial(size - taken), factorial(size))


@given(sizes=st.lists(st.integers(1, 12), min_size=1, max_size=4), p=st.fractions("1/6", "5/6"))
def test_checking_whole_classes_covers_every_set_of_people(sizes: list[int], p: Fraction) -> None:
    """The claim over all sets S, counted by how many of each class they take, is the claim over whole classes."""

    def chance(taken: tuple[int, ...]) -> Fraction:
        product = Fraction(1)
        for size, part in zip(sizes, taken, strict=True):
            product *= Fraction(factorial(size - part), factorial(size))
        return product

    takes = [()]
    for size in sizes:
        takes = [(*before, part) for before in takes for part in range(size + 1)]
    holds = all(chance(taken) <= p ** sum(taken) for taken in takes)
    assert (check(sizes, [True] * len(sizes), p) is Standing.HOLDS) == holds


@pytest.mark.parametrize("p", ["0", "1", "-1/3", "4/3"])
def test_p_is_a_chance(p: str) -> None:
    with pytest.raises(ParameterError, match="p must lie strictly between 0 and 1"):
        SafetyClaim(p=Fraction(p))


def test_every_class_is_described() -> None:
    with pytest.raises(ParameterError, match="closed must tell of each of the 2 classes"):
        SafetyClaim().check_classes(np.array([3, 3]), np.array([True]))
    with pytest.raises(ParameterError, match="sizes must be at least 1 each"):
        SafetyClaim().check_classes(np.array([0]), np.array([True]))


def test_a_p_beyond_any_class_is_refused() -> None:
    with pytest.raises(ParameterError, match="p must allow classes of at most 1,000 twins"):
        SafetyClaim(p=Fraction(1, 5000)).least_size()

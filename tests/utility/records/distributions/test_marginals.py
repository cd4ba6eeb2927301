"""Distances of distributions: by hand, and against sums over every grid point and value."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from tests.recodings import NUMBERS, SCHEMA, TEXTS, Case, NumberCell, cases

from sekisho.errors import ParameterError
from sekisho.utility.records.distributions import DistributionDistance, Marginals

FOUR = Case(
    numbers={"age": [0, 0, 4, 4], "pay": [1, 2, 3, 4]},
    texts={"town": ["a", "a", "b", "c"], "job": ["x", "x", "x", "x"]},
    ranges={"age": [(0, 4), None, (4, 4), (4, 4)], "pay": [(1, 1), (2, 2), (3, 3), (4, 4)]},
    sets={
        "town": [frozenset("ab"), frozenset("ab"), frozenset("b"), frozenset("abc")],
        "job": [None, None, None, None],
    },
    deleted=[False] * 4,
)


def test_total_variation_by_hand() -> None:
    # town: {a;b;c} is all values and tells nothing; of the other three a has 1/2 + 1/2, b 1/2 + 1/2 + 1: shares 1/3,
    # 2/3. Before a 1/2, b 1/4, c 1/4: (1/6 + 5/12 + 1/4) / 2 = 5/12. job: nothing is told, 1. age has the classes below
    # 4 and from 4 on: before 1/2, 1/2; [0;4] lies 4/5 below: 4/15, 11/15, so 7/30.
    detail = Marginals().compare(FOUR.data, FOUR.release).detail
    assert detail == {
        "age": pytest.approx(7 / 30),
        "pay": pytest.approx(0.0),
        "town": pytest.approx(5 / 12),
        "job": 1.0,
    }
    assert Marginals().compare(FOUR.data, FOUR.release).value == pytest.approx((7 / 30 + 5 / 12 + 1) / 4)


def test_hellinger_by_hand() -> None:
    score = Marginals(columns=("town",), distance=DistributionDistance.HELLINGER).compare(FOUR.data, FOUR.release)
    squares = (sqrt(1 / 2) - sqrt(1 / 3)) ** 2 + (sqrt(1 / 4) - sqrt(2 / 3)) ** 2 + 1 / 4
    assert score.value == pytest.approx(sqrt(squares / 2))


def test_earth_mover_by_hand() -> None:
    # cumulated shares at 0, 1, 2, 3 before: 1/2 each; after: 1/15, 2/15, 3/15, 4/15; differences 13, 11, 9, 7 over 30;
    # width 4
    score = Marginals(columns=("age",), distance=DistributionDistance.EARTH_MOVER).compare(FOUR.data, FOUR.release)
    assert score.value == pytest.approx(40 / 30 / 4)


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(ParameterError, match=r"column must be one of age, pay, town, job, not 'height'"):
        Marginals(columns=("height",)).compare(FOUR.data, FOUR.release)


def slow_masses(cells: list[NumberCell]) -> dict[int, Fraction]:
    told = [cell for cell in cells if cell is not None]
    mass: defaultdict[int, Fraction] = defaultdict(Fraction)
    for low, high in told:
        for point in range(low, high + 1):
            mass[point] += Fraction(1, (high - low + 1) * len(told))
    return dict(mass)


def slow_earth(before: list[int], cells: list[NumberCell]) -> float:
    after = slow_masses(cells)
    if not after:
        return 1.0
    first = slow_masses([(value, value) for value in before])
    points = range(min([*first, *after]), max([*first, *after]) + 1)
    gap, total = Fraction(0), Fraction(0)
    for point in points:
        gap += first.get(point, Fraction(0)) - after.get(point, Fraction(0))
        total += abs(gap)
    width = max(before) - min(before)
    return float(total / width) if width else float(total > 0)


@given(cases())
def test_earth_mover_is_the_sum_over_all_grid_points(case: Case) -> None:
    detail = (
        Marginals(columns=NUMBERS, distance=DistributionDistance.EARTH_MOVER).compare(case.data, case.release).detail
    )
    for name in NUMBERS:
        assert detail[name] == pytest.approx(slow_earth(case.numbers[name], case.number_cells(name)), abs=1e-12)


def slow_shares(case: Case, name: str) -> dict[str, Fraction] | None:
    values = set(case.texts[name])
    told = [cell for cell in case.text_cells(name) if cell and (len(cell) == 1 or cell < values)]
    shares: defaultdict[str, Fraction] = defaultdict(Fraction)
    for cell in told:
        for value in cell:
            shares[value] += Fraction(1, len(cell) * len(told))
    return dict(shares) if told else None


@given(cases())
def test_distances_of_categories_are_the_sums_over_all_values(case: Case) -> None:
    variation = Marginals(columns=TEXTS).compare(case.data, case.release).detail
    earth = Marginals(columns=TEXTS, distance=DistributionDistance.EARTH_MOVER).compare(case.data, case.release).detail
    hellinger = (
        Marginals(columns=TEXTS, distance=DistributionDistance.HELLINGER).compare(case.data, case.release).detail
    )
    assert earth == variation
    for name in TEXTS:
        after, words = slow_shares(case, name), case.texts[name]
        if after is None:
            assert variation[name] == hellinger[name] == 1.0
            continue
        pairs = [(words.count(value) / len(words), float(after.get(value, 0))) for value in set(words)]
        assert variation[name] == pytest.approx(sum(abs(p - q) for p, q in pairs) / 2)
        squares = sum((sqrt(p) - sqrt(q)) ** 2 for p, q in pairs)
        assert hellinger[name] ** 2 == pytest.approx(squares / 2, abs=1e-12)


@given(cases())
def test_the_order_of_the_rows_tells_nothing(case: Case) -> None:
    turned = case.release.take(np.arange(case.rows)[::-1].astype(np.intp))
    for distance in DistributionDistance:
        measure = Marginals(distance=distance)
        assert measure.compare(case.data, turned).value == pytest.approx(
            measure.compare(case.data, case.release).value, abs=1e-12
        )
    assert len(SCHEMA.attributes) == len(Marginals().compare(case.data, turned).detail)

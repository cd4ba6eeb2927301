"""Rates of telling members from controls: ties by hand, the golden cases, exact distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, lcm, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.red_team_cases import read_cases

from sekisho.errors import ParameterError
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.membership_rates import ScoreCurve, ScoredPeople


def scored(members: list[int], controls: list[int]) -> ScoredPeople:
    return ScoredPeople(members=np.array(members, dtype=np.float64), controls=np.array(controls, dtype=np.float64))


def test_ties_by_a_coin_and_strictly() -> None:
    curve = scored([3, 3, 2, 1], [3, 2, 2, 0]).trace()
    rate = curve.find_rate(Fraction(1, 10))
    # a quarter of the controls and half of the members score 3: the coin 1/10 : 1/4 calls a fifth of the members
    assert (rate.tpr, rate.strict, rate.strict_fpr) == (Fraction(1, 5), 0, 0)
    rate = curve.find_rate(Fraction(1, 4))
    assert (rate.tpr, rate.strict, rate.strict_fpr) == (Fraction(1, 2), Fraction(1, 2), Fraction(1, 4))
    assert curve.area == Fraction(5, 8)
    assert curve.advantage == Fraction(1, 4)
    assert curve.find_rate(Fraction(1)).tpr == 1


def test_what_too_few_controls_cannot_answer_is_not_answered() -> None:
    people = scored([1] * 20, list(range(50)))
    at = people.list_rates(people.trace())
    assert [(rate["fpr"], rate["tpr"] is None, rate.get("controls_needed")) for rate in at] == [
        (0.1, False, None),
        (0.01, True, 100),
        (0.001, True, 1000),
    ]
    assert people.list_doubtful() == [Fraction(1, 10)]
    assert scored([1], [0] * 100).list_doubtful() == [Fraction(1, 100)]
    with pytest.raises(ParameterError, match="1 control"):
        scored([1], []).trace()


def test_the_interval_is_that_of_what_is_found_without_chance() -> None:
    people = scored([5] * 3 + [0] * 7, [0] * 10)
    first, *_ = people.list_rates(people.trace())
    expected = HitRate(hits=3, trials=10)
    assert (first["strict"], first["low"], first["high"]) == (0.3, expected.low, expected.high)


def check_rates(curve: ScoreCurve, case: dict[str, Any]) -> None:
    for fpr, wanted in case["at"].items():
        rate = curve.find_rate(Fraction(fpr))
        mine = (rate.tpr, rate.strict, rate.strict_fpr)
        assert mine == tuple(Fraction(wanted[key]) for key in ("tpr", "strict_tpr", "strict_fpr")), case["id"]


def test_golden_ties(shared: Callable[[str], Path]) -> None:
    cases = read_cases(shared, "membership", "ties")
    for case in cases:
        curve = scored(case["members"], case["controls"]).trace()
        assert curve.area == Fraction(case["area"])
        check_rates(curve, case)
    assert len(cases) == 3


def test_golden_distributions(shared: Callable[[str], Path]) -> None:
    cases = read_cases(shared, "membership", "ratios")
    for case in cases:
        curve = trace_releases(case)
        assert curve.advantage == Fraction(case["advantage"])
        check_rates(curve, case)
    assert len(cases) == 6


def trace_releases(case: dict[str, Any]) -> ScoreCurve:
    """Return the curve of the exact likelihood ratio over all releases."""
    matrix = [[Fraction(entry) for entry in row] for row in case["matrix"]]
    shares, rows = [Fraction(share) for share in case["shares"]], case["sample"]
    mixed = [sum(share * row[y] for share, row in zip(shares, matrix, strict=True)) for y in range(len(shares))]
    atoms: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for release in combinations_with_replacement(range(len(shares)), rows):
        orders = factorial(rows) // prod(factorial(count) for count in Counter(release).values())
        outside = orders * prod((mixed[y] for y in release), start=Fraction(1))
        chances = sum(matrix[case["person"]][y] / mixed[y] for y in release)
        ratio = 1 - Fraction(rows, case["records"]) + chances / case["records"]
        before = atoms.get(ratio, (Fraction(0), Fraction(0)))
        atoms[ratio] = (before[0] + outside * ratio, before[1] + outside)
    ordered = [atoms[ratio] for ratio in sorted(atoms, reverse=True)]
    whole = lcm(*(each.denominator for pair in ordered for each in pair))  # so many equally likely releases
    inside, outside = (np.array([int(pair[side] * whole) for pair in ordered]) for side in (0, 1))
    return ScoreCurve(inside=inside, outside=outside)

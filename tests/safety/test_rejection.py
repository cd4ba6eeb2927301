"""A release must not be rejected lightly, nor kept against clear evidence."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from sekisho.errors import ParameterError
from sekisho.safety.rejection import Bound, RejectionRule

UNION = RejectionRule()
EXACT = RejectionRule(bound=Bound.EXACT)
chances = st.fractions(min_value=Fraction(1, 20), max_value=Fraction(19, 20), max_denominator=40)
levels = st.fractions(min_value=Fraction(1, 5000), max_value=Fraction(1, 2), max_denominator=5000)


def test_six_of_six_is_not_enough_and_seven_of_seven_is() -> None:
    # (1/3)^6 = 1/729 is above 1/2000, (1/3)^7 = 1/2187 below.
    assert UNION.threshold(6) == 7
    assert UNION.threshold(7) == 7


def test_the_contests_file_line_by_line(shared: Callable[[str], Path]) -> None:
    lines = shared("pwscup2018/R.csv").read_text().splitlines()
    assert lines == [f"{n},{UNION.threshold(n)}" for n in range(1001)]


@pytest.mark.parametrize(
    ("claimed", "fewest"), [(20, 15), (24, 18), (50, 30), (100, 53), (200, 94), (500, 209), (999, 392)]
)
def test_the_exact_bound_rejects_sooner(claimed: int, fewest: int) -> None:
    assert EXACT.threshold(claimed) == fewest
    assert fewest <= UNION.threshold(claimed)


def test_equality_with_alpha_does_not_reject() -> None:
    # (1/3)^7 = 1/2187 exactly: the tail is not below alpha, so H0 stands.
    for bound in Bound:
        assert RejectionRule(alpha=Fraction(1, 2187), bound=bound).threshold(7) == 8


@given(st.integers(0, 60), chances, levels, st.sampled_from(Bound))
def test_the_threshold_is_the_least_number_whose_bound_lies_below_alpha(
    claimed: int, p: Fraction, alpha: Fraction, bound: Bound
) -> None:
    rule = RejectionRule(p=p, alpha=alpha, bound=bound)
    below = [hits for hits in range(claimed + 1) if rule.chance(claimed, hits) < alpha]
    assert rule.threshold(claimed) == min(below, default=claimed + 1)


@given(st.integers(1, 40), chances, st.data())
def test_the_exact_bound_is_never_above_the_union_bound(claimed: int, p: Fraction, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, claimed))
    exact = RejectionRule(p=p, bound=Bound.EXACT).chance(claimed, hits)
    assert exact <= RejectionRule(p=p).chance(claimed, hits)


def worst_chance(gain: list[float], rows: list[list[float]], limits: list[float]) -> float:
    worst = linprog(gain, A_ub=rows, b_ub=limits, A_eq=[[1.0] * len(gain)], b_eq=[1.0])
    assert worst.fun is not None
    return -worst.fun


@pytest.mark.parametrize("claimed", range(1, 8))
@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)])
def test_the_exact_bound_is_the_worst_exchangeable_law(claimed: int, p: Fraction) -> None:
    # Unknowns: P(X = j), j = 0..n. H0 says E[C(X, k)] <= C(n, k) p^k for every k; maximise P(X >= s).
    rows = [[comb(j, k) / comb(claimed, k) for j in range(claimed + 1)] for k in range(1, claimed + 1)]
    limits = [float(p**k) for k in range(1, claimed + 1)]
    for hits in range(1, claimed + 1):
        gain = [-1.0 if j >= hits else 0.0 for j in range(claimed + 1)]
        assert worst_chance(gain, rows, limits) == pytest.approx(
            float(RejectionRule(p=p, bound=Bound.EXACT).chance(claimed, hits)), abs=1e-7
        )


@pytest.mark.parametrize("claimed", range(1, 5))
def test_no_joint_law_does_worse_than_the_exchangeable_ones(claimed: int) -> None:
    # Unknowns: the probability of every set of hits; H0 bounds the chance that all of S are hit, for every set S.
    p, sets = Fraction(1, 3), range(2**claimed)
    rows = [[float(hit & members == members) for hit in sets] for members in sets if members]
    limits = [float(p ** members.bit_count()) for members in sets if members]
    for hits in range(1, claimed + 1):
        gain = [-float(hit.bit_count() >= hits) for hit in sets]
        assert worst_chance(gain, rows, limits) == pytest.approx(float(EXACT.chance(claimed, hits)), abs=1e-7)


@pytest.mark.parametrize("value", [Fraction(0), Fraction(1), Fraction(3, 2), Fraction(-1, 3)])
def test_parameters_outside_their_interval_are_refused(value: Fraction) -> None:
    with pytest.raises(ParameterError, match="p must lie strictly between 0 and 1"):
        RejectionRule(p=value)
    with pytest.raises(ParameterError, match="alpha must lie strictly between 0 and 1"):
        RejectionRule(alpha=value)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ParameterError, match="claimed"):
        UNION.threshold(-1)
    with pytest.raises(ParameterError, match="hits"):
        UNION.chance(3, 4)


def test_more_claims_or_a_finer_p_than_can_be_counted_with_are_refused() -> None:
    for rule in (UNION, EXACT):
        with pytest.raises(ParameterError, match="claimed must lie between 0 and 100,000"):
            rule.threshold(2**63)
    with pytest.raises(ParameterError, match="p must have a denominator of at most 1,000,000"):
        RejectionRule(p=Fraction(1, 3_000_000))

"""Quick thresholds are the exact ones."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.history.claim_planner import compute_quick_threshold
from sekisho.safety.rejection import Bound, RejectionRule


@pytest.mark.parametrize("bound", Bound)
def test_all_of_the_contests_thresholds(bound: Bound) -> None:
    rule = RejectionRule(bound=bound)
    assert [compute_quick_threshold(rule, n) for n in range(1001)] == [rule.threshold(n) for n in range(1001)]


@given(
    st.integers(65, 400),
    st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=40),
    st.fractions(Fraction(1, 5000), Fraction(1, 2), max_denominator=5000),
    st.sampled_from(Bound),
)
def test_as_the_rule_says(claimed: int, p: Fraction, alpha: Fraction, bound: Bound) -> None:
    rule = RejectionRule(p=p, alpha=alpha, bound=bound)
    assert compute_quick_threshold(rule, claimed) == rule.threshold(claimed)


@pytest.mark.parametrize("bound", Bound)
def test_where_rounding_could_decide_the_exact_rule_does(bound: Bound) -> None:
    # u(n, n) = q(n, n) = (1/3)^n = alpha: not below, so nobody is rejected; in floating point it is below for some n.
    for claimed in range(65, 90):
        rule = RejectionRule(p=Fraction(1, 3), alpha=Fraction(1, 3**claimed), bound=bound)
        assert compute_quick_threshold(rule, claimed) == claimed + 1


@pytest.mark.parametrize("bound", Bound)
@pytest.mark.parametrize("claimed", [5_000, 20_011])
def test_very_many_claims(bound: Bound, claimed: int) -> None:
    rule = RejectionRule(bound=bound)
    assert compute_quick_threshold(rule, claimed) == rule.threshold(claimed)

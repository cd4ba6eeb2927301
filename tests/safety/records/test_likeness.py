"""A class must not make a rare value likely: what t-closeness adds up is looked at value by value."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.safety.records import slow_risk
from tests.safety.records.slow_risk import Row
from tests.safety.records.tables import cross, drawn_tables, released

from sekisho.errors import ParameterError
from sekisho.safety.records.likeness import (
    BetaLikeness,
    DeltaDisclosure,
    find_overgained,
    measure_disclosure,
    measure_gains,
)

# 8 people, one of them with pay 9: p = 1/8. Women (4): 1/4 of them, gain (1/4 - 1/8) / (1/8) = 1, log2(2) = 1. Men (4):
# the other value gains (1 - 7/8) / (7/8) = 1/7. The woman's share of the other falls: log2((3/4) / (7/8)) = -0.22.
PEOPLE = [("f", 1, 9), ("f", 1, 0), ("f", 1, 0), ("f", 1, 0), *[("m", 1, 0)] * 4]


@given(drawn_tables())
def test_gains_are_those_of_the_definitions(table: tuple[list[Row], list[int]]) -> None:
    found, (beta, fine, delta) = cross(*table), slow_risk.gains(*table)
    assert measure_gains(found).max() == pytest.approx(beta, abs=1e-12)
    assert bool(find_overgained(found).any()) != fine
    assert measure_disclosure(found).max() == pytest.approx(delta, abs=1e-12)


def test_the_class_that_gains_most_decides() -> None:
    found = BetaLikeness(beta=0.9).check(released(PEOPLE))
    assert (found.kept, found.worst, found.where) == (False, 1.0, (0, 1, 2, 3))
    assert BetaLikeness(beta=1).check(released(PEOPLE)).kept
    disclosed = DeltaDisclosure(delta=1).check(released(PEOPLE))
    assert (disclosed.kept, disclosed.worst) == (False, 1.0)  # less than 1 is asked for
    assert DeltaDisclosure(delta=1.01).check(released(PEOPLE)).kept


def test_enhanced_likeness_limits_frequent_values_too() -> None:
    # p = 1/2 each; women all have 9: gain 1 > -ln(1/2) = 0.69, so no beta is enough
    split = [("f", 1, 9), ("f", 1, 9), ("m", 1, 0), ("m", 1, 0)]
    assert BetaLikeness(beta=2).check(released(split)).kept
    found = BetaLikeness(beta=2, enhanced=True).check(released(split))
    assert not found.kept
    assert "more than -ln of its share" in found.words
    # above: 1 <= -ln(1/8) = 2.08, but the men's gain 1/7 is above -ln(7/8) = 0.1335
    assert not BetaLikeness(beta=2, enhanced=True).check(released(PEOPLE)).kept


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="beta must be above 0"):
        BetaLikeness(beta=0)
    with pytest.raises(ParameterError, match="delta must be above 0"):
        DeltaDisclosure(delta=0)

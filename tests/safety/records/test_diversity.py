"""A class must not tell a sensitive value: its values are many, evenly spread, none too frequent."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.safety.records import slow_risk
from tests.safety.records.slow_risk import Row
from tests.safety.records.tables import cross, drawn_tables, released

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.records.diversity import (
    Diversity,
    LDiversity,
    compute_entropy_diversity,
    compute_recursive_ratio,
    count_distinct,
)

ONE: tuple[list[Row], list[int]] = ([("a",)], [0])


@given(drawn_tables(), st.integers(1, 4))
@example(ONE, 1)
@example(ONE, 2)
def test_the_three_meanings_are_those_of_the_definitions(table: tuple[list[Row], list[int]], level: int) -> None:
    found = cross(*table)
    assert count_distinct(found).min() == slow_risk.distinct(*table)
    assert compute_entropy_diversity(found).min() == pytest.approx(slow_risk.entropy(*table))
    assert compute_recursive_ratio(found, level).max() == pytest.approx(slow_risk.recursive(*table, level))


@given(drawn_tables())
def test_entropy_never_calls_a_class_more_diverse_than_its_values_are_many(table: tuple[list[Row], list[int]]) -> None:
    found = cross(*table)
    assert (compute_entropy_diversity(found) <= count_distinct(found) + 1e-9).all()


# Class (f, 30): pays 1, 1, 2, 3: distinct 3; entropy: 1/2, 1/4, 1/4: H = ln 2 / 2 + 2 (ln 4) / 4 = 1.5 ln 2, exp(H) =
# 2^1.5 = 2.828; recursive at l = 2: 2 / (1 + 1) = 1, at l = 3: 2 / 1 = 2. Class (m, 40): pays 1, 2: 2; 2; 1; none.
PEOPLE = [("f", 30, 1), ("m", 40, 1), ("f", 30, 1), ("m", 40, 2), ("f", 30, 2), ("f", 30, 3)]


def test_the_least_diverse_class_decides_and_is_named() -> None:
    found = LDiversity(l=3).check(released(PEOPLE))
    assert (found.kept, found.worst, found.wanted, found.where) == (False, 2.0, 3.0, (1, 3))
    assert "distinct diversity 2, 3 is asked for" in found.words
    assert LDiversity(l=2).check(released(PEOPLE)).kept
    by_entropy = LDiversity(l=2.5, kind=Diversity.ENTROPY)
    assert by_entropy.check(released(PEOPLE)).worst == pytest.approx(2.0)
    only_women = released(PEOPLE, gone=(1, 3))
    assert by_entropy.check(only_women).worst == pytest.approx(2**1.5)
    assert by_entropy.check(only_women).kept


def test_equal_shares_keep_the_entropy_of_their_number() -> None:
    # three values once each: exp(ln 3) is 3 up to rounding, and 3 is asked for
    assert LDiversity(l=3, kind=Diversity.ENTROPY).check(released([("f", 1, pay) for pay in range(3)])).kept


def test_recursive_diversity_asks_for_less_than_c() -> None:
    women = released(PEOPLE, gone=(1, 3))
    assert LDiversity(l=3, kind=Diversity.RECURSIVE, c=2.5).check(women).kept
    exact = LDiversity(l=3, kind=Diversity.RECURSIVE, c=2).check(women)
    assert (exact.kept, exact.worst) == (False, 2.0)  # 2 < 2 does not hold
    assert LDiversity(l=3, kind=Diversity.RECURSIVE, c=99).check(released(PEOPLE)).worst == float("inf")


def test_what_cannot_be_asked_is_refused() -> None:
    for least in (0.5, 1.0):
        with pytest.raises(ParameterError, match="l must be above 1"):
            LDiversity(l=least)
    for least in (float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="l must be a finite number"):
            LDiversity(l=least)
    with pytest.raises(ParameterError, match="l must be a whole number for recursive"):
        LDiversity(l=2.5, kind=Diversity.RECURSIVE)
    with pytest.raises(ParameterError, match="c must be above 0"):
        LDiversity(c=0)
    with pytest.raises(ParameterError, match="keys must be at least one, and not the sensitive column"):
        LDiversity(keys=("sex", "pay")).check(released(PEOPLE))
    with pytest.raises(ParameterError, match="level must be at least 1"):
        compute_recursive_ratio(cross(*ONE), 0)
    with pytest.raises(InfeasibleError, match="nothing is published"):
        LDiversity().check(released(PEOPLE[:1], gone=(0,)))
    assert LDiversity(keys=("sex",), sensitive="age", l=1.5).check(released(PEOPLE)).worst == 1.0

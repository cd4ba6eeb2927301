"""A plan keeps the wanted k, and one step more would not."""

from __future__ import annotations

from fractions import Fraction
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.planner import STEPS, Attribute, PramPlanner, allot_sample
from sekisho.safety.sampling import Stratum

targets = st.fractions(Fraction(11, 10), 60, max_denominator=10)


def planner(*domains: int) -> PramPlanner:
    return PramPlanner(attributes={str(place): Attribute(values=values) for place, values in enumerate(domains)})


@given(st.lists(st.integers(2, 50), min_size=1, max_size=4), st.integers(60, 10**6), targets, st.data())
def test_the_largest_retention_keeps_k_and_the_next_does_not(
    domains: list[int], records: int, k: Fraction, data: st.DataObject
) -> None:
    plan, sample = planner(*domains), data.draw(st.integers(1, records))
    retention = plan.largest_retention(k, [(records, sample)])
    assert plan.check(records=records, sample=sample, retention=retention).k >= k
    if retention < 1:
        more = retention + Fraction(1, STEPS)
        assert plan.check(records=records, sample=sample, retention=more).k < k


@given(st.integers(2, 50), st.integers(60, 10**6), targets, st.fractions(0, 1, max_denominator=50))
def test_the_largest_sample_keeps_k_and_the_next_does_not(
    values: int, records: int, k: Fraction, retention: Fraction
) -> None:
    plan = planner(values)
    try:
        sample = plan.largest_sample(k, records, retention)
    except InfeasibleError:
        assert plan.check(records=records, sample=1, retention=retention).k < k
        return
    assert plan.check(records=records, sample=sample, retention=retention).k >= k
    if sample < records:
        assert plan.check(records=records, sample=sample + 1, retention=retention).k < k


def test_a_billion_records_are_planned_at_once() -> None:
    plan, start = planner(2, 72, 5, 7, 16, 41, 7, 14), process_time()
    retention = plan.largest_retention(Fraction(10), [(10**9, 10**8)])
    assert plan.largest_sample(Fraction(10), 10**9, retention) >= 10**8
    assert process_time() - start < 0.5


def test_shares_of_an_invariant_plan_count() -> None:
    # The rarest value, share 1/10, hides worst: less may be kept than with uniform shares.
    even = planner(2).largest_retention(Fraction(5), [(1000, 100)])
    shares = (Fraction(1, 10), Fraction(9, 10))
    lean = PramPlanner(attributes={"x": Attribute(values=2, shares=shares)}).largest_retention(
        Fraction(5), [(1000, 100)]
    )
    assert lean < even


def test_the_worst_stratum_decides_the_retention() -> None:
    parts = [(100, 10), (50, 40)]
    plan = planner(3)
    each = [plan.largest_retention(Fraction(5), [part]) for part in parts]
    assert plan.largest_retention(Fraction(5), parts) == min(each)


def test_nobody_hides_among_more_people_than_there_are() -> None:
    with pytest.raises(InfeasibleError, match="nobody can hide among 11 where there are 10 records"):
        planner(2).largest_retention(Fraction(11), [(10, 5)])
    assert planner(2).largest_retention(Fraction(10), [(10, 5)]) == 0
    with pytest.raises(InfeasibleError, match="no sample keeps k at 5 with retention 1"):
        planner(2).largest_sample(Fraction(5), 10, Fraction(1))
    with pytest.raises(ParameterError, match="k must be above 1"):
        planner(2).largest_sample(Fraction(1), 10, Fraction(1))


@given(st.lists(st.integers(1, 300), min_size=1, max_size=8), st.data())
def test_a_sample_is_shared_out_whole_and_in_proportion(sizes: list[int], data: st.DataObject) -> None:
    strata = [Stratum(name=str(place), records=size, sample=0) for place, size in enumerate(sizes)]
    sample = data.draw(st.integers(1, sum(sizes)))
    shared = allot_sample(strata, sample)
    assert sum(part.sample for part in shared) == sample
    assert all(abs(part.sample - Fraction(part.records * sample, sum(sizes))) < 1 for part in shared)


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(0, 300)), min_size=1, max_size=8), st.integers(1, 3000))
def test_samples_that_are_told_are_kept_or_contradicted_never_replaced(
    sizes: list[tuple[int, int]], sample: int
) -> None:
    strata = tuple(Stratum(name=str(at), records=n, sample=min(n, m)) for at, (n, m) in enumerate(sizes))
    total = sum(part.sample for part in strata)
    assume(total > 0)
    assert allot_sample(strata, total) == strata
    if sample != total:
        with pytest.raises(ParameterError, match="sample must"):
            allot_sample(strata, sample)


@pytest.mark.parametrize("values", [0, -1, 10**20])
def test_an_attribute_has_a_countable_number_of_values(values: int) -> None:
    with pytest.raises(ParameterError, match="values must lie between 1 and 1,000,000"):
        Attribute(values=values)

"""A plan keeps the wanted k, and one step more would not."""

from __future__ import annotations

from fractions import Fraction
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.planner import STEPS, Attribute, MatrixAttribute, PramPlanner, allot_sample
from sekisho.safety.sampling import Stratum
from sekisho.safety.transition import Matrix, Replacement

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


HALF_OF_TWO = Matrix(rows=[["3/4", "1/4"], ["1/4", "3/4"]])


def test_a_matrix_counts_like_the_replacement_that_it_is() -> None:
    own = PramPlanner(attributes={"a": MatrixAttribute(matrix=HALF_OF_TWO)})
    assert own.settled
    # n 4, m 2, r1 1/3, r2 1/9: 1 + 2/3 + 1/9 = 16/9
    assert own.check(records=4, sample=2, retention=None).k == Fraction(16, 9)
    assert own.minima(None) == planner(2).minima(Fraction(1, 2))
    assert own.largest_sample(Fraction(16, 9), 4, None) == 2
    with pytest.raises(InfeasibleError, match=r"no sample keeps k at 3\.9 with these matrices"):
        own.largest_sample(Fraction(39, 10), 4, None)


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=3, max_size=3),
    st.integers(2, 6),
    st.integers(20, 500),
    st.data(),
)
def test_the_largest_retention_beside_a_matrix_keeps_k(
    weights: list[list[int]], values: int, records: int, data: st.DataObject
) -> None:
    matrix = Matrix(rows=[[Fraction(weight, sum(row)) for weight in row] for row in weights])
    plan = PramPlanner(attributes={"a": MatrixAttribute(matrix=matrix), "b": Attribute(values=values)})
    sample, k = data.draw(st.integers(1, records)), data.draw(st.fractions(Fraction(11, 10), 9, max_denominator=10))
    assert not plan.settled
    if plan.check(records=records, sample=sample, retention=Fraction(0)).k < k:
        with pytest.raises(InfeasibleError, match="the matrices of a forbid it"):
            plan.largest_retention(k, [(records, sample)])
        return
    retention = plan.largest_retention(k, [(records, sample)])
    assert plan.check(records=records, sample=sample, retention=retention).k >= k
    if retention < 1:
        assert plan.check(records=records, sample=sample, retention=retention + Fraction(1, STEPS)).k < k


def test_r2_of_a_matrix_is_its_own_minimum() -> None:
    # The pair that attains r1 need not attain r2: rows (2,8,1)/11, (7,7,1)/15, (8,5,4)/17 of
    # docs/proofs/pk-anonymity.md.
    matrix = Matrix(rows=[[Fraction(entry, sum(row)) for entry in row] for row in ([2, 8, 1], [7, 7, 1], [8, 5, 4])])
    first, second = matrix.find_hardest()
    assert first.inside > second.inside
    plan = PramPlanner(attributes={"a": MatrixAttribute(matrix=matrix)})
    assert plan.minima(None) == (first.outside, second.inside)
    assert plan.check(records=3, sample=2, retention=None).k == Fraction(691, 480)


def test_an_attribute_without_a_matrix_needs_a_retention() -> None:
    with pytest.raises(ParameterError, match="retention must be given for attributes without a matrix"):
        planner(2).minima(None)
    assert isinstance(Attribute(values=2).at(Fraction(1, 2)), Replacement)

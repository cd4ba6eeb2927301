"""A sample hides a person only among the records that its reader does not know, and only if its size is fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.sampling import (
    ASSUMPTION,
    GuaranteeGap,
    PartialKnowledge,
    SampleRisk,
    Scheme,
    Stratum,
    check_sizes,
    count_sample,
    stratified_chance,
    stratified_risk,
)


def by_the_papers_sum(records: int, known: int, sample: int, *, as_printed: bool = False) -> Fraction:
    """Claim 4.1's double sum, i and j from 1: up to nhat + 1, as the proof's Binomial asks for, or below nhat, as
    printed."""
    left = records - known - sample + 1
    others = Fraction(known - 1)
    places = range(1, left if as_printed else left + 2)
    return sum(
        (Fraction(comb(left, i - 1)) / sum(j * comb(left, j - 1) * others ** (i - j) for j in places) for i in places),
        Fraction(0),
    )


def test_the_papers_examples() -> None:
    # 20/(100 - 10 + 1) and 100/(1000 - 500 + 1).
    assert PartialKnowledge(records=100, known=20).risk(10).risk == Fraction(20, 91)
    assert PartialKnowledge(records=1000, known=100).risk(500).risk == Fraction(100, 501)


def test_the_printed_bounds_of_the_sum_leave_two_terms_out() -> None:
    # n 10, n0 5, m 3: nhat 3, weights C(3, i-1) 4^(1-i): 1, 3/4, 3/16, 1/64. As printed i is 1 or 2:
    # (1 + 3/4) / (1 + 2 * 3/4) = 7/10. All four: (125/64) / (1 + 6/4 + 9/16 + 4/64) = (125/64) / (200/64) = 5/8.
    assert by_the_papers_sum(10, 5, 3, as_printed=True) == Fraction(7, 10)
    assert by_the_papers_sum(10, 5, 3) == Fraction(5, 8) == PartialKnowledge(records=10, known=5).risk(3).risk
    # nhat 1: the printed sum is empty, a risk of 0, where he is right with chance n0/(n0 + 1)
    assert by_the_papers_sum(8, 5, 3, as_printed=True) == 0
    assert PartialKnowledge(records=8, known=5).risk(3).risk == Fraction(5, 6)


def test_a_sample_promises_under_its_assumption_only() -> None:
    found = PartialKnowledge(records=10, known=5).risk(3)
    assert found.promised
    assert found.promise == f"promised only if {ASSUMPTION}"
    assert "follow the distribution of the known ones" in ASSUMPTION
    assert not hasattr(found, "guaranteed")
    assert PartialKnowledge(records=10, known=9).risk(3).promise.startswith("nothing is promised: no unknown record")


def test_the_largest_sample_for_a_risk() -> None:
    # floor(1001 - 100/0.2) = 501, where the risk is 100/500; a size more makes it 100/499.
    person = PartialKnowledge(records=1000, known=100)
    assert person.largest_sample(Fraction(1, 5)) == 501
    assert person.risk(501).risk == Fraction(1, 5)
    assert person.risk(502).risk > Fraction(1, 5)


@given(st.integers(2, 12), st.integers(1, 12), st.integers(0, 12))
def test_the_closed_form_is_the_papers_sum(known: int, sample: int, left: int) -> None:
    records = known + sample - 1 + left
    risk = PartialKnowledge(records=records, known=known).risk(sample).risk
    assert risk == by_the_papers_sum(records, known, sample)


@given(st.integers(1, 400), st.data(), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_the_largest_sample_is_the_last_that_keeps_the_risk(records: int, data: st.DataObject, risk: Fraction) -> None:
    person = PartialKnowledge(records=records, known=data.draw(st.integers(1, records)))
    kept = [size for size in range(1, records + 1) if person.risk(size).risk <= risk]
    if kept:
        assert person.largest_sample(risk) == max(kept)
    else:
        with pytest.raises(InfeasibleError, match="no sample keeps the risk"):
            person.largest_sample(risk)


def best_chance(known: Sequence[int], records: int, sample: int) -> Fraction:
    """The adversary's best posterior over every sample, by listing every table he thinks possible and every draw."""
    share = Counter(known)
    hit: Counter[tuple[tuple[int, ...], int]] = Counter()
    seen: Counter[tuple[int, ...]] = Counter()
    for rest in product(sorted(share), repeat=records - len(known)):
        weight = 1
        for value in rest:
            weight *= share[value]
        table = (*known, *rest)
        for rows in combinations(range(records), sample):
            # shuffled, so a drawn person stands for each record of his value alike
            drawn = tuple(sorted(table[row] for row in rows))
            seen[drawn] += weight
            for row in rows:
                if row < len(known):
                    hit[drawn, row] += weight
    return max(Fraction(weight, seen[drawn] * drawn.count(known[row])) for (drawn, row), weight in hit.items())


@pytest.mark.parametrize(
    ("records", "known", "sample"), [(4, 2, 2), (5, 2, 2), (5, 3, 2), (6, 2, 3), (6, 3, 1), (5, 1, 3)]
)
def test_no_adversary_of_the_model_does_better(records: int, known: int, sample: int) -> None:
    worst = PartialKnowledge(records=records, known=known).risk(sample).risk
    for table in combinations_with_replacement(range(3), known):
        assert best_chance(table, records, sample) <= worst


def test_a_sample_of_one_record_attains_the_risk() -> None:
    # m = 1: no stranger is in the sample, so the worst case lies inside the adversary's model: n0/n.
    assert best_chance((0, 1, 2), 6, 1) == Fraction(3, 6) == PartialKnowledge(records=6, known=3).risk(1).risk


def test_of_more_than_one_record_the_risk_is_an_upper_bound_only() -> None:
    # n 5, n0 2 (values a, b), m 2: he sees one a and one b. Of three unknown people X bear a, X ~ Binomial(3, 1/2).
    # (1 + X)(4 - X) pairs give that sample, 4 - X of them with him: E[4 - X] / E[(1 + X)(4 - X)] = 2.5 / 5.5 = 5/11.
    person = PartialKnowledge(records=5, known=2)
    assert person.risk(2).risk == Fraction(1, 2)
    assert person.greatest_chance(2) == Fraction(5, 11) == best_chance((0, 1), 5, 2)


SMALL = [
    (records, known, sample)
    for records in range(1, 7)
    for known in range(1, records + 1)
    for sample in range(1, records + 1)
    if known ** (records - known) <= 64
]


@pytest.mark.parametrize(("records", "known", "sample"), SMALL)
def test_the_greatest_chance_is_that_of_the_best_table_and_sample_of_all(records: int, known: int, sample: int) -> None:
    tables = combinations_with_replacement(range(known), known)  # every table of the known, up to the values' names
    person = PartialKnowledge(records=records, known=known)
    chance = person.greatest_chance(sample)
    assert chance == max(best_chance(table, records, sample) for table in tables)
    assert chance <= person.risk(sample).risk


@given(st.integers(1, 10**6), st.data())
def test_the_greatest_chance_is_below_the_risk_and_at_least_that_of_one_record(
    records: int, data: st.DataObject
) -> None:
    person = PartialKnowledge(records=records, known=data.draw(st.integers(1, records)))
    sample = data.draw(st.integers(1, records))
    risk, chance = person.risk(sample).risk, person.greatest_chance(sample)
    assert Fraction(1, records) <= chance <= risk <= 1
    assert (chance == risk) == (sample == 1 or person.known + sample > records + 1)  # one drawn, or none left


def test_the_greatest_chance_in_strata_is_the_greatest_of_any() -> None:
    strata = [
        Stratum(name="a", records=5, sample=2, known=2),
        Stratum(name="b", records=40, sample=20, known=2),
        Stratum(name="c", records=10, sample=10),
    ]
    assert stratified_chance(strata) == Fraction(5, 11)
    assert stratified_chance(strata[2:]) == 0
    assert stratified_chance(strata, scheme=Scheme.BERNOULLI) == 1


def test_no_guarantee_is_an_answer() -> None:
    person = PartialKnowledge(records=10, known=6)
    assert person.risk(6) == SampleRisk(risk=Fraction(1), gap=GuaranteeGap.EXHAUSTED)
    assert person.risk(5) == SampleRisk(risk=Fraction(1), gap=GuaranteeGap.EXHAUSTED)  # nhat = 0: 6/6
    assert "is 0 or less" in str(person.risk(5).gap)
    assert person.risk(4) == SampleRisk(risk=Fraction(6, 7))
    assert person.risk(2, scheme=Scheme.BERNOULLI) == SampleRisk(risk=Fraction(1), gap=GuaranteeGap.BERNOULLI)
    assert not person.risk(6).promised


def test_the_worst_stratum_decides() -> None:
    # 5/(20-10+1) = 5/11, 2/(40-20+1) = 2/21; nobody known in the third, nobody drawn in the fourth.
    strata = [
        Stratum(name="a", records=20, sample=10, known=5),
        Stratum(name="b", records=40, sample=20, known=2),
        Stratum(name="c", records=10, sample=10),
        Stratum(name="d", records=10, sample=0, known=10),
    ]
    assert stratified_risk(strata) == SampleRisk(risk=Fraction(5, 11), stratum="a")
    assert stratified_risk(strata[2:]).risk == 0
    assert stratified_risk(strata, scheme=Scheme.BERNOULLI).gap is GuaranteeGap.BERNOULLI


@pytest.mark.parametrize(
    ("records", "known", "sample", "name"),
    [(0, 1, 1, "records"), (5, 0, 1, "known"), (5, 6, 1, "known"), (5, 2, 6, "sample"), (5, 2, 0, "sample")],
)
def test_impossible_sizes_are_refused(records: int, known: int, sample: int, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} must"):
        PartialKnowledge(records=records, known=known).risk(sample)


def test_impossible_strata_and_risks_are_refused() -> None:
    with pytest.raises(ParameterError, match="sample of stratum a must lie between 0 and records"):
        Stratum(name="a", records=3, sample=4)
    with pytest.raises(ParameterError, match="records of stratum a"):
        Stratum(name="a", records=0, sample=0)
    with pytest.raises(ParameterError, match="known of stratum a"):
        Stratum(name="a", records=3, sample=1, known=4)
    with pytest.raises(ParameterError, match="strata must"):
        stratified_risk([])
    with pytest.raises(ParameterError, match="risk must"):
        PartialKnowledge(records=3, known=1).largest_sample(Fraction(1))


def test_a_population_beyond_all_counting_is_refused() -> None:
    for refused in (lambda: check_sizes(10**15 + 1, 1), lambda: PartialKnowledge(records=10**15 + 1, known=1)):
        with pytest.raises(ParameterError, match="records must lie between 1 and 1,000,000,000,000,000"):
            refused()


def test_a_size_is_a_number_or_a_share_rounded_down() -> None:
    # 1 % of 30,162 is 301.62; the source draws floor(p n)
    assert count_sample("1%", 30162) == 301
    assert count_sample("0.5 %", 1000) == 5
    assert count_sample("100%", 7) == count_sample(7, 7) == 7
    assert count_sample("100/3%", 3) == 1


@given(st.integers(1, 10**9), st.fractions(Fraction(1, 1000), Fraction(100), max_denominator=1000))
def test_a_share_is_never_more_than_it_says(records: int, percent: Fraction) -> None:
    wanted = percent * records / 100
    if wanted < 1:
        with pytest.raises(ParameterError, match="at least one of the"):
            count_sample(f"{percent}%", records)
    else:
        assert wanted - 1 < count_sample(f"{percent}%", records) <= wanted


@pytest.mark.parametrize("size", ["1", "abc", "%", "0%", "-1%", "101%", "1e999%", "nan%", "inf%", "", True, None, 1.5])
def test_what_is_no_size_is_refused(size: object) -> None:
    with pytest.raises(ParameterError, match="sample must"):
        count_sample(cast("str", size), 1000)

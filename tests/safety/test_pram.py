"""Whatever an adversary knows, he ties no released record to a person with a chance above 1/k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import prod
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import ParameterError
from sekisho.safety.pram import PkAnonymity, PkFinding
from sekisho.safety.sampling import GuaranteeGap, Scheme, Stratum
from sekisho.safety.transition import Matrix, Replacement, Transition

Rows = Sequence[Sequence[Fraction]]
Seen = tuple[tuple[int, ...], tuple[int, ...]]

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
LOPSIDED: Rows = [[Fraction(7, 10), Fraction(3, 10)], [Fraction(1, 5), Fraction(4, 5)]]
CROOKED: Rows = [
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    [Fraction(1, 5), Fraction(3, 5), Fraction(1, 5)],
    [Fraction(1, 10), Fraction(3, 10), Fraction(3, 5)],
]


def best_chance(rows: Rows, table: Sequence[int], release: Sequence[int]) -> Fraction:
    """The best posterior chance that a person is a released record, by listing every way to draw and to shuffle."""
    total = Fraction(0)
    tied = {(person, place): Fraction(0) for person in range(len(table)) for place in range(len(release))}
    for drawn in permutations(range(len(table)), len(release)):
        weight = prod(
            (rows[table[person]][value] for person, value in zip(drawn, release, strict=True)), start=Fraction(1)
        )
        total += weight
        for place, person in enumerate(drawn):
            tied[person, place] += weight
    return max(tied.values()) / total if total else Fraction(0)


def best_k(rows: Rows, records: int, sample: int) -> Fraction:
    """The largest k that every table and every release keep; their order does not matter, so sorted ones are enough."""
    values = range(len(rows))
    chances = [
        best_chance(rows, table, release)
        for table in combinations_with_replacement(values, records)
        for release in combinations_with_replacement(values, sample)
    ]
    return 1 / max(chances)


def found(transitions: Mapping[str, Transition], records: int, sample: int) -> PkFinding:
    return PkAnonymity(transitions=transitions).check(records=records, sample=sample)


def kept(values: int, retention: Fraction) -> Rows:
    return [[retention * (u == c) + (1 - retention) / values for c in range(values)] for u in range(values)]


def test_the_worked_case() -> None:
    # A = [[3/4, 1/4], [1/4, 3/4]]: r1 = 1/3, r2 = 1/9, k = 1 + 2/3 + 1/9 = 16/9.
    finding = found({"x": Replacement(values=2, retention=HALF)}, 4, 2)
    assert (finding.r1, finding.r2, finding.k) == (THIRD, Fraction(1, 9), Fraction(16, 9))
    assert finding.k == finding.attained == best_k(kept(2, HALF), 4, 2)
    assert finding.as_dict()["k_exact"] == "16/9"


@pytest.mark.parametrize(
    ("values", "retention", "records", "sample"),
    [
        (2, HALF, 5, 5),
        (2, HALF, 5, 3),
        (2, HALF, 5, 1),
        (2, Fraction(9, 10), 5, 4),
        (2, Fraction(1, 10), 4, 3),
        (3, HALF, 4, 2),
        (3, THIRD, 4, 4),
        (3, Fraction(4, 5), 4, 3),
        (3, Fraction(0), 3, 2),
        (2, HALF, 1, 1),
    ],
)
def test_replacement_attains_the_theorems_k(values: int, retention: Fraction, records: int, sample: int) -> None:
    finding = found({"x": Replacement(values=values, retention=retention)}, records, sample)
    assert finding.k == finding.attained == best_k(kept(values, retention), records, sample)


@pytest.mark.parametrize("rows", [LOPSIDED, CROOKED])
@pytest.mark.parametrize(("records", "sample"), [(2, 1), (3, 2), (4, 2), (4, 4)])
def test_any_matrix_keeps_the_promise_and_the_construction_bounds_it(rows: Rows, records: int, sample: int) -> None:
    finding = found({"x": Matrix(rows=rows)}, records, sample)
    assert finding.k <= best_k(rows, records, sample) <= finding.attained


def test_pram_alone_attains_the_theorems_k_with_any_matrix() -> None:
    # With m = n only r2 counts, and one pair of values attains it.
    for rows in (LOPSIDED, CROOKED):
        finding = found({"x": Matrix(rows=rows)}, 4, 4)
        assert finding.k == finding.attained == best_k(rows, 4, 4)


def test_where_two_pairs_attain_the_minima_the_theorem_is_a_bound_only() -> None:
    # One pair attains both: r1 = (1/5)/(7/10) = 2/7, r2 = 2/7 * (3/10)/(4/5) = 3/28, and 1 + 2 * 2/7 + 3/28 is
    # attained.
    assert found({"x": Matrix(rows=LOPSIDED)}, 4, 2).k == best_k(LOPSIDED, 4, 2) == 1 + Fraction(4, 7) + Fraction(3, 28)
    # Two pairs: r1 = (1/15)/(4/17) = 17/60 by values 2 and 1, r2 = 5/32 * ... by 2 and 0; no table has both at once.
    raw = [[2, 8, 1], [7, 7, 1], [8, 5, 4]]
    rows = [[Fraction(x, sum(row)) for x in row] for row in raw]
    finding = found({"x": Matrix(rows=rows)}, 3, 2)
    assert (finding.k, finding.attained) == (Fraction(691, 480), Fraction(307, 210))
    assert best_k(rows, 3, 2) == finding.attained


@given(st.data())
def test_attributes_multiply_and_the_product_is_never_built(data: st.DataObject) -> None:
    entry = st.integers(1, 9)
    tables: list[Rows] = []
    for _ in range(2):
        raw = data.draw(st.lists(st.lists(entry, min_size=2, max_size=2), min_size=2, max_size=2))
        tables.append([[Fraction(x, sum(row)) for x in row] for row in raw])
    first, second = tables
    pairs = list(product(range(2), repeat=2))
    whole = [[first[a][c] * second[b][e] for c, e in pairs] for a, b in pairs]
    apart = found({"a": Matrix(rows=first), "b": Matrix(rows=second)}, 7, 3)
    together = found({"ab": Matrix(rows=whole)}, 7, 3)
    assert (apart.k, apart.r1, apart.r2) == (together.k, together.r1, together.r2)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.fractions(0, 1, max_denominator=30),
    st.fractions(0, 1, max_denominator=30),
    st.integers(1, 500),
    st.data(),
)
def test_k_is_at_least_1_and_falls_with_retention_and_sample(
    domains: list[int], one: Fraction, other: Fraction, records: int, data: st.DataObject
) -> None:
    sizes = sorted(data.draw(st.lists(st.integers(1, records), min_size=2, max_size=2)))

    def k(retention: Fraction, sample: int) -> float | Fraction:
        each = {str(place): Replacement(values=d, retention=retention) for place, d in enumerate(domains)}
        return found(each, records, sample).k

    low, high = sorted([one, other])
    assert records >= k(low, sizes[0]) >= k(high, sizes[0]) >= k(high, sizes[1]) >= 1


@given(st.integers(2, 6), st.fractions(0, 1, max_denominator=20), st.data())
def test_replacements_closed_form_is_the_matrixs(values: int, retention: Fraction, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 9), min_size=values, max_size=values))
    shares = tuple(Fraction(weight, sum(weights)) for weight in weights)
    rows = [[retention * (u == c) + (1 - retention) * shares[c] for c in range(values)] for u in range(values)]
    closed = found({"x": Replacement(values=values, retention=retention, shares=shares)}, 9, 4)
    plain = found({"x": Matrix(rows=rows)}, 9, 4)
    assert (closed.k, closed.r1, closed.r2) == (plain.k, plain.r1, plain.r2)


def stratified_chance(rows: Rows, parts: Sequence[tuple[Sequence[int], int]], *, visible: bool) -> Fraction:
    """The best posterior over all releases of two strata sampled apart, their names shown or not."""
    people = [(stratum, value) for stratum, (table, _) in enumerate(parts) for value in table]
    drawn_per_part = [size for _, size in parts]
    total: dict[Seen, Fraction] = {}
    tied: dict[tuple[Seen, int, int], Fraction] = {}
    sample = sum(drawn_per_part)
    for drawn in permutations(range(len(people)), sample):
        strata = [people[person][0] for person in drawn]
        if [strata.count(stratum) for stratum in range(len(parts))] != drawn_per_part:
            continue
        for release in product(range(len(rows)), repeat=sample):
            weight = prod(
                (rows[people[p][1]][value] for p, value in zip(drawn, release, strict=True)), start=Fraction(1)
            )
            seen = (release, tuple(strata) if visible else ())
            total[seen] = total.get(seen, Fraction(0)) + weight
            for place, person in enumerate(drawn):
                tied[seen, place, person] = tied.get((seen, place, person), Fraction(0)) + weight
    return max(weight / total[key[0]] for key, weight in tied.items())


@pytest.mark.parametrize("sizes", [((3, 2), (2, 1)), ((2, 1), (3, 3)), ((3, 1), (3, 1))])
def test_strata_visible_attain_the_least_k_and_hidden_ones_keep_it(sizes: tuple[tuple[int, int], ...]) -> None:
    rows = kept(2, HALF)
    strata = [Stratum(name=str(h), records=n, sample=m) for h, (n, m) in enumerate(sizes)]
    guarantee = PkAnonymity(transitions={"x": Matrix(rows=rows)})
    shown, hidden = guarantee.check_strata(strata), guarantee.check_strata(strata, visible=False)
    chances = {True: Fraction(0), False: Fraction(0)}
    for tables in product(*(combinations_with_replacement(range(2), n) for n, _ in sizes)):
        parts = [(table, m) for table, (_, m) in zip(tables, sizes, strict=True)]
        for visible, worst in chances.items():
            chances[visible] = max(worst, stratified_chance(rows, parts, visible=visible))
    assert shown.k == 1 / chances[True]
    assert hidden.k == shown.k <= 1 / chances[False]
    assert hidden.lower_bound
    assert not shown.lower_bound


def test_zeros_single_coins_and_single_records_promise_nothing_and_say_why() -> None:
    unchanged = found(
        {"sex": Replacement(values=2, retention=Fraction(1)), "age": Replacement(values=9, retention=HALF)}, 50, 5
    )
    assert (unchanged.k, unchanged.firm, unchanged.gaps, unchanged.guaranteed) == (
        1,
        ("sex",),
        (GuaranteeGap.FIRM,),
        False,
    )
    coins = PkAnonymity(transitions={"x": Replacement(values=2, retention=HALF)}, scheme=Scheme.BERNOULLI)
    # Only PRAM's own promise is left: 1 + 9/9.
    assert coins.check(records=10, sample=2).k == 2
    assert coins.check(records=10, sample=2).gaps == (GuaranteeGap.BERNOULLI,)
    assert found({"x": Replacement(values=2, retention=HALF)}, 1, 1).gaps == (GuaranteeGap.ALONE,)


def test_a_column_that_no_value_turns_into_is_left_out() -> None:
    rows = [[HALF, HALF, Fraction(0)], [Fraction(1, 4), Fraction(3, 4), Fraction(0)], [HALF, HALF, Fraction(0)]]
    finding = found({"x": Matrix(rows=rows)}, 4, 2)
    assert finding.r1 == HALF
    assert finding.k == best_k(rows, 4, 2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.5]], "be square"),
        ([[0.5, 0.5], [1.0]], "rows of one length"),
        ([[0.5, 0.5], [0.5, 0.6]], "row 2 of the matrix must add up to 1"),
        ([[HALF, HALF], [HALF, THIRD]], "row 2 of the matrix must add up to 1"),
        ([[1.5, -0.5], [0.5, 0.5]], "row 1 of the matrix must hold chances"),
        ([[float("nan"), 0.5], [0.5, 0.5]], "row 1 of the matrix must hold chances"),
    ],
)
def test_what_is_no_transition_matrix_is_refused(rows: list[list[float | Fraction | str]], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Matrix(rows=rows)


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(ParameterError, match="sample must lie between 1 and records"):
        found({"x": Replacement(values=2, retention=HALF)}, 4, 5)
    with pytest.raises(ParameterError, match="transitions"):
        PkAnonymity(transitions={})
    with pytest.raises(ParameterError, match="retention must lie between 0 and 1"):
        Replacement(values=2, retention=1.5)
    with pytest.raises(ParameterError, match="shares must be one per value"):
        Replacement(values=3, retention=0.5, shares=(0.5, 0.5))
    with pytest.raises(ParameterError, match="add up to 1"):
        Replacement(values=2, retention=0.5, shares=(0.5, 0.6))
    with pytest.raises(ParameterError, match="strata must draw"):
        PkAnonymity(transitions={"x": Replacement(values=2, retention=HALF)}).check_strata(
            [Stratum(name="a", records=3, sample=0)]
        )


def test_a_thousand_values_take_less_than_a_second() -> None:
    # Against the plain minimum over all pairs on the first 80 values, and the time on all of them.
    entries = np.random.Generator(np.random.PCG64DXSM(5)).random((1000, 1000)) + 0.1
    small = entries[:80, :80] / entries[:80, :80].sum(axis=1, keepdims=True)
    finding = found({"x": Matrix(rows=small)}, 100, 100)
    ratio = small[:, None, :] / small[None, :, :]
    assert finding.r2 == pytest.approx((ratio.min(axis=2) / ratio.max(axis=2)).min(), rel=1e-12)
    assert finding.r1 == pytest.approx(ratio.min(), rel=1e-12)
    big = Matrix(rows=entries / entries.sum(axis=1, keepdims=True))
    start = process_time()
    assert 0 < found({"x": big}, 10**6, 10**5).r2 < 1
    assert process_time() - start < 1

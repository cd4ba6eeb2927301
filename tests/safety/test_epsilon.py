"""A figure for epsilon is exact, and what has none is told infinite: nobody may read a promise out of a guess."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb, exp, inf, log, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.red_team_cases import read_cases

from sekisho.errors import ParameterError
from sekisho.safety.epsilon import (
    NO_BOUND,
    EpsilonOdds,
    LaplaceColumn,
    bound_epsilon,
    combine,
    compute_normal_delta,
    measure_noise,
    measure_pram,
    measure_sample,
)
from sekisho.safety.pram import PkAnonymity
from sekisho.safety.sampling import Scheme, Stratum
from sekisho.safety.transition import Matrix, Replacement

Rows = Sequence[Sequence[Fraction]]
HALF = Fraction(1, 2)
LOPSIDED: Rows = [[Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 10), Fraction(9, 10)]]


def whole(records: int, sample: int) -> tuple[Stratum, ...]:
    return (Stratum(name="", records=records, sample=sample),)


def list_chances(rows: Rows, table: Sequence[int], sample: int) -> dict[tuple[int, ...], Fraction]:
    """The chance of every shuffled release: all sets that can be drawn, all that their values can turn into."""
    sets = list(combinations(range(len(table)), sample))
    chances: dict[tuple[int, ...], Fraction] = {}
    for drawn in sets:
        for values in product(range(len(rows)), repeat=sample):
            weight = prod((rows[table[person]][value] for person, value in zip(drawn, values, strict=True)), start=HALF)
            release = tuple(sorted(values))
            chances[release] = chances.get(release, Fraction(0)) + 2 * weight / len(sets)
    return chances


def list_largest(rows: Rows, records: int, sample: int) -> Fraction | None:
    """The largest ratio over all files that differ in one record and all releases; None if it is infinite."""
    largest = Fraction(1)
    for others in combinations_with_replacement(range(len(rows)), records - 1):
        for one, other in permutations(range(len(rows)), 2):
            above, below = (list_chances(rows, (value, *others), sample) for value in (one, other))
            for release, chance in above.items():
                if chance and not below.get(release, 0):
                    return None
                if chance:
                    largest = max(largest, chance / below[release])
    return largest


def read(text: str) -> Fraction | None:
    return None if text == "infinite" else Fraction(text)


def test_golden_cases(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared, "epsilon", "samples"):
        drawn, records = map(int, (case["id"].split("-")[1], case["id"].split("-")[3]))
        sampled = measure_sample(whole(records, drawn))
        assert sampled.odds.infinite
        assert sampled.delta == Fraction(case["delta_at_epsilon_0"])
    for case in read_cases(shared, "epsilon", "matrices"):
        matrix = Matrix(rows=case["matrix"])
        if "first" in case:  # the product of the first stage and its posterior is the matrix itself
            shares = [Fraction(share) for share in case["shares"]]
            made = Matrix(rows=case["first"]).make_invariant(shares)
            assert made.matrix().tolist() == matrix.matrix().tolist()
        finding = measure_pram({"x": matrix}, whole(7, 7))
        assert finding.odds.ratio == read(case["exp_epsilon"]), case["id"]
        assert finding.odds.written == case["exp_epsilon"]
        hilbert = matrix.find_hardest()[1].inside
        assert (1 / hilbert if hilbert else None) == read(case["exp_hilbert"])
        if not finding.odds.infinite:
            assert finding.epsilon == pytest.approx(case["epsilon"], abs=1e-12)
        for part in case.get("sampled", []):
            drawn_odds = measure_pram({"x": matrix}, whole(part["records"], part["sample"])).odds
            assert drawn_odds.ratio == read(part["exp_epsilon"]), case["id"]
        for part in case.get("k", []):
            found = PkAnonymity(transitions={"x": matrix}).check(records=part["records"], sample=part["sample"])
            assert found.k == Fraction(part["k"])


def test_some_of_them_by_hand() -> None:
    # Retention 1/2 of two values: 3/4 against 1/4. Drawing 1 of 2: 1 + (1/2)(3 - 1) = 2; 3 of 4: 1 + (3/4) 2 = 5/2.
    retained = {"x": Replacement(values=2, retention=HALF)}
    assert measure_pram(retained, whole(5, 5)).odds.ratio == 3
    assert measure_pram(retained, whole(2, 1)).odds.ratio == 2
    assert measure_pram(retained, whole(4, 3)).odds.ratio == Fraction(5, 2)
    # 1 + rho d/(1 - rho): rho 1/2, d 3: 4; two such columns and one of two values: 4 * 4 * 3.
    three = Replacement(values=3, retention=HALF)
    assert measure_pram({**retained, "y": three, "z": three}, whole(9, 9)).odds.written == "48"
    # Invariant, shares 3/4 and 1/4: 1 + rho/((1 - rho) q_min) = 1 + 4 = 5; in two stages from the product: 2.
    shares = (Fraction(3, 4), Fraction(1, 4))
    invariant = measure_pram({"x": Replacement(values=2, retention=HALF, shares=shares)}, whole(5, 5), from_data=("x",))
    assert invariant.odds.ratio == 5
    assert any("shares of the values of x" in sentence for sentence in invariant.given)
    stages = Matrix(rows=[["3/4", "1/4"], ["1/4", "3/4"]]).make_invariant(shares)
    assert measure_pram({"x": stages}, whole(5, 5)).odds.ratio == 2


def test_the_pair_of_the_page_has_one_k_and_two_epsilons() -> None:
    columns = {"a": 2, "b": 5, "c": 16}

    def measure(retention: str, sample: int) -> tuple[float, float]:
        transitions = {name: Replacement(values=d, retention=Fraction(retention)) for name, d in columns.items()}
        found = PkAnonymity(transitions=transitions).check(records=30162, sample=sample)
        return float(found.k), measure_pram(transitions, whole(30162, sample)).epsilon

    assert measure("0.367378", 30162) == pytest.approx((5.0, 4.464), abs=1e-3)
    assert measure("0.65129", 24130) == pytest.approx((5.0, 7.098), abs=1e-3)
    assert bound_epsilon(5, records=30162) == pytest.approx((4.46, 8.93), abs=0.01)
    assert bound_epsilon(5, records=30162, sample=24130) == pytest.approx((7.32, 8.93), abs=0.01)


def test_infinite_is_a_word() -> None:
    firm = {"x": Matrix(rows=[["1/2", "1/2"], ["0", "1"]]), "y": Replacement(values=2, retention=HALF)}
    finding = measure_pram(firm, whole(4, 4))
    told = finding.to_dict()
    assert finding.epsilon == inf
    assert (told["epsilon"], told["epsilon_exact"], told["delta"]) == ("infinite", "infinite", None)
    assert told["epsilon_per_column"] == {"x": "infinite", "y": pytest.approx(log(3))}
    assert "x can show" in finding.describe()
    assert json.loads(json.dumps(told)) == told
    # Drawing does not make it finite, and leaves delta 2/4 at epsilon 0.
    assert measure_pram(firm, whole(4, 2)).to_dict()["delta"] == 0.5


def test_drawing_with_replacement_is_refused() -> None:
    # (1 + (3 - 1)/4)^4 = 81/16 = 5.06, above 3 itself.
    with pytest.raises(ParameterError, match="worse than no sampling"):
        measure_pram({"x": Replacement(values=2, retention=HALF)}, whole(4, 4), scheme=Scheme.REPLACEMENT)
    with pytest.raises(ParameterError, match="worse than no sampling"):
        measure_sample(whole(4, 4), scheme=Scheme.REPLACEMENT)


def test_single_coins_gain_nothing() -> None:
    """Each record by its own coin, and what comes out shuffled: listed for three people."""
    share, records = Fraction(1, 3), 3
    largest = Fraction(1)
    for others in product(range(2), repeat=records - 1):
        for one, other in permutations(range(2), 2):
            chances: list[dict[tuple[int, ...], Fraction]] = []
            for value in (one, other):
                mixed: dict[tuple[int, ...], Fraction] = {}
                for size in range(records + 1):
                    weight = comb(records, size) * share**size * (1 - share) ** (records - size)
                    for release, chance in list_chances(LOPSIDED, (value, *others), size).items():
                        mixed[release] = mixed.get(release, Fraction(0)) + weight * chance
                chances.append(mixed)
            largest = max(largest, *(chances[0][release] / chances[1][release] for release in chances[0]))
    coins = measure_pram({"x": Matrix(rows=LOPSIDED)}, whole(3, 1), scheme=Scheme.BERNOULLI)
    assert coins.odds.ratio == largest == 8


def test_strata_count_by_the_share_drawn_most() -> None:
    strata = (Stratum(name="a", records=4, sample=1), Stratum(name="b", records=2, sample=1))
    finding = measure_pram({"x": Replacement(values=2, retention=HALF)}, strata, stratum="region")
    assert finding.odds.ratio == 1 + HALF * 2
    assert any("region of every person" in sentence for sentence in finding.given)


@st.composite
def matrices(draw: st.DrawFn) -> Rows:
    values = draw(st.integers(2, 3))
    rows: list[list[Fraction]] = []
    for _ in range(values):
        weights = draw(st.lists(st.integers(0, 4), min_size=values, max_size=values).filter(any))
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return rows


@try_examples(60)
@given(rows=matrices(), records=st.integers(1, 3), data=st.data())
def test_what_is_told_is_the_largest_ratio_of_all_files_and_releases(
    rows: Rows, records: int, data: st.DataObject
) -> None:
    sample = data.draw(st.integers(1, records))
    assert measure_pram({"x": Matrix(rows=rows)}, whole(records, sample)).odds.ratio == list_largest(
        rows, records, sample
    )


@given(rows=matrices(), records=st.integers(2, 100), data=st.data())
def test_k_and_epsilon_bound_each_other(rows: Rows, records: int, data: st.DataObject) -> None:
    sample = data.draw(st.integers(1, records))
    matrix = Matrix(rows=rows)
    finding = measure_pram({"x": matrix}, whole(records, records))
    promise = PkAnonymity(transitions={"x": matrix}).check(records=records, sample=sample)
    if finding.odds.ratio is None:
        return
    least = 1 / Fraction(finding.odds.ratio)
    assert promise.k >= 1 + (records - sample) * least + (sample - 1) * least**2
    low, high = bound_epsilon(promise.k, records=records, sample=sample)
    assert low - 1e-9 <= finding.epsilon <= high + 1e-9


def test_laplace_noise_on_a_public_width() -> None:
    noisy = LaplaceColumn(scale=Fraction(2), width=Fraction(5))
    finding = measure_noise({"age": noisy})
    assert finding.to_dict() == {
        "epsilon": 2.5,
        "epsilon_exact": "exp(5/2)",
        "epsilon_per_column": {"age": 2.5},
        "delta": 0.0,
        "given": ["the bounds of age"],
    }
    # Another column that is shown as it is, no public bounds, or a change that is cut: infinite.
    assert measure_noise({"age": noisy}, ("sex",)).odds == NO_BOUND
    assert LaplaceColumn(scale=Fraction(2), width=None).odds == NO_BOUND
    assert LaplaceColumn(scale=Fraction(2), width=Fraction(5), cut=True).odds == NO_BOUND


@pytest.mark.parametrize(("width", "deviation", "epsilon"), [(1, 1, 0), (1, 1, 1), (3, 2, 0.5), (1, 4, 0.1), (5, 1, 3)])
def test_normal_noise_against_its_integral(width: float, deviation: float, epsilon: float) -> None:
    """The least delta is the integral of what one density has above e^epsilon times the other."""
    grid = np.linspace(-12 * deviation, width + 12 * deviation, 400_001)
    near, far = (np.exp(-(((grid - place) / deviation) ** 2) / 2) for place in (width, 0.0))
    above = np.maximum(0, near - exp(epsilon) * far) / (deviation * np.sqrt(2 * np.pi))
    expected = float(np.trapezoid(above, grid))
    assert compute_normal_delta(epsilon, width=width, deviation=deviation) == pytest.approx(expected, abs=1e-8)


def test_two_releases_of_the_same_people_add() -> None:
    three = EpsilonOdds(ratio=Fraction(3))
    assert combine([three, EpsilonOdds(ratio=Fraction(1), power=Fraction(1, 2))]).written == "3 * exp(1/2)"
    assert combine([three, NO_BOUND]).written == "infinite"
    assert combine([three, three]).epsilon == pytest.approx(2 * log(3))

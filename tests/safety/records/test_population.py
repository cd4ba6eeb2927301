"""How many are unique in the population is estimated, each model by its own formula and under its own assumption."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.safety.records.tables import released

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.records.uniques.pitman import expect_uniques, fit_pitman
from sekisho.safety.records.uniques.population import Estimator, PopulationUniqueness, estimate_uniques
from sekisho.seeds import Seed

SIZES = np.array([1, 1, 1, 2, 3])


def slow_zayatz(sizes: list[int], people: int) -> float:
    rows = sum(sizes)
    chance = {size: size * comb(people - size, rows - 1) / comb(people, rows) for size in set(sizes)}
    singles = sizes.count(1)
    share = singles * chance[1] / sum(chance[size] for size in sizes)
    return singles * share * people / rows


def test_zayatz_by_hand() -> None:
    # n = 8 of N = 16: h(1) = 1/2, h(2) = 2 (1/2) (8/15) = 8/15, h(3) = 3 (1/2) (8/15) (7/14) = 2/5.
    # 3 (1/2) / (3 (1/2) + 8/15 + 2/5) = 1.5 / 2.4333 = 0.61644; times 3 uniques, times 2: 3.69863
    found = estimate_uniques(SIZES, 16, 100, Estimator.ZAYATZ)
    assert found.uniques == pytest.approx(3.69863, abs=1e-5)
    assert found.of_sample == pytest.approx(0.61644, abs=1e-5)
    assert "sizes of the sample's" in found.assumes


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(0, 60))
def test_zayatz_is_the_hypergeometric_formula(sizes: list[int], more: int) -> None:
    people = sum(sizes) + more
    if 1 in sizes and more:
        found = estimate_uniques(np.array(sizes), people, 1e6, Estimator.ZAYATZ)
        assert found.uniques == pytest.approx(slow_zayatz(sizes, people), rel=1e-9)


def test_poisson_gamma_by_hand() -> None:
    # K = 10 cells hold 1, 1, 1, 2, 3 and five times 0: mean 0.8, mean square 1.6, variance 0.96; alpha = 0.64 / 0.16 =
    # 4, beta = 1 / 40; N = 40: 40 (1 + 1)^-5 = 1.25
    assert estimate_uniques(SIZES, 40, 10, Estimator.POISSON_GAMMA).uniques == pytest.approx(1.25)
    # spread no wider than Poisson: no gamma fits
    assert estimate_uniques(np.array([1, 1]), 40, 2, Estimator.POISSON_GAMMA).uniques is None


def test_pitmans_expectation_by_hand() -> None:
    # N = 3, theta = 1, alpha = 1/2: 3 (1.5 · 2.5) / (2 · 3) = 1.875
    assert expect_uniques(1.0, 0.5, 3) == pytest.approx(1.875)


def test_pitmans_parameters_are_found_again() -> None:
    # a sample of Pitman's own process: record m + 1 opens a class with chance (theta + classes alpha) / (theta + m)
    rng, theta, alpha = Seed(1).rng(), 20.0, 0.6
    sizes: list[int] = []
    for m in range(8000):
        if rng.random() * (theta + m) < theta + len(sizes) * alpha:
            sizes.append(1)
        else:
            weights = np.array(sizes) - alpha
            sizes[int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))] += 1
    found_theta, found_alpha = fit_pitman(*np.unique(sizes, return_counts=True))
    assert found_alpha == pytest.approx(alpha, abs=0.04)
    assert found_theta == pytest.approx(theta, rel=0.5)


def test_ewens_is_the_case_of_no_alpha() -> None:
    # classes as a geometric law makes them have alpha near 0, and u of n records gives theta: u = sum theta / (theta +
    # i)
    rng, theta = Seed(3).rng(), 30.0
    sizes: list[int] = []
    for m in range(5000):
        if rng.random() * (theta + m) < theta:
            sizes.append(1)
        else:
            sizes[int(np.searchsorted(np.cumsum(sizes), rng.random() * m))] += 1
    assert fit_pitman(*np.unique(sizes, return_counts=True))[1] < 0.1


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(1, 500), st.sampled_from(list(Estimator)))
def test_nobody_is_unique_more_than_once(sizes: list[int], more: int, estimator: Estimator) -> None:
    people = sum(sizes) + more
    found = estimate_uniques(np.array(sizes), people, 1000.0, estimator)
    if found.uniques is not None and found.of_sample is not None:
        assert 0 <= found.uniques <= people * (1 + 1e-9)
        assert 0 <= found.of_sample <= 1


@pytest.mark.parametrize("estimator", list(Estimator))
def test_a_census_counts_and_no_sample_unique_means_none(estimator: Estimator) -> None:
    assert estimate_uniques(SIZES, 8, 10, estimator).uniques == 3
    assert estimate_uniques(np.array([2, 3]), 50, 10, estimator).uniques == 0
    with pytest.raises(ParameterError, match="population must be at least the 8 records of the sample"):
        estimate_uniques(SIZES, 7, 10, estimator)


def test_all_unique_says_that_all_are() -> None:
    assert estimate_uniques(np.array([1, 1, 1]), 90, 1e9, Estimator.PITMAN).uniques == 90


def test_a_limit_on_the_estimate_is_kept_or_broken_under_its_assumption() -> None:
    rows = [("f", 1, 0), ("f", 2, 0), ("f", 3, 0), *[("f", 4, 0)] * 2, *[("f", 5, 0)] * 3]
    found = PopulationUniqueness(share=0.2, people=16, keys=("sex", "age")).check(released(rows))
    assert found.worst == pytest.approx(3.69863 / 16, abs=1e-5)
    assert not found.kept
    assert "if the population's classes have the sizes" in found.words
    assert PopulationUniqueness(share=0.3, people=16, keys=("sex", "age")).check(released(rows)).kept
    flat = PopulationUniqueness(people=9, keys=("age",), estimator=Estimator.POISSON_GAMMA)
    with pytest.raises(InfeasibleError, match="the model of poisson-gamma does not fit"):
        flat.check(released([("f", 1, 0), ("f", 2, 0)]))
    with pytest.raises(ParameterError, match="share must lie between 0 and 1"):
        PopulationUniqueness(share=2)
    with pytest.raises(ParameterError, match="people must be at least 0"):
        PopulationUniqueness(people=-1)

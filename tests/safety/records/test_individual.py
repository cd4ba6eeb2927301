"""A record's own risk: the mean of 1 / F where F is negative binomial, to the last digit."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import nbinom

from sekisho.errors import FaultsError
from sekisho.safety.records.reidentification import check_weights, compute_individual_risk


def one(size: int, people: float) -> float:
    return float(compute_individual_risk(np.array([size]), np.array([people]))[0])


def test_small_classes_have_the_closed_forms_of_the_paper() -> None:
    # one record of weight 10: p = 0.1, (0.1 / 0.9) ln 10 = 0.25584; two of weight 10: 1/9 - (1/9)^2 ln 10 = 0.082684
    assert one(1, 10) == pytest.approx(0.1 / 0.9 * log(10))
    assert one(1, 10) == pytest.approx(0.2558428, abs=1e-7)
    assert one(2, 20) == pytest.approx(1 / 9 - log(10) / 81)
    assert one(2, 20) == pytest.approx(0.0826841, abs=1e-7)


def test_whoever_is_the_whole_population_is_found_by_chance_only() -> None:
    assert one(4, 4) == 0.25
    assert one(4, 3) == 0.25  # weights below 1 say no more than that all are there


@given(st.integers(1, 80), st.floats(1e-6, 1.0, exclude_max=True))
@example(29, 0.5)
@example(30, 1e-6)
@example(29, 1e-6)
@example(1, 0.999999)
def test_the_figure_is_the_integral(size: int, p: float) -> None:
    integral, _ = quad(
        lambda u: p * u ** (size - 1) / (p + (1 - p) * u), 0, 1, points=[min(0.5, p)], epsabs=0, epsrel=1e-10
    )
    assert one(size, size / p) == pytest.approx(integral, rel=1e-7)


@pytest.mark.parametrize(("size", "p"), [(1, 0.3), (3, 0.2), (12, 0.6)])
def test_the_figure_is_the_mean_of_one_over_f(size: int, p: float) -> None:
    beyond = np.arange(2000)
    assert one(size, size / p) == pytest.approx(float((nbinom.pmf(beyond, size, p) / (size + beyond)).sum()), rel=1e-9)


def test_weights_that_are_no_positive_numbers_are_named_by_row() -> None:
    texts = ["1", "0", "x", "-2", "inf", "2.5"]
    weights = np.array([1, 0, np.nan, -2, np.inf, 2.5])
    with pytest.raises(FaultsError, match="row 2, w: the weight '0' is no positive number") as refused:
        check_weights(weights, texts, np.array([0, 1, 2, 3, 7, 8]), name="w", source="file")
    assert [fault.row for fault in refused.value.faults] == [2, 3, 4, 8]
    check_weights(weights[[0, 5]], ["1", "2.5"], np.arange(2), name="w", source="file")

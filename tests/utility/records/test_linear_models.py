"""A logistic model: at the maximum nothing is left to gain, and dependent columns share what they explain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sekisho.utility.records.linear_models import fit_logit


def draw(seed: int, rows: int, columns: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(rows, columns))


@given(st.integers(0, 2**31), st.integers(1, 4))
def test_at_the_greatest_likelihood_the_gradient_is_nought(seed: int, columns: int) -> None:
    features = draw(seed, 200, columns)
    chances = 1 / (1 + np.exp(-features @ np.linspace(-1, 1, columns) - 0.3))
    answer = np.random.default_rng(seed).random(200) < chances
    model = fit_logit(features, answer)
    assert model is not None
    fitted = 1 / (1 + np.exp(-model.predict(features)))
    np.testing.assert_allclose(features.T @ (fitted - answer), 0, atol=1e-7)
    assert fitted.sum() == pytest.approx(answer.sum())


def test_one_yes_no_column_gives_the_odds_of_its_two_halves() -> None:
    # of four with x = 0 one is ill, odds 1/3; of four with x = 1 three are, odds 3
    x = np.repeat([0.0, 1.0], 4)[:, None]
    answer = np.array([1, 0, 0, 0, 1, 1, 1, 0], dtype=np.bool_)
    model = fit_logit(x, answer)
    assert model is not None
    assert float(model.intercept) == pytest.approx(np.log(1 / 3))
    assert model.slopes == pytest.approx([np.log(9)])


def test_a_column_that_stands_twice_has_its_slope_shared() -> None:
    features, answer = draw(3, 100, 1), np.random.default_rng(4).random(100) < 0.4
    single, double = fit_logit(features, answer), fit_logit(np.hstack([features, features]), answer)
    assert single is not None
    assert double is not None
    assert double.slopes == pytest.approx(np.repeat(single.slopes / 2, 2), rel=1e-6)

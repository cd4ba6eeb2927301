"""Ridge regression on distinct cells: the slopes are those of the matrix that is never filled in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sekisho.utility.records.ridge import fit_ridge
from sekisho.utility.records.spread import SpreadColumn


def draw_columns(rng: np.random.Generator, rows: int, cells: int) -> tuple[SpreadColumn, ...]:
    """Return a category, a column of sets, and a number of which every row has another."""
    shares = rng.random((cells, 3))
    return (
        SpreadColumn(place=rng.integers(0, 4, rows), shares=np.eye(4)),
        SpreadColumn(place=rng.integers(0, cells, rows), shares=shares / shares.sum(axis=1, keepdims=True)),
        SpreadColumn(place=rng.permutation(rows), shares=rng.normal(size=(rows, 1))),
    )


def fill_in(columns: tuple[SpreadColumn, ...]) -> NDArray[np.float64]:
    return np.concatenate([column.shares[column.place] for column in columns], axis=1)


@given(st.integers(0, 2**31), st.integers(2, 400), st.integers(1, 300), st.floats(0.01, 10))
def test_no_other_slope_has_a_smaller_penalised_error(seed: int, rows: int, cells: int, penalty: float) -> None:
    rng = np.random.default_rng(seed)
    columns = draw_columns(rng, rows, cells)
    targets = SpreadColumn(place=rng.integers(0, 2, rows), shares=rng.normal(size=(2, 2)))
    model = fit_ridge(columns, targets, penalty=penalty)

    # the error is convex, so a gradient of 0 is the least error
    features, slopes = fill_in(columns), np.concatenate(model.slopes)
    rest = fill_in((targets,)) - (features @ slopes + model.intercept)
    np.testing.assert_allclose(rest.sum(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(features.T @ rest, penalty * slopes, atol=1e-8)


def test_what_is_predicted_of_many_rows_is_what_the_matrix_says() -> None:
    rng = np.random.default_rng(1)
    columns = draw_columns(rng, 40_000, 30)  # more rows than are predicted at a time
    model = fit_ridge(columns, SpreadColumn(place=columns[0].place, shares=np.eye(4)[:, :2]), penalty=1.0)
    predicted = np.concatenate(list(model.predict(columns)))
    np.testing.assert_allclose(predicted, fill_in(columns) @ np.concatenate(model.slopes) + model.intercept, atol=1e-12)

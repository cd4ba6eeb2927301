"""Correlated noise: covariances grow by one factor, or stay; what hangs together goes on doing so."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.records.space import take_kept
from sekisho.errors import ParameterError
from sekisho.protect.records.noise import Noise
from sekisho.seeds import Seed

SCHEMA = Schema(tuple(Column(name=name, kind=Kind.DECIMAL, decimals=2) for name in "abc"))


def people(rows: int = 20_000) -> Dataset:
    drawn = Seed(4).rng().normal(size=(rows, 2)) * 1000
    columns = {"a": drawn[:, 0], "b": drawn[:, 0] / 2 + drawn[:, 1], "c": 2 * np.rint(drawn[:, 0])}
    return Dataset(pl.DataFrame({name: np.rint(column).astype(np.int64) for name, column in columns.items()}), SCHEMA)


def covariance(data: Dataset) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.cov(np.stack([data.grid(name) for name in "ab"]))


@pytest.mark.parametrize("factor", [1.25, 1.0])
def test_the_covariance_is_that_of_the_original_times_one_factor(factor: float) -> None:
    data = people()
    noise = Noise(correlated=("a", "b"), amount=0.25, rescaled=factor == 1.0, whole=False)
    after = take_kept(noise.apply(data, rng=Seed(1).rng()))
    # 20,000 records: a variance has a relative error of sqrt(2 / 20,000) = 1 %; four of these are allowed
    assert covariance(after) == pytest.approx(covariance(data) * factor, rel=0.04, abs=1)
    assert after.grid("a").mean() == pytest.approx(data.grid("a").mean(), abs=4 * 1000 * 0.5 / np.sqrt(20_000))
    assert after.frame["c"].equals(data.frame["c"])
    assert (after.grid("a") != data.grid("a")).mean() > 0.95


def test_columns_on_a_line_stay_on_it() -> None:
    after = take_kept(Noise(correlated=("a", "c"), amount=1, whole=False).apply(people(500), rng=Seed(1).rng()))
    assert np.abs(after.grid("c") - 2 * after.grid("a")).max() <= 2  # two roundings


def test_both_kinds_side_by_side_and_the_old_draws_stay() -> None:
    data = people(300)
    old = Noise(epsilon={"c": 0.1}).apply(data, rng=Seed(1).rng())
    both = Noise(epsilon={"c": 0.1}, correlated=("a", "b"), low={"a": 0.0}, high={"a": 7.0}).apply(
        data, rng=Seed(1).rng()
    )
    assert both.table.numbers("c").lower.tolist() == old.table.numbers("c").lower.tolist()
    assert set(both.table.numbers("a").lower.tolist()) <= {100 * whole for whole in range(8)}
    cut = Noise(correlated=("a",), cut=1.0, whole=False).apply(data, rng=Seed(1).rng())
    assert np.abs(cut.table.numbers("a").lower - data.grid("a")).max() == 100


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "epsilon must name at least one column and its epsilon, where correlated names none"),
        ({"correlated": ("a",), "amount": 0.0}, "amount must lie above 0"),
        ({"correlated": ("a", "a")}, "correlated must name columns once, none of them in epsilon"),
        ({"correlated": ("a",), "epsilon": {"a": 1.0}}, "correlated must name columns once, none of them in epsilon"),
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Noise(**parameters)


def test_columns_without_numbers_are_refused() -> None:
    with pytest.raises(ParameterError, match="column must be one of a, b, c"):
        Noise(correlated=("d",)).apply(people(10), rng=Seed(1).rng())


def test_noise_tells_its_epsilon_only_where_the_bounds_are_public() -> None:
    data = people(50)
    names = [column.name for column in data.schema.attributes]
    ends: dict[str, Any] = {"low": dict.fromkeys(names, -1e6), "high": dict.fromkeys(names, 1e6)}
    whole = Noise(epsilon=dict.fromkeys(names, 0.5), **ends).apply(data, rng=Seed(1).rng())
    assert whole.detail["epsilon_exact"] == f"exp({1_000_000 * len(names)})"
    assert whole.epsilon.describe().startswith("epsilon = ")
    # One column that is shown as it is, no bounds, values beyond them, a cut, or normal noise: infinite.
    first = {names[0]: 0.5}
    beyond: dict[str, Any] = {"low": dict.fromkeys(names, 0.0), "high": dict.fromkeys(names, 0.0)}
    for noise in (
        Noise(epsilon=first, **ends),
        Noise(epsilon=dict.fromkeys(names, 0.5)),
        Noise(epsilon=dict.fromkeys(names, 0.5), **beyond),
        Noise(epsilon=dict.fromkeys(names, 0.5), cut=1.0, **ends),
        Noise(correlated=tuple(names)),
    ):
        assert noise.apply(data, rng=Seed(1).rng()).detail["epsilon"] == "infinite"

"""Stand-in data of contests keep the rules' columns, values and ranges, and the same seed gives the same people."""

from __future__ import annotations

import polars as pl
import pytest

from sekisho.data.synthetic.patients import make_cohort, make_patients
from sekisho.data.synthetic.ratings import make_ratings
from sekisho.data.synthetic.traces import make_traces
from sekisho.errors import ParameterError
from sekisho.seeds import Seed


def test_patients() -> None:
    table = make_patients(3000, rng=Seed(1).rng())
    assert table.shape == (3000, 18)
    assert table.n_unique() == 3000
    assert table.equals(make_patients(3000, rng=Seed(1).rng()))
    numbers = table.select(pl.exclude("GENDER", "RACE", "ETHNICITY").cast(pl.Float64))
    ranges = {"AGE": (2, 110), "encounter_count": (4, 1211), "mean_weight": (4.55, 196.7), "mean_bmi": (2.97, 73.58)}
    for name, (least, most) in ranges.items():
        assert numbers[name].is_between(least, most).all()
    for name in ("asthma_flag", "stroke_flag", "obesity_flag", "depression_flag"):
        assert 0.02 < float(numbers[name].to_numpy().mean()) < 0.5


def test_cohort() -> None:
    table = make_cohort(2000, rng=Seed(1).rng())
    numbers = table.select(pl.exclude("prefecture", "record_id").cast(pl.Float64))
    assert numbers["time"].is_between(0, 10, closed="right").all()
    assert not (numbers["onset"] * numbers["death"]).to_numpy().any()
    ended = (numbers["onset"] + numbers["death"]) == 0
    assert (numbers.filter(ended)["time"] == 10).all()
    assert numbers["age"].is_between(40, 74).all()
    assert 20 < numbers["is_rare"].to_numpy().sum() < 90
    assert 0.03 < float(numbers["onset"].to_numpy().mean()) < 0.3


def test_ratings_and_traces() -> None:
    table = make_ratings(500, rng=Seed(2).rng())
    assert table.shape == (500, 51)
    assert set(table["260"]) <= set("012345")
    traces = make_traces(50, days=2, rng=Seed(2).rng())
    assert traces.shape == (50, 40)
    assert traces.min() >= 1
    assert traces.max() <= 1024


def test_nobody() -> None:
    for make in (make_patients, make_cohort, make_ratings):
        with pytest.raises(ParameterError):
            make(0, rng=Seed(1).rng())
    with pytest.raises(ParameterError):
        make_traces(1, days=0, rng=Seed(1).rng())

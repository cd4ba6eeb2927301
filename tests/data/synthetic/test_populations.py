"""Populations made of records at hand keep their columns' values and nearly their shares."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.synthetic.health import scale_population
from sekisho.errors import ParameterError
from sekisho.seeds import Seed

SCHEMA = Schema((Column(name="age", kind=Kind.INTEGER), Column(name="town", kind=Kind.CATEGORY)))
DATA = Dataset(pl.DataFrame({"age": [20, 30, 40, 50], "town": ["a", "a", "a", "b"]}), SCHEMA)


def test_rows_are_drawn_cells_redrawn_and_numbers_moved() -> None:
    made = scale_population(DATA, 20_000, rng=Seed(1).rng(), redrawn=0.1, moved={"age": 3})
    assert len(made) == 20_000
    ages = made.frame["age"]
    assert (ages.min(), ages.max()) == (20, 50)
    # of 30 and 40 all seven steps are there, of the ends only those inside
    assert set(ages) == {20, 21, 22, 23, *range(27, 34), *range(37, 44), 47, 48, 49, 50}
    assert np.mean(made.frame["town"].to_numpy() == "b") == pytest.approx(0.25, abs=0.02)
    # b at 50 only, unless a cell was redrawn: 1 - (0.9 + 0.1/4)(0.9 + 0.1/4) or so of the b are elsewhere
    odd = made.frame.filter(pl.col("town") == "b")["age"].to_numpy() < 44
    assert 0.1 < np.mean(odd) < 0.2


def test_nothing_redrawn_gives_copies() -> None:
    made = scale_population(DATA, 50, rng=Seed(1).rng(), redrawn=0.0)
    assert set(made.frame.rows()) <= set(DATA.frame.rows())


def test_what_cannot_be_made() -> None:
    with pytest.raises(ParameterError, match="population must be made of records"):
        scale_population(DATA, 0, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="numeric"):
        scale_population(DATA, 5, rng=Seed(1).rng(), moved={"town": 1})

"""Whoever adds a measure gets these tests with it: an unchanged release is not worse, and measuring changes nothing.

A measure is tried on a history, one that stands in ``OF_RECORDS`` on health records; one that tells of the records themselves rather than of what became of them stands in
``DESCRIBING``.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from math import isfinite
from typing import Any, cast

import numpy as np
import pytest
from tests.shopping import names, shop

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.synthetic.health import health_records
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility import MEASURES
from sekisho.utility.score import Direction, Score

OF_RECORDS = frozenset({"cor", "iloss", "odds", "rate", "uniqrt"})
DESCRIBING = frozenset({"uniqrt"})
NAMES = tuple(MEASURES)


def history() -> Dataset:
    rng = Seed(3).rng()
    columns = (rng.integers(0, most, 200).tolist() for most in (12, 40, 15, 300, 30))
    return shop(
        [
            (f"c{who}", day, f"i{item}", price + 1, units + 1)
            for who, day, item, price, units in zip(*columns, strict=True)
        ]
    )


def unchanged(data: Dataset) -> Release:
    return Release(
        table=exact_table(data, pseudonym=names(data) if data.schema.identifier else None),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="test"),
    )


def measured(name: str) -> tuple[Dataset, Score]:
    """Measure an unchanged release of the kind of data that the measure takes."""
    data = health_records(300, rng=Seed(3).rng()) if name in OF_RECORDS else history()
    return data, MEASURES.make(name).compare(data, unchanged(data))


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_is_a_frozen_value_with_a_default_for_every_parameter(name: str) -> None:
    measure = MEASURES[name]
    assert is_dataclass(measure)
    assert cast("Any", measure).__dataclass_params__.frozen
    assert MEASURES.make(name) == MEASURES.make(name)


@pytest.mark.parametrize("name", NAMES)
def test_measuring_twice_says_the_same_and_leaves_the_data_alone(name: str) -> None:
    data, score = measured(name)
    again, same = measured(name)
    assert data.frame.equals(again.frame)
    assert score == same
    assert all(map(isfinite, (score.value, *score.detail.values())))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DESCRIBING])
def test_nothing_changed_nothing_lost(name: str) -> None:
    _, score = measured(name)
    assert score.direction is Direction.LESS
    assert score.value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", sorted(OF_RECORDS - {"cor"}))
def test_a_measure_of_records_refuses_a_history_in_our_words(name: str) -> None:
    """Only cor takes any columns there are; the others ask for theirs."""
    data = history()
    with pytest.raises(ParameterError, match="column"):
        MEASURES.make(name).compare(data, unchanged(data))

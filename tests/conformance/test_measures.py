"""Whoever adds a measure gets these tests with it, once for every shape that it says it suits: an unchanged release is not worse, and
measuring changes nothing.

A measure that tells of the records themselves rather than of what became of them stands in ``DESCRIBING``.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np
import pytest
from tests.conformance import samples
from tests.renamed import renamed_data, renamed_table

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.shape import Shape
from sekisho.errors import SekishoError
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility import MEASURES
from sekisho.utility.score import Direction, Score

DESCRIBING = frozenset({"uniqrt"})
NAMES = tuple(MEASURES)
SUITED = [(name, shape) for name in NAMES for shape in samples.TRIED if shape in MEASURES.shapes(name)]
UNSUITED = [(name, shape) for name in NAMES for shape in samples.TRIED if shape not in MEASURES.shapes(name)]


def names_of(data: Dataset) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    holder = data.schema.identifier
    return None if holder is None else 7 * (1 + data.codes(holder.name).astype(np.int64))


def unchanged(data: Dataset) -> Release:
    return Release(
        table=exact_table(data, pseudonym=names_of(data)),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="test"),
    )


def shuffled(data: Dataset) -> Release:
    """Return a release in which everybody bears the values of another row."""
    table = exact_table(data).take(Seed(9).rng().permutation(len(data)))
    return replace(unchanged(data), table=replace(table, pseudonym=names_of(data)))


def measured(name: str, shape: Shape) -> tuple[Dataset, Score]:
    data = samples.sample(shape)
    return data, MEASURES.make(name).compare(data, unchanged(data))


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_is_a_frozen_value_that_says_its_shapes_and_its_source(name: str) -> None:
    measure = MEASURES[name]
    assert samples.says_shapes(measure)
    assert samples.is_plain_value(measure)
    assert samples.names_source(measure)
    assert MEASURES.make(name) == MEASURES.make(name)  # there is a default for every parameter


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_measuring_twice_says_the_same_and_leaves_the_data_alone(name: str, shape: Shape) -> None:
    data, score = measured(name, shape)
    again, same = measured(name, shape)
    assert data.frame.equals(again.frame)
    assert score == same
    assert all(map(isfinite, (score.value, *score.detail.values())))


@pytest.mark.parametrize(("name", "shape"), [(name, shape) for name, shape in SUITED if name not in DESCRIBING])
def test_nothing_changed_nothing_lost(name: str, shape: Shape) -> None:
    _, score = measured(name, shape)
    assert score.direction is Direction.LESS
    assert score.value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_no_measure_names_a_column(name: str, shape: Shape) -> None:
    data, names = samples.sample(shape), samples.NAMES[shape]
    release = shuffled(data)
    score = MEASURES.make(name).compare(data, release)
    other = replace(release, table=renamed_table(release.table, names))
    same = MEASURES.make(name).compare(renamed_data(data, names), other)
    assert same.value == score.value
    assert list(same.detail.values()) == list(score.detail.values())


@pytest.mark.parametrize(("name", "shape"), UNSUITED)
def test_data_of_another_shape_are_refused_in_our_words(name: str, shape: Shape) -> None:
    asked = "identifier" if shape is Shape.RECORDS else "one row a person"
    data = samples.sample(shape)
    with pytest.raises(SekishoError, match=asked):
        MEASURES.make(name).compare(data, unchanged(data))

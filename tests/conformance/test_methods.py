"""Whoever adds a method gets these tests with it, once for every shape that it says it suits: nothing it does may surprise the one who
hands over the data.

A method that needs parameters names them in ``PARAMETERS``; one that takes categories only stands in ``CATEGORIES``;
one that changes values instead of widening them stands in ``UNTRUTHFUL``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from tests.conformance import samples
from tests.renamed import renamed_data

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import take_kept
from sekisho.data.shape import Shape
from sekisho.errors import SekishoError
from sekisho.gate.fit import fit
from sekisho.protect import METHODS, Method
from sekisho.seeds import Seed

PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "code": {"top": {"age": "5%"}, "bottom": {"bmi": "20"}, "round": {"bmi": "5"}, "rare": {"race": "60"}},
    "delete-extremes": {"top": {"age": 75}, "bottom": {"bmi": 20}},
    "lattice": {"k": 4, "suppress": Fraction(1, 10)},
    "microaggregate": {"k": 4, "median": ("bmi",)},
    "partition": {"k": 4, "effort": 1.0},
    "noise": {"epsilon": {"age": 1.0, "bmi": 2.0}},
    "pram": {"k": Fraction(2), "sample": 60},
    "recordswap": {"geography": ("race",), "similar": ("gen",)},
    "sample": {"size": 60},
    "suppress": {"k": 2, "importance": {"age": 2.0}},
}
CATEGORIES = frozenset({"pram", "sample"})
GENERALISING = frozenset({"code", "lattice", "partition", "suppress"})
"""Their records bear ranges, sets and labels instead of whole values."""
UNTRUTHFUL = frozenset(
    {"borrow", "decoy", "microaggregate", "noise", "pram", "randomise", "rankswap", "recordswap", "swap"}
)
NAMES = tuple(METHODS)
SUITED = [(name, shape) for name in NAMES for shape in samples.TRIED if shape in METHODS.shapes(name)]
UNSUITED = [(name, shape) for name in NAMES for shape in samples.TRIED if shape not in METHODS.shapes(name)]
OF_HISTORIES = tuple(METHODS.find_names(Shape.HISTORY))
OF_RECORDS = tuple(METHODS.find_names(Shape.RECORDS))


def made(name: str, shape: Shape) -> Method:
    return fit(METHODS.make(name, **PARAMETERS.get(name, {})), samples.said(shape))


def sample(name: str, shape: Shape) -> Dataset:
    return samples.sample(shape, categories=name in CATEGORIES)


def run(name: str, shape: Shape, seed: int = 1) -> tuple[Dataset, Release]:
    data = sample(name, shape)
    return data, made(name, shape).apply(data, rng=Seed(seed).rng())


def content(release: Release) -> list[bytes]:
    return [release.deleted.tobytes(), *samples.table_bytes(release.table)]


@pytest.mark.parametrize("name", NAMES)
def test_a_method_is_a_frozen_value_that_says_its_shapes_its_source_and_what_each_parameter_does(name: str) -> None:
    method = METHODS[name]
    assert samples.says_shapes(method)
    assert samples.is_plain_value(method)
    assert "Source:" in (method.__doc__ or "")
    assert all(item.metadata.get("help") for item in fields(cast("Any", method)))


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_the_input_is_untouched(name: str, shape: Shape) -> None:
    data, _ = run(name, shape)
    assert data.frame.equals(sample(name, shape).frame)


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_the_same_seed_gives_the_same_bytes(name: str, shape: Shape) -> None:
    assert content(run(name, shape)[1]) == content(run(name, shape)[1])


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_no_method_names_a_column(name: str, shape: Shape) -> None:
    names = samples.NAMES[shape]
    parameters = {key: samples.called_otherwise(value, shape) for key, value in PARAMETERS.get(name, {}).items()}
    method = fit(METHODS.make(name, **parameters), samples.said_otherwise(shape))
    other = method.apply(renamed_data(sample(name, shape), names), rng=Seed(1).rng())
    _, release = run(name, shape)
    assert content(other) == content(release)
    assert list(other.table.columns) == [names[column] for column in release.table.columns]


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_each_row_of_the_release_is_what_became_of_the_row_of_the_original(name: str, shape: Shape) -> None:
    data, release = run(name, shape)
    assert len(release.table) == len(data)
    assert release.provenance.name == name
    for cells in release.table.columns.values():
        assert cells.suppressed[release.deleted].all()


@pytest.mark.parametrize(("name", "shape"), [(name, shape) for name, shape in SUITED if name not in UNTRUTHFUL])
def test_every_cell_admits_the_truth(name: str, shape: Shape) -> None:
    data, release = run(name, shape)
    for column in data.schema.attributes:
        if column.kind.numeric:
            assert release.table.numbers(column.name).admits(data.grid(column.name)).all()
        else:
            cells = release.table.sets(column.name)
            assert cells.domain == data.domain(column.name)
            assert cells.admits(data.codes(column.name)).all()


@pytest.mark.parametrize(("name", "shape"), [(name, shape) for name, shape in SUITED if name in UNTRUTHFUL])
def test_who_is_called_untruthful_changes_some_value(name: str, shape: Shape) -> None:
    data, release = run(name, shape)
    before = data.frame.select(list(release.table.columns)).filter(~release.deleted)
    assert not take_kept(release).frame.equals(before)


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_people_and_pseudonyms_are_one_to_one(name: str) -> None:
    data, release = run(name, Shape.HISTORY)
    pseudonym = release.table.pseudonym
    assert pseudonym is not None
    assert ((pseudonym == 0) == release.deleted).all()
    pairs = {
        (person, int(alias)) for person, alias in zip(data.frame["customer"].to_list(), pseudonym, strict=True) if alias
    }
    assert len({person for person, _ in pairs}) == len({alias for _, alias in pairs}) == len(pairs)


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_names_change_with_the_seed(name: str) -> None:
    first, second = (run(name, Shape.HISTORY, seed=seed)[1].table.pseudonym for seed in (1, 2))
    assert first is not None
    assert second is not None
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", [name for name in OF_RECORDS if name not in GENERALISING])
def test_kept_records_bear_whole_values_of_the_originals_domain(name: str) -> None:
    data, release = run(name, Shape.RECORDS)
    left = take_kept(release)
    assert release.table.pseudonym is None
    assert len(left) == int((~release.deleted).sum())
    for column in left.schema:
        if not column.kind.numeric:
            assert set(left.domain(column.name)) <= set(data.domain(column.name))


@pytest.mark.parametrize(("name", "shape"), UNSUITED)
def test_data_of_another_shape_are_refused_in_our_words(name: str, shape: Shape) -> None:
    (own,) = METHODS.shapes(name) & set(samples.TRIED)
    asked = "identifier" if shape is Shape.RECORDS else "one row a person|differ from record to record"
    with pytest.raises(SekishoError, match=asked):
        made(name, cast("Shape", own)).apply(sample(name, shape), rng=Seed(1).rng())


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_data_without_rows_give_an_answer_or_one_of_our_errors(name: str, shape: Shape) -> None:
    data = sample(name, shape)
    with suppress(SekishoError):
        nothing = Dataset(data.frame.head(0), data.schema)
        assert len(made(name, shape).apply(nothing, rng=Seed(1).rng()).table) == 0

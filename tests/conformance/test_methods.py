"""Whoever adds a method gets these tests with it: nothing it does may surprise the one who hands over the data.

A method that needs parameters names them in ``PARAMETERS``; one that changes values instead of widening them stands in
``UNTRUTHFUL``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.frame.schema import Column, Kind, Role, Schema
from sekisho.errors import SekishoError
from sekisho.protect import METHODS, Method
from sekisho.seeds import Seed

PARAMETERS: Mapping[str, Mapping[str, object]] = {}
UNTRUTHFUL: frozenset[str] = frozenset()
NAMES = tuple(METHODS)

HISTORY = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)
RECORDS = Schema(tuple(column for column in HISTORY if column.role is not Role.IDENTIFIER))


def history(rows: int = 160, people: int = 13) -> Dataset:
    rng = Seed(5).rng()
    return Dataset(
        pl.DataFrame(
            {
                "customer": [f"c{code}" for code in rng.integers(0, people, rows)],
                "date": [date(2011, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 300, rows)],
                "item": [f"i{code}" for code in rng.integers(0, 30, rows)],
                "price": rng.integers(1, 900, rows),
                "quantity": rng.integers(1, 40, rows),
            }
        ),
        HISTORY,
    )


def records() -> Dataset:
    return Dataset(history().frame.drop("customer"), RECORDS)


def made(name: str) -> Method:
    return METHODS.make(name, **PARAMETERS.get(name, {}))


def run(name: str, seed: int = 1) -> tuple[Dataset, Release]:
    """Apply a method to the kind of data it takes."""
    try:
        data = history()
        return data, made(name).apply(data, rng=Seed(seed).rng())
    except SekishoError:
        data = records()
        return data, made(name).apply(data, rng=Seed(seed).rng())


def content(release: Release) -> list[bytes]:
    parts: list[bytes] = [release.deleted.tobytes()]
    if release.table.pseudonym is not None:
        parts.append(release.table.pseudonym.tobytes())
    for cells in release.table.columns.values():
        arrays = (cells.lower, cells.upper) if isinstance(cells, RangeCells) else (cells.offsets, cells.codes)
        parts += [array.tobytes() for array in (*arrays, cells.suppressed)]
    return parts


@pytest.mark.parametrize("name", NAMES)
def test_the_input_is_untouched(name: str) -> None:
    data, _ = run(name)
    fresh = history() if data.schema == HISTORY else records()
    assert data.frame.equals(fresh.frame)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    assert content(run(name)[1]) == content(run(name)[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_method_is_a_frozen_value_that_tells_its_source_and_explains_each_parameter(name: str) -> None:
    method = METHODS[name]
    assert is_dataclass(method)
    assert cast("Any", method).__dataclass_params__.frozen
    assert "Source:" in (method.__doc__ or "")
    assert all(item.metadata.get("help") for item in fields(method))


@pytest.mark.parametrize("name", NAMES)
def test_each_row_of_the_release_is_what_became_of_the_row_of_the_original(name: str) -> None:
    data, release = run(name)
    assert len(release.table) == len(data)
    assert release.provenance.name == name
    for cells in release.table.columns.values():
        assert cells.suppressed[release.deleted].all()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNTRUTHFUL])
def test_every_cell_admits_the_truth(name: str) -> None:
    data, release = run(name)
    for column in data.schema.attributes:
        if column.kind.numeric:
            assert release.table.numbers(column.name).admits(data.grid(column.name)).all()
        else:
            cells = release.table.sets(column.name)
            assert cells.domain == data.domain(column.name)
            assert cells.admits(data.codes(column.name)).all()


@pytest.mark.parametrize("name", NAMES)
def test_people_and_pseudonyms_are_one_to_one(name: str) -> None:
    data, release = run(name)
    pseudonym = release.table.pseudonym
    if pseudonym is None:
        assert data.schema.identifier is None
        return
    assert ((pseudonym == 0) == release.deleted).all()
    pairs = {
        (person, int(alias)) for person, alias in zip(data.frame["customer"].to_list(), pseudonym, strict=True) if alias
    }
    assert len({person for person, _ in pairs}) == len({alias for _, alias in pairs}) == len(pairs)


@pytest.mark.parametrize("name", NAMES)
def test_names_change_with_the_seed(name: str) -> None:
    first, second = run(name, seed=1)[1].table.pseudonym, run(name, seed=2)[1].table.pseudonym
    if first is not None and second is not None:
        assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", NAMES)
def test_data_without_rows_give_an_answer_or_one_of_our_errors(name: str) -> None:
    for data in (Dataset(history().frame.head(0), HISTORY), Dataset(records().frame.head(0), RECORDS)):
        with suppress(SekishoError):
            assert len(made(name).apply(data, rng=Seed(1).rng()).table) == 0

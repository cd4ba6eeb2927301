"""Whoever adds a method or an adversary on records gets these tests with it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, cast

import numpy as np
import pytest

from sekisho.attack import RECORD_ADVERSARIES
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import kept
from sekisho.data.synthetic.health import health_records
from sekisho.errors import SekishoError
from sekisho.protect import RECORD_METHODS
from sekisho.seeds import Seed

DATA = health_records(400, rng=Seed(1).rng())


def run(name: str, seed: int = 1) -> Release:
    return RECORD_METHODS.make(name).apply(DATA, rng=Seed(seed).rng())


def content(release: Release) -> list[bytes]:
    parts = [release.deleted.tobytes()]
    for cells in release.table.columns.values():
        arrays = (cells.lower, cells.upper) if isinstance(cells, RangeCells) else (cells.offsets, cells.codes)
        parts += [array.tobytes() for array in (*arrays, cells.suppressed)]
    return parts


@pytest.mark.parametrize("name", list(RECORD_METHODS))
def test_a_method_leaves_its_input_alone_and_repeats_itself(name: str) -> None:
    assert content(run(name)) == content(run(name))
    assert DATA.frame.equals(health_records(400, rng=Seed(1).rng()).frame)


@pytest.mark.parametrize("name", list(RECORD_METHODS))
def test_a_release_keeps_rows_in_place_deleted_ones_without_values(name: str) -> None:
    release = run(name)
    assert len(release.table) == len(DATA)
    assert release.provenance.name == name
    assert all(cells.suppressed[release.deleted].all() for cells in release.table.columns.values())
    assert len(kept(release)) == int((~release.deleted).sum())


def test_all_are_frozen_values_that_tell_their_source_and_explain_each_parameter() -> None:
    things = [RECORD_METHODS[name] for name in RECORD_METHODS] + [
        RECORD_ADVERSARIES[name] for name in RECORD_ADVERSARIES
    ]
    for thing in things:
        assert is_dataclass(thing)
        assert cast("Any", thing).__dataclass_params__.frozen
        assert "Source:" in (thing.__doc__ or "")
        assert all(item.metadata.get("help") for item in fields(thing))


@pytest.mark.parametrize("name", list(RECORD_METHODS))
def test_values_stay_within_the_originals_domain(name: str) -> None:
    left = kept(run(name))
    for column in DATA.schema:
        if not column.kind.numeric:
            assert set(left.domain(column.name)) <= set(DATA.domain(column.name))


@pytest.mark.parametrize("name", list(RECORD_ADVERSARIES))
def test_a_release_too_small_to_answer_is_refused_in_our_words(name: str) -> None:
    tiny = DeleteAll.apply(2)
    with pytest.raises(SekishoError):
        RECORD_ADVERSARIES.make(name).guess(tiny.table, DATA, rng=Seed(1).rng())


class DeleteAll:
    @staticmethod
    def apply(rows: int) -> Release:
        small = Dataset(DATA.frame.head(rows), DATA.schema)
        return RECORD_METHODS.make("delete-random", share=0.0).apply(small, rng=Seed(1).rng())


def test_twenty_known_records_against_a_handful_of_rows_are_answered() -> None:
    release = DeleteAll.apply(30)
    known = Dataset(DATA.frame.head(20), DATA.schema)
    for name in RECORD_ADVERSARIES:
        guess = RECORD_ADVERSARIES.make(name).guess(release.table, known, rng=Seed(1).rng())
        assert guess.candidates.shape == (20, 3)
        assert np.all(guess.candidates < 30)

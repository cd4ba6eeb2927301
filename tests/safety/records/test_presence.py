"""Whoever holds the population must not narrow a record down to few people, nor be sure who was drawn."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.safety.records.slow_risk import Row
from tests.safety.records.tables import drawn_rows, released

from sekisho.errors import FaultsError, ParameterError
from sekisho.safety.records.presence import DeltaPresence, KMap, match_population


@given(drawn_rows(gaps=True), st.data())
def test_shares_are_those_of_a_plain_count(people: list[Row], data: st.DataObject) -> None:
    drawn = data.draw(st.lists(st.integers(0, len(people) - 1), min_size=1, unique=True))
    sample = [people[place] for place in drawn]
    schema = {str(key): pl.String for key in range(len(people[0]))}
    found = match_population(
        pl.DataFrame(sample, schema=schema, orient="row"), pl.DataFrame(people, schema=schema, orient="row")
    )
    whole, part = Counter(people), Counter(sample)
    assert found.least_map == min(whole[row] for row in sample)
    shares = [part[row] / whole[row] for row in whole]
    assert found.presence == (min(shares), max(shares))
    assert found.population[found.classes].tolist() == [whole[row] for row in sample]


# women of 30: 2 of 4 drawn; men of 40: 2 of 2; men of 50: nobody of 1
DRAWN = [("f", 30, 1), ("f", 30, 1), ("m", 40, 1), ("m", 40, 1)]
PEOPLE = "sex,age\n" + "f,30\n" * 4 + "m,40\n" * 2 + "m,50\n"


@pytest.fixture
def population(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_the_class_that_fits_the_fewest_people_decides(population: Path) -> None:
    found = KMap(k=3, keys=("sex", "age"), population=population).check(released(DRAWN))
    assert (found.kept, found.worst, found.where) == (False, 2.0, (2, 3))
    assert KMap(k=2, keys=("sex", "age"), population=population).check(released(DRAWN)).kept


def test_being_drawn_must_not_be_certain_either_way(population: Path) -> None:
    rule = DeltaPresence(low=0, high=0.9, keys=("sex", "age"), population=population)
    found = rule.check(released(DRAWN))
    assert (found.kept, found.worst, found.where) == (False, 1.0, (2, 3))
    assert DeltaPresence(low=0, high=1, keys=("sex", "age"), population=population).check(released(DRAWN)).kept
    sure = DeltaPresence(low=0.1, high=1, keys=("sex", "age"), population=population).check(released(DRAWN))
    assert not sure.kept  # of the man of 50 it is certain that he is not in
    assert "between 0 and 1" in sure.words


def test_a_sample_that_was_not_drawn_from_the_population_is_refused(population: Path) -> None:
    rule = KMap(keys=("sex", "age"), population=population)
    with pytest.raises(FaultsError, match=r"row 1: more records share this one's keys than .* has people") as refused:
        rule.check(released([("f", 31, 1), *DRAWN, ("m", 40, 2)]))
    assert [fault.row for fault in refused.value.faults] == [1, 4, 5, 6]


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="population must be a file"):
        KMap().check(released(DRAWN))
    with pytest.raises(ParameterError, match="k must be at least 2"):
        KMap(k=0)
    with pytest.raises(ParameterError, match="low and high must be chances, low at most high"):
        DeltaPresence(low=0.6, high=0.5)

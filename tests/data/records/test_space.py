"""Distance between records must be the contest's, to the last step of the grid."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.row_loss import row_loss

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.records.partners import count_partners, find_partners, find_within, losses, squares
from sekisho.data.records.space import RecordSpace, hide_identifier, require_one_row, round_to_steps
from sekisho.data.synthetic.health import HEALTH, HEALTH_SPACE, health_records
from sekisho.errors import ParameterError

SMALL = health_records(300, rng=np.random.default_rng(7))


def pair(**changes: object) -> tuple[Dataset, Dataset]:
    first: dict[str, object] = {
        "gen": "Male",
        "age": 40.0,
        "race": "White",
        "edu": "9th",
        "mar": "Never",
        "bmi": 25.0,
        "dep": 0,
        "pir": 0,
        "gh": 0,
        "mets": 0,
        "qm": "Q1",
        "dia": 0,
    }
    one, other = pl.DataFrame([first]), pl.DataFrame([first | changes])
    return Dataset.of(one, HEALTH), Dataset.of(other, HEALTH)


def test_iloss_is_the_largest_of_the_two_differences_and_the_number_of_changed_columns() -> None:
    # age moves by 2, bmi by 2.5, three columns change: 3.
    one, other = HEALTH_SPACE.points(*pair(age=42.0, bmi=27.5, gen="Female", dia=1, qm="Q2"))
    assert row_loss(one, other).tolist() == [3 * one.unit]
    # without them the body-mass index decides.
    one, other = HEALTH_SPACE.points(*pair(age=42.0, bmi=27.5))
    assert row_loss(one, other).tolist() == [int(2.5 * one.unit)]


def test_one_hot_distance_counts_a_category_twice_and_a_flag_once() -> None:
    # 2^2 + 0.5^2 + (1 + 1) for race + 1 for dep = 7.25
    one, other = HEALTH_SPACE.points(*pair(age=42.0, bmi=25.5, race="Black", dep=1))
    assert squares(one, other).tolist() == [[int(7.25 * one.unit**2)]]


def test_four_means_at_most_four_where_floats_would_say_more() -> None:
    # 34.7 - 30.7 is 4.000000000000004 in floats.
    one, other = HEALTH_SPACE.points(*pair(bmi=30.7)[1:], *pair(bmi=34.7)[1:])
    assert row_loss(one, other)[0] <= round_to_steps(4, one.unit)
    assert find_within(one, other, 4).counts().tolist() == [1]


def test_gh_and_mets_count_for_nothing() -> None:
    one, other = HEALTH_SPACE.points(*pair(gh=3, mets=1))
    assert row_loss(one, other).tolist() == [0]


@given(st.sampled_from([0.0, 0.3, 1.0, 2.5, 4.0, 6.0, 100.0]), st.integers(0, 2))
def test_the_blocked_search_finds_what_a_double_loop_finds(limit: float, measured: int) -> None:
    space = RecordSpace(measured=("age", "bmi")[:measured], compared=HEALTH_SPACE.compared)
    (points,) = space.points(SMALL)
    loss = losses(points, points)
    found = find_partners(points, limit)
    for i in range(len(points)):
        plain = [j for j in range(len(points)) if j != i and loss[i, j] <= limit * points.unit + 1e-6]
        assert found.of(i).tolist() == plain
    assert count_partners(points, limit).tolist() == found.counts().tolist()


def test_three_measured_columns_are_all_obeyed() -> None:
    space = RecordSpace(measured=("age", "bmi", "dep"), compared=("gen",))
    (points,) = space.points(SMALL)
    loss = losses(points, points)
    np.fill_diagonal(loss, 10**12)
    assert count_partners(points, 0.5).tolist() == (loss <= points.unit // 2).sum(axis=1).tolist()


def test_columns_that_nobody_names_are_those_that_tell_something_by_their_kind() -> None:
    space = RecordSpace().settle_columns(HEALTH)
    assert space.measured == ("age", "bmi", "dep", "pir", "dia")
    assert space.compared == ("gen", "race", "edu", "mar", "qm")
    told = RecordSpace(measured=("age",))
    assert told.settle_columns(HEALTH) == told  # who names some columns means those
    with pytest.raises(ParameterError, match="measured and compared columns must be distinct"):
        RecordSpace(measured=("age",), compared=("age",)).settle_columns(HEALTH)
    with pytest.raises(ParameterError, match="schema must have a column that tells something of a person"):
        RecordSpace().settle_columns(
            Schema((HEALTH["gh"], Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER)))
        )


def test_one_row_a_person_makes_records_and_a_second_row_a_history() -> None:
    schema = Schema((Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER), *HEALTH))
    named = SMALL.frame.head(3).insert_column(0, pl.Series("id", ["a", "b", "c"]))
    require_one_row(SMALL)
    require_one_row(Dataset(named, schema))
    twice = Dataset(named.with_columns(id=pl.Series(["a", "b", "a"])), schema)
    with pytest.raises(ParameterError, match="data must be records, one row a person, not 'a history: id repeats'"):
        HEALTH_SPACE.points(SMALL, twice)


def test_generated_records_look_like_the_contests() -> None:
    data = health_records(4000, rng=np.random.default_rng(1))
    assert data.schema is HEALTH
    assert data.grid("age").min() >= 20_000_000
    assert data.grid("age").max() <= 80_000_000
    bmi = data.grid("bmi") / 1e6
    assert bmi.mean() > np.median(bmi)  # skewed to the right
    assert set(data.domain("mar")) == {"Married", "Widowed", "Divorced", "Separated", "Never", "Parther"}
    old, young = data.grid("age") > 60_000_000, data.grid("age") < 40_000_000
    assert data.grid("dia")[old].mean() > 2 * data.grid("dia")[young].mean()


@pytest.mark.parametrize("limit", [-1.0, float("nan"), float("inf"), 1e308])
def test_a_limit_that_no_grid_reaches_is_refused(limit: float) -> None:
    with pytest.raises(ParameterError, match="limit must lie between 0 and 1,000,000,000"):
        round_to_steps(limit, 10**6)


def test_without_identifier_people_go_by_their_rows() -> None:
    schema = Schema((Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER), Column(name="*", kind=Kind.CATEGORY)))
    data = Dataset(pl.DataFrame({"id": ["p", "q"], "*": ["a", "b"]}), schema)
    hidden = hide_identifier(data)
    assert (hidden.schema.identifier, hidden.schema.names) == (None, ("*",))
    assert hidden.frame["*"].to_list() == ["a", "b"]

"""What a release adds to guessing a hidden value: a case by hand, against listing, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from verify.red_team.attribute_listing import NUMERIC, TEXTUAL, SmallCase, list_faults

from sekisho.attack.records.attribute import AttributeAttack, Tolerance
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import exact_table
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="name", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="home", kind=Kind.CATEGORY, role=Role.OTHER),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
        Column(name="pay", kind=Kind.INTEGER, role=Role.OTHER),
    )
)


def people(*rows: tuple[str, str, str, str, int]) -> Dataset:
    return Dataset(pl.DataFrame(list(rows), schema=list(SCHEMA.names), orient="row"), SCHEMA)


MEMBERS = people(
    ("ann", "1", "a", "flu", 10),
    ("bob", "1", "a", "flu", 20),
    ("cid", "2", "b", "flu", 30),
    ("dan", "3", "b", "gout", 31),
    ("eve", "4", "c", "gout", 60),
)
CONTROLS = people(("fay", "5", "a", "flu", 15), ("gus", "6", "b", "gout", 20), ("hal", "7", "z", "flu", 33))
PUBLISHED = exact_table(Dataset(MEMBERS.frame.drop("name"), Schema(SCHEMA.columns[1:])))
ATTACK = AttributeAttack(keys=("town",), sensitive="ill")


def test_members_and_controls_by_hand() -> None:
    answer = ATTACK.attack(PUBLISHED, MEMBERS, CONTROLS, rng=Seed(1).rng())
    # towns a (both flu) and c (gout) say it; b is a tie, where either of two guesses is right with chance 1/2;
    # fay is flu as town a says, gus a tie, hal is in no town there: the file's commonest is flu, which he has
    assert (answer.expected_hits, answer.expected_control_hits) == (4.0, 2.5)
    assert (answer.added.trials, answer.added.control_trials, answer.disclosed) == (5, 3, 3)
    assert 3 <= answer.added.hits <= 5
    assert 2 <= answer.added.control_hits <= 3
    assert (answer.fitting, answer.control_fitting) == (5, 2)
    assert answer.chance == pytest.approx(3 / 5)  # most controls have flu, and so have three of five members
    keys = answer.to_dict()
    assert keys["R_method"] == "exact"
    assert {"claimed", "hits", "chance", "interval", "control_hits", "R", "R_interval", "disclosed"} <= keys.keys()


def test_whoever_fits_no_row_may_be_guessed_by_the_nearest() -> None:
    strangers = people(("ida", "8", "b", "gout", 35), ("jon", "9", "c", "gout", 57))
    asked = AttributeAttack(keys=("pay",), sensitive="ill")
    # the file's commonest is flu, wrong for both; the nearest to 35 is dan with gout, to 57 eve with gout
    assert asked.attack(PUBLISHED, MEMBERS, strangers, rng=Seed(1).rng()).added.control_hits == 0
    nearest = replace(asked, nearest=True).attack(PUBLISHED, MEMBERS, strangers, rng=Seed(1).rng())
    assert nearest.added.control_hits == 2
    assert nearest.control_fitting == 0


def test_numbers_within_a_tolerance() -> None:
    asked = AttributeAttack(keys=("town",), sensitive="pay", within="1")
    answer = asked.attack(PUBLISHED, MEMBERS, CONTROLS, rng=Seed(1).rng())
    # town a: the middles 10 and 20, each right for one; b: 30 and 31 lie within 1 of each other; c: 60 alone
    assert (answer.expected_hits, answer.disclosed) == (4.0, 3)
    tenth = replace(asked, within="10%").attack(PUBLISHED, MEMBERS, CONTROLS, rng=Seed(1).rng())
    # hal (33) fits no town: the file's middle is 30, which lies within a tenth of 33
    assert tenth.expected_control_hits == 1.0


@pytest.mark.parametrize("text", ["-1", "x", "1/0", "-5%", "%"])
def test_what_is_no_tolerance_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="within"):
        Tolerance.parse(text)


def test_what_is_refused() -> None:
    rng = Seed(1).rng()
    with pytest.raises(ParameterError, match=r"fixed before.*pay"):
        AttributeAttack(sensitive="pay").attack(PUBLISHED, MEMBERS, CONTROLS, rng=rng)
    with pytest.raises(ParameterError, match="categories"):
        AttributeAttack(sensitive="ill", within="1").attack(PUBLISHED, MEMBERS, CONTROLS, rng=rng)
    with pytest.raises(ParameterError, match=r"keys.*guessed"):
        AttributeAttack(keys=("ill",), sensitive="ill").attack(PUBLISHED, MEMBERS, CONTROLS, rng=rng)
    with pytest.raises(ParameterError, match=r"controls.*name.*ann"):
        ATTACK.attack(PUBLISHED, MEMBERS, MEMBERS, rng=rng)
    hidden = exact_table(Dataset(PUBLISHED.to_dataset().frame.with_columns(ill=pl.lit("")), PUBLISHED.schema))
    with pytest.raises(InfeasibleError, match="nothing of ill"):
        ATTACK.attack(hidden, MEMBERS, CONTROLS, rng=rng)


def test_a_household_stands_on_one_side_and_is_attacked_once() -> None:
    asked = replace(ATTACK, household="home")
    answer = asked.attack(PUBLISHED, MEMBERS, CONTROLS, rng=Seed(1).rng())
    assert (answer.added.trials, answer.added.control_trials) == (4, 3)  # ann and bob live together
    with pytest.raises(ParameterError, match=r"controls.*home.*2"):
        asked.attack(PUBLISHED, MEMBERS, people(("kim", "2", "a", "flu", 1)), rng=Seed(1).rng())


def test_a_household_that_only_the_schema_tells_is_kept_together_as_well() -> None:
    schema = Schema(tuple(replace(each, role=Role.HOUSEHOLD) if each.name == "home" else each for each in SCHEMA))
    members, controls, strange = (
        Dataset(data.frame, schema) for data in (MEMBERS, CONTROLS, people(("kim", "2", "a", "flu", 1)))
    )
    answer = ATTACK.attack(PUBLISHED, members, controls, rng=Seed(1).rng())
    assert (answer.added.trials, answer.added.control_trials) == (4, 3)
    with pytest.raises(ParameterError, match=r"controls.*home.*2"):
        ATTACK.attack(PUBLISHED, members, strange, rng=Seed(1).rng())


def test_controls_without_names_are_refused_where_records_tell_them() -> None:
    frame = pl.DataFrame({"pay": np.arange(200), "ill": ["f"] * 200})
    schema = Schema(
        (Column(name="pay", kind=Kind.INTEGER), Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE))
    )
    data = Dataset(frame, schema)
    with pytest.raises(ParameterError, match=r"controls.*more records are equal"):
        AttributeAttack().attack(exact_table(data), data, Dataset(frame[:50], schema), rng=Seed(1).rng())
    coarse = Dataset(frame.with_columns(pl.col("pay") % 3), schema)
    answer = AttributeAttack().attack(
        exact_table(coarse), coarse, Dataset(coarse.frame[:50], schema), rng=Seed(1).rng()
    )
    assert answer.equal == 50  # everybody's record is somebody else's too: that says nothing
    assert len(answer.list_warnings()) == 2


@try_examples(60)
@given(st.integers(0, 2**32), st.sampled_from([(TEXTUAL, ""), (NUMERIC, "1"), (NUMERIC, "30%"), (NUMERIC, "0")]))
def test_like_listing(seed: int, asked: tuple[str, str]) -> None:
    case = SmallCase.draw(np.random.default_rng(seed))
    sensitive, within = asked
    attack = AttributeAttack(keys=("age", "town"), sensitive=sensitive, within=within)
    try:
        answer = attack.attack(case.table, case.people(case.members), case.people(case.controls), rng=Seed(seed).rng())
    except (InfeasibleError, ParameterError):
        return  # nothing is said of the column, or nobody is left on one side
    assert list_faults(case, answer, sensitive=sensitive, within=within) == []

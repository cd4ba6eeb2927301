"""Who lives together is hidden together: k counts households, and nobody's number leaves."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.layout import open_original
from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import InfeasibleError, InputError, ParameterError
from sekisho.gate.rulebooks import read_record_terms
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.record_swap import RecordSwap
from sekisho.protect.records.sample import Sample
from sekisho.safety.mechanism import parse_mechanism
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="home", kind=Kind.CATEGORY, role=Role.HOUSEHOLD),
        Column(name="age", kind=Kind.INTEGER),
        Column(name="sex", kind=Kind.CATEGORY),
        Column(name="illness", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
)
Person = tuple[str, int, str]


def make(people: list[Person]) -> Dataset:
    rows = [(*person, "flu") for person in people]
    types = {"home": pl.String, "age": pl.Int64, "sex": pl.String, "illness": pl.String}
    return Dataset(pl.DataFrame(rows, schema=types, orient="row"), SCHEMA)


def release(data: Dataset, k: int) -> Release:
    method = Partition(keys=("age", "sex"), k=k, household="home", effort=0.1)
    return method.apply(data, rng=Seed(1).rng())


def list_patterns(data: Dataset, made: Release) -> Counter[tuple[tuple[object, ...], ...]]:
    """How many households are written in each way, as a reader who links their rows sees them."""
    frame = publish_values(made).frame.select("age", "sex").cast(pl.String)
    homes = np.array(data.frame["home"].to_list())[~made.deleted]
    rows: dict[str, list[tuple[object, ...]]] = {}
    for home, row in zip(homes.tolist(), frame.rows(), strict=True):
        rows.setdefault(home, []).append(row)
    return Counter(tuple(sorted(each, key=str)) for each in rows.values())


def test_couples_form_classes_of_couples() -> None:
    # Four couples: 20 m with 21 f, twice; 40 m with 60 f and 41 m with 61 f. Each pair of couples is a class of two.
    people = [("1", 20, "m"), ("1", 21, "f"), ("2", 21, "f"), ("2", 20, "m")]
    people += [("3", 40, "m"), ("3", 60, "f"), ("4", 41, "m"), ("4", 61, "f"), ("5", 20, "m")]
    data = make(people)
    made = release(data, 2)
    assert list_patterns(data, made) == {
        (("20", "m"), ("21", "f")): 2,
        (("[40;41]", "m"), ("[60;61]", "f")): 2,
    }
    # Whoever lives alone is one household of his size: left out, and said.
    assert made.deleted.tolist() == [False] * 8 + [True]
    assert made.detail["household"] == {"k": 2, "households": 5, "left_out": 1}
    assert made.detail["suppressed"] == 1
    assert "home" not in publish_values(made).frame.columns
    # Nine records of two keys, of which one is left out (loss 1) and four span 1 of 41 values on their position.
    assert 1 / 9 < float(str(made.detail["ncp"])) < 0.2


def test_trees_and_what_is_refused() -> None:
    people = [(str(home), age, "m") for home, age in ((1, 20), (1, 30), (2, 25), (2, 30))]
    edges = [("20", "young"), ("25", "young"), ("30", "old"), ("young", "all"), ("old", "all")]
    method = Partition(keys=("age", "sex"), k=2, household="home", tree={"age": Tree.of(edges)})
    frame = publish_values(method.apply(make(people), rng=Seed(1).rng())).frame
    assert frame["age"].to_list() == ["young", "30", "young", "30"]
    with pytest.raises(InfeasibleError, match="no size of household has 3"):
        release(make(people), 3)
    with pytest.raises(ParameterError, match="be no key"):
        Partition(keys=("home",), household="home")
    with pytest.raises(ParameterError, match="without l and t"):
        Partition(household="home", l=2)
    with pytest.raises(ParameterError, match="be said of every record"):
        release(make([("", 20, "m"), ("1", 20, "m")]), 1)


@given(
    people=st.lists(
        st.tuples(st.sampled_from("123456"), st.integers(20, 24), st.sampled_from("mf")), min_size=4, max_size=14
    ),
    k=st.integers(1, 3),
)
def test_every_household_is_written_as_k_others_and_admits_the_truth(people: list[Person], k: int) -> None:
    data = make(people)
    sizes = Counter(Counter(home for home, _, _ in people).values())
    if max(sizes.values()) < k:
        with pytest.raises(InfeasibleError):
            release(data, k)
        return
    made = release(data, k)
    assert min(list_patterns(data, made).values()) >= k
    kept = ~made.deleted
    assert bool(made.table.numbers("age").admits(data.grid("age"))[kept].all())
    assert bool(made.table.sets("sex").admits(data.codes("sex"))[kept].all())


TEXTS = Schema(
    (
        Column(name="home", kind=Kind.CATEGORY, role=Role.HOUSEHOLD),
        Column(name="sex", kind=Kind.CATEGORY),
        Column(name="tenure", kind=Kind.CATEGORY),
    )
)


def make_texts(people: list[tuple[str, str, str]]) -> Dataset:
    return Dataset(pl.DataFrame(people, schema=["home", "sex", "tenure"], orient="row"), TEXTS)


def test_whole_households_are_drawn() -> None:
    homes = [str(number // 3) for number in range(60)]
    data = make_texts([(home, "mf"[place % 2], "own") for place, home in enumerate(homes)])
    method = Sample(size=7, household="home")
    drawn = method.apply(data, rng=Seed(1).rng())
    order = [homes[row] for row in drawn.drawn.tolist()]
    counts = Counter(order)
    assert len(counts) == 7
    assert set(counts.values()) == {3}
    assert drawn.published().columns == ["sex", "tenure"]
    assert (drawn.mechanism.records, drawn.mechanism.sample, drawn.detail["unit"]) == (20, 7, "household")
    assert drawn.detail["delta"] == 7 / 20
    # Members do not stand together: neighbours live together no more often than chance has it.
    assert sum(one == other for one, other in pairwise(order)) < 7
    with pytest.raises(ParameterError, match="without a number of known records"):
        Sample(size=7, household="home", known=3)
    with pytest.raises(InputError, match="households as units"):
        parse_mechanism(json.dumps(drawn.mechanism.as_dict()), "R.csv.mechanism.json")


def test_whole_households_change_places() -> None:
    # A couple and a single in each of two places: the couples are alike in any order, the singles are not.
    rows = [("1", "m", "a"), ("1", "f", "a"), ("2", "m", "a"), ("3", "f", "b"), ("3", "m", "b"), ("4", "f", "b")]
    method = RecordSwap(geography=("tenure",), similar=("sex",), k=3, household="home")
    made = method.apply(make_texts(rows), rng=Seed(1).rng())
    assert made.table.to_dataset().frame["tenure"].to_list() == ["b", "b", "a", "a", "a", "b"]
    assert (made.detail["households"], made.detail["swapped"], made.detail["stayed"]) == (4, 2, 2)
    with pytest.raises(ParameterError, match="row 2 differs"):
        method.apply(make_texts([("1", "m", "a"), ("1", "m", "b")]), rng=Seed(1).rng())


def test_a_column_that_a_household_shares_is_not_changed_member_by_member() -> None:
    shared = make_texts([("1", "m", "own"), ("1", "f", "own"), ("2", "m", "rent"), ("2", "m", "rent")])
    for seed in range(20):
        released = Pram(retention=Fraction(1, 2)).apply(shared, rng=Seed(seed).rng()).table.to_dataset().frame["tenure"]
        assert (released[0], released[2]) == (released[1], released[3])
    alone = make_texts([("1", "m", "own"), ("2", "f", "rent")])
    assert Pram(retention=Fraction(1, 2)).apply(alone, rng=Seed(1).rng()).mechanism.units is None


def test_a_role_in_a_schema_keeps_the_number_inside(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("home,age\n1,20\n1,21\n2,30\n")
    (tmp_path / "s.toml").write_text(
        'shape = "records"\n[[columns]]\nname = "home"\nrole = "household"\n[[columns]]\nname = "age"\n'
    )
    opened, _ = open_original(tmp_path / "people.csv", read_record_terms(str(tmp_path / "s.toml")))
    assert opened.data.schema.household == "home"
    assert [column.name for column in opened.data.schema.attributes] == ["age"]

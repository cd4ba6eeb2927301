"""Local recoding of any records: classes of k, cells that hold the truth, the loss that is told."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.files.published_frame import published_frame
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.protect import Anytime
from sekisho.protect.records.partition import Partition
from sekisho.safety.records.anonymity import class_sizes
from sekisho.safety.records.diversity import Diversity
from sekisho.seeds import Seed
from sekisho.utility.records.information_loss import CertaintyPenalty

SCHEMA = Schema(
    (
        Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="age", kind=Kind.INTEGER),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="job", kind=Kind.CATEGORY),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
)
TOWNS = Tree(codes=("all", "north", "a", "b", "south", "c", "d"), parents=(-1, 0, 1, 1, 0, 4, 4))
AGES = Tree(
    codes=("any", "young", *map(str, range(20, 25)), "old", *map(str, range(25, 31))),
    parents=(-1, 0, *[1] * 5, 0, *[7] * 6),
)
KEYS = ("age", "town", "job")


def people(rows: list[tuple[int, str, str]]) -> Dataset:
    ages, towns, jobs = zip(*rows, strict=True)
    frame = pl.DataFrame(
        {
            "id": [f"p{place}" for place in range(len(rows))],
            "age": ages,
            "town": towns,
            "job": jobs,
            "ill": ["yes" if place % 3 else "no" for place in range(len(rows))],
        }
    )
    return Dataset(frame, SCHEMA)


def some_people(count: int = 200) -> Dataset:
    rng = Seed(4).rng()
    ages = rng.integers(20, 31, count).tolist()
    towns = rng.choice(["a", "b", "c"], count).tolist()
    jobs = rng.choice(["cook", "smith", "clerk", "nurse"], count, p=[0.5, 0.3, 0.1, 0.1]).tolist()
    return people(list(zip(ages, towns, jobs, strict=True)))


def run(data: Dataset, method: Partition) -> Release:
    return method.apply(data, rng=Seed(1).rng())


rows_of_people = st.lists(
    st.tuples(st.integers(20, 30), st.sampled_from("abc"), st.sampled_from(["cook", "smith", "clerk"])),
    min_size=5,
    max_size=30,
)
TREES = st.sampled_from([{}, {"town": TOWNS}, {"age": AGES}, {"age": AGES, "town": TOWNS}])


@try_examples(60)
@given(rows_of_people, TREES, st.integers(1, 5), st.sampled_from([Fraction(0), Fraction(1, 10)]), st.booleans())
def test_classes_have_k_cells_hold_the_truth_and_the_loss_is_the_one_told(
    rows: list[tuple[int, str, str]], trees: dict[str, Tree], k: int, suppress: Fraction, strict: object
) -> None:
    data = people(rows)
    release = run(data, Partition(keys=KEYS, k=k, tree=trees, suppress=suppress, strict=bool(strict), effort=1))
    kept = ~release.deleted
    assert int(release.deleted.sum()) <= suppress * len(data)
    if kept.any():
        assert class_sizes(release, KEYS).min() >= k
    assert release.table.numbers("age").admits(data.grid("age")).all()
    for name in ("town", "job", "ill"):
        assert release.table.sets(name).admits(data.codes(name)).all()
    assert release.table.sets("ill").is_exact()[kept].all()
    score = CertaintyPenalty(keys=KEYS, tree=trees).compare(data, release)
    assert release.detail["ncp"] == pytest.approx(score.value, abs=1e-9)
    assert release.detail["ncp_by_key"] == pytest.approx(dict(score.detail), abs=1e-9)


@try_examples(60)
@given(
    rows_of_people,
    TREES,
    st.lists(st.integers(0, 3), min_size=30, max_size=30),
    st.sampled_from(
        [
            {"l": 2},
            {"l": 2, "diversity": Diversity.RECURSIVE, "c": 4.0},
            {"l": 1.5, "diversity": Diversity.ENTROPY},
            {"t": 0.4},
            {"l": 2, "t": 0.5},
        ]
    ),
)
def test_classes_keep_l_and_t_as_counted_anew(
    rows: list[tuple[int, str, str]], trees: dict[str, Tree], ills: list[int], asked: dict[str, Any]
) -> None:
    data = people(rows)
    data = Dataset(data.frame.with_columns(pl.Series("ill", [f"i{ill}" for ill in ills[: len(rows)]])), SCHEMA)
    whole = Counter(ills[: len(rows)])
    method = Partition(keys=KEYS, k=2, tree=trees, sensitive="ill", effort=1, **asked)
    if not keeps(whole, whole, asked):
        with pytest.raises(InfeasibleError, match="not even all"):
            run(data, method)
        return
    release = run(data, method)
    frame = published_frame(release).select(KEYS).with_columns(pl.Series("ill", ills[: len(rows)]))
    for part in frame.partition_by(KEYS):
        assert part.height >= 2
        assert keeps(Counter(part["ill"].to_list()), whole, asked)


def keeps(counts: Counter[int], whole: Counter[int], asked: dict[str, Any]) -> bool:
    """Tell whether counts of sensitive values are what is asked for, from the definitions."""
    total, ordered = counts.total(), sorted(counts.values(), reverse=True)
    kind, level = asked.get("diversity", Diversity.DISTINCT), asked.get("l", 1)
    if kind is Diversity.DISTINCT and len(counts) < level:
        return False
    if kind is Diversity.RECURSIVE and not ordered[0] < asked["c"] * sum(ordered[level - 1 :]):
        return False
    entropy = -sum(count / total * log(count / total) for count in ordered)
    if kind is Diversity.ENTROPY and entropy < log(level) - 1e-9:
        return False
    distance = sum(abs(counts[value] / total - whole[value] / whole.total()) for value in whole) / 2
    return distance <= asked.get("t", 1.0) + 1e-9


def test_l_and_t_that_cannot_be() -> None:
    with pytest.raises(ParameterError, match="sensitive must be neither a key nor the identifier"):
        run(some_people(), Partition(keys=KEYS, l=2, sensitive="job"))
    with pytest.raises(ParameterError, match="l must be a whole number from 1 on for distinct"):
        Partition(l=1.5)
    with pytest.raises(ParameterError, match="suppress must be 0 beside t"):
        Partition(t=0.2, suppress=Fraction(1, 10))
    with pytest.raises(ParameterError, match="ordered must be asked of numbers or dates"):
        run(some_people(), Partition(keys=KEYS, t=0.2, ordered=True))
    with pytest.raises(InfeasibleError, match=r"l = 3 \(distinct\): ill has 2 values"):
        run(some_people(), Partition(keys=KEYS, l=3))


def test_the_worst_figures_are_told() -> None:
    detail = run(some_people(), Partition(keys=("age", "town"), k=4, l=2, t=0.3)).detail
    assert detail["distinct_l"] == 2
    assert 1.0 < float(str(detail["entropy_l"])) <= 2.0
    assert float(str(detail["t"])) <= 0.3


def test_a_golden_release() -> None:
    # k = 2: the two of 20 and 21 in town a, the two of 29 and 30 in town c; each class loses 1/10 of the ages.
    data = people([(20, "a", "cook"), (21, "a", "cook"), (29, "c", "cook"), (30, "c", "cook")])
    release = run(data, Partition(keys=KEYS, k=2))
    ages = release.table.numbers("age")
    assert (ages.lower.tolist(), ages.upper.tolist()) == ([20, 20, 29, 29], [21, 21, 30, 30])
    assert release.detail["ncp_by_key"] == {"age": pytest.approx(0.1), "town": 0.0, "job": 0.0}
    assert release.detail["classes"] == 2
    assert release.detail["warnings"] == ["key job has one value only and tells nothing"]


def test_without_keys_the_quasi_identifiers_are_meant_and_others_stay() -> None:
    data = some_people()
    release = run(data, Partition(k=4))
    losses = release.detail["ncp_by_key"]
    assert isinstance(losses, dict)
    assert set(losses) == set(KEYS)
    assert (release.table.sets("ill").codes == data.codes("ill")).all()


def test_it_is_a_search_that_can_be_left_at_any_step() -> None:
    method = Partition(keys=KEYS, k=4)
    assert isinstance(method, Anytime)
    steps = list(method.improve(some_people(), rng=Seed(1).rng()))
    assert len(steps) > 1
    assert all(later.utility <= step.utility for step, later in pairwise(steps))
    for step in steps:
        release = step.release()
        assert class_sizes(release, KEYS).min() >= 4
        assert release.detail["ncp"] == pytest.approx(step.utility)


def test_seconds_end_the_search() -> None:
    steps = list(Partition(keys=KEYS, k=4, seconds=1e-9).improve(some_people(), rng=Seed(1).rng()))
    assert len(steps) == 1


def test_fewer_records_than_k_are_infeasible() -> None:
    with pytest.raises(InfeasibleError, match="3 records cannot form a class of 4"):
        run(people([(20, "a", "cook")] * 3), Partition(keys=KEYS, k=4))


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Partition(keys=("age", "height", "weight")), r"keys must be among the columns.*height.*weight"),
        (Partition(keys=("id", "age")), "keys must not be the identifier"),
        (Partition(keys=("age", "age")), "each named once"),
        (Partition(keys=("age",), tree={"town": TOWNS}), r"tree must be of a key \(age\).*town"),
    ],
)
def test_keys_that_cannot_be(method: Partition, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        run(some_people(), method)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be 1 or more"),
        ({"suppress": Fraction(1)}, "suppress must lie between 0 and 1"),
        ({"effort": -1.0}, "effort must lie between"),
        ({"effort": float("nan")}, "effort must be a finite number"),
        ({"seconds": 0.0}, "seconds must be above 0"),
    ],
)
def test_parameters_that_cannot_be(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Partition(**parameters)


def test_all_faults_of_all_trees_are_told_at_once(tmp_path: Path) -> None:
    towns, ages = tmp_path / "towns.csv", tmp_path / "ages.csv"
    towns.write_text("node,parent\na,north\nb,north\na,south\nnorth,all\nsouth,all\nc,south\n", encoding="utf-8")
    ages.write_text("".join(f"{age};twenties;*\n" for age in range(20, 29)), encoding="utf-8")
    with pytest.raises(FaultsError) as caught:
        run(some_people(), Partition(keys=KEYS, tree={"town": towns, "age": ages}))
    told = [(fault.column, fault.rule, fault.value) for fault in caught.value.faults]
    assert ("town", "one parent", "a") in told
    assert {("age", "leaf", "29"), ("age", "leaf", "30")} <= set(told)


def test_a_key_like_an_identifier_is_warned_of() -> None:
    data = people([(20 + place % 11, "abc"[place % 3], f"j{place}") for place in range(40)])
    assert run(data, Partition(keys=KEYS, k=2)).detail["warnings"] == [
        "key job has 40 values in 40 records: it looks like an identifier, which is better left out"
    ]


def test_a_release_of_hardly_any_use_says_so() -> None:
    data = people([(20 + place % 11, "abc"[place % 3], f"j{place}") for place in range(40)])
    assert run(data, Partition(keys=KEYS, k=40)).detail["useful"] is False
    assert run(some_people(), Partition(keys=KEYS, k=4)).detail["useful"] is True


def test_a_history_is_refused() -> None:
    data = some_people()
    doubled = Dataset(data.frame.with_columns(pl.lit("p").alias("id")), data.schema)
    with pytest.raises(ParameterError, match="one row a person"):
        run(doubled, Partition(keys=KEYS))


def test_every_value_of_a_column_is_written_as_suppressed() -> None:
    # Two records that differ in town, of two towns: the set of all towns tells nothing, as * does.
    data = people([(20, "a", "cook"), (20, "b", "cook")])
    cells = run(data, Partition(keys=KEYS, k=2)).table.sets("town")
    assert cells.suppressed.all()


def test_the_seed_alone_decides() -> None:
    one, other = (run(some_people(), Partition(keys=KEYS, k=4)) for _ in range(2))
    assert np.array_equal(one.table.numbers("age").lower, other.table.numbers("age").lower)


def test_a_parameter_has_the_name_of_its_option_and_the_former_one_says_so() -> None:
    former: Any = {"least_l": 2}
    with pytest.raises(ParameterError, match="least_l must be given as l, its name since this version, not 2"):
        Partition(**former)
    method = Partition(l=2, sensitive="job")
    assert pickle.loads(pickle.dumps(method)) == replace(method, k=5) == method

"""Microaggregation: groups of k to 2k - 1, one value each, and MDAV as its authors wrote it down."""

from __future__ import annotations

from functools import cache
from typing import cast

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.records.space import take_kept
from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.protect.records.microaggregate import GroupingWay, Microaggregate
from sekisho.protect.records.points import standardise
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="pay", kind=Kind.DECIMAL, decimals=1),
        Column(name="size", kind=Kind.CATEGORY),
        Column(name="note", kind=Kind.CATEGORY),
    )
)
SIZES = ("small", "middle", "large")
Row = tuple[int, int, str, str]
rows = st.lists(
    st.tuples(st.integers(0, 20), st.integers(-50, 50), st.sampled_from(SIZES), st.sampled_from("uv")),
    min_size=4,
    max_size=22,
)


def people(lines: list[Row]) -> Dataset:
    return Dataset(pl.DataFrame(lines, schema=["age", "pay", "size", "note"], orient="row"), SCHEMA)


def aggregated(method: Microaggregate, data: Dataset) -> pl.DataFrame:
    return take_kept(method.apply(data, rng=Seed(1).rng())).frame


def of_ages(ages: list[int]) -> Dataset:
    return people([(age, 0, "small", "u") for age in ages])


def test_means_medians_and_modes_by_hand() -> None:
    lines: list[Row] = [(1, 10, "small", "v"), (2, 20, "small", "u"), (6, 90, "large", "u")]
    lines += [(50, 500, "large", "u"), (51, 510, "middle", "v"), (55, 560, "large", "v")]
    method = Microaggregate(k=3, order={"size": SIZES}, median=("pay",))
    frame = aggregated(method, people(lines))
    # two clusters of three: ages 1, 2, 6 have the mean 3, 50, 51, 55 the mean 52; sizes small, small, large the median
    # small
    assert frame["age"].to_list() == [3, 3, 3, 52, 52, 52]
    assert frame["pay"].to_list() == [20, 20, 20, 510, 510, 510]
    assert frame["size"].to_list() == ["small"] * 3 + ["large"] * 3
    assert frame["note"].to_list() == ["u"] * 3 + ["v"] * 3
    detail = method.apply(people(lines), rng=Seed(1).rng()).detail
    assert (detail["k"], detail["groups"], detail["largest"]) == (3, 2, 3)
    # ages move by 2, 1, 3 and 2, 1, 3: 28; their mean is 27.5, and 26.5² + 25.5² + 21.5² + 22.5² + 23.5² + 27.5² =
    # 3629.5
    assert cast("dict[str, float]", detail["sse_over_sst_by_key"])["age"] == pytest.approx(28 / 3629.5)
    assert detail["changed_by_key"] == {"note": pytest.approx(2 / 6)}


def test_halves_round_up_on_the_grid() -> None:
    assert aggregated(Microaggregate(keys=("age",), k=2), of_ages([1, 2, 4, 5]))["age"].to_list() == [2, 2, 5, 5]


def plain_mdav(points: list[tuple[float, ...]], k: int) -> list[set[int]]:
    """MDAV word by word."""

    def square(one: tuple[float, ...], other: tuple[float, ...]) -> float:
        return sum((left - right) ** 2 for left, right in zip(one, other, strict=True))

    def farthest(left: list[int], centre: tuple[float, ...]) -> int:
        return max(left, key=lambda row: (square(points[row], centre), -row))

    def near(left: list[int], centre: int) -> set[int]:
        return set(sorted(left, key=lambda row: (square(points[row], points[centre]), row))[:k])

    left, groups = list(range(len(points))), list[set[int]]()
    while len(left) >= 2 * k:
        size = len(left)
        mean = tuple(sum(points[row][axis] for row in left) / size for axis in range(len(points[0])))
        first = farthest(left, mean)
        second = farthest(left, points[first])
        groups.append(near(left, first))
        left = [row for row in left if row not in groups[-1]]
        if size >= 3 * k:
            groups.append(near(left, second))
            left = [row for row in left if row not in groups[-1]]
    return [*groups, set(left)] if left else groups


@given(st.integers(0, 2**32), st.integers(4, 25), st.integers(2, 4))
def test_mdav_is_what_its_authors_wrote_down(seed: int, size: int, k: int) -> None:
    rng = np.random.default_rng(seed)  # equally far records, which sums of floats may order either way, hardly occur
    pairs = [(int(age), int(pay)) for age, pay in rng.integers(0, 10**6, (size, 2))]
    data = people([(age, pay, "small", "u") for age, pay in pairs])
    grid = [np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True)]
    points = [tuple(map(float, point)) for point in standardise(grid, len(pairs))]
    frame = aggregated(Microaggregate(keys=("age", "pay"), k=k), data).with_row_index()
    expected = {tuple(sorted(group)) for group in plain_mdav(points, k)}
    means = {
        tuple((2 * sum(pairs[row][key] for row in group) + len(group)) // (2 * len(group)) for key in range(2))
        for group in expected
    }
    assert {(row["age"], row["pay"]) for row in frame.iter_rows(named=True)} == means


@given(rows, st.integers(1, 5), st.sampled_from(GroupingWay))
@example([(1, 1, "small", "u")] * 12, 3, GroupingWay.MDAV)  # nobody is farther than anybody
@example([(1, 1, "small", "u")] * 12, 3, GroupingWay.LINE)
def test_groups_have_k_to_2k_minus_1_records_with_one_value(lines: list[Row], k: int, how: GroupingWay) -> None:
    data, method = people(lines), Microaggregate(k=min(k, len(lines)), how=how, order={"size": SIZES})
    release = method.apply(data, rng=Seed(1).rng())
    frame = take_kept(release).frame
    assert int(frame.group_by(pl.all()).len()["len"].to_numpy().min()) >= method.k
    assert method.k <= int(str(release.detail["largest"])) < 2 * method.k
    for name in ("age", "pay"):
        assert (
            data.grid(name).min()
            <= frame[name].to_numpy().min()
            <= frame[name].to_numpy().max()
            <= data.grid(name).max()
        )
    assert abs(float(frame["age"].to_numpy().sum()) - float(data.grid("age").sum())) <= len(lines) / 2
    assert float(str(release.detail["sse_over_sst"])) >= 0.0
    if method.k == 1:
        assert frame.equals(data.frame)


@given(st.lists(st.integers(0, 40), min_size=2, max_size=12), st.integers(2, 3))
def test_the_line_of_one_column_is_the_best_grouping_of_all(ages: list[int], k: int) -> None:
    if len(ages) < k:
        return
    ordered = sorted(ages)

    @cache
    def least(start: int) -> float:
        """Return the least sum of squares of the ages from a place on; the best groups are runs of the sorted ages."""
        rest = ordered[start:]
        if not rest:
            return 0.0
        sums = [
            sum((age - sum(rest[:size]) / size) ** 2 for age in rest[:size]) + least(start + size)
            for size in range(k, len(rest) + 1)
        ]
        return min(sums, default=float("inf"))

    groups = Microaggregate(keys=("age",), k=k, how=GroupingWay.LINE)
    frame = aggregated(groups, people([(age * 1000, 0, "small", "u") for age in ages]))
    ours = sum((age - new / 1000) ** 2 for age, new in zip(ages, frame["age"], strict=True))
    assert ours == pytest.approx(least(0), abs=0.05 + 1e-6 * len(ages))


def test_everything_that_is_wrong_is_said_at_once() -> None:
    method = Microaggregate(
        keys=("age", "size"), k=2, order={"size": ("small", "large", "large"), "age": ("1",)}, median=("pay", "size")
    )
    with pytest.raises(FaultsError) as caught:
        method.apply(people([(1, 1, "small", "u"), (2, 2, "middle", "v")]), rng=Seed(1).rng())
    assert [fault.message for fault in caught.value.faults] == [
        "age is no column of categories",
        "pay is no key (age, size)",
        "size is no column of numbers",
        "'middle' of size has no place in the order",
        "'large' of size has two places in the order",
    ]


def test_too_few_records_and_no_group_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="1 records cannot form a group of 5"):
        Microaggregate().apply(of_ages([1]), rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="k must be 1 or more"):
        Microaggregate(k=0)

"""Targeted record swapping: who is rare in his place moves, tables of place by similar columns stay."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.data.records.space import take_kept
from sekisho.errors import FaultsError, ParameterError
from sekisho.protect.records.record_swap import RecordSwap
from sekisho.seeds import Seed

Row = tuple[str, str, str, int]
SCHEMA = Schema(
    (
        Column(name="region", kind=Kind.CATEGORY),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="size", kind=Kind.CATEGORY),
        Column(name="age", kind=Kind.INTEGER),
    )
)
PLACES = {"a": "north", "b": "north", "c": "south", "d": "south"}
rows = st.lists(
    st.tuples(st.sampled_from(list(PLACES)), st.sampled_from("xy"), st.integers(1, 3)).map(
        lambda row: (PLACES[row[0]], *row)
    ),
    min_size=1,
    max_size=30,
)


def people(lines: list[Row]) -> Dataset:
    return Dataset(pl.DataFrame(lines, schema=["region", "town", "size", "age"], orient="row"), SCHEMA)


def swap(lines: list[Row], *, k: int, rate: float = 0.0) -> tuple[list[Row], Release]:
    method = RecordSwap(geography=("region", "town"), similar=("size",), risk=("age",), k=k, rate=rate)
    release = method.apply(people(lines), rng=Seed(1).rng())
    return take_kept(release).frame.rows(), release


def test_the_rare_ones_change_places_by_hand() -> None:
    lines: list[Row] = [("north", "a", "x", 1)] * 3 + [("south", "c", "x", 2)] * 3
    lines += [("north", "a", "x", 9), ("south", "c", "x", 8), ("south", "c", "y", 7)]
    after, release = swap(lines, k=2)
    # 9 in the north and 8 in the south are alone and alike in size: they change; 7 has no partner of size y
    assert after[:6] == lines[:6]
    assert after[6:] == [("south", "c", "x", 9), ("north", "a", "x", 8), ("south", "c", "y", 7)]
    assert (release.detail["at_risk"], release.detail["swapped"], release.detail["stayed"]) == (3, 2, 1)
    assert release.detail["warnings"] == ["records at risk that have no partner and stay: 1"]


def test_a_finer_level_of_risk_swaps_within_the_coarser_too() -> None:
    lines: list[Row] = [("north", "a", "x", 1), ("north", "b", "x", 1)]
    # in the north both are alike and not rare; in their towns each is alone
    after, release = swap(lines, k=2)
    assert after == [("north", "b", "x", 1), ("north", "a", "x", 1)]
    assert release.detail["swapped"] == 2


def test_a_rate_is_reached_where_there_are_partners() -> None:
    lines: list[Row] = [("north", "a", "x", 1)] * 50 + [("south", "c", "x", 1)] * 50
    _, release = swap(lines, k=1, rate=0.33)
    assert release.detail["swapped"] == 34  # 33 of 100, in pairs
    _, short = swap([("north", "a", "x", 1)] * 5, k=1, rate=0.5)
    assert short.detail["warnings"] == ["0 records were swapped, fewer than the 3 asked for"]


@given(rows, st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
def test_places_by_similar_columns_stay_and_nobody_at_risk_with_a_partner_does(
    lines: list[Row], k: int, rate: float
) -> None:
    after, release = swap(lines, k=k, rate=rate)
    assert sorted(line[:3] for line in after) == sorted(line[:3] for line in lines)
    assert [line[2:] for line in after] == [line[2:] for line in lines]
    assert all(PLACES[town] == region for region, town, *_ in after)
    moved = [before[:2] != now[:2] for before, now in zip(lines, after, strict=True)]
    assert sum(moved) == release.detail["swapped"]
    assert sum(moved) % 2 == 0
    rare = [sum(other[1] == line[1] and other[3] == line[3] for other in lines) < k for line in lines]
    still = [line for line, risky, gone in zip(lines, rare, moved, strict=True) if risky and not gone]
    free = [line for line, gone in zip(lines, moved, strict=True) if not gone]
    for line in still:
        assert not [other for other in free if other[2] == line[2] and other[1] != line[1]]


def test_what_cannot_be_is_refused_all_at_once() -> None:
    method = RecordSwap(geography=("region", "region", "who"), similar=("region", "moon"), risk=("age",))
    named = Schema((Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER), *SCHEMA.columns))
    frame = people([("north", "a", "x", 1)]).frame
    data = Dataset(frame.select(pl.lit("p").alias("who"), pl.all()), named)
    with pytest.raises(FaultsError) as caught:
        method.apply(data, rng=Seed(1).rng())
    assert [fault.message for fault in caught.value.faults] == [
        "region is named twice",
        "who is the identifier, which is left out of the release",
        "region is in the geography as well",
        "moon is no column; there are who, region, town, size, age",
    ]
    with pytest.raises(ParameterError, match="rate must lie between 0 and 1"):
        RecordSwap(geography=("town",), rate=2)
    with pytest.raises(ParameterError, match="k must be 1 or more"):
        RecordSwap(geography=("town",), k=0)
    with pytest.raises(ParameterError, match="geography must name at least one column"):
        RecordSwap()

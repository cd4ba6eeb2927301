"""Rank swapping: every column keeps its values, and no rank moves farther than p per cent."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.records.space import take_kept
from sekisho.errors import FaultsError, ParameterError
from sekisho.protect.records.rank_swap import RankSwap
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="pay", kind=Kind.DECIMAL, decimals=1),
        Column(name="job", kind=Kind.CATEGORY),
    )
)


def people(ages: list[int]) -> Dataset:
    frame = pl.DataFrame(
        {"age": ages, "pay": [age * age for age in ages], "job": ["cook"] * len(ages)},
        schema={"age": pl.Int64, "pay": pl.Int64, "job": pl.String},
    )
    return Dataset(frame, SCHEMA)


def swapped(method: RankSwap, data: Dataset, seed: int = 1) -> Dataset:
    return take_kept(method.apply(data, rng=Seed(seed).rng()))


def test_neighbours_change_places_by_hand() -> None:
    # a quarter of four is one rank: the least changes with the next, the third with the last
    data = people([40, 10, 30, 20])
    assert swapped(RankSwap(p=25), data).grid("age").tolist() == [30, 20, 40, 10]
    # less than one rank of four: nothing moves
    still = RankSwap(p=24).apply(data, rng=Seed(1).rng())
    assert take_kept(still).frame.equals(data.frame)
    assert still.detail["reach"] == 0


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=40), st.sampled_from([1.0, 10.0, 33.3, 100.0]), st.integers(0, 99)
)
@example([5] * 7, 100.0, 1)
def test_values_stay_and_ranks_move_little(ages: list[int], p: float, seed: int) -> None:
    data = people(ages)
    after = swapped(RankSwap(p=p), data, seed)
    reach = int(p * len(ages) / 100)
    for name in ("age", "pay"):
        before, now = data.grid(name), after.grid(name)
        assert sorted(before) == sorted(now)
        ordered = np.sort(before)
        # equal values have a run of ranks: the nearest ends of the two runs are at most the reach apart
        up = np.searchsorted(ordered, now) - (np.searchsorted(ordered, before, side="right") - 1)
        down = np.searchsorted(ordered, before) - (np.searchsorted(ordered, now, side="right") - 1)
        assert np.maximum(up, down).max() <= reach
    assert after.frame["job"].equals(data.frame["job"])


def test_almost_everything_moves_and_by_chance() -> None:
    data = people(list(range(500)))
    release = RankSwap(keys=("age",), p=10).apply(data, rng=Seed(1).rng())
    first, second = take_kept(release).grid("age"), swapped(RankSwap(keys=("age",), p=10), data, 2).grid("age")
    assert (first != data.grid("age")).mean() > 0.95
    assert (first != second).mean() > 0.5
    assert release.table.numbers("pay").lower.tolist() == data.grid("pay").tolist()


def test_what_has_no_ranks_is_refused_all_at_once() -> None:
    with pytest.raises(FaultsError) as caught:
        RankSwap(keys=("job", "nobody", "age", "age")).apply(people([1, 2]), rng=Seed(1).rng())
    assert [fault.message for fault in caught.value.faults] == [
        "job holds no numbers or dates, which have ranks",
        "nobody is no column; there are age, pay, job",
        "age is named twice",
    ]
    jobs = Dataset(pl.DataFrame({"job": ["a", "b"]}), Schema((SCHEMA["job"],)))
    with pytest.raises(ParameterError, match="keys must name a column of numbers or dates"):
        RankSwap().apply(jobs, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="p must lie above 0 and be at most 100"):
        RankSwap(p=0)

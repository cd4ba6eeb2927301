"""A search that nobody gave an effort ends where it gains nothing, after steps that no clock counts."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.grouping.pace import (
    FEW_WORK,
    LOOK_BACK,
    STEADY,
    UNHURRIED,
    WHOLE,
    Effort,
    count_guesses,
    stands_still,
)
from sekisho.protect.history.groups import Groups
from sekisho.seeds import Seed


@pytest.mark.parametrize(
    ("costs", "gain", "still"),
    [
        ([100.0, 99.0, 99.0, 99.0], 0.01, False),  # the last three legs won 1 of 99, a little more than 1 %
        ([100.0, 99.0, 99.0, 99.0, 99.0], 0.01, True),  # the leg that won is too long ago
        ([100.0, 100.0, 100.0], 0.01, False),  # two legs are not asked yet
        ([100.0, 100.0, 100.0, 100.0], 0.01, True),
        ([100.0, 100.0, 100.0, 100.0], 0.0, False),  # a whole search goes on to its end
        ([0.0, 0.0, 0.0, 0.0], 0.01, False),  # nothing to win: it costs nothing to go on
    ],
)
def test_the_cost_stands_still_where_the_last_legs_won_next_to_nothing(
    costs: list[float], gain: float, *, still: bool
) -> None:
    assert stands_still(costs, gain) is still


def test_without_an_effort_the_work_follows_the_rows_and_is_never_more_than_a_whole_search() -> None:
    # 10,000 row-to-slot costs a row: 5,000 rows are 50 millions, and 400,000 rows the whole 4,000 millions.
    assert Effort.choose(None, 5000) == Effort(5e7, follows=True)
    assert Effort.choose(None, 400_000).work == Effort.choose(None, 4_000_000).work == WHOLE
    assert Effort.choose(4000, 5000) == Effort(WHOLE, follows=False)
    assert Effort.choose(None, 10).of_few == FEW_WORK
    assert Effort.choose(0, 10).of_few == 0


@pytest.mark.parametrize(("rows", "guesses"), [(3, 600), (40, 800), (900, 10_000)])
def test_guesses_follow_the_length_of_a_history_within_limits(rows: int, guesses: int) -> None:
    assert count_guesses(np.array([rows, rows])) == guesses


def test_a_search_that_follows_the_rows_ends_early_and_loses_at_most_a_hundredth() -> None:
    shop = SyntheticHistory(customers=45, items=60, median_rows=6.0).draw(rng=Seed(3).rng())
    whole = list(Groups(k=3, effort=4).improve(shop, rng=Seed(1).rng()))
    early = list(Groups(k=3).improve(shop, rng=Seed(1).rng()))
    assert len(whole) == UNHURRIED.legs + 2  # one before the first leg, one with all groups re-aligned
    assert LOOK_BACK + 2 <= len(early) <= STEADY.legs + 2
    assert early[-1].utility < 1.01 * whole[-1].utility
    assert early[-1].bound <= whole[-1].utility
    again = list(Groups(k=3).improve(shop, rng=Seed(1).rng()))
    assert [step.utility for step in again] == [step.utility for step in early]


def test_a_search_in_blocks_ends_early_too() -> None:
    shop = SyntheticHistory(customers=90, items=60, median_rows=6.0).draw(rng=Seed(3).rng())
    *_, whole = Groups(k=3, block=30, effort=4000, jobs=1).improve(shop, rng=Seed(1).rng())
    *_, early = Groups(k=3, block=30, jobs=1).improve(shop, rng=Seed(1).rng())
    assert early.release().detail["blocks"] == whole.release().detail["blocks"]
    assert early.utility < 1.01 * whole.utility

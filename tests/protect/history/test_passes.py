"""The number of threads changes nothing, and a second pass never makes things worse."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from sekisho.data.history.arrays import History
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.block_passes import BlockSearch, SlottedGroups, take_people
from sekisho.protect.history.grouping.pace import Effort
from sekisho.protect.history.grouping.rows import HistoryRows, lay_out_rows
from sekisho.seeds import Seed


def draw_rows(people: int) -> HistoryRows:
    shop = SyntheticHistory(customers=people, items=60, median_rows=8.0)
    return lay_out_rows(History.of(shop.draw(rng=Seed(2).rng())))


def search(rows: HistoryRows, k: int, jobs: int) -> list[SlottedGroups]:
    return list(BlockSearch(rows=rows, k=k, size=8 * k, effort=Effort(2e6), seed=Seed(1), jobs=jobs).run())


@pytest.mark.parametrize(("k", "people"), [(2, 101), (3, 100), (4, 90)])
def test_threads_change_nothing_and_passes_only_improve(k: int, people: int) -> None:
    rows = draw_rows(people)
    alone, together = search(rows, k, 1), search(rows, k, 3)
    for one, other in zip(alone, together, strict=True):
        assert one.blocks == other.blocks > 1
        assert one.slot.tolist() == other.slot.tolist()
        assert one.cost.tolist() == other.cost.tolist()
    assert len(alone) == 2
    assert alone[1].cost.sum() <= alone[0].cost.sum()
    for groups in alone:
        assert np.bincount(groups.group).min() >= k
        assert len(groups.cost) == groups.group.max() + 1


def test_the_second_pass_lets_people_meet_across_borders() -> None:
    first, second = search(draw_rows(150), 3, 1)
    assert second.cost.sum() < first.cost.sum()


def test_taken_people_keep_their_rows() -> None:
    rows = draw_rows(9)
    part, taken = take_people(rows, np.array([4, 1]))
    assert part.codes.tolist() == rows.codes[:, taken].tolist()
    assert sorted(taken[: part.starts[1]].tolist()) == list(range(rows.starts[4], rows.starts[5]))
    assert sorted(taken[part.starts[1] :].tolist()) == list(range(rows.starts[1], rows.starts[2]))


@pytest.mark.parametrize("begun", [0, 2, 7])
def test_blocks_that_are_not_begun_in_time_are_not_searched(begun: int) -> None:
    rows, k = draw_rows(100), 3
    whole, calls = search(rows, k, 1), count()
    limited = BlockSearch(
        rows=rows, k=k, size=8 * k, effort=Effort(2e6), seed=Seed(1), jobs=1, is_late=lambda: next(calls) >= begun
    )
    first, second = limited.run()
    assert first.blocks == whole[0].blocks == 5
    assert np.bincount(first.group).min() >= k
    done = min(begun, 5)
    assert (first.cost.sum() > whole[0].cost.sum()) == (done < 5)
    # A later pass leaves what it does not begin as it was; the two blocks of the third case may improve.
    assert sum(sorted(second.cost.tolist())) <= sum(sorted(first.cost.tolist()))
    assert (begun > 5) or sorted(second.cost.tolist()) == sorted(first.cost.tolist())

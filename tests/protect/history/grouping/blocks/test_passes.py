"""The number of threads changes nothing, and a second pass never makes things worse."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.data.history.arrays import History
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.grouping.blocks.passes import BlockSearch, SlottedGroups, take_people
from sekisho.protect.history.grouping.rows import Rows, lay_out_rows
from sekisho.seeds import Seed


def draw_rows(people: int) -> Rows:
    shop = SyntheticHistory(customers=people, items=60, median_rows=8.0)
    return lay_out_rows(History.of(shop.draw(rng=Seed(2).rng())))


def search(rows: Rows, k: int, jobs: int) -> list[SlottedGroups]:
    return list(BlockSearch(rows=rows, k=k, size=8 * k, effort=2e6, seed=Seed(1), jobs=jobs).run())


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

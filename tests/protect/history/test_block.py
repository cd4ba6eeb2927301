"""A block is a pure function of its arrays; its groups hold k or more, and cost what it says."""

from __future__ import annotations

from itertools import pairwise
from multiprocessing import Pipe

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.history.arrays import History
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.block import BlockGroups, BlockTask, group_block, list_members, renumber
from sekisho.protect.history.block_passes import take_people
from sekisho.protect.history.grouping.few import cost_alignment
from sekisho.protect.history.grouping.rows import HistoryRows, lay_out_rows
from sekisho.seeds import Seed


def draw_task(people: int, k: int, seed: int, median: float = 5.0) -> BlockTask:
    shop = SyntheticHistory(customers=people, items=40, median_rows=median, spread=0.6)
    rows = lay_out_rows(History.of(shop.draw(rng=Seed(seed).rng())))
    none = np.zeros(0, dtype=np.int64)
    return BlockTask(
        rows=take_people(rows, np.arange(people))[0],
        k=k,
        effort=1e5,
        seed=seed,
        group=none,
        slot=none,
        cost=np.zeros(0),
    )


def check_answer(rows: HistoryRows, k: int, answer: BlockGroups) -> None:
    """Check that every slot has one row of each member of one group, and that the costs are those of the slots."""
    owner = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.starts))
    groups = list_members(answer.group)
    assert min(len(people) for people in groups) >= min(k, len(rows.starts) - 1)
    assert sorted(set(answer.slot.tolist()) - {-1}) == list(range(answer.slot.max() + 1))
    for number, people in enumerate(groups):
        mine = np.flatnonzero((answer.group[owner] == number) & (answer.slot >= 0))
        aligned = np.stack([_sort_by_slot(mine[owner[mine] == one], answer.slot) for one in people])
        assert (answer.slot[aligned] == answer.slot[aligned[0]]).all()
        assert cost_alignment(rows, people, aligned) == pytest.approx(answer.cost[number], abs=1e-6)


def _sort_by_slot(rows: np.ndarray, slot: np.ndarray) -> np.ndarray:
    return rows[np.argsort(slot[rows])]


@try_examples(15)
@given(st.integers(3, 30), st.integers(2, 4), st.integers(0, 10**6))
def test_groups_are_whole_and_cost_what_is_said(people: int, k: int, seed: int) -> None:
    task = draw_task(max(people, k), k, seed)
    first = group_block(task)
    check_answer(task.rows, k, first)
    second = group_block(task._replace(group=first.group, slot=first.slot, cost=first.cost))
    check_answer(task.rows, k, second)
    assert second.cost.sum() <= first.cost.sum() + 1e-9


@pytest.mark.parametrize("k", [2, 3])
def test_a_block_sent_elsewhere_gives_the_same(k: int) -> None:
    task = draw_task(24, k, 7)
    ours, theirs = Pipe()  # what goes through is pickled
    ours.send(task)
    theirs.send(group_block(theirs.recv()))
    for mine, other in zip(group_block(task), ours.recv(), strict=True):
        assert mine.tolist() == other.tolist()


def test_a_search_that_goes_on_improves_poor_groups() -> None:
    task = draw_task(30, 3, 3, median=20.0)
    poor = np.arange(30) % 10
    owner = np.repeat(np.arange(30), np.diff(task.rows.starts))
    nothing = np.full(len(owner), -1, dtype=np.int64)
    # As if everybody's rows were deleted: any group is better.
    answer = group_block(task._replace(group=poor, slot=nothing, cost=np.full(10, 1e6), effort=1e7))
    check_answer(task.rows, 3, answer)
    assert answer.cost.sum() < task.rows.deletion.sum()


def test_slots_are_numbered_without_gaps() -> None:
    assert renumber(np.array([7, -1, 3, 7])).tolist() == [1, -1, 0, 1]


def test_parts_of_a_block_are_exchanged_where_they_gain_and_only_there() -> None:
    # The first six people's groups are said to cost nothing, so no exchange of theirs can pay; the others' are dear.
    task = draw_task(24, 3, 5, median=12.0)._replace(effort=1e7)
    first = group_block(task)
    held = np.where(first.group < 2, 0.0, 1e6)
    second = group_block(task._replace(group=first.group, slot=first.slot, cost=np.array([0.0, 0.0, *[1e6] * 6])))
    assert {tuple(people.tolist()) for people in list_members(first.group)[:2]} <= {
        tuple(people.tolist()) for people in list_members(second.group)
    }
    assert held.sum() > second.cost.sum()


@try_examples(15)
@given(st.integers(3, 30), st.integers(2, 4), st.integers(0, 10**6))
def test_a_block_without_time_is_grouped_by_length_and_later_left_alone(people: int, k: int, seed: int) -> None:
    task = draw_task(max(people, k), k, seed)._replace(hasty=True)
    first = group_block(task)
    check_answer(task.rows, k, first)
    lengths = np.diff(task.rows.starts)
    spans = sorted((lengths[members].min(), lengths[members].max()) for members in list_members(first.group))
    assert all(one[1] <= other[0] for one, other in pairwise(spans))  # neighbours in length
    again = group_block(task._replace(group=first.group, slot=first.slot, cost=first.cost))
    assert again.slot is first.slot
    assert again.group is first.group

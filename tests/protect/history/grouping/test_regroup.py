"""Splitting three groups anew must keep everybody in one group, at the costs it says, and find what exchanges miss."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.protect.every_release import draw_history

from sekisho.data.history.arrays import History
from sekisho.protect.history.grouping.align import align
from sekisho.protect.history.grouping.program import PairCosts, find_near
from sekisho.protect.history.grouping.regroup import SPLITS, TRIPLES, regroup
from sekisho.protect.history.grouping.rows import HistoryRows, lay_out_rows
from sekisho.protect.history.grouping.search import ROUNDS, GroupGuess, Known, Plan, State
from sekisho.seeds import Seed


def prepare_search(rows: HistoryRows, groups: int) -> tuple[GroupGuess, State, Known]:
    """Return a guess that knows all pairs, groups in the order of people, and an empty table."""
    people = len(rows.starts) - 1
    costs = PairCosts.of(rows)
    costs.compute(~costs.known)
    lengths = np.diff(rows.starts)
    surplus = 4.0 * np.abs(lengths[:, None] - lengths[None, :])
    per_row = ((costs.cost - surplus) / np.minimum(lengths[:, None], lengths[None, :])).astype(np.float32)
    guess = GroupGuess(lengths=lengths, per_row=per_row, near=find_near(costs), width=4.0, k=3, share=1.0)
    members = np.full((groups, 6), -1, dtype=np.int64)
    members[:, :3] = np.arange(3 * groups).reshape(groups, 3)
    home = np.minimum(np.arange(people) // 3, groups - 1)
    sizes = np.bincount(home)
    members[-1, : sizes[-1]] = np.flatnonzero(home == groups - 1)
    cost = np.array([align(rows, members[one, : sizes[one]], ROUNDS)[0] for one in range(groups)])
    state = State(members=members, sizes=sizes, home=home, cost=cost, guess=cost.copy())
    words = Seed(9).rng().integers(1, 2**63, people).astype(np.uint64)
    return guess, state, Known(keys=np.zeros(1 << 12, dtype=np.uint64), values=np.zeros(1 << 12), words=words)


def plan_moves(people: int, moves: int, heat: float) -> Plan:
    chance = np.full(people, 1 / people).cumsum()
    return Plan(work=1e12, hot=heat, cold=heat, reach=1.0, moves=moves, chance=chance)


def test_nine_people_have_280_different_splits() -> None:
    # 9! / (3!^3 3!) = 280, and each holds everybody once; the first is the one at hand.
    assert len({tuple(line) for line in SPLITS.tolist()}) == 280
    assert all(sorted(TRIPLES[line].ravel()) == list(range(9)) for line in SPLITS)
    assert TRIPLES[SPLITS[0]].ravel().tolist() == list(range(9))


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_all_splits_is_found(seed: int) -> None:
    rows = lay_out_rows(History.of(draw_history(seed, 9, 4, wide=30)))
    guess, state, known = prepare_search(rows, 3)
    cost = {three: align(rows, np.array(three), ROUNDS)[0] for three in combinations(range(9), 3)}
    best = min(sum(cost[tuple(TRIPLES[place].tolist())] for place in split) for split in SPLITS)
    regroup(rows, guess, state, known, plan_moves(9, 2000, 1e-6), Seed(seed).rng())
    assert state.cost.sum() == pytest.approx(best, abs=1e-9)


def test_everybody_stays_in_one_group_at_the_cost_it_says() -> None:
    # 22 people: six threes and a group of four, which is left alone.
    rows = lay_out_rows(History.of(draw_history(3, 22, 5, wide=30)))
    guess, state, known = prepare_search(rows, 7)
    before = state.members.copy()
    work, made = regroup(rows, guess, state, known, plan_moves(22, 3000, 0.05), Seed(1).rng())
    assert work > 0
    assert made > 0
    groups = [state.members[place, :size] for place, size in enumerate(state.sizes.tolist())]
    assert sorted(np.concatenate(groups).tolist()) == list(range(22))
    assert (state.members[-1] == before[-1]).all()
    for place, people in enumerate(groups):
        assert (state.home[people] == place).all()
        assert state.cost[place] == pytest.approx(align(rows, np.sort(people), ROUNDS)[0], abs=1e-9)

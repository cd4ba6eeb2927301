"""One block: the groups of some people by themselves, as a pure function of arrays.

:func:`group_block` takes the block's rows, what is wanted, and a seed; it reads nothing else, writes nothing, and gives
arrays. Both its argument and its answer can be pickled, so a block may be searched in a thread, in another process or
on another machine, in any order, with the same answer.

Alignments are by auction (:func:`~sekisho.protect.history.grouping.assignment.bid_for_columns`), good but not the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sekisho.protect.history.grouping.align import align
from sekisho.protect.history.grouping.pairing import match_known_pairs
from sekisho.protect.history.grouping.program import PairCosts, find_near
from sekisho.protect.history.grouping.rows import HistoryRows
from sekisho.protect.history.grouping.search import ROUNDS
from sekisho.protect.history.grouping.walk import (
    CELLS,
    Pace,
    anneal_lightly,
    build_state,
    group_by_length,
    insert_shortest,
    list_groups,
    prepare_guess,
    run_legs,
)
from sekisho.seeds import Seed

BRISK = Pace(legs=10, threes=7, memory=1 << 16)
GUESSES, LEAST_GUESSES, MOST_GUESSES = 20, 600, 10_000
"""Moves on the guess per person and row of his, and within which limits: long histories are worth more of them."""
NEAR, ROUGH, FINE = 0.3, 0.1, 0.05
"""How much per row an alignment may miss the best: near pairs, in the search, the final groups."""


class BlockTask(NamedTuple):
    """What is asked.

    Attributes:
        rows: the block's people, one after another.
        k: least people of a group.
        effort: length of the search on the cost, in row-to-slot costs; only groups that are there already are searched
            so.
        seed: of its randomness.
        group: the group that each person is in so far, from 0; empty where there are none yet.
        slot: each row's slot so far, -1 where the row is deleted.
        cost: what each group costs.
        hasty: no time is left to search: groups stay as they are; where there are none yet, people of similar length
            are grouped.
    """

    rows: HistoryRows
    k: int
    effort: float
    seed: int
    group: NDArray[np.int64]
    slot: NDArray[np.int64]
    cost: NDArray[np.float64]
    hasty: bool = False


class BlockGroups(NamedTuple):
    """What is answered.

    Attributes:
        group: each person's group, from 0.
        slot: each row's slot, from 0, each group's together; -1 where the row is deleted.
        cost: what each group costs, rows deleted included.
    """

    group: NDArray[np.int64]
    slot: NDArray[np.int64]
    cost: NDArray[np.float64]


def group_block(task: BlockTask) -> BlockGroups:
    """Return good groups of the people of a block, never worse than those it had."""
    people = len(task.rows.starts) - 1
    if task.hasty and len(task.group):
        return BlockGroups(group=task.group, slot=task.slot, cost=task.cost)
    if task.hasty:
        return _align_groups(task, group_by_length(np.diff(task.rows.starts), task.k))
    if people < 2 * task.k:
        groups = [np.arange(people)]
    elif task.k == 2:
        groups = _pair_people(task.rows)
    else:
        groups = _search_groups(task)
    if not len(task.group):
        return _align_groups(task, groups)
    return _exchange_groups(task, groups)


def _search_groups(task: BlockTask) -> list[NDArray[np.int64]]:
    rows, rng = task.rows._replace(tolerance=ROUGH), Seed(task.seed).rng()
    guess = prepare_guess(rows, PairCosts.of(rows._replace(tolerance=NEAR)), task.k, CELLS, BRISK.near)
    if not len(task.group):
        state = build_state(guess, group_by_length(guess.lengths, task.k))
        guesses = np.clip(GUESSES * guess.lengths.mean(), LEAST_GUESSES, MOST_GUESSES)
        anneal_lightly(guess, state, int(guesses), rng)
        return list_groups(state)
    state = build_state(guess, list_members(task.group))
    state.cost[:] = task.cost
    groups = list_groups(state)
    for better, _ in run_legs(rows, guess, state, effort=task.effort, pace=BRISK, rng=rng):
        groups = better
    return groups


def _pair_people(rows: HistoryRows) -> list[NDArray[np.int64]]:
    """Return the best pairs among near people; of an odd number one makes a three."""
    people = len(rows.starts) - 1
    if people % 2:
        return insert_shortest(rows, PairCosts.of(rows))
    costs = PairCosts.of(rows._replace(tolerance=FINE))
    wanted = np.zeros_like(costs.known)
    wanted[np.arange(people)[:, None], find_near(costs)] = True
    by_length = np.argsort(np.diff(rows.starts), kind="stable")
    wanted[by_length[::2], by_length[1::2]] = True  # so that all can be paired
    costs.compute(wanted)
    return list(match_known_pairs(costs)[0])


def _align_groups(task: BlockTask, groups: list[NDArray[np.int64]]) -> BlockGroups:
    """Return groups with their rows aligned, pairs in the best way; once and roughly where there is no time."""
    rows = task.rows
    close = rows._replace(tolerance=ROUGH if task.hasty else FINE if task.k > 2 else 0.0)
    rounds = 0 if task.hasty else ROUNDS
    group = np.full(len(rows.starts) - 1, -1, dtype=np.int64)
    slot = np.full(int(rows.starts[-1]), -1, dtype=np.int64)
    cost, used = np.zeros(len(groups)), 0
    for number, people in enumerate(groups):
        cost[number], aligned, _ = align(close, np.sort(people), rounds)
        group[people] = number
        slot[aligned] = np.arange(used, used + aligned.shape[1])
        used += aligned.shape[1]
    return BlockGroups(group=group, slot=slot, cost=cost)


def _exchange_groups(task: BlockTask, groups: list[NDArray[np.int64]]) -> BlockGroups:
    """Return other groups where they cost less than those there were.

    Old and new groups that share people form parts, each of which is exchanged or stays as it was with its slots.
    """
    old = len(task.cost)
    new = np.empty(len(task.group), dtype=np.int64)
    for number, people in enumerate(groups):
        new[people] = number
    shared = coo_array((np.ones(len(new)), (task.group, old + new)), shape=(old + len(groups), old + len(groups)))
    count, part = connected_components(shared, directed=False)
    changed = np.bincount(part, minlength=count) > 2  # one old and one new group: the same people
    moved = [number for number in range(len(groups)) if changed[part[old + number]]]
    fresh = _align_groups(task, [groups[number] for number in moved])
    spent = np.bincount(part[:old], weights=task.cost, minlength=count)
    needed = np.bincount(part[old:][moved], weights=fresh.cost, minlength=count)
    taken = (changed & (needed < spent))[part[task.group]]
    group = np.where(taken, old + fresh.group, task.group)
    behind = task.slot.max(initial=-1) + 1
    slot = np.where(fresh.slot >= 0, fresh.slot + behind, -1)
    names, numbers = np.unique(group, return_inverse=True)
    return BlockGroups(
        group=numbers.astype(np.int64),
        slot=renumber(np.where(np.repeat(taken, np.diff(task.rows.starts)), slot, task.slot)),
        cost=np.append(task.cost, fresh.cost)[names],
    )


def list_members(group: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the people of each group, in their order."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group))[:-1])


def renumber(slot: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return slots numbered from 0 without gaps; -1 stays."""
    numbers = np.full(len(slot), -1, dtype=np.int64)
    numbers[slot >= 0] = np.unique(slot[slot >= 0], return_inverse=True)[1]
    return numbers

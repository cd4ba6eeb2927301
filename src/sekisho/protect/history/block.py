"""Cut many people into blocks of people who are alike, in time that grows with their number and hardly more.

What two people pay for a common group depends, roughly, on how much longer one history is than the other, and on how
far apart their numbers lie once both are sorted: no way to align two equally long histories costs less in a column than
the way that aligns the sorted values. So a person is described by the logarithm of his length and by some quantiles of
each of his numbers, written as averages and differences of averages (Haar), so that one coordinate tells the level,
another the spread. Then a tree: the people are cut across the coordinate that varies most, again and again, until a
part is a block.

Sources: Bentley, "Multidimensional binary search trees used for associative searching", Comm. ACM 18 (1975); Haar,
Mathematische Annalen 69 (1910).

One block: the groups of some people by themselves, as a pure function of arrays.

:func:`group_block` takes the block's rows, what is wanted, and a seed; it reads nothing else, writes nothing, and gives
arrays. Both its argument and its answer can be pickled, so a block may be searched in a thread, in another process or
on another machine, in any order, with the same answer.

Alignments are by auction (:func:`~sekisho.protect.history.grouping.assignment.bid_for_columns`), good but not the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import coo_array

from sekisho.kernels import njit
from sekisho.protect.history.grouping.align import align
from sekisho.protect.history.grouping.pace import Pace, count_guesses
from sekisho.protect.history.grouping.program import PairCosts, find_near, match_known_pairs
from sekisho.protect.history.grouping.rows import HistoryRows
from sekisho.protect.history.grouping.search import ROUNDS
from sekisho.protect.history.grouping.walk import (
    CELLS,
    anneal_lightly,
    build_state,
    group_by_length,
    insert_shortest,
    list_groups,
    prepare_guess,
    run_legs,
)
from sekisho.seeds import Seed

QUANTILES = 8
"""Of each number; a power of two."""
CUT_OFF = 2.0
"""Standard deviations from the median beyond which a number is not followed: there ``*`` is cheaper than a range."""
MOST_ROWS = 60_000
"""Rows of a block; what is computed for all its pairs grows with their square."""
FEWEST = 8
"""Groups that a block of very long histories has at least."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """What is put into blocks: people, or groups of people that stay together.

    Attributes:
        place: where each lies, one line each.
        people: how many each has.
        rows: how many rows each has.
    """

    place: NDArray[np.float64]
    people: NDArray[np.int64]
    rows: NDArray[np.int64]

    @classmethod
    def of(cls, rows: HistoryRows) -> Units:
        """Return the people of a history."""
        quantiles = [list_quantiles(rows.starts, column) for column in rows.scaled]
        middles = [float(np.median(column)) for column in rows.scaled]
        return cls.describe(np.diff(rows.starts), quantiles, middles, width=len(rows.scaled) + len(rows.codes))

    @classmethod
    def describe(
        cls,
        lengths: NDArray[np.int64],
        quantiles: Sequence[NDArray[np.float64]],
        middles: Sequence[float],
        *,
        width: int,
    ) -> Units:
        """Return people.

        Args:
            lengths: how many rows each has.
            quantiles: of each number, on its scale, those of all people: a line for each quantile.
            middles: the medians of the numbers over all rows, on their scales.
            width: how many attributes there are.
        """
        parts = [width * np.log(np.maximum(1, lengths))[None, :]]
        for values, middle in zip(quantiles, middles, strict=True):
            parts.append(_average_differences(np.clip(values, middle - CUT_OFF, middle + CUT_OFF)))
        return cls(place=np.concatenate(parts).T.copy(), people=np.ones_like(lengths), rows=lengths)

    def join(self, group: NDArray[np.int64]) -> Units:
        """Return groups as units, each in the middle of its members."""
        people = np.bincount(group, weights=self.people).astype(np.int64)
        rows = np.bincount(group, weights=self.rows).astype(np.int64)
        place = np.stack([np.bincount(group, weights=axis) / people for axis in self.place.T], axis=1)
        return Units(place=place, people=people, rows=rows)


def cut_blocks(units: Units, *, size: int, k: int, share: float | None) -> list[NDArray[np.int64]]:
    """Return blocks of units, of at most ``size`` people, fewer where histories are long, and at least k.

    People, as units, are cut at multiples of k, so that only the last block has some to spare.

    Args:
        units: people or groups.
        size: a multiple of k.
        k: least people of a block.
        share: at which share of its units a part is cut; None cuts off half of its whole blocks.
    """
    step = k if len(units.people) == units.people.sum() else 1
    blocks: list[NDArray[np.int64]] = []
    parts = [np.arange(len(units.people))]
    while parts:
        part = parts.pop()
        count = _count_blocks(units, part, size=size, k=k)
        if count < 2:
            blocks.append(part)
            continue
        axis = int(units.place[part].var(axis=0).argmax())
        ordered = part[np.argsort(units.place[part, axis], kind="stable")]
        below = count // 2 * len(part) // count if share is None else int(len(part) * share)
        cut = min(max(step, below // step * step), len(part) - step)
        parts += [ordered[cut:], ordered[:cut]]
    return blocks


def _count_blocks(units: Units, part: NDArray[np.int64], *, size: int, k: int) -> int:
    """Return into how many blocks a part is to be cut."""
    people, rows = int(units.people[part].sum()), int(units.rows[part].sum())
    wanted = max(-(-(people - k + 1) // size), min(-(-rows // MOST_ROWS), people // (FEWEST * k)))
    return min(wanted, len(part) if len(part) < people else people // k)


def list_quantiles(starts: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each person (a column) some quantiles of his values, which stand one person after another."""
    return _list_quantiles(starts, values, QUANTILES)


@njit(cache=True, nogil=True)
def _list_quantiles(starts: NDArray[np.int64], values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return for each person (a column) some quantiles of his values."""
    people = len(starts) - 1
    quantiles = np.zeros((count, people))
    for person in range(people):
        ordered = np.sort(values[starts[person] : starts[person + 1]])
        for place in range(count if len(ordered) else 0):
            quantiles[place, person] = ordered[(2 * place + 1) * len(ordered) // (2 * count)]
    return quantiles


def _average_differences(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lines as their average and differences of averages, scaled so that distances stay root mean squares."""
    level, differences = values / np.sqrt(len(values)), list[NDArray[np.float64]]()
    while len(level) > 1:
        even, odd = level[::2], level[1::2]
        differences.append((odd - even) / np.sqrt(2))
        level = (odd + even) / np.sqrt(2)
    return np.concatenate([level, *differences[::-1]])


BRISK = Pace(legs=10, threes=7, memory=1 << 16)
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
        follows: whether the moves follow the rows, and the search ends where the cost stands still.
    """

    rows: HistoryRows
    k: int
    effort: float
    seed: int
    group: NDArray[np.int64]
    slot: NDArray[np.int64]
    cost: NDArray[np.float64]
    hasty: bool = False
    follows: bool = False


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
        anneal_lightly(guess, state, count_guesses(guess.lengths), rng)
        return list_groups(state)
    state = build_state(guess, list_members(task.group))
    state.cost[:] = task.cost
    groups = list_groups(state)
    pace = BRISK.follow_rows(guess.lengths) if task.follows else BRISK
    for better, _ in run_legs(rows, guess, state, effort=task.effort, pace=pace, rng=rng):
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
    count, part = scipy.sparse.csgraph.connected_components(shared, directed=False)
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

"""Whole groups left as they were: "a people raw, the rest k-anonymous", as some teams of the contest of 2018 did.

The people who are left raw are not protected at all: whoever knows one of their rows has found them. The groups that
cost most are taken, since that lowers U most; the others stay as they were found.

Source: PWS Cup 2018 report, 5.1 and table 5.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import InfeasibleError
from sekisho.protect.history.block_passes import SlottedGroups
from sekisho.words import Said


def leave_raw(groups: SlottedGroups, starts: NDArray[np.int64], people: int) -> SlottedGroups:
    """Return the groups with so many people left raw: every row of theirs has a slot of its own.

    Args:
        groups: of all people; who is in none has -1.
        starts: where each person's rows begin, and where the last one's end.
        people: how many are left raw.

    Raises:
        InfeasibleError: no whole groups have just so many people together.
    """
    if not people:
        return groups
    sizes = np.bincount(groups.group[groups.group >= 0], minlength=len(groups.cost))
    chosen = choose_dearest(sizes, groups.cost, people)
    bare = np.isin(groups.group, chosen)
    rows = np.flatnonzero(np.repeat(bare, np.diff(starts)))
    slot, cost = groups.slot.copy(), groups.cost.copy()
    slot[rows] = slot.max(initial=-1) + 1 + np.arange(len(rows))
    cost[chosen] = 0.0
    return replace(groups, slot=_number_densely(slot), cost=cost)


def choose_dearest(sizes: NDArray[np.int64], costs: NDArray[np.float64], people: int) -> NDArray[np.int64]:
    """Return the groups that have just so many people together and cost most together.

    Of each size only the dearest can be among them, as many as fit; the rest is a knapsack.

    Raises:
        InfeasibleError: no groups have just so many people together.
    """
    order = np.lexsort((-costs, sizes))
    rank = np.arange(len(order)) - np.searchsorted(sizes[order], sizes[order])
    candidates = order[(rank + 1) * sizes[order] <= people]
    best = np.full(people + 1, -np.inf)
    best[0] = 0.0
    taken = np.zeros((len(candidates), people + 1), dtype=np.bool_)
    for place, group in enumerate(candidates):
        size = int(sizes[group])
        with_it = best[: people + 1 - size] + costs[group]
        better = with_it > best[size:]
        taken[place, size:] = better
        best[size:] = np.where(better, with_it, best[size:])
    if not np.isfinite(best[people]):
        raise InfeasibleError(
            Said(
                "whole groups are left raw, and none of them have {people:,} people together; there are "
                "groups of {unique}",
                people=people,
                unique=", ".join(map(str, np.unique(sizes).tolist())),
            )
        )
    chosen: list[int] = []
    left = people
    for place in range(len(candidates) - 1, -1, -1):
        if taken[place, left]:
            chosen.append(int(candidates[place]))
            left -= int(sizes[candidates[place]])
    return np.array(chosen, dtype=np.int64)


def bound_with_raw(bound: float, lengths: NDArray[np.int64], people: int) -> float:
    """Return the U that no release with so many people raw and the rest k-anonymous can be below.

    Deleting the raw people would make it k-anonymous, at the cost of all their cells: so it is at most that much below
    the bound of k-anonymous releases. The largest histories are the dearest to delete.
    """
    largest = np.sort(lengths)[len(lengths) - people :].sum()
    return max(0.0, bound - float(largest) / max(1.0, float(lengths.sum())))


def _number_densely(slot: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return slots numbered from 0 without gaps: those of the groups that are left raw are gone."""
    used = np.zeros(int(slot.max(initial=-1)) + 2, dtype=np.int64)
    used[slot[slot >= 0]] = 1
    return np.where(slot >= 0, np.cumsum(used)[slot] - 1, -1)

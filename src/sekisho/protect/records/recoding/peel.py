"""Let classes go from the finest labels up: what keeps the rule at a vector of levels is a class, the rest is tried coarser.

A vector names a level for every key; it writes each record with the labels of these levels. The vectors are taken from
the cheapest on, by the loss they would mean for all records. Records that are alike under a vector and keep the rule
together leave as one class (which is then written no coarser than its own records need); the others stay for the next.
Keys without a tree take part with levels of our own: numbers in ever wider steps, sets as they are or not at all.

Against trees this begins better than cutting from above: a cut between two branches leaves both halves as coarse as
before until the last record of a branch has gone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule
from sekisho.protect.records.recoding.key_space import RANGE, TREE, KeySpace, Records
from sekisho.protect.records.recoding.split import Pieces

MOST_VECTORS = 20_000
"""So many vectors are tried, the cheapest; the coarsest of all is always the last."""
EMPTY = -1
MIX = np.uint64(0x9E3779B97F4A7C15)


class Ladders(NamedTuple):
    """Ways to write each key ever coarser.

    Attributes:
        rung: levels by all codes: what each code is written as, a number of its own for each label of a column.
        loss: levels by all codes: what that costs.
        height: the last level of each column.
    """

    rung: NDArray[np.int64]
    loss: NDArray[np.float64]
    height: NDArray[np.int64]


def build_ladders(space: KeySpace) -> Ladders:
    """Return the ladders of all keys."""
    levels: list[list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = []
    for column in range(len(space.kinds)):
        start, end = int(space.starts[column]), int(space.starts[column + 1])
        codes = np.arange(end - start)
        steps = [(codes, np.zeros(end - start))]
        if space.kinds[column] == TREE:
            steps += _climb(space, start, end)
        elif space.kinds[column] == RANGE:
            steps += _widen(space, start, end)
        if len(codes) > 1 and steps[-1][0].max() > 0:
            steps.append((np.zeros_like(codes), np.ones(end - start)))
        levels.append(steps)
    height = max(map(len, levels))
    padded = [steps + steps[-1:] * (height - len(steps)) for steps in levels]
    return Ladders(
        rung=np.stack([np.concatenate([steps[level][0] for steps in padded]) for level in range(height)]),
        loss=np.stack([np.concatenate([steps[level][1] for steps in padded]) for level in range(height)]),
        height=np.array([len(steps) - 1 for steps in levels], dtype=np.int64),
    )


def _climb(space: KeySpace, start: int, end: int) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return the levels of a tree above its leaves; a branch that ends early stays at its top."""
    steps: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    label = space.leaf[start:end]
    while bool((space.parent[label] >= 0).any()):
        label = np.where(space.parent[label] >= 0, space.parent[label], label)
        steps.append((np.unique(label, return_inverse=True)[1].astype(np.int64), space.cost[label]))
    return steps


def _widen(space: KeySpace, start: int, end: int) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return ever wider steps of a number."""
    steps: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    codes, width = np.arange(end - start), 4
    while width < len(codes):
        group = codes // width
        last = np.minimum((group + 1) * width, len(codes)) - 1
        steps.append((group, space.place[start + last] - space.place[start + group * width]))
        width *= 4
    return steps


def list_vectors(space: KeySpace, records: Records, ladders: Ladders) -> NDArray[np.int64]:
    """Return the vectors of levels to be tried, the cheapest first and the coarsest last."""
    weight = records.copies / max(1, records.copies.sum())
    total, shape = np.zeros(1), tuple((ladders.height + 1).tolist())
    for column, top in enumerate(ladders.height.tolist()):
        at = space.starts[column] + records.codes[:, column]
        losses = np.array([float(weight @ ladders.loss[level, at]) for level in range(top + 1)])
        total = np.add.outer(total, losses).reshape(-1)
    chosen = np.argsort(total, kind="stable")[:MOST_VECTORS]
    vectors = np.stack(np.unravel_index(chosen, shape), axis=1).astype(np.int64)
    return vectors if (vectors[-1] == ladders.height).all() else np.vstack([vectors, ladders.height])


def count_vectors(ladders: Ladders) -> float:
    """Return how many vectors of levels there are."""
    return float(np.prod(ladders.height + 1.0))


@njit(cache=True, nogil=True)
def peel_records(
    space: KeySpace, records: Records, rule: ClassRule, ladders: Ladders, vectors: NDArray[np.int64]
) -> Pieces:
    """Return the classes of all records that leave under some vector; the last class, if it keeps no rule, has the rest."""
    distinct = len(records.copies)
    owner, left = np.full(distinct, EMPTY, np.int64), np.arange(distinct)
    classes, remaining = 0, records.copies.sum()
    for vector in vectors:
        if remaining == 0:
            break
        slots = _group(space, records, ladders, vector, left)
        names = _name_classes(records, rule, left, slots, classes)
        kept = 0
        for place in range(len(left)):
            name = names[slots[place]]
            owner[left[place]] = name
            if name == EMPTY:
                left[kept] = left[place]
                kept += 1
            else:
                remaining -= records.copies[left[place]]
                classes = max(classes, int(name) + 1)
        left = left[:kept]
    for record in left:
        owner[record] = classes
    return Pieces(np.arange(distinct), records.copies.copy(), owner)


@njit(cache=True, nogil=True)
def _group(
    space: KeySpace, records: Records, ladders: Ladders, vector: NDArray[np.int64], left: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a group for each record left: the first of those that are written alike, as a place among them."""
    size = 16
    while size < 2 * len(left):
        size *= 2
    table = np.full(size, EMPTY, np.int64)
    group = np.empty(len(left), np.int64)
    for place in range(len(left)):
        word = np.uint64(0)
        for column in range(len(vector)):
            rung = ladders.rung[vector[column], space.starts[column] + records.codes[left[place], column]]
            word = (word ^ np.uint64(rung)) * MIX
            word ^= word >> np.uint64(29)
        slot = np.int64(word & np.uint64(size - 1))
        while table[slot] != EMPTY and not _are_alike(space, records, ladders, vector, left[table[slot]], left[place]):
            slot = (slot + 1) & (size - 1)
        if table[slot] == EMPTY:
            table[slot] = place
        group[place] = table[slot]
    return group


@njit(cache=True, nogil=True)
def _are_alike(
    space: KeySpace, records: Records, ladders: Ladders, vector: NDArray[np.int64], one: int, other: int
) -> bool:
    for column in range(len(vector)):
        start, level = space.starts[column], vector[column]
        here, there = records.codes[one, column], records.codes[other, column]
        if here != there and ladders.rung[level, start + here] != ladders.rung[level, start + there]:
            return False
    return True


@njit(cache=True, nogil=True)
def _name_classes(
    records: Records, rule: ClassRule, left: NDArray[np.int64], group: NDArray[np.int64], first: int
) -> NDArray[np.int64]:
    """Return the class that each group becomes; none where it does not keep the rule."""
    values = len(rule.shares)
    counts, total = np.zeros((len(left), values), np.int64), np.zeros(len(left), np.int64)
    for place in range(len(left)):
        counts[group[place], records.sensitive[left[place]]] += records.copies[left[place]]
        total[group[place]] += records.copies[left[place]]
    names = np.full(len(left), EMPTY, np.int64)
    for place in range(len(left)):
        if total[place] > 0 and keeps_rule(rule, counts[place], total[place]):
            names[place] = first
            first += 1
    return names

"""Let classes go from the finest labels up: what keeps the rule at some levels is a class, the rest is tried coarser.

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
LARGEST = 2.0**63
MIX = np.uint64(0x9E3779B97F4A7C15)


class Ladders(NamedTuple):
    """Ways to write each key ever coarser.

    Attributes:
        rung: levels by all codes: what each code is written as, a number of its own for each label of a column.
        loss: levels by all codes: what that costs.
        height: the last level of each column.
        width: levels by columns: how many labels there are.
        exact: whether what a record is written as always fits one number.
    """

    rung: NDArray[np.int64]
    loss: NDArray[np.float64]
    height: NDArray[np.int64]
    width: NDArray[np.int64]
    exact: bool


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
    width = np.array(
        [[int(steps[min(level, len(steps) - 1)][0].max()) + 1 for steps in levels] for level in range(height)]
    )
    padded = [steps + steps[-1:] * (height - len(steps)) for steps in levels]
    return Ladders(
        rung=np.stack([np.concatenate([steps[level][0] for steps in padded]) for level in range(height)]),
        loss=np.stack([np.concatenate([steps[level][1] for steps in padded]) for level in range(height)]),
        height=np.array([len(steps) - 1 for steps in levels], dtype=np.int64),
        width=width,
        exact=float(np.prod(width.max(axis=0).astype(np.float64))) < LARGEST,
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


class Table(NamedTuple):
    """A hash table of what records are written as; a slot counts only where it bears the present stamp.

    Attributes:
        stamp: of each slot, the vector that used it last.
        word: what is written, as one number.
        group: the first record there, as a place among those left.
    """

    stamp: NDArray[np.int64]
    word: NDArray[np.uint64]
    group: NDArray[np.int64]


@njit(cache=True, nogil=True)
def peel_records(
    space: KeySpace, records: Records, rule: ClassRule, ladders: Ladders, vectors: NDArray[np.int64]
) -> Pieces:
    """Return the classes of all records that leave under some vector; the rest, if there is any, is the last class."""
    distinct = len(records.copies)
    owner, left, codes = np.full(distinct, EMPTY, np.int64), np.arange(distinct), records.codes.copy()
    size = 16
    while size < 2 * distinct:
        size *= 2
    table = Table(np.full(size, EMPTY, np.int64), np.empty(size, np.uint64), np.empty(size, np.int64))
    group, counts = np.empty(distinct, np.int64), np.zeros((distinct, len(rule.shares)), np.int64)
    classes, rest = 0, distinct
    for turn in range(len(vectors)):
        if rest == 0:
            break
        _group_records(space, ladders, vectors[turn], codes[:rest], turn, table, group)
        classes = _name_classes(records, rule, left[:rest], group, counts, owner, classes)
        kept = 0
        for place in range(rest):
            if owner[left[place]] == EMPTY:
                left[kept] = left[place]
                codes[kept] = codes[place]
                kept += 1
        rest = kept
    for place in range(rest):
        owner[left[place]] = classes
    return Pieces(np.arange(distinct), records.copies.copy(), owner)


@njit(cache=True, nogil=True)
def _group_records(
    space: KeySpace,
    ladders: Ladders,
    vector: NDArray[np.int64],
    codes: NDArray[np.int32],
    turn: int,
    table: Table,
    group: NDArray[np.int64],
) -> None:
    """Write for each record left the first of those that are written alike, as a place among them."""
    size = 16
    while size < 2 * len(codes):
        size *= 2
    mask = np.uint64(size - 1)
    for place in range(len(codes)):
        word = _pack_rungs(space, ladders, vector, codes[place])
        slot = np.int64((word * MIX) >> np.uint64(20) & mask)
        while table.stamp[slot] == turn and (
            table.word[slot] != word or not _are_alike(space, ladders, vector, codes, table.group[slot], place)
        ):
            slot = (slot + 1) & (size - 1)
        if table.stamp[slot] != turn:
            table.stamp[slot], table.word[slot], table.group[slot] = turn, word, place
        group[place] = table.group[slot]


@njit(cache=True, nogil=True)
def _pack_rungs(space: KeySpace, ladders: Ladders, vector: NDArray[np.int64], codes: NDArray[np.int32]) -> np.uint64:
    """Return what a record is written as in one number.

    Different ones may share it where keys have very many labels.
    """
    word = np.uint64(0)
    for column in range(len(vector)):
        level = vector[column]
        rung = ladders.rung[level, space.starts[column] + codes[column]]
        word = word * np.uint64(ladders.width[level, column]) + np.uint64(rung)
    return word


@njit(cache=True, nogil=True)
def _are_alike(
    space: KeySpace,
    ladders: Ladders,
    vector: NDArray[np.int64],
    codes: NDArray[np.int32],
    one: int,
    other: int,
) -> bool:
    """Tell whether two records that share a number are written alike."""
    if ladders.exact:
        return True
    for column in range(len(vector)):
        start, level = space.starts[column], vector[column]
        here, there = codes[one, column], codes[other, column]
        if here != there and ladders.rung[level, start + here] != ladders.rung[level, start + there]:
            return False
    return True


@njit(cache=True, nogil=True)
def _name_classes(
    records: Records,
    rule: ClassRule,
    left: NDArray[np.int64],
    group: NDArray[np.int64],
    counts: NDArray[np.int64],
    owner: NDArray[np.int64],
    first: int,
) -> int:
    """Give every record whose group keeps the rule its class, numbered on from the first; return the next number."""
    for place in range(len(left)):
        counts[group[place], records.sensitive[left[place]]] += records.copies[left[place]]
    for place in range(len(left)):
        if group[place] == place and keeps_rule(rule, counts[place], counts[place].sum()):
            owner[left[place]] = first
            first += 1
    for place in range(len(left)):
        owner[left[place]] = owner[left[group[place]]]
        counts[group[place]] = 0
    return first

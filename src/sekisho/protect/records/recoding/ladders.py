"""Ways to write keys ever coarser, level by level, and the vectors of levels from the cheapest on.

Keys without a tree have levels of our own: numbers in ever wider steps, sets as they are or not at all.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.records.recoding.key_space import RANGE, TREE, KeySpace, Records

MOST_VECTORS = 20_000
"""So many vectors are tried, the cheapest; the coarsest of all is always the last."""
LARGEST = 1 << 63


class Ladders(NamedTuple):
    """Ways to write each key ever coarser.

    Attributes:
        rung: levels by all codes: what each code is written as, a number of its own for each label of a column.
        part: the same, times a number of the column's own: the sum over the columns says what a record is written as.
        loss: levels by all codes: what that costs.
        height: the last level of each column.
        exact: whether no two ways to write a record have the same sum.
    """

    rung: NDArray[np.int64]
    part: NDArray[np.uint64]
    loss: NDArray[np.float64]
    height: NDArray[np.int64]
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
    width = [max(int(rungs.max(initial=0)) for rungs, _ in steps) + 1 for steps in levels]
    strides = [prod(width[column + 1 :]) for column in range(len(width))]
    padded = [steps + steps[-1:] * (height - len(steps)) for steps in levels]
    rung = np.stack([np.concatenate([steps[level][0] for steps in padded]) for level in range(height)])
    stride = np.repeat([each % LARGEST for each in strides], np.diff(space.starts)).astype(np.uint64)
    return Ladders(
        rung=rung,
        part=rung.astype(np.uint64) * stride,
        loss=np.stack([np.concatenate([steps[level][1] for steps in padded]) for level in range(height)]),
        height=np.array([len(steps) - 1 for steps in levels], dtype=np.int64),
        exact=prod(width) < LARGEST,
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
        loss = np.minimum(1.0, space.place[start + last] - space.place[start + group * width])
        steps.append((group, loss))
        width *= 4
    return steps


def list_vectors(space: KeySpace, records: Records, ladders: Ladders, *, most: float = np.inf) -> NDArray[np.int64]:
    """Return the vectors of levels to be tried, the cheapest first.

    The coarsest of all is the last, unless only those are asked for that cost at most so much a record.
    """
    people, total, vectors = max(1, int(records.copies.sum())), np.zeros(1), np.zeros((1, 0), dtype=np.int64)
    for column, top in enumerate(ladders.height.tolist()):
        start, end = int(space.starts[column]), int(space.starts[column + 1])
        often = np.bincount(records.codes[:, column], weights=records.copies, minlength=end - start) / people
        losses = (ladders.loss[: top + 1, start:end] * often).sum(axis=1)
        total = np.add.outer(total, losses).reshape(-1)
        # Levels of the first columns that are not among the cheapest cannot begin a vector that is.
        cheap = np.sort(np.argsort(total, kind="stable")[:MOST_VECTORS])
        cheap = cheap[total[cheap] <= most]
        vectors, total = np.column_stack([vectors[cheap // (top + 1)], cheap % (top + 1)]), total[cheap]
    vectors = vectors[np.argsort(total, kind="stable")]
    if np.isfinite(most) or (vectors[-1] == ladders.height).all():
        return vectors
    return np.vstack([vectors, ladders.height])

"""Classes that records join and leave, with what each costs and would cost.

A class knows its size, the loss per record, the least and largest code of each column, how many of its pieces have each
value of a set, and how many copies each sensitive value has. ``cover`` tells for every value of a set or tree which
classes can take it without loss, as bits, so that few classes need be looked at.

The last class is none: records that are not published. Their loss is 1 a cell.

Ways to write keys ever coarser, level by level, and the vectors of levels from the cheapest on.

Keys without a tree have levels of our own: numbers in ever wider steps, sets as they are or not at all.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.key_space import (
    RANGE,
    SET,
    TREE,
    KeySpace,
    Records,
    find_label,
    measure_span,
)
from sekisho.protect.records.recoding.split import Pieces
from sekisho.protect.records.recoding.value_sums import ClassRule, keeps_rule

WORD = 64
"""So many classes share a word of ``cover``, a bit each."""


class Classes(NamedTuple):
    """Classes and their members.

    Attributes:
        record: of each piece; ``copies`` of it belong to the class ``owner``.
        next: the piece after each in its class, -1 after the last.
        previous: the one before.
        head: the first piece of each class, -1 of an empty one.
        size: copies in each class.
        cost: loss per record of each class, summed over the keys.
        low: classes by columns, the least code.
        high: the largest.
        has: classes by values of sets: how many pieces have it.
        histogram: classes by sensitive values: how many copies have it.
        cover: values of sets and trees by words of classes: a bit for each class whose cell covers the value.
        changed: whether a class has changed since it was last looked at.
        room: how many more records may be left out.
    """

    record: NDArray[np.int64]
    copies: NDArray[np.int64]
    owner: NDArray[np.int64]
    next: NDArray[np.int64]
    previous: NDArray[np.int64]
    head: NDArray[np.int64]
    size: NDArray[np.int64]
    cost: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    has: NDArray[np.int32]
    histogram: NDArray[np.int64]
    cover: NDArray[np.uint64]
    changed: NDArray[np.bool_]
    room: NDArray[np.int64]


@njit(cache=True, nogil=True)
def build_classes(
    space: KeySpace, records: Records, rule: ClassRule, pieces: Pieces, classes: int, room: int
) -> Classes:
    """Return the classes of some pieces, and an empty one for what is left out."""
    columns, size, every = len(space.kinds), len(pieces.record), classes + 1
    state = Classes(
        pieces.record.copy(),
        pieces.copies.copy(),
        pieces.owner.copy(),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.full(every, -1, np.int64),
        np.zeros(every, np.int64),
        np.zeros(every),
        np.zeros((every, columns), np.int64),
        np.zeros((every, columns), np.int64),
        np.zeros((every, space.marked[0]), np.int32),
        np.zeros((every, len(rule.shares)), np.int64),
        np.zeros((space.marked[1], every // WORD + 1), np.uint64),
        np.ones(every, np.bool_),
        np.full(1, room, np.int64),
    )
    for piece in range(size):
        link_piece(state, piece, state.owner[piece])
    for one in range(every):
        refresh_class(space, records, state, one)
    return state


@njit(cache=True, nogil=True)
def link_piece(state: Classes, piece: int, to: int) -> None:
    """Put a piece that is in no class into one."""
    first = state.head[to]
    state.owner[piece], state.next[piece], state.previous[piece] = to, first, -1
    if first >= 0:
        state.previous[first] = piece
    state.head[to] = piece


@njit(cache=True, nogil=True)
def unlink_piece(state: Classes, piece: int) -> None:
    """Take a piece out of its class."""
    before, after = state.previous[piece], state.next[piece]
    if before >= 0:
        state.next[before] = after
    else:
        state.head[state.owner[piece]] = after
    if after >= 0:
        state.previous[after] = before


@njit(cache=True, nogil=True)
def move_piece(space: KeySpace, records: Records, state: Classes, piece: int, to: int) -> None:
    """Move a piece to another class; the room for what is left out changes with it."""
    origin = state.owner[piece]
    unlink_piece(state, piece)
    link_piece(state, piece, to)
    refresh_class(space, records, state, origin)
    refresh_class(space, records, state, to)
    outside = len(state.size) - 1
    if to == outside:
        state.room[0] -= state.copies[piece]
    if origin == outside:
        state.room[0] += state.copies[piece]


@njit(cache=True, nogil=True)
def refresh_class(space: KeySpace, records: Records, state: Classes, one: int) -> None:
    """Work out anew what a class knows."""
    columns, outside = len(space.kinds), len(state.size) - 1
    state.changed[one] = True
    state.size[one] = 0
    state.histogram[one, :] = 0
    if one == outside:
        _count_outside(state, columns)
        return
    _cover_class(space, state, one, False)
    state.has[one, :] = 0
    for column in range(columns):
        state.low[one, column], state.high[one, column] = space.starts[columns] + 1, -1
    piece = state.head[one]
    while piece >= 0:
        state.size[one] += state.copies[piece]
        state.histogram[one, records.sensitive[state.record[piece]]] += state.copies[piece]
        for column in range(columns):
            code = records.codes[state.record[piece], column]
            state.low[one, column] = min(state.low[one, column], code)
            state.high[one, column] = max(state.high[one, column], code)
            if space.kinds[column] == SET:
                state.has[one, space.marks[column] + code] += 1
        piece = state.next[piece]
    if state.size[one] == 0:
        state.low[one, :], state.high[one, :] = 0, -1
    state.cost[one] = _cover_class(space, state, one, True)


@njit(cache=True, nogil=True)
def _count_outside(state: Classes, columns: int) -> None:
    outside = len(state.size) - 1
    state.cost[outside] = columns
    piece = state.head[outside]
    while piece >= 0:
        state.size[outside] += state.copies[piece]
        piece = state.next[piece]


@njit(cache=True, nogil=True)
def _cover_class(space: KeySpace, state: Classes, one: int, present: int) -> float:
    """Set or clear the bits of what a class covers; return its loss per record."""
    loss = 0.0
    if state.high[one, 0] < state.low[one, 0]:
        return loss
    for column in range(len(space.kinds)):
        low, high, mark = state.low[one, column], state.high[one, column], space.marks[column]
        if space.kinds[column] == SET:
            values = 0
            for code in range(low, high + 1):
                if state.has[one, mark + code] > 0:
                    _set_bit(state.cover, mark + code, one, present)
                    values += 1
            loss += (values - 1) * space.unit[column]
            continue
        loss += measure_span(space, column, low, high)
        if space.kinds[column] == TREE:
            label = find_label(space, column, low, high)
            for code in range(space.first[label], space.last[label] + 1):
                _set_bit(state.cover, mark + code, one, present)
    return loss


@njit(cache=True, nogil=True)
def _set_bit(cover: NDArray[np.uint64], mark: int, one: int, present: int) -> None:
    bit = np.uint64(1) << np.uint64(one % WORD)
    if present:
        cover[mark, one // WORD] |= bit
    else:
        cover[mark, one // WORD] &= ~bit


@njit(cache=True, nogil=True)
def cost_exchanged(space: KeySpace, records: Records, state: Classes, piece: int, joining: int) -> float:
    """Return the loss per record of a piece's class without the piece and with a record, -1 for none, in its place."""
    one = state.owner[piece]
    loss = float(state.cost[one])
    for column in range(len(space.kinds)):
        code = records.codes[state.record[piece], column]
        new = records.codes[joining, column] if joining >= 0 else -1
        if code == new:
            continue
        if space.kinds[column] == SET:
            mark = space.marks[column]
            loss -= space.unit[column] if state.has[one, mark + code] == 1 else 0.0
            loss += space.unit[column] if new >= 0 and state.has[one, mark + new] == 0 else 0.0
            continue
        low, high = state.low[one, column], state.high[one, column]
        left, right = low, high
        if low < high and code in (low, high):
            left, right = _find_ends(records, state, piece, column)
        elif low == high and state.next[state.head[one]] < 0:
            left, right = new, new
        if new >= 0:
            left, right = min(left, new), max(right, new)
        if left != low or right != high:
            loss += measure_span(space, column, left, right) - measure_span(space, column, low, high)
    return loss


@njit(cache=True, nogil=True)
def _find_ends(records: Records, state: Classes, piece: int, column: int) -> tuple[int, int]:
    """Return the least and the largest code of a class without one of its pieces."""
    one = state.owner[piece]
    low, high = state.high[one, column], state.low[one, column]
    other = state.head[one]
    while other >= 0:
        if other != piece:
            code = records.codes[state.record[other], column]
            low, high = min(low, code), max(high, code)
        other = state.next[other]
    return low, high


@njit(cache=True, nogil=True)
def keeps_after(records: Records, rule: ClassRule, state: Classes, one: int, leaving: int, joining: int) -> bool:
    """Tell whether a class keeps the rule when one piece leaves and another joins; -1 for none."""
    size, histogram = state.size[one], state.histogram[one]
    if leaving >= 0:
        size -= state.copies[leaving]
    if joining >= 0:
        size += state.copies[joining]
    if len(histogram) == 1:
        return size >= rule.k
    if leaving >= 0:
        histogram[records.sensitive[state.record[leaving]]] -= state.copies[leaving]
    if joining >= 0:
        histogram[records.sensitive[state.record[joining]]] += state.copies[joining]
    keeps = keeps_rule(rule, histogram, size)
    if leaving >= 0:
        histogram[records.sensitive[state.record[leaving]]] += state.copies[leaving]
    if joining >= 0:
        histogram[records.sensitive[state.record[joining]]] -= state.copies[joining]
    return keeps


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

"""Make classes better: records move, change places, and whole classes are dissolved into others.

Every step is taken only if it lowers the loss of all records together, worked out exactly, and only if every class it
touches still keeps its rule. Steps of one class at a time:

1. dissolve it: its pieces join, one after the other, the classes where they add least;
2. each of its pieces moves to the class where it adds least;
3. where the class cannot spare the piece, the two classes exchange it for another one.

The source of the idea is local search; the moves and bounds are ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.classes import (
    WORD,
    Classes,
    cost_exchanged,
    keeps_after,
    move_piece,
)
from sekisho.protect.records.recoding.key_space import RANGE, SET, KeySpace, Records, measure_span
from sekisho.protect.records.recoding.value_sums import ClassRule

DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(64, dtype=np.int64)
"""Where the only bit of a word stands, by the six highest bits of its product with a de Bruijn sequence."""
for _place in range(64):
    PLACES[((0x03F79D71B4CB0A89 << _place) & (2**64 - 1)) >> 58] = _place
WELL = 4
"""A class fits a piece well if it adds at most one part in so many of what the piece's leaving frees."""
LESS = 1e-9
"""By how much a step must lower the loss, so that rounding never goes in circles."""


@njit(cache=True, nogil=True)
def improve_classes(
    space: KeySpace,
    records: Records,
    rule: ClassRule,
    state: Classes,
    order: NDArray[np.int64],
    deep: int,
    budget: int,
) -> tuple[int, int]:
    """Try to better classes in this order; return how many were tried and how many looks at a class that took.

    It ends early when it has taken more looks than the budget. Unless it goes deep, no class is dissolved, and a piece
    only looks for classes that it fits well.
    """
    spent = np.zeros(1, np.int64)
    for tried in range(len(order)):
        one = order[tried]
        if spent[0] > budget:
            return tried, spent[0]
        state.changed[one] = False
        if state.size[one] == 0 or state.cost[one] <= 0.0:
            continue
        if not deep or not _dissolve(space, records, rule, state, one, spent):
            _relocate(space, records, rule, state, one, deep, spent)
    return len(order), spent[0]


@njit(cache=True, nogil=True)
def scatter_class(space: KeySpace, records: Records, rule: ClassRule, state: Classes, one: int) -> bool:
    """Give all pieces of a class that does not keep the rule to others; return whether there is none left such."""
    spent = np.zeros(1, np.int64)
    if state.size[one] == 0 or keeps_after(records, rule, state, one, -1, -1):
        return True
    for piece in _list_members(state, one):
        target, _ = find_target(space, records, rule, state, piece, np.inf, spent)
        if target < 0:
            return False
        move_piece(space, records, state, piece, target)
    return True


@njit(cache=True, nogil=True)
def _dissolve(
    space: KeySpace, records: Records, rule: ClassRule, state: Classes, one: int, spent: NDArray[np.int64]
) -> bool:
    """Give all pieces of a class to others if that lowers the loss; return whether it did."""
    loss, added, gone = state.size[one] * state.cost[one], 0.0, 0
    members = _list_members(state, one)
    targets, flags = np.empty(len(members), np.int64), np.empty(len(members), np.bool_)
    for piece in members:
        target, more = find_target(space, records, rule, state, piece, loss - added - LESS, spent)
        if target < 0:
            break
        added += more
        targets[gone], flags[gone] = target, state.changed[target]
        gone += 1
        move_piece(space, records, state, piece, target)
    if gone == len(members):
        return True
    for place in range(gone - 1, -1, -1):
        move_piece(space, records, state, members[place], one)
        state.changed[targets[place]] = flags[place]
    state.changed[one] = False
    return False


@njit(cache=True, nogil=True)
def _list_members(state: Classes, one: int) -> NDArray[np.int64]:
    count, piece = 0, state.head[one]
    while piece >= 0:
        count += 1
        piece = state.next[piece]
    members = np.empty(count, np.int64)
    piece = state.head[one]
    for place in range(count):
        members[place] = piece
        piece = state.next[piece]
    return members


@njit(cache=True, nogil=True)
def _relocate(
    space: KeySpace, records: Records, rule: ClassRule, state: Classes, one: int, deep: int, spent: NDArray[np.int64]
) -> None:
    """Let each piece of a class move to another or be exchanged, where that lowers the loss."""
    for piece in _list_members(state, one):
        if state.owner[piece] != one:
            continue
        left = state.size[one] - state.copies[piece]
        freed = state.size[one] * state.cost[one] - left * cost_exchanged(space, records, state, piece, -1)
        if left == 0 or freed <= LESS:
            continue
        spare = keeps_after(records, rule, state, one, piece, -1)
        limit = freed - LESS if spare else freed + 0.5 * rule.k * state.cost[one]
        target, _ = find_target(space, records, rule, state, piece, limit if deep else limit / WELL, spent)
        if target < 0:
            continue
        if spare:
            move_piece(space, records, state, piece, target)
        elif target < len(state.size) - 1:
            _exchange(space, records, rule, state, piece, target, spent)


@njit(cache=True, nogil=True)
def _exchange(
    space: KeySpace,
    records: Records,
    rule: ClassRule,
    state: Classes,
    piece: int,
    target: int,
    spent: NDArray[np.int64],
) -> None:
    """Exchange a piece for the piece of another class with which the loss falls most, if it falls."""
    one, best = state.owner[piece], -1
    least = state.size[one] * state.cost[one] + state.size[target] * state.cost[target] - LESS
    other = int(state.head[target])
    while other >= 0:
        here = state.size[one] - state.copies[piece] + state.copies[other]
        there = state.size[target] + state.copies[piece] - state.copies[other]
        spent[0] += 2
        loss = here * cost_exchanged(space, records, state, piece, int(state.record[other]))
        if loss < least:
            loss += there * cost_exchanged(space, records, state, other, state.record[piece])
        if (
            loss < least
            and keeps_after(records, rule, state, one, piece, other)
            and keeps_after(records, rule, state, target, other, piece)
        ):
            least, best = loss, other
        other = int(state.next[other])
    if best >= 0:
        move_piece(space, records, state, piece, target)
        move_piece(space, records, state, best, one)


@njit(cache=True, nogil=True)
def find_target(
    space: KeySpace,
    records: Records,
    rule: ClassRule,
    state: Classes,
    piece: int,
    limit: float,
    spent: NDArray[np.int64],
) -> tuple[int, float]:
    """Return the class that a piece joins at the least added loss below the limit, and that loss; -1 for none.

    The limit is raised step by step: a class that misses the record in a column where that alone costs more need not be
    looked at, and the lower the limit, the more such columns there are.
    """
    count, outside, tight = state.copies[piece], len(state.size) - 1, limit / 16
    while True:
        tight = min(tight, limit)
        target, least = _look_within(space, records, rule, state, piece, tight, spent)
        if target >= 0 or tight >= limit:
            break
        tight *= 4
    dropped = count * state.cost[outside]
    if dropped < least and count <= state.room[0] and state.owner[piece] != outside:
        return outside, dropped
    return target, least


@njit(cache=True, nogil=True)
def _look_within(
    space: KeySpace,
    records: Records,
    rule: ClassRule,
    state: Classes,
    piece: int,
    limit: float,
    spent: NDArray[np.int64],
) -> tuple[int, float]:
    """Return the best class below a limit; only those are looked at that cover all a miss of which costs more."""
    codes, count, outside = records.codes[state.record[piece]], state.copies[piece], len(state.size) - 1
    columns, strong = _order_columns(space, codes, (rule.k + count) * space.step >= limit)
    target, least = -1, limit
    spent[0] += outside // (8 * WORD)
    for word in range(outside // WORD + 1):
        bits = ~np.uint64(0)
        for place in range(strong):
            bits &= state.cover[space.marks[columns[place]] + codes[columns[place]], word]
        while bits != 0:
            lowest = bits & (~bits + np.uint64(1))
            bits ^= lowest
            one = word * WORD + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]
            if one >= outside or state.size[one] == 0 or one == state.owner[piece]:
                continue
            spent[0] += 1
            size, own = state.size[one], state.cost[one]
            most = (least - count * own) / (size + count)
            if most <= 0.0:
                continue
            grown = _measure_growth(space, state, codes, columns[strong:], one, lowest, most)
            added = (size + count) * grown + count * own
            if added < least and keeps_after(records, rule, state, one, -1, piece):
                target, least = one, added
    return target, least


@njit(cache=True, nogil=True)
def _order_columns(
    space: KeySpace, codes: NDArray[np.int32], strong: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], int]:
    """Return the columns, those first in which no class may miss the record, and how many these are."""
    columns, first, last = np.empty(len(codes), np.int64), 0, len(codes)
    for column in range(len(codes)):
        if strong[column] and space.kinds[column] != RANGE:
            columns[first] = column
            first += 1
        else:
            last -= 1
            columns[last] = column
    return columns, first


@njit(cache=True, nogil=True)
def _measure_growth(
    space: KeySpace,
    state: Classes,
    codes: NDArray[np.int32],
    columns: NDArray[np.int64],
    one: int,
    bit: np.uint64,
    most: float,
) -> float:
    """Return by how much the loss per record of a class grows with a record.

    Endless once that is more than ``most``.
    """
    grown = 0.0
    for column in columns:
        code, low, high = int(codes[column]), int(state.low[one, column]), int(state.high[one, column])
        if space.kinds[column] == RANGE:
            if code < low or code > high:
                grown += _widen_span(space, column, low, high, code)
        elif not state.cover[space.marks[column] + code, one // WORD] & bit:
            wider = space.kinds[column] != SET
            grown += _widen_span(space, column, low, high, code) if wider else float(space.unit[column])
        if grown >= most:
            return np.inf
    return grown


@njit(cache=True, nogil=True)
def _widen_span(space: KeySpace, column: int, low: int, high: int, code: int) -> float:
    wider = measure_span(space, column, min(low, code), max(high, code))
    return wider - measure_span(space, column, low, high)

"""The best strict cut of a large class: equal values of a column go together, so what they have is summed up first.

One pass over the class gives for each value of a column the cells that its records need; the cuts then walk over values
instead of records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records, measure_span

LESS = 1e-12
"""By how much a cut must be better, so that rounding does not choose."""
NONE = np.int32(2**31 - 1)
"""Above every code."""


class ValueCut(NamedTuple):
    """Where to cut: after so many pieces of the order, the last of which leaves so many copies on the right."""

    loss: float
    after: int
    copies: int


class Sums(NamedTuple):
    """What the pieces with each value of one column have together; the last row is for what is walked over.

    Attributes:
        low: values by columns: the least code.
        high: the largest.
        has: values by values of sets: whether it occurs.
        counts: values by sensitive values: copies.
        pieces: how many pieces there are.
        order: the values that occur, in the order in which they are cut.
        left: the loss per record of the first values of the order together.
        right: of the last.
        walked: copies by sensitive value of what was walked over, from the left and from the right.
        good: whether what lies right of each cut keeps the rule.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    has: NDArray[np.bool_]
    counts: NDArray[np.int64]
    pieces: NDArray[np.int64]
    order: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    walked: NDArray[np.int64]
    good: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def make_sums(space: KeySpace, rule: ClassRule, values: int) -> Sums:
    """Return room for the values of any column."""
    columns, rows = len(space.kinds), values + 1
    return Sums(
        np.empty((rows, columns), np.int32),
        np.empty((rows, columns), np.int32),
        np.empty((rows, space.marked[0]), np.bool_),
        np.empty((rows, len(rule.shares)), np.int64),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
        np.empty(rows),
        np.empty(rows),
        np.empty(len(rule.shares), np.int64),
        np.empty(rows, np.bool_),
    )


@njit(cache=True, nogil=True)
def sum_values(space: KeySpace, pieces: Records, columns: NDArray[np.int64], column: int, sums: Sums) -> None:
    """Sum up by the values of a column what the pieces of a class have in the columns in which they differ."""
    values = space.starts[column + 1] - space.starts[column]
    low, high, codes = sums.low, sums.high, pieces.codes
    low[:values], high[:values], sums.has[:values] = NONE, -1, False
    sums.counts[:values], sums.pieces[:values] = 0, 0
    for place in range(len(pieces.copies)):
        value = codes[place, column]
        sums.pieces[value] += 1
        sums.counts[value, pieces.sensitive[place]] += pieces.copies[place]
        for other in range(codes.shape[1]):  # all of them: side by side several are compared at once
            low[value, other] = min(low[value, other], codes[place, other])
            high[value, other] = max(high[value, other], codes[place, other])
    for other in columns:
        if space.kinds[other] == SET:
            for place in range(len(pieces.copies)):
                sums.has[codes[place, column], space.marks[other] + codes[place, other]] = True


@njit(cache=True, nogil=True)
def choose_value(
    space: KeySpace, rule: ClassRule, columns: NDArray[np.int64], column: int, by_count: int, sums: Sums, best: ValueCut
) -> ValueCut:
    """Return the best cut between values of a column if it is better than the best so far, which is returned else."""
    present = _order_values(space, column, by_count, sums)
    if present < 2:
        return best
    _walk_values(space, columns, sums, present, False, sums.left)
    _walk_values(space, columns, sums, present, True, sums.right)
    _mark_right(rule, sums, present)
    sums.walked[:] = 0
    whole, left, after = 0, 0, 0
    for place in range(present):
        whole += int(sums.counts[sums.order[place]].sum())
    for place in range(present - 1):
        value = sums.order[place]
        sums.walked[:] += sums.counts[value]
        left += int(sums.counts[value].sum())
        after += int(sums.pieces[value])
        loss = left * sums.left[place] + (whole - left) * sums.right[place + 1]
        if loss < best.loss - LESS and sums.good[place + 1] and keeps_rule(rule, sums.walked, left):
            best = ValueCut(loss, after, 0)
    return best


@njit(cache=True, nogil=True)
def _order_values(space: KeySpace, column: int, by_count: int, sums: Sums) -> int:
    """Write the values that occur in the order of their codes, or the most frequent first.

    Return how many there are.
    """
    values = space.starts[column + 1] - space.starts[column]
    often = np.zeros(values, np.int64)
    for value in range(values):
        often[value] = -sums.counts[value].sum()
    codes = np.argsort(often, kind="mergesort") if by_count else np.arange(values)
    present = 0
    for value in codes:
        if sums.pieces[value] > 0:
            sums.order[present] = value
            present += 1
    return present


@njit(cache=True, nogil=True)
def _walk_values(
    space: KeySpace, columns: NDArray[np.int64], sums: Sums, present: int, backward: int, into: NDArray[np.float64]
) -> None:
    """Write the loss per record of the first values of the order together, or of the last, for every number of them."""
    own = len(sums.pieces) - 1
    sums.low[own], sums.high[own], sums.has[own] = NONE, -1, False
    for step in range(present):
        place = present - 1 - step if backward else step
        into[place] = _join_value(space, columns, sums, own, sums.order[place])


@njit(cache=True, nogil=True)
def _join_value(space: KeySpace, columns: NDArray[np.int64], sums: Sums, own: int, value: int) -> float:
    """Add what has a value to what was walked over; return the loss per record of both."""
    loss = 0.0
    for each in columns:
        column = int(each)
        if space.kinds[column] == SET:
            mark, size = space.marks[column], 0
            for code in range(space.starts[column + 1] - space.starts[column]):
                sums.has[own, mark + code] |= sums.has[value, mark + code]
                size += sums.has[own, mark + code]
            loss += (size - 1) * space.unit[column]
        else:
            sums.low[own, column] = min(sums.low[own, column], sums.low[value, column])
            sums.high[own, column] = max(sums.high[own, column], sums.high[value, column])
            loss += measure_span(space, column, sums.low[own, column], sums.high[own, column])
    return loss


@njit(cache=True, nogil=True)
def _mark_right(rule: ClassRule, sums: Sums, present: int) -> None:
    """Mark from which values of the order on the rest keeps the rule."""
    sums.walked[:] = 0
    total = 0
    for step in range(present):
        place = present - 1 - step
        value = sums.order[place]
        sums.walked[:] += sums.counts[value]
        total += int(sums.counts[value].sum())
        sums.good[place] = keeps_rule(rule, sums.walked, total)

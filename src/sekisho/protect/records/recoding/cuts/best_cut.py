"""The best cut of one class, piece by piece: the true loss of both halves, worked out by one walk from each end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule
from sekisho.protect.records.recoding.cuts.piece_order import list_varying, sort_pieces
from sekisho.protect.records.recoding.cuts.scratch import Scratch
from sekisho.protect.records.recoding.cuts.value_sums import LESS, NONE, ValueCut
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records, measure_span

TWO = 2
"""Of two values there is one cut between different ones, whatever their order."""


@njit(cache=True, nogil=True)
def find_cut(space: KeySpace, rule: ClassRule, relaxed: int, pieces: Records, scratch: Scratch) -> ValueCut:
    """Return the best cut of a class, its order in ``scratch.best_order``; after 0 pieces where there is none."""
    best, size = ValueCut(np.inf, 0, 0), len(pieces.copies)
    if size < 2 or pieces.copies.sum() < 2 * rule.k:
        return best
    varying = list_varying(pieces, scratch)
    for loose in range(2 if relaxed else 1):
        for column in varying:
            for by_count in range(2 if space.kinds[column] == SET else 1):
                sort_pieces(pieces, column, by_count, scratch)
                _walk(space, varying, pieces, scratch, False, scratch.left)
                _walk(space, varying, pieces, scratch, True, scratch.right)
                _mark_good(rule, pieces, scratch)
                cut = _choose(rule, column, loose == 1, pieces, scratch, best)
                if cut.loss < best.loss:
                    best = cut
                    scratch.best_order[:size] = scratch.order[:size]
                if not loose and space.kinds[column] == SET and _count_values(pieces, column, scratch.order) == TWO:
                    break
        if best.after > 0:
            break
    return best


@njit(cache=True, nogil=True)
def _count_values(pieces: Records, column: int, order: NDArray[np.int64]) -> int:
    """Return how many values sorted pieces have in a column."""
    values = 1
    for place in range(1, len(pieces.copies)):
        if pieces.codes[order[place], column] != pieces.codes[order[place - 1], column]:
            values += 1
    return values


@njit(cache=True, nogil=True)
def _walk(
    space: KeySpace,
    columns: NDArray[np.int64],
    pieces: Records,
    scratch: Scratch,
    backward: int,
    into: NDArray[np.float64],
) -> None:
    """Write the loss per record of the first pieces of the order, or of the last, for every number of them."""
    scratch.stamp[0] += 1
    scratch.low[:], scratch.high[:] = -1, NONE
    total, size = 0.0, len(pieces.copies)
    for place in range(size):
        at = size - 1 - place if backward else place
        codes = pieces.codes[scratch.order[at]]
        if place == 0 or _lies_outside(codes, scratch) or _is_new(space, columns, codes, scratch):
            total += _widen(space, columns, codes, place == 0, scratch)
        into[at] = total


@njit(cache=True, nogil=True)
def _lies_outside(codes: NDArray[np.int32], scratch: Scratch) -> bool:
    """Tell whether a record lies outside a range of the walk: all columns at once, for mostly it does not."""
    outside = False
    for column in range(len(codes)):
        outside |= (codes[column] < scratch.low[column]) | (codes[column] > scratch.high[column])
    return outside


@njit(cache=True, nogil=True)
def _is_new(space: KeySpace, columns: NDArray[np.int64], codes: NDArray[np.int32], scratch: Scratch) -> bool:
    """Tell whether a record has a value of a set that the walk has not met."""
    for column in columns:
        is_set = space.kinds[column] == SET
        if is_set and scratch.seen[space.marks[column] + codes[column]] != scratch.stamp[0]:
            return True
    return False


@njit(cache=True, nogil=True)
def _widen(
    space: KeySpace, columns: NDArray[np.int64], codes: NDArray[np.int32], first: int, scratch: Scratch
) -> float:
    """Add a record to the cells of a walk; return by how much their loss grows."""
    grown = 0.0
    low, high, loss, seen = scratch.low, scratch.high, scratch.loss, scratch.seen
    for each in columns:
        column = int(each)
        code = codes[column]
        if space.kinds[column] == SET:
            mark = space.marks[column] + code
            if seen[mark] != scratch.stamp[0]:
                seen[mark] = scratch.stamp[0]
                grown += 0.0 if first else space.unit[column]
        elif first:
            low[column], high[column], loss[column] = code, code, 0.0
        elif code < low[column] or code > high[column]:
            low[column], high[column] = min(low[column], code), max(high[column], code)
            wider = measure_span(space, column, low[column], high[column])
            grown += wider - loss[column]
            loss[column] = wider
    return grown


@njit(cache=True, nogil=True)
def _mark_good(rule: ClassRule, pieces: Records, scratch: Scratch) -> None:
    """Mark after which pieces of the order what lies before keeps the rule, and what lies from them on."""
    size = len(pieces.copies)
    for backward in range(2):
        good = scratch.good_right if backward == 1 else scratch.good_left
        scratch.histogram[:] = 0
        total = 0
        for place in range(size):
            at = size - 1 - place if backward == 1 else place
            piece = scratch.order[at]
            total += int(pieces.copies[piece])
            scratch.histogram[pieces.sensitive[piece]] += pieces.copies[piece]
            good[at] = keeps_rule(rule, scratch.histogram, total)


@njit(cache=True, nogil=True)
def _choose(rule: ClassRule, column: int, loose: int, pieces: Records, scratch: Scratch, best: ValueCut) -> ValueCut:
    """Return the best cut of an order if it is better than the best so far, which is returned else."""
    order, left, right, k = scratch.order, scratch.left, scratch.right, rule.k
    size, total, before = len(pieces.copies), int(pieces.copies.sum()), 0
    for place in range(size - 1 + loose):
        after = before + int(pieces.copies[order[place]])
        if place < size - 1 and scratch.good_left[place] and scratch.good_right[place + 1]:
            here, there = order[place], order[place + 1]
            loss = after * left[place] + (total - after) * right[place + 1]
            if loss < best.loss - LESS and (loose or pieces.codes[here, column] != pieces.codes[there, column]):
                best = ValueCut(loss, place + 1, 0)
        if loose and len(rule.shares) == 1:
            for taken in (k, total - k):
                loss = taken * left[place] + (total - taken) * right[place]
                if before < taken < after and loss < best.loss - LESS:
                    best = ValueCut(loss, place + 1, after - taken)
        before = after
    return best

"""The best cut of one class, piece by piece: the true loss of both halves, worked out by one walk from each end."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule
from sekisho.protect.records.recoding.cuts.piece_order import list_varying, sort_pieces
from sekisho.protect.records.recoding.cuts.scratch import Scratch
from sekisho.protect.records.recoding.cuts.value_sums import LESS, Cut
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records, measure_span

TWO = 2
"""Of two values there is one cut between different ones, whatever their order."""


@njit(cache=True, nogil=True)
def find_cut(
    space: KeySpace,
    records: Records,
    rule: ClassRule,
    relaxed: int,
    record: NDArray[np.int64],
    count: NDArray[np.int64],
    scratch: Scratch,
) -> Cut:
    """Return the best cut of a class, its order in ``scratch.best_order``; after 0 pieces where there is none."""
    best = Cut(np.inf, 0, 0)
    if len(record) < 2 or count.sum() < 2 * rule.k:
        return best
    varying = list_varying(records, record, scratch)
    for loose in range(2 if relaxed else 1):
        for column in varying:
            for by_count in range(2 if space.kinds[column] == SET else 1):
                values = sort_pieces(space, records, column, by_count == 1, record, count, scratch)
                _walk(space, records, varying, record, scratch, False, scratch.left)
                _walk(space, records, varying, record, scratch, True, scratch.right)
                _mark_good(rule, records, record, count, scratch)
                cut = _choose(rule, records, column, loose == 1, record, count, scratch, best)
                if cut.loss < best.loss:
                    best = cut
                    scratch.best_order[: len(record)] = scratch.order[: len(record)]
                if values == TWO and not loose:
                    break
        if best.after > 0:
            break
    return best


@njit(cache=True, nogil=True)
def _walk(
    space: KeySpace,
    records: Records,
    columns: NDArray[np.int64],
    record: NDArray[np.int64],
    scratch: Scratch,
    backward: int,
    into: NDArray[np.float64],
) -> None:
    """Write the loss per record of the first pieces of the order, or of the last, for every number of them."""
    scratch.stamp[0] += 1
    total = 0.0
    for place in range(len(record)):
        at = len(record) - 1 - place if backward else place
        total += _widen(space, columns, records.codes[record[scratch.order[at]]], place == 0, scratch)
        into[at] = total


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
def _mark_good(
    rule: ClassRule, records: Records, record: NDArray[np.int64], count: NDArray[np.int64], scratch: Scratch
) -> None:
    """Mark after which pieces of the order what lies before keeps the rule, and what lies from them on."""
    for backward in range(2):
        good = scratch.good_right if backward == 1 else scratch.good_left
        scratch.histogram[:] = 0
        total = 0
        for place in range(len(record)):
            at = len(record) - 1 - place if backward == 1 else place
            piece = scratch.order[at]
            total += int(count[piece])
            scratch.histogram[records.sensitive[record[piece]]] += count[piece]
            good[at] = keeps_rule(rule, scratch.histogram, total)


@njit(cache=True, nogil=True)
def _choose(
    rule: ClassRule,
    records: Records,
    column: int,
    loose: int,
    record: NDArray[np.int64],
    count: NDArray[np.int64],
    scratch: Scratch,
    best: Cut,
) -> Cut:
    """Return the best cut of an order if it is better than the best so far, which is returned else."""
    order, left, right, k = scratch.order, scratch.left, scratch.right, rule.k
    total, before = int(count.sum()), 0
    for place in range(len(record) - 1 + loose):
        after = before + int(count[order[place]])
        if place < len(record) - 1 and scratch.good_left[place] and scratch.good_right[place + 1]:
            here, there = record[order[place]], record[order[place + 1]]
            loss = after * left[place] + (total - after) * right[place + 1]
            if loss < best.loss - LESS and (loose or records.codes[here, column] != records.codes[there, column]):
                best = Cut(loss, place + 1, 0)
        if loose and len(rule.shares) == 1:
            for taken in (k, total - k):
                loss = taken * left[place] + (total - taken) * right[place]
                if before < taken < after and loss < best.loss - LESS:
                    best = Cut(loss, place + 1, after - taken)
        before = after
    return best

"""Cut the records in two, again and again, each time where the two halves together lose least.

Every key column offers its cuts: numbers and trees in their order, sets in the order of their values and with the most
frequent value first. A cut is judged by the true loss of both halves over all keys, worked out by one walk from each
end. Cuts separate different values of the column cut (strict). Where no such cut leaves two classes that keep the rule,
a relaxed partition may also cut between equal values, and through the copies of one record.

Source: LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006; the choice of the cut by true
loss, the orders of sets, and where relaxed cuts are allowed are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records, measure_span
from sekisho.protect.records.recoding.value_sums import LESS, Cut, Sums, choose_value, make_sums, sum_values

FEW = 24
"""So few pieces are sorted by insertion."""
TWO = 2
"""Of two values there is one cut between different ones, whatever their order."""


class Pieces(NamedTuple):
    """Copies of records in classes: so many ``copies`` of ``record`` belong to ``owner``."""

    record: NDArray[np.int64]
    copies: NDArray[np.int64]
    owner: NDArray[np.int64]


class Scratch(NamedTuple):
    """Room to work in, made once."""

    order: NDArray[np.int64]
    best_order: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    good_left: NDArray[np.bool_]
    good_right: NDArray[np.bool_]
    bucket: NDArray[np.int64]
    rank: NDArray[np.int64]
    often: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    loss: NDArray[np.float64]
    seen: NDArray[np.int64]
    stamp: NDArray[np.int64]
    histogram: NDArray[np.int64]
    record: NDArray[np.int64]
    copies: NDArray[np.int64]
    varying: NDArray[np.int64]
    sums: Sums


@njit(cache=True, nogil=True)
def make_scratch(space: KeySpace, rule: ClassRule, capacity: int) -> Scratch:
    """Return room for so many pieces."""
    columns = len(space.kinds)
    widest = 0
    for column in range(columns):
        widest = max(widest, space.starts[column + 1] - space.starts[column])
    return Scratch(
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity, np.bool_),
        np.empty(capacity, np.bool_),
        np.empty(widest + 2, np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns),
        np.zeros(space.marked[0] + 1, np.int64),
        np.zeros(1, np.int64),
        np.empty(len(rule.shares), np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(columns, np.int64),
        make_sums(space, rule, widest),
    )


@njit(cache=True, nogil=True)
def split_records(space: KeySpace, records: Records, rule: ClassRule, relaxed: int, many: int) -> Pieces:
    """Return the classes of all records; in a class of many pieces those with equal values are summed up."""
    distinct, total = len(records.copies), records.copies.sum()
    capacity = distinct + total // max(1, rule.k) + 2
    record, count = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    done = Pieces(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.int64))
    record[:distinct], count[:distinct] = np.arange(distinct), records.copies
    scratch = make_scratch(space, rule, capacity)
    starts = np.zeros(capacity, np.int64)
    waiting, end, written, classes = 1, distinct, 0, 0
    while waiting > 0:
        start = starts[waiting - 1]
        cut = Cut(np.inf, 0, 0)
        if end - start >= many:
            cut = _find_summed(space, records, rule, record[start:end], count[start:end], scratch)
        if cut.after == 0:
            cut = _find_cut(space, records, rule, relaxed, record[start:end], count[start:end], scratch)
        if cut.after > 0:
            starts[waiting] = start + cut.after
            end = _make_cut(record, count, start, end, cut, scratch)
            waiting += 1
            continue
        for place in range(start, end):
            done.record[written], done.copies[written], done.owner[written] = record[place], count[place], classes
            written += 1
        classes, end, waiting = classes + 1, start, waiting - 1
    return Pieces(done.record[:written].copy(), done.copies[:written].copy(), done.owner[:written].copy())


@njit(cache=True, nogil=True)
def _make_cut(
    record: NDArray[np.int64], count: NDArray[np.int64], start: int, end: int, cut: Cut, scratch: Scratch
) -> int:
    """Write the left and the right half in the place of both; return where the right one ends."""
    for place in range(end - start):
        scratch.record[place] = record[start + scratch.best_order[place]]
        scratch.copies[place] = count[start + scratch.best_order[place]]
    shift = 1 if cut.copies > 0 else 0
    for place in range(end - start):
        target = start + place + (shift if place >= cut.after else 0)
        record[target], count[target] = scratch.record[place], scratch.copies[place]
    if shift == 1:
        middle = start + cut.after
        record[middle], count[middle] = scratch.record[cut.after - 1], cut.copies
        count[middle - 1] -= cut.copies
    return end + shift


@njit(cache=True, nogil=True)
def _find_summed(
    space: KeySpace,
    records: Records,
    rule: ClassRule,
    record: NDArray[np.int64],
    count: NDArray[np.int64],
    scratch: Scratch,
) -> Cut:
    """Return the best strict cut of a class as :func:`_find_cut` does, from sums over equal values."""
    best, best_column, best_by_count = Cut(np.inf, 0, 0), 0, 0
    varying = _list_varying(records, record, scratch)
    for column in varying:
        sum_values(space, records, varying, column, record, count, scratch.sums)
        for by_count in range(2 if space.kinds[column] == SET else 1):
            cut = choose_value(space, rule, varying, column, by_count, scratch.sums, best)
            if cut.loss < best.loss:
                best, best_column, best_by_count = cut, column, by_count
    if best.after > 0:
        _sort_pieces(space, records, best_column, best_by_count, record, count, scratch)
        scratch.best_order[: len(record)] = scratch.order[: len(record)]
    return best


@njit(cache=True, nogil=True)
def _find_cut(
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
    varying = _list_varying(records, record, scratch)
    for loose in range(2 if relaxed else 1):
        for column in varying:
            for by_count in range(2 if space.kinds[column] == SET else 1):
                values = _sort_pieces(space, records, column, by_count == 1, record, count, scratch)
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
def _list_varying(records: Records, record: NDArray[np.int64], scratch: Scratch) -> NDArray[np.int64]:
    """Return the columns in which pieces differ; in the others no cut is possible, and nothing is lost."""
    codes, found = records.codes, 0
    for column in range(codes.shape[1]):
        first = codes[record[0], column]
        for piece in record:
            if codes[piece, column] != first:
                scratch.varying[found] = column
                found += 1
                break
    return scratch.varying[:found]


@njit(cache=True, nogil=True)
def _sort_pieces(
    space: KeySpace,
    records: Records,
    column: int,
    by_count: int,
    record: NDArray[np.int64],
    count: NDArray[np.int64],
    scratch: Scratch,
) -> int:
    """Sort the pieces by a column into ``scratch.order``; return how many values they have there."""
    codes, order, rank = records.codes, scratch.order, scratch.rank
    values = space.starts[column + 1] - space.starts[column]
    _rank_values(codes, column, values, by_count, record, count, scratch)
    if len(record) < FEW:
        for place in range(len(record)):
            value, hole = rank[codes[record[place], column]], place
            while hole > 0 and rank[codes[record[order[hole - 1]], column]] > value:
                order[hole] = order[hole - 1]
                hole -= 1
            order[hole] = place
        return _count_values(codes, column, record, order)
    bucket = scratch.bucket
    bucket[: values + 1] = 0
    for piece in record:
        bucket[rank[codes[piece, column]] + 1] += 1
    for value in range(values):
        bucket[value + 1] += bucket[value]
    for place in range(len(record)):
        value = rank[codes[record[place], column]]
        order[bucket[value]] = place
        bucket[value] += 1
    return _count_values(codes, column, record, order)


@njit(cache=True, nogil=True)
def _count_values(codes: NDArray[np.int32], column: int, record: NDArray[np.int64], order: NDArray[np.int64]) -> int:
    """Return how many values sorted pieces have in a column."""
    values = 1
    for place in range(1, len(record)):
        if codes[record[order[place]], column] != codes[record[order[place - 1]], column]:
            values += 1
    return values


@njit(cache=True, nogil=True)
def _rank_values(
    codes: NDArray[np.int32],
    column: int,
    values: int,
    by_count: int,
    record: NDArray[np.int64],
    count: NDArray[np.int64],
    scratch: Scratch,
) -> None:
    """Set the rank of each value: its code, or its place when the most frequent comes first."""
    if not by_count:
        for value in range(values):
            scratch.rank[value] = value
        return
    often = scratch.often
    often[:values] = 0
    for place in range(len(record)):
        often[codes[record[place], column]] -= count[place]
    order = np.argsort(often[:values], kind="mergesort")
    for place in range(values):
        scratch.rank[order[place]] = place


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

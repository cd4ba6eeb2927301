"""Cut the records in two, again and again, each time where the two halves together lose least.

Every key column offers its cuts: numbers and trees in their order, sets in the order of their values and with the most
frequent value first. A cut is judged by the true loss of both halves over all keys, worked out by one walk from each
end. Cuts separate different values of the column cut (strict). Where no such cut leaves two classes that keep the rule,
a relaxed partition may also cut between equal values, and through the copies of one record.

Source: LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006; the choice of the cut by true
loss, the orders of sets, and where relaxed cuts are allowed are ours.

The best cut of one class, piece by piece: the true loss of both halves, worked out by one walk from each end.

The pieces of a class by one column: numbers and trees in their order, sets also the most frequent value first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records, measure_span
from sekisho.protect.records.recoding.value_sums import (
    FEW,
    LESS,
    NONE,
    ClassRule,
    Scratch,
    ValueCut,
    choose_value,
    keeps_rule,
    make_pieces,
    make_scratch,
    slice_pieces,
    sort_ascending,
    sum_values,
)


@njit(cache=True, nogil=True)
def list_varying(pieces: Records, scratch: Scratch) -> NDArray[np.int64]:
    """Return the columns in which pieces differ; in the others no cut is possible, and nothing is lost.

    The least and the largest code of each column are left in ``scratch``.
    """
    least, most, differing = scratch.least, scratch.most, 0
    for column in range(len(least)):
        least[column] = most[column] = pieces.codes[0, column]
    for piece in range(1, len(pieces.copies)):
        for column in range(len(least)):
            least[column] = min(least[column], pieces.codes[piece, column])
            most[column] = max(most[column], pieces.codes[piece, column])
    for column in range(len(least)):
        if least[column] < most[column]:
            scratch.varying[differing] = column
            differing += 1
    return scratch.varying[:differing]


@njit(cache=True, nogil=True)
def sort_pieces(pieces: Records, column: int, by_count: int, scratch: Scratch) -> None:
    """Sort the pieces, which :func:`list_varying` has seen, by a column into ``scratch.order``."""
    order, rank, bucket = scratch.order, scratch.rank, scratch.bucket
    least = scratch.least[column]
    values = int(scratch.most[column]) - int(least) + 1
    if by_count:
        _rank_values(pieces, column, values, scratch)
    if len(pieces.copies) < FEW:
        for place in range(len(pieces.copies)):
            code, hole = pieces.codes[place, column] - least, place
            value = rank[code] if by_count else np.int64(code)
            while hole > 0 and bucket[hole - 1] > value:
                order[hole], bucket[hole] = order[hole - 1], bucket[hole - 1]
                hole -= 1
            order[hole], bucket[hole] = place, value
        return
    bucket[: values + 1] = 0
    for place in range(len(pieces.copies)):
        code = pieces.codes[place, column] - least
        bucket[(rank[code] if by_count else np.int64(code)) + 1] += 1
    for value in range(values):
        bucket[value + 1] += bucket[value]
    for place in range(len(pieces.copies)):
        code = pieces.codes[place, column] - least
        value = rank[code] if by_count else np.int64(code)
        order[bucket[value]] = place
        bucket[value] += 1


@njit(cache=True, nogil=True)
def _rank_values(pieces: Records, column: int, values: int, scratch: Scratch) -> None:
    """Set the rank of each value from the least on: its place when the most frequent comes first."""
    often, least = scratch.often, scratch.least[column]
    often[:values] = 0
    for place in range(len(pieces.copies)):
        often[pieces.codes[place, column] - least] -= pieces.copies[place]
    for value in range(values):
        often[value] = values * often[value] + value
    sort_ascending(often[:values])
    for place in range(values):
        scratch.rank[often[place] % values] = place


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
                    _keep_order(scratch, size)
                if not loose and space.kinds[column] == SET and _count_values(pieces, column, scratch.order) == TWO:
                    break
        if best.after > 0:
            break
    return best


@njit(cache=True, nogil=True)
def _keep_order(scratch: Scratch, size: int) -> None:
    """Write the order of so many pieces down as the best one."""
    for place in range(size):
        scratch.best_order[place] = scratch.order[place]


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


class Pieces(NamedTuple):
    """Copies of records in classes: so many ``copies`` of ``record`` belong to ``owner``."""

    record: NDArray[np.int64]
    copies: NDArray[np.int64]
    owner: NDArray[np.int64]


@njit(cache=True, nogil=True)
def split_records(space: KeySpace, records: Records, rule: ClassRule, relaxed: int, many: int) -> Pieces:
    """Return the classes of all records; in a class of many pieces those with equal values are summed up."""
    distinct, total = len(records.copies), records.copies.sum()
    capacity = distinct + total // max(1, rule.k) + 2
    # pieces of a class stand side by side, codes and all: they are looked at again and again
    record, pieces = np.empty(capacity, np.int64), make_pieces(len(space.kinds), capacity)
    done = Pieces(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.int64))
    for place in range(distinct):
        record[place] = place
        _copy_piece(records, place, pieces, place)
    scratch = make_scratch(space, rule, capacity)
    starts = np.zeros(capacity, np.int64)
    waiting, end, written, classes = 1, distinct, 0, 0
    while waiting > 0:
        start = starts[waiting - 1]
        group = slice_pieces(pieces, start, end)
        cut = ValueCut(np.inf, 0, 0)
        if end - start >= many:
            cut = _find_summed(space, rule, group, scratch)
        if cut.after == 0:
            cut = find_cut(space, rule, relaxed, group, scratch)
        if cut.after > 0:
            starts[waiting] = start + cut.after
            end = _make_cut(record, pieces, start, end, cut, scratch)
            waiting += 1
            continue
        for place in range(start, end):
            done.record[written], done.copies[written] = record[place], pieces.copies[place]
            done.owner[written] = classes
            written += 1
        classes, end, waiting = classes + 1, start, waiting - 1
    return Pieces(done.record[:written].copy(), done.copies[:written].copy(), done.owner[:written].copy())


@njit(cache=True, nogil=True)
def _make_cut(record: NDArray[np.int64], pieces: Records, start: int, end: int, cut: ValueCut, scratch: Scratch) -> int:
    """Write the left and the right half in the place of both; return where the right one ends."""
    for place in range(end - start):
        origin = start + scratch.best_order[place]
        scratch.record[place] = record[origin]
        _copy_piece(pieces, origin, scratch.pieces, place)
    shift = 1 if cut.copies > 0 else 0
    for place in range(end - start):
        target = start + place + (shift if place >= cut.after else 0)
        record[target] = scratch.record[place]
        _copy_piece(scratch.pieces, place, pieces, target)
    if shift == 1:
        middle = start + cut.after
        record[middle] = scratch.record[cut.after - 1]
        _copy_piece(scratch.pieces, cut.after - 1, pieces, middle)
        pieces.copies[middle] = cut.copies
        pieces.copies[middle - 1] -= cut.copies
    return end + shift


@njit(cache=True, nogil=True)
def _copy_piece(source: Records, place: int, into: Records, target: int) -> None:
    for column in range(source.codes.shape[1]):
        into.codes[target, column] = source.codes[place, column]
    into.copies[target], into.sensitive[target] = source.copies[place], source.sensitive[place]


@njit(cache=True, nogil=True)
def _find_summed(space: KeySpace, rule: ClassRule, pieces: Records, scratch: Scratch) -> ValueCut:
    """Return the best strict cut of a class as :func:`find_cut` does, from sums over equal values."""
    best, best_column, best_by_count = ValueCut(np.inf, 0, 0), 0, 0
    varying = list_varying(pieces, scratch)
    for column in varying:
        sum_values(space, pieces, varying, column, scratch.sums)
        for by_count in range(2 if space.kinds[column] == SET else 1):
            cut = choose_value(space, rule, varying, column, by_count, scratch.sums, best)
            if cut.loss < best.loss:
                best, best_column, best_by_count = cut, column, by_count
    if best.after > 0:
        sort_pieces(pieces, best_column, best_by_count, scratch)
        _keep_order(scratch, len(pieces.copies))
    return best

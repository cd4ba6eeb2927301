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

from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.protect.records.recoding.cuts.best_cut import find_cut
from sekisho.protect.records.recoding.cuts.piece_order import list_varying, sort_pieces
from sekisho.protect.records.recoding.cuts.scratch import Scratch, make_scratch
from sekisho.protect.records.recoding.cuts.value_sums import Cut, choose_value, sum_values
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records


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
            cut = find_cut(space, records, rule, relaxed, record[start:end], count[start:end], scratch)
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
    """Return the best strict cut of a class as :func:`find_cut` does, from sums over equal values."""
    best, best_column, best_by_count = Cut(np.inf, 0, 0), 0, 0
    varying = list_varying(records, record, scratch)
    for column in varying:
        sum_values(space, records, varying, column, record, count, scratch.sums)
        for by_count in range(2 if space.kinds[column] == SET else 1):
            cut = choose_value(space, rule, varying, column, by_count, scratch.sums, best)
            if cut.loss < best.loss:
                best, best_column, best_by_count = cut, column, by_count
    if best.after > 0:
        sort_pieces(space, records, best_column, best_by_count, record, count, scratch)
        scratch.best_order[: len(record)] = scratch.order[: len(record)]
    return best

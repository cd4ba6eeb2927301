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
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.protect.records.recoding.cuts.best_cut import find_cut
from sekisho.protect.records.recoding.cuts.piece_order import list_varying, sort_pieces
from sekisho.protect.records.recoding.cuts.scratch import Scratch, make_pieces, make_scratch, slice_pieces
from sekisho.protect.records.recoding.cuts.value_sums import ValueCut, choose_value, sum_values
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
    # pieces of a class stand side by side, codes and all: they are looked at again and again
    record, pieces = np.empty(capacity, np.int64), make_pieces(len(space.kinds), capacity)
    done = Pieces(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.int64))
    record[:distinct], pieces.codes[:distinct] = np.arange(distinct), records.codes
    pieces.copies[:distinct], pieces.sensitive[:distinct] = records.copies, records.sensitive
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
        scratch.best_order[: len(pieces.copies)] = scratch.order[: len(pieces.copies)]
    return best

"""The room that the search for cuts works in, made once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.protect.records.recoding.key_space import KeySpace, Records
from sekisho.protect.records.recoding.value_sums import Sums, make_sums

FEW = 24
"""So few pieces are sorted by insertion."""


class Scratch(NamedTuple):
    """Room to work in, made once.

    Attributes:
        order: of the pieces of a class by a column.
        best_order: of the best cut so far.
        left: the loss per record of the first pieces of the order together.
        right: of the last.
        good_left: whether the first pieces keep the rule.
        good_right: whether the last do.
        bucket: where the pieces with each value of a column go.
        rank: of each value.
        often: how often each occurs.
        least: by column, the least code that a class has.
        most: the largest.
        low: by column, the least code of a walk; of a column that is a set, or in which pieces do not differ, one that
            no code lies outside of.
        high: the largest, likewise.
        loss: of each column.
        seen: of each value of sets, the last walk that met it.
        stamp: the number of the walk.
        histogram: copies by sensitive value.
        record: of pieces that change places.
        pieces: what they are.
        varying: the columns in which pieces differ.
        sums: by values.
    """

    order: NDArray[np.int64]
    best_order: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    good_left: NDArray[np.bool_]
    good_right: NDArray[np.bool_]
    bucket: NDArray[np.int64]
    rank: NDArray[np.int64]
    often: NDArray[np.int64]
    least: NDArray[np.int32]
    most: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    loss: NDArray[np.float64]
    seen: NDArray[np.int64]
    stamp: NDArray[np.int64]
    histogram: NDArray[np.int64]
    record: NDArray[np.int64]
    pieces: Records
    varying: NDArray[np.int64]
    sums: Sums


@njit(cache=True, nogil=True)
def make_pieces(columns: int, capacity: int) -> Records:
    """Return room for so many pieces: codes, copies and sensitive values."""
    return Records(np.empty((capacity, columns), np.int32), np.empty(capacity, np.int64), np.empty(capacity, np.int32))


@njit(cache=True, nogil=True)
def slice_pieces(pieces: Records, start: int, end: int) -> Records:
    """Return some pieces that stand side by side, where they stand."""
    return Records(pieces.codes[start:end], pieces.copies[start:end], pieces.sensitive[start:end])


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
        np.empty(max(widest + 2, FEW), np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(columns, np.int32),
        np.empty(columns, np.int32),
        np.empty(columns, np.int32),
        np.empty(columns, np.int32),
        np.empty(columns),
        np.zeros(space.marked[0] + 1, np.int64),
        np.zeros(1, np.int64),
        np.empty(len(rule.shares), np.int64),
        np.empty(capacity, np.int64),
        make_pieces(columns, capacity),
        np.empty(columns, np.int64),
        make_sums(space, rule, widest),
    )

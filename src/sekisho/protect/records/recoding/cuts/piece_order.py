"""The pieces of a class by one column: numbers and trees in their order, sets also the most frequent value first."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sekisho.protect.records.recoding.cuts.scratch import Scratch
from sekisho.protect.records.recoding.key_space import KeySpace, Records

FEW = 24
"""So few pieces are sorted by insertion."""


@njit(cache=True, nogil=True)
def list_varying(records: Records, record: NDArray[np.int64], scratch: Scratch) -> NDArray[np.int64]:
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
def sort_pieces(
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

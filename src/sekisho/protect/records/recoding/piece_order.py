"""The pieces of a class by one column: numbers and trees in their order, sets also the most frequent value first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.key_space import Records
from sekisho.protect.records.recoding.scratch import FEW, Scratch


@njit(cache=True, nogil=True)
def list_varying(pieces: Records, scratch: Scratch) -> NDArray[np.int64]:
    """Return the columns in which pieces differ; in the others no cut is possible, and nothing is lost.

    The least and the largest code of each column are left in ``scratch``.
    """
    least, most, differing = scratch.least, scratch.most, 0
    least[:], most[:] = pieces.codes[0], pieces.codes[0]
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
    order = np.argsort(often[:values], kind="mergesort")
    for place in range(values):
        scratch.rank[order[place]] = place

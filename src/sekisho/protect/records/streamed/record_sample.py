"""Distinct records drawn by what they are, while all rows stream by: each with all its copies.

A record is drawn if the word that its codes mix to is small. So of equal records all are drawn or none, whatever the
order of the rows and the blocks they come in, and the number of distinct records in the whole file can be told. The
limit is halved whenever too many are held.

Source: Flajolet, "On adaptive sampling", Computing 43, 1990.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.streamed.packed_rows import RowCounter, mix_rows

MOST = 1 << 18
"""So many distinct records are held."""


def choose_sample_size(part: int) -> int:
    """Return how many distinct records are drawn at most where a part has so many."""
    return min(MOST, 4 * part)


def measure_depth(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how often the limit may be halved until a word is above it: how many of its leading bits are 0."""
    depth = np.empty(len(words), dtype=np.int64)
    _count_zeros(words, depth)
    return depth


@njit(cache=True, nogil=True)
def _count_zeros(words: NDArray[np.uint64], into: NDArray[np.int64]) -> None:
    for row in range(len(words)):
        zeros = 0
        while zeros < 64 and words[row] >> np.uint64(63 - zeros) == 0:
            zeros += 1
        into[row] = zeros


def choose_depth(counts: Mapping[int, int], most: int) -> int:
    """Return how often the limit is halved until no more than so many distinct records are drawn.

    Args:
        counts: how many distinct records there are of each depth.
        most: how many may be drawn.
    """
    halved = 0
    while sum(count for depth, count in counts.items() if depth >= halved) > most:
        halved += 1
    return halved


class RecordSample:
    """A sample of the distinct records of what has streamed by."""

    def __init__(self, words: int, *, most: int = MOST) -> None:
        self._counter, self._most, self._halved = RowCounter(words), most, 0

    def add(self, packed: NDArray[np.uint64]) -> None:
        """Take in some rows."""
        self._counter.count(packed[self._choose(packed)])
        while len(self._counter) > self._most:
            self._halved += 1
            self._counter.keep(self._choose(self._counter.packed))

    def _choose(self, packed: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return measure_depth(mix_rows(packed)) >= self._halved

    @property
    def packed(self) -> NDArray[np.uint64]:
        """The records that were drawn."""
        return self._counter.packed

    @property
    def copies(self) -> NDArray[np.int64]:
        """How often each occurs in all rows."""
        return self._counter.copies

    @property
    def scale(self) -> int:
        """How many distinct records each of the drawn ones stands for."""
        return 1 << self._halved

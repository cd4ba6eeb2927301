"""Distinct records drawn by what they are, while all rows stream by: each with all its copies.

A record is drawn if the word that its codes mix to is small. So of equal records all are drawn or none, whatever the
order of the rows and the blocks they come in, and the number of distinct records in the whole file can be told. The
limit is halved whenever too many are held.

Source: Flajolet, "On adaptive sampling", Computing 43, 1990.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.records.parts.packed_rows import RowCounter, mix_rows

MOST = 1 << 18
"""So many distinct records are held."""


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
        # in two steps, since a shift by all 64 bits means nothing
        return (mix_rows(packed) >> np.uint64(63 - self._halved)) >> np.uint64(1) == 0

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

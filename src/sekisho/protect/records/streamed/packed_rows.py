"""Rows of key codes as a few whole words each, and equal rows counted once while they stream by.

The codes of several columns share a 64-bit word as long as the product of their numbers of values fits; so eight keys
of some hundred values are one word, and a row on disk takes eight bytes instead of eight codes.

Distinct records drawn by what they are, while all rows stream by: each with all its copies.

A record is drawn if the word that its codes mix to is small. So of equal records all are drawn or none, whatever the
order of the rows and the blocks they come in, and the number of distinct records in the whole file can be told. The
limit is halved whenever too many are held.

Source: Flajolet, "On adaptive sampling", Computing 43, 1990.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit

LARGEST = 1 << 63
MIX = np.uint64(0x9E3779B97F4A7C15)
SMALLEST = 1 << 12
"""Slots of the table at first."""


@dataclass(frozen=True, slots=True)
class Packing:
    """How the codes of some columns share words.

    Attributes:
        values: how many codes each column has.
        groups: which columns share each word.
    """

    values: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, values: Sequence[int]) -> Packing:
        """Return the packing of columns with so many codes, each word filled as far as it goes."""
        groups: list[list[int]] = [[]]
        for column, count in enumerate(values):
            if groups[-1] and prod(max(1, values[each]) for each in groups[-1]) * max(1, count) > LARGEST:
                groups.append([])
            groups[-1].append(column)
        return cls(tuple(values), tuple(map(tuple, groups)))

    @property
    def words(self) -> int:
        """How many words a row has."""
        return len(self.groups)

    def pack(self, codes: Sequence[NDArray[np.int32]]) -> NDArray[np.uint64]:
        """Return rows by words."""
        packed = np.zeros((len(codes[0]), self.words), dtype=np.uint64)
        for word, columns in enumerate(self.groups):
            for column in columns:
                packed[:, word] *= np.uint64(max(1, self.values[column]))
                packed[:, word] += codes[column].astype(np.uint64)
        return packed

    def unpack(self, packed: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return rows by columns."""
        codes = np.empty((len(packed), len(self.values)), dtype=np.int32)
        for word, columns in enumerate(self.groups):
            left = packed[:, word].copy()
            for column in reversed(columns):
                left, rest = np.divmod(left, np.uint64(max(1, self.values[column])))
                codes[:, column] = rest
        return codes


class RowCounter:
    """Numbers distinct rows in the order in which they first occur; what it holds grows with these alone."""

    def __init__(self, words: int) -> None:
        self._distinct = 0
        self._packed = np.empty((SMALLEST, words), dtype=np.uint64)
        self._copies = np.zeros(SMALLEST, dtype=np.int64)
        self._table = np.full(4 * SMALLEST, -1, dtype=np.int32)

    def __len__(self) -> int:
        return self._distinct

    @property
    def packed(self) -> NDArray[np.uint64]:
        """The distinct rows."""
        return self._packed[: self._distinct]

    @property
    def copies(self) -> NDArray[np.int64]:
        """How often each occurs."""
        return self._copies[: self._distinct]

    def count(self, packed: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Count some rows; return which of the distinct ones each is."""
        which, done = np.empty(len(packed), dtype=np.int32), 0
        while True:
            done, self._distinct = _number_rows(
                packed, which, done, self._packed, self._copies, self._table, self._distinct
            )
            if done == len(packed):
                return which
            self._widen()

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Forget all distinct rows but these."""
        packed, copies = self.packed[chosen], self.copies[chosen]
        self._distinct = len(packed)
        self._packed[: len(packed)], self._copies[: len(packed)] = packed, copies
        self._table[:] = -1
        _place_rows(self._packed, self._distinct, self._table)

    def _widen(self) -> None:
        size = 2 * len(self._copies)
        packed, copies = np.empty((size, self._packed.shape[1]), np.uint64), np.zeros(size, np.int64)
        packed[: self._distinct], copies[: self._distinct] = self.packed, self.copies
        self._packed, self._copies = packed, copies
        self._table = np.full(2 * size, -1, dtype=np.int32)
        _place_rows(self._packed, self._distinct, self._table)


def mix_rows(packed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a word for each row that looks random, the same for equal rows."""
    mixed = np.empty(len(packed), dtype=np.uint64)
    _mix_all(packed, mixed)
    return mixed


@njit(cache=True, nogil=True)
def _mix_all(packed: NDArray[np.uint64], into: NDArray[np.uint64]) -> None:
    for row in range(len(packed)):
        into[row] = _mix_row(packed[row])


@njit(cache=True, nogil=True)
def _mix_row(row: NDArray[np.uint64]) -> np.uint64:
    word = np.uint64(0)
    for each in row:
        word = (word ^ each) * MIX
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word ^= word >> np.uint64(31)
    return word


@njit(cache=True, nogil=True)
def _number_rows(
    packed: NDArray[np.uint64],
    which: NDArray[np.int32],
    done: int,
    rows: NDArray[np.uint64],
    copies: NDArray[np.int64],
    table: NDArray[np.int32],
    distinct: int,
) -> tuple[int, int]:
    """Number rows until there is no room for another distinct one; return how many are numbered, and are distinct."""
    for row in range(done, len(packed)):
        slot = np.int64(_mix_row(packed[row]) >> np.uint64(20)) & (len(table) - 1)
        while table[slot] >= 0 and _differ(rows[table[slot]], packed[row]):
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] < 0:
            if distinct == len(copies):
                return row, distinct
            table[slot], rows[distinct], copies[distinct] = distinct, packed[row], 0
            distinct += 1
        which[row] = table[slot]
        copies[table[slot]] += 1
    return len(packed), distinct


@njit(cache=True, nogil=True)
def _place_rows(rows: NDArray[np.uint64], distinct: int, table: NDArray[np.int32]) -> None:
    for row in range(distinct):
        slot = np.int64(_mix_row(rows[row]) >> np.uint64(20)) & (len(table) - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = row


@njit(cache=True, nogil=True)
def _differ(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> bool:
    word = 0
    while word < len(one) and one[word] == other[word]:
        word += 1
    return word < len(one)


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

"""Which items are bought together: the share of the original's frequent item sets that a release no longer shows.

A basket is an invoice: the distinct items that one person bought on one day. A set of items is frequent when it lies in
at least as many baskets as the given share of the original's baskets. With T0 the frequent sets of the original and T1
those of the concrete data,

    error = 1 - |T0 ∩ T1| / |T0|.

The number of baskets is the original's for both: generalised dates tear invoices apart (tens of thousands from a few
thousand), and a share of the torn baskets would call nothing frequent, whatever the release.

The original is mined once, depth first over packed bits (Zaki, "Scalable algorithms for association mining", IEEE TKDE
12(3), 2000). Of a sample only the support of T0's own sets is counted: nothing else enters the error.

Source: PWS Cup 2018, report, section 6.1.1, after PWS Cup 2016, whose least support and largest size are not public:
both are parameters here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said

WORD = 64
MOST_SETS = 1_000_000
LARGEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class FrequentItemSets:
    """The error of the frequent item sets.

    Attributes:
        support: the least share of the original's baskets that makes a set frequent.
        largest: the size of the largest sets looked for.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    support: Fraction = Fraction(1, 40)
    largest: int = 3

    def __post_init__(self) -> None:
        if not 0 < self.support <= 1:
            raise ParameterError("support", Said("be a share of baskets above 0 and at most 1"), str(self.support))
        if not 1 <= self.largest <= LARGEST:
            raise ParameterError("largest", Said("lie between 1 and {largest}", largest=LARGEST), self.largest)

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the error of a release whose cells are exact; draw from any other first."""
        return Score(value=self.build_reference(Purchases.of(original)).error(Purchases.from_release(released)))

    def build_reference(self, original: Purchases) -> ItemSetReference:
        """Return the original's frequent sets, made ready for many comparisons.

        Raises:
            ParameterError: the support is so low that more than a million sets are frequent.
        """
        baskets = _Baskets.of(original)
        fewest = max(1, ceil(self.support * baskets.count))
        return ItemSetReference(fewest=fewest, sets=self._mine_sets(baskets, fewest))

    def _mine_sets(self, baskets: _Baskets, fewest: int) -> tuple[NDArray[np.int64], ...]:
        items = np.flatnonzero(baskets.single >= fewest)
        bits = baskets.pack_bits(items)
        by_size: list[list[tuple[int, ...]]] = [[] for _ in range(self.largest)]
        for number, places in enumerate(_mine_frequent(bits, fewest, self.largest)):
            if number == MOST_SETS:
                raise ParameterError(
                    "support", Said("leave at most {most_sets:,} frequent sets", most_sets=MOST_SETS), str(self.support)
                )
            by_size[len(places) - 1].append(places)
        return tuple(items[np.array(sets, dtype=np.int64).reshape(-1, size + 1)] for size, sets in enumerate(by_size))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemSetReference:
    """The original's frequent item sets: those of size s are the rows of ``sets[s - 1]``, item codes ascending.

    Attributes:
        fewest: the least number of baskets that makes a set frequent.
        sets: by size.
    """

    fewest: int
    sets: tuple[NDArray[np.int64], ...]

    def error(self, sample: Purchases) -> float:
        """Return the error of plain purchases; 0 where the original has no frequent set at all."""
        count = sum(map(len, self.sets))
        if not count:
            return 0.0
        items = self.sets[0][:, 0]
        baskets = _Baskets.of(sample)
        kept = int(np.count_nonzero(baskets.single[items] >= self.fewest))
        if any(map(len, self.sets[1:])):
            bits = baskets.pack_bits(items)
            for sets in self.sets[1:]:
                kept += int(np.count_nonzero(_count_supports(bits, np.searchsorted(items, sets)) >= self.fewest))
        return 1 - kept / count


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Baskets:
    """Distinct (basket, item) pairs in order, how many baskets there are, and how many hold each item."""

    count: int
    basket: NDArray[np.int64]
    item: NDArray[np.int64]
    single: NDArray[np.int64]

    @classmethod
    def of(cls, purchases: Purchases) -> _Baskets:
        row, people = purchases.invoices
        width = max(len(purchases.items), 1)
        pairs = np.sort(row * width + purchases.item)
        first = np.diff(pairs, prepend=-1) > 0  # sorting and looking beats np.unique's hashing several times
        basket, item = np.divmod(pairs[first], width)
        return cls(
            count=len(people), basket=basket, item=item, single=np.bincount(item, minlength=len(purchases.items))
        )

    def pack_bits(self, items: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return one row of bits per given item, one bit per basket that holds at least two of the items.

        The other baskets hold no larger set.
        """
        place = np.full(len(self.single), -1)
        place[items] = np.arange(len(items))
        wanted = place[self.item] >= 0
        basket, row = self.basket[wanted], place[self.item[wanted]]
        joint = np.bincount(basket, minlength=self.count) > 1
        column = np.cumsum(joint) - 1
        chosen = joint[basket]
        words = -(-int(np.count_nonzero(joint)) // WORD)
        bits = np.zeros((len(items), words), dtype=np.uint64)
        _set_bits(bits, row[chosen], column[basket[chosen]])
        return bits


@njit(cache=True, nogil=True)
def _set_bits(bits: NDArray[np.uint64], row: NDArray[np.int64], column: NDArray[np.int64]) -> None:
    for entry in range(len(row)):
        bits[row[entry], column[entry] // 64] |= np.uint64(1) << np.uint64(column[entry] % 64)


@njit(cache=True, nogil=True)
def _count_supports(bits: NDArray[np.uint64], sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return in how many baskets each set of rows occurs together.

    Bits are counted by Wilkes, Wheeler and Gill's sideways sum.
    """
    pairs, fours = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    eights, ones = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    counts = np.zeros(len(sets), dtype=np.int64)
    for number in range(len(sets)):
        total = 0
        for word in range(bits.shape[1]):
            joint = bits[sets[number, 0], word]
            for member in range(1, sets.shape[1]):
                joint &= bits[sets[number, member], word]
            joint -= (joint >> np.uint64(1)) & pairs
            joint = (joint & fours) + ((joint >> np.uint64(2)) & fours)
            joint = (joint + (joint >> np.uint64(4))) & eights
            total += np.int64((joint * ones) >> np.uint64(56))
        counts[number] = total
    return counts


def _mine_frequent(bits: NDArray[np.uint64], fewest: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Yield every frequent set as places among the rows of bits, each of which is frequent by itself.

    A set is extended only by rows after its last; what was infrequent with a part of the set is not tried again.
    """
    every = np.arange(len(bits))
    open_sets: list[tuple[tuple[int, ...], NDArray[np.uint64], NDArray[np.int64]]] = [
        ((int(first),), bits[first], every[first + 1 :]) for first in every[::-1]
    ]
    while open_sets:
        places, joint, later = open_sets.pop()
        yield places
        if len(places) == largest or not len(later):
            continue
        shared = bits[later] & joint
        frequent = np.bitwise_count(shared).sum(axis=1) >= fewest
        shared, later = shared[frequent], later[frequent]
        open_sets += [((*places, int(later[n])), shared[n], later[n + 1 :]) for n in range(len(later))[::-1]]

"""How many records are unique on some keys, and how many fewer without each of them: which column makes people unique.

Values are compared by 64-bit hashes, so that a million records and a dozen keys take a second: two different records of
a million have one hash by chance of less than 10**-7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUniques:
    """Unique records.

    Attributes:
        records: how many there are.
        unique: how many no other record agrees with on all keys.
        without: by key, how many of them are left without it.
    """

    records: int
    unique: int
    without: Mapping[str, int]

    @property
    def blamed(self) -> tuple[tuple[str, int], ...]:
        """The keys by how many records are unique only because of each, most first, with that number."""
        made = [(name, self.unique - left) for name, left in self.without.items() if left < self.unique]
        return tuple(sorted(made, key=lambda pair: (-pair[1], pair[0])))


def count_key_uniques(keys: Mapping[str, pl.Series]) -> KeyUniques:
    """Return how many records are unique on some keys of texts or numbers, null being a value like others.

    Args:
        keys: by name, a value for each record; all of one length.
    """
    hashes = [series.hash(seed=place).to_numpy() for place, series in enumerate(keys.values())]
    rows = len(hashes[0]) if hashes else 0
    total = np.zeros(rows, dtype=np.uint64)
    for each in hashes:
        total += each
    return KeyUniques(
        records=rows,
        unique=_count_single(total),
        without={name: _count_single(total - each) for name, each in zip(keys, hashes, strict=True)},
    )


def _count_single(values: NDArray[np.uint64]) -> int:
    return int(pl.Series(values).is_unique().sum())

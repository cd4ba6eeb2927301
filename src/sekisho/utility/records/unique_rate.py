"""uniqrt of the contest of 2021: how many of the kept records are alone with their values?

The records of C (the original values of the rows kept) whose tuple of explanatory columns occurs exactly once in C,
over the number of records of B; some columns (there age and body-mass index) are first rounded to tens, half to even. A
condition on the first anonymisation: few may stay unique.

Source: PWS Cup 2021, rules; FAQ, questions 6 and 11; program uniqrt.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset, encode_texts
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.parameters import checked
from sekisho.utility.records.outcome_columns import settle_explaining
from sekisho.utility.score import Score


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class UniqueRate:
    """The share of the original's records that are kept and unique among those kept."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    columns: tuple[str, ...] = ()
    rounded: tuple[str, ...] = ()

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return uniqrt; the detail holds the counts."""
        keys = self.compute_keys(original)[~released.deleted]
        unique = int((np.bincount(keys) == 1).sum()) if len(keys) else 0
        detail = {"unique": float(unique), "kept": float(len(keys)), "records": float(len(original))}
        return Score(value=unique / len(original), detail=detail)

    def compute_keys(self, data: Dataset) -> NDArray[np.int64]:
        """Return a number for each record, the same for records that look the same."""
        require_one_row(data)
        key = np.zeros(len(data), dtype=np.int64)
        for name in settle_explaining(data.schema, self.columns):
            if name in self.rounded:
                values = round_to_tens(data.grid(name), 10 ** data.schema[name].decimals)
            else:
                values = encode_texts(data.text(name))[0]
            pair = np.stack([key, values.astype(np.int64)])
            key = np.unique(pair, axis=1, return_inverse=True)[1].reshape(-1)
        return key.astype(np.int64)


def round_to_tens(grid: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """Return how many tens a number on a grid rounds to, half to even."""
    whole, rest = np.divmod(grid, 10 * unit)
    up = (2 * rest > 10 * unit) | ((2 * rest == 10 * unit) & (whole % 2 == 1))
    return whole + up

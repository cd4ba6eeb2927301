"""Customers of similar length, k at a time, their rows aligned in order: the simple way to k-anonymous histories.

Against whom: an adversary who knows every row of every customer. Within a group all members publish the same rows, so
he names a member with chance 1/k at best.

Source: PWS Cup 2018, report, section 5 (k-anonymous releases of the survivors); the alignment in order is the plainest
one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.arrays import History
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.history.shared_cells import (
    LARGEST_SET,
    MAX_SET,
    build_history_release,
    cover_slots,
    gather_history,
)
from sekisho.provenance import Provenance, list_parameters
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SimilarLength:
    """Group customers of similar length, k at a time; publish the i-th rows of a group alike, delete surplus rows.

    Rows are taken in the order of the numeric attributes (by the first, ties by the next), then of the categories; the
    last group takes in the customers that are too few for one of their own.

    Source: PWS Cup 2018, report, section 5.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    k: int = field(default=3, metadata={"help": "Least number of customers whose published rows are the same."})
    max_set: int | None = field(default=None, metadata={"help": LARGEST_SET})

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", Said("be 1 or more"), self.k)
        if self.max_set is not None and self.max_set < 1:
            raise ParameterError("max_set", Said("be 1 or more"), self.max_set)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the release.

        Raises:
            InfeasibleError: there are fewer than k customers.
        """
        history = gather_history(data)
        if history.people < self.k:
            raise InfeasibleError(
                Said("{people} customers cannot form a group of {k}", people=history.people, k=self.k)
            )
        slot = self._assign_slots(history)
        return build_history_release(
            data,
            cover_slots(data, slot, max_set=self.max_set or MAX_SET),
            slot < 0,
            Provenance(name="similar-length", parameters=list_parameters(self)),
            rng=rng,
        )

    def _assign_slots(self, history: History) -> NDArray[np.int64]:
        sorted_people = np.argsort(history.lengths, kind="stable")
        group = np.empty(history.people, dtype=np.int64)
        group[sorted_people] = np.minimum(np.arange(history.people) // self.k, history.people // self.k - 1)
        shortest = np.full(group.max() + 1, np.iinfo(np.int64).max)
        np.minimum.at(shortest, group, history.lengths)
        keys = [*history.codes.T[::-1], *history.numbers.T[::-1], history.owner]
        order = np.lexsort(keys)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - history.starts[history.owner[order]]
        home = group[history.owner]
        return np.where(rank < shortest[home], (np.cumsum(shortest) - shortest)[home] + rank, -1)

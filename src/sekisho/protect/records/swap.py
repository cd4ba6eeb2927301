"""Swap records with partners, fewest partners first: the strategy of team 10 in the contest of 2021.

For each record the partners are the records whose values it could take with Iloss <= limit. Working from the fewest
partners up, a record swaps its values with a partner that is still free; if none is free it is *replaced*: it takes a
copy of a partner's values. A record without any partner stays as it is. Swapping keeps every record somewhere, so
tables, correlations and odds ratios stay; swapping rows that are later deleted with rows that are kept hides the
deletion.

The adversary holds the original values of some records and asks which published row is theirs. Records with few
partners are the easy ones, so those with at most ``few`` are deleted afterwards.

Source: PWS Cup 2021, slides of team 10.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import Partners, find_partners
from sekisho.data.records.space import Points, RecordSpace, require_limit
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.protect.records.record_release import ReleaseMaker, release_borrowed
from sekisho.words import Said


class Choice(StrEnum):
    """Which of the free partners: any, or the farthest or nearest by one-hot Euclidean distance."""

    RANDOM = "random"
    FAR = "far"
    NEAR = "near"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Swap(RecordSpace):
    """Swap records with partners, fewest partners first; copy one where none is free; delete those with few.

    Source: PWS Cup 2021, slides of team 10.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    limit: float | None = field(
        default=None, metadata={"help": "The largest loss a record may suffer; as the rules say."}
    )
    choice: Choice = field(default=Choice.RANDOM, metadata={"help": "Which of the free partners."})
    few: int = field(
        default=25, metadata={"help": "Records with at most so many partners are deleted; -1 deletes none."}
    )

    def __post_init__(self) -> None:
        if self.limit is not None:
            require_limit(self.limit)
        if self.few < -1:
            raise ParameterError("few", Said("be at least 0, or -1 to delete nothing"), self.few)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the swapped records."""
        (points,) = self.points(data)
        near = find_partners(points, require_limit(self.limit))
        source = _swap_fewest_first(near, self._score_partners(points, near, rng), rng.random(len(data)))
        alone = near.counts() == 0
        detail = {"replaced": len(data) - len(np.unique(source)), "unmoved": int(alone.sum())}
        return release_borrowed(data, source, near.counts() <= self.few, ReleaseMaker("swap", self, detail))

    def _score_partners(self, points: Points, near: Partners, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return for each listed partner how much it is wanted: the most wanted free one is taken."""
        if self.choice is Choice.RANDOM:
            return rng.random(len(near.rows))
        owner = np.repeat(np.arange(len(near)), near.counts())
        step = (points.numbers[owner] - points.numbers[near.rows]) / points.unit
        square = (step * step).sum(axis=1) + (points.labels[owner] != points.labels[near.rows]) @ points.weights
        return square if self.choice is Choice.FAR else -square


def _swap_fewest_first(near: Partners, wanted: NDArray[np.float64], tie: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return whose values each record takes."""
    order = np.lexsort((tie, near.counts()))
    return _swap_in_order(near.offsets, near.rows, order, wanted)


@njit(cache=True, nogil=True)
def _swap_in_order(
    offsets: NDArray[np.int64], rows: NDArray[np.int32], order: NDArray[np.int64], wanted: NDArray[np.float64]
) -> NDArray[np.int64]:
    source = np.arange(len(order))
    settled = np.zeros(len(order), dtype=np.bool_)
    for record in order:
        if settled[record]:
            continue
        free, other = -1, -1
        for place in range(offsets[record], offsets[record + 1]):
            if not settled[rows[place]] and (free < 0 or wanted[place] > wanted[free]):
                free = place
            if other < 0 or wanted[place] > wanted[other]:
                other = place
        settled[record] = True
        if free >= 0:
            partner = rows[free]
            source[record], source[partner] = partner, record
            settled[partner] = True
        elif other >= 0:
            source[record] = rows[other]
    return source

"""Let every record borrow the values of a partner, each on its own: random replacement instead of swapping.

A swap ties rows together: every value is used once, so a row whose value has few takers gives its owner away. Here each
record draws a partner (within Iloss <= limit) independently, with weight (partners of the partner) ** pull: 0 draws
evenly, more draws towards values that many records could bear, which leaves the adversary more rows to choose from at
some cost in utility.

The adversary holds the original values of some records and knows the method: his posterior over the rows within reach
is all but flat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import Partners, find_partners
from sekisho.data.records.space import RecordSpace, require_limit
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.record_release import ReleaseMaker, release_borrowed
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Borrow(RecordSpace):
    """Let every record take the values of a random partner; one without partners stays as it is.

    Source: the *replacing* of PWS Cup 2021, slides of team 10, as the rule and weighted.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    limit: float | None = field(
        default=None, metadata={"help": "The largest loss a record may suffer; as the rules say."}
    )
    pull: float = field(default=0.0, metadata={"help": "How strongly values that many could bear are preferred."})
    few: int = field(
        default=-1, metadata={"help": "Records with at most so many partners are deleted; -1 deletes none."}
    )

    def __post_init__(self) -> None:
        if self.limit is not None:
            require_limit(self.limit)
        if not -10 <= self.pull <= 10:
            raise ParameterError("pull", Said("lie between -10 and 10"), self.pull)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the records with borrowed values."""
        (points,) = self.points(data)
        near = find_partners(points, require_limit(self.limit))
        return release_borrowed(
            data, draw_partners(near, self.pull, rng=rng), near.counts() <= self.few, ReleaseMaker("borrow", self)
        )


def draw_partners(near: Partners, pull: float, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return for each record a partner drawn with weight (partners of the partner) ** pull, or itself without any."""
    counts = near.counts()
    weight = counts[near.rows].astype(np.float64) ** pull
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    low, high = sums[near.offsets[:-1]], sums[near.offsets[1:]]
    place = np.searchsorted(sums, low + rng.random(len(counts)) * (high - low), side="right") - 1
    place = np.clip(place, near.offsets[:-1], np.maximum(near.offsets[1:] - 1, near.offsets[:-1]))
    alone = counts == 0
    return np.where(alone, np.arange(len(counts)), near.rows[np.where(alone, 0, place)] if len(near.rows) else 0)

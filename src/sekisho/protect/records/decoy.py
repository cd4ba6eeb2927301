"""Decoys: delete records, then give some of the kept rows the values of deleted ones.

The adversary who looks for a record's own values finds those of people who are not there: a deleted record looks like a
member, and a member has lost his values to a neighbour. A kept row takes the values of a deleted partner within Iloss
<= limit, each deleted record being used at most once.

Source: PWS Cup 2021, other teams' strategies as described in the slides' discussion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import find_partners
from sekisho.data.records.space import RecordSpace, require_limit
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.record_release import ReleaseMaker, release_borrowed
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Decoy(RecordSpace):
    """Delete a share by chance and let a share of the kept rows bear deleted records' values.

    Fewer become decoys where deleted partners run out.

    Source: PWS Cup 2021, as other teams did.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    share: float = field(default=0.45, metadata={"help": "The share of the records to delete."})
    replaced: float = field(default=1.0, metadata={"help": "The share of the kept rows that should become decoys."})
    limit: float | None = field(
        default=None, metadata={"help": "The largest loss a record may suffer; as the rules say."}
    )

    def __post_init__(self) -> None:
        if self.limit is not None:
            require_limit(self.limit)
        if not 0 <= self.replaced <= 1:
            raise ParameterError("replaced", Said("lie in [0, 1]"), self.replaced)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the kept records with decoys among them."""
        deleted = DeleteRandom(share=self.share).apply(data, rng=rng).deleted
        (points,) = self.points(data)
        near = find_partners(points, require_limit(self.limit))
        stays = rng.random(len(data)) >= self.replaced
        order = rng.permutation(len(data))
        order = order[np.argsort(near.counts()[order], kind="stable")]
        source = _choose_decoys(near.offsets, near.rows, order, deleted, stays, rng.random(len(near.rows)))
        decoys = int((source[~deleted] != np.flatnonzero(~deleted)).sum())
        return release_borrowed(data, source, deleted, ReleaseMaker("decoy", self, {"decoys": decoys}))


@njit(cache=True, nogil=True)
def _choose_decoys(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int32],
    order: NDArray[np.int64],
    deleted: NDArray[np.bool_],
    stays: NDArray[np.bool_],
    wanted: NDArray[np.float64],
) -> NDArray[np.int64]:
    source, used = np.arange(len(order)), np.zeros(len(order), dtype=np.bool_)
    for record in order:
        if deleted[record] or stays[record]:
            continue
        best = -1
        for place in range(offsets[record], offsets[record + 1]):
            partner = rows[place]
            if deleted[partner] and not used[partner] and (best < 0 or wanted[place] > wanted[best]):
                best = place
        if best >= 0:
            source[record] = rows[best]
            used[rows[best]] = True
    return source

"""One method that deletes and one that changes, as one method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.protect import Method
from sekisho.protect.records.record_release import ReleaseMaker, build_record_release
from sekisho.safety.epsilon import EPSILON_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn:
    """Delete what ``delete`` deletes and change what ``change`` changes.

    The change is made on all records, so that values of deleted records may live on in kept rows; team 10 of PWS Cup
    2021 found that only then utility lasts.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    delete: Method
    change: Method

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the changed records without the deleted ones."""
        first, second = rng.spawn(2)
        gone, changed = self.delete.apply(data, rng=first), self.change.apply(data, rng=second)
        # Who is deleted may hang on his values: what the change alone says about one record no longer holds.
        detail = {name: value for name, value in changed.detail.items() if name not in EPSILON_KEYS}
        return build_record_release(
            changed.table, gone.deleted | changed.deleted, ReleaseMaker("in-turn", self, detail)
        )

"""Iloss of the contest of 2021: how far has any record moved?

The largest over the rows that were kept of max(change of each measured column, number of compared columns that
changed); there age and body-mass index are measured.

Source: PWS Cup 2021, rules; FAQ, question 10; program iloss.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import RecordSpace, take_kept
from sekisho.data.shape import Shape
from sekisho.parameters import checked
from sekisho.utility.score import Score


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RecordLoss(RecordSpace):
    """The largest move of a record."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return Iloss.

        The detail holds the largest change of each measured column and of the number of changed others.
        """
        before, after = self.points(original, take_kept(released))
        left = before.take(~released.deleted)
        steps = np.abs(left.numbers - after.numbers).max(axis=0, initial=0) / before.unit
        changed = int((left.labels != after.labels).sum(axis=1).max(initial=0))
        detail = dict(zip(self.settle_columns(original.schema).measured, steps.tolist(), strict=True)) | {
            "changed": float(changed)
        }
        return Score(value=max(detail.values()), detail=detail)

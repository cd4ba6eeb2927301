"""DM, the discernibility metric: how many other records can a record not be told apart from?

    DM = sum over classes of (records of the class)^2 + (records left out) * (records of the original)

A class holds the published records whose keys are written alike. The value is how far DM has moved from the original's
own towards the worst, (DM - DM_original) / (N^2 - DM_original): 0 of an unchanged release, 1 of one in which all
records are alike or left out; below 0 where a method that changes values tells records apart that were alike.

Missing cells: a suppressed cell is a text as any other: it makes records alike, and no record is left out because of
it.

Source: Bayardo, Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005, section 3; the scale is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Discernibility:
    """DM of the classes of the keys, all quasi-identifiers if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keys: tuple[str, ...] = ()

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return DM on its scale; the detail holds DM itself (``dm``), the original's and the worst."""
        require_one_row(original)
        keys = [original.schema[name].name for name in self.keys or original.schema.with_role(Role.QUASI)]
        if not keys:
            raise ParameterError("keys", Said("be one column or more"), keys)
        whole = len(original)
        left_out = int(np.count_nonzero(released.deleted))
        dm = sum_squares(publish_values(released).frame, keys) + left_out * whole
        own, worst = sum_squares(original.frame, keys), whole * whole
        value = (dm - own) / (worst - own) if worst > own else 0.0
        return Score(value=value, detail={"dm": float(dm), "original": float(own), "worst": float(worst)})


def sum_squares(frame: pl.DataFrame, keys: list[str]) -> int:
    """Return the sum of the squared sizes of the classes of equal keys."""
    # under names of their own, since polars takes the names * and ^…$ of columns for patterns
    parts = pl.DataFrame([frame[name].alias(f"key {place}") for place, name in enumerate(keys)])
    return sum(size * size for size in parts.group_by(parts.columns).len()["len"].to_list())

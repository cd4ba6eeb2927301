"""U, the utility index of the contest of 2018: the mean over the columns of the column's mean cell error.

Smaller is better. A deleted row counts 1 in every cell. Source: PWS Cup 2018, report, section 2.4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.distance import walk_cell_errors
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.utility.score import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class CellError:
    """U and its columns."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY, Shape.RECORDS})

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return U; the detail holds each column's mean error."""
        columns = {name: float(np.mean(errors)) for name, errors in walk_cell_errors(original, released.table)}
        return Score(value=float(np.mean(list(columns.values()))), detail=columns)

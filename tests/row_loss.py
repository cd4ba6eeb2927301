"""Iloss row by row, written plainly: what methods and the compiled losses are held against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.data.records.space import Points


def row_loss(one: Points, other: Points) -> NDArray[np.int64]:
    """Return Iloss of each row of one against the same row of the other, in steps of the grid."""
    differing = (one.labels != other.labels).sum(axis=1) * one.unit
    return np.maximum(np.abs(one.numbers - other.numbers).max(axis=1, initial=0), differing)

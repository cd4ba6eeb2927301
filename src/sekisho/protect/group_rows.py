"""A history laid out for the compiled kernels of ``groups``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.history import MAX_SET, History


class Rows(NamedTuple):
    """One person's rows after another, one line of memory per attribute; a named tuple, because kernels take those.

    Attributes:
        starts: where each person's rows start, and the end.
        scaled: the numbers above their column's smallest, divided by its standard deviation; one line per column.
        grains: one grid step of each number on that scale.
        tops: the largest of each number on that scale.
        codes: the categories; one line per column.
        max_set: how many values a set may hold.
    """

    starts: NDArray[np.int64]
    scaled: NDArray[np.float64]
    grains: NDArray[np.float64]
    tops: NDArray[np.float64]
    codes: NDArray[np.int32]
    max_set: int


def laid_out(history: History, *, max_set: int = MAX_SET) -> Rows:
    """Lay out a history; a column of one value keeps scale 0 and costs nothing."""
    numbers = history.numbers[history.order]
    steps = (numbers - numbers.min(axis=0)).astype(np.float64)
    spread = history.deviations
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    scaled = np.ascontiguousarray((steps * scale).T)
    return Rows(
        starts=history.starts,
        scaled=scaled,
        grains=np.where(spread > 0, scale, 1.0),
        tops=scaled.max(axis=1),
        codes=np.ascontiguousarray(history.codes[history.order].T),
        max_set=max_set,
    )

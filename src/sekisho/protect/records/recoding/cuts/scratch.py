"""The room that the search for cuts works in, made once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.protect.records.recoding.cuts.value_sums import Sums, make_sums
from sekisho.protect.records.recoding.key_space import KeySpace


class Scratch(NamedTuple):
    """Room to work in, made once."""

    order: NDArray[np.int64]
    best_order: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    good_left: NDArray[np.bool_]
    good_right: NDArray[np.bool_]
    bucket: NDArray[np.int64]
    rank: NDArray[np.int64]
    often: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    loss: NDArray[np.float64]
    seen: NDArray[np.int64]
    stamp: NDArray[np.int64]
    histogram: NDArray[np.int64]
    record: NDArray[np.int64]
    copies: NDArray[np.int64]
    varying: NDArray[np.int64]
    sums: Sums


@njit(cache=True, nogil=True)
def make_scratch(space: KeySpace, rule: ClassRule, capacity: int) -> Scratch:
    """Return room for so many pieces."""
    columns = len(space.kinds)
    widest = 0
    for column in range(columns):
        widest = max(widest, space.starts[column + 1] - space.starts[column])
    return Scratch(
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity, np.bool_),
        np.empty(capacity, np.bool_),
        np.empty(widest + 2, np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(widest + 1, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns),
        np.zeros(space.marked[0] + 1, np.int64),
        np.zeros(1, np.int64),
        np.empty(len(rule.shares), np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(columns, np.int64),
        make_sums(space, rule, widest),
    )

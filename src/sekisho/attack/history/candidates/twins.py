"""Pseudonyms whose published rows are the same, as multisets: nothing in the release distinguishes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.candidates.chunks import cut_by_length
from sekisho.attack.history.histories import PseudonymRows, PublishedHistories, number_rows

ROWS = 500_000
"""So many rows are numbered at once; pseudonyms of one length, among which twins are, stay together."""


def number_twins(rows: PseudonymRows, most: int = ROWS) -> NDArray[np.int64]:
    """Return a class number per pseudonym, equal exactly where two publish the same rows the same number of times.

    Classes are numbered in the order in which the pseudonyms first show them.
    """
    lengths = rows.lengths()
    classes, fresh = np.zeros(len(lengths), np.int64), 0
    for people in cut_by_length(lengths, most, together=True):
        classes[people] = fresh + number_alike(rows.take(people))
        fresh = int(classes[people].max()) + 1
    _, first, twin = np.unique(classes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[twin]


def number_alike(rows: PublishedHistories) -> NDArray[np.int64]:
    """Return a number per pseudonym, equal exactly where two publish the same rows the same number of times.

    A number per cell, then per row, then per pseudonym over its sorted rows; no hashing, so equal numbers mean equal
    rows.
    """
    sets = [
        number_runs(rows.starts[:, column], rows.ends[:, column], rows.values) for column in range(rows.starts.shape[1])
    ]
    row = number_rows(np.zeros(len(rows.lower), np.int64), *rows.lower.T, *rows.upper.T, *sets)
    order = np.lexsort((row, rows.owners()))
    return number_runs(rows.offsets[:-1], rows.offsets[1:], row[order])


def number_runs(starts: NDArray[np.int64], ends: NDArray[np.int64], values: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return a number per run ``values[start:end]``, equal exactly where the runs are equal; the empty run is 0.

    Runs are compared position by position: those that share a prefix share a number until they differ or end.
    """
    ids = np.zeros(len(starts), np.int64)
    base = int(values.min(initial=0))
    space = int(values.max(initial=0)) - base + 1
    fresh, depth = 1, 0
    active = np.flatnonzero(ends > starts)
    while len(active):
        prefix, place = np.unique(ids[active] * space + values[starts[active] + depth] - base, return_inverse=True)
        ids[active] = fresh + place
        fresh, depth = fresh + len(prefix), depth + 1
        active = active[ends[active] - starts[active] > depth]
    return ids

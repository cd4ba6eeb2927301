"""Regions: a large table cut along one axis, so that each part is small enough for its own linear program.

A region holds some leaves of the longest axis, neighbours in its tree, and every code above them. Regions may share the
codes above.
"""

from __future__ import annotations

import numpy as np

from sekisho.tables.model.axes import Axes, Ints
from sekisho.tables.model.table import Mask


def regions(axes: Axes, hidden: Mask, most: int) -> list[Mask]:
    """Return masks of cells that together hold every hidden one, with about so many hidden cells each at most."""
    if int(hidden.sum()) <= most:
        return [np.ones(len(hidden), dtype=np.bool_)]
    axis = int(np.argmax([spread.shape[1] for spread in axes.spread]))
    spread, codes = axes.spread[axis], axes.codes[:, axis]
    inner = np.flatnonzero(spread.sum(axis=1) > 1)
    inner = inner[np.argsort(-spread[inner].sum(axis=1), kind="stable")]
    order = np.lexsort(spread[inner][::-1]) if inner.size else np.arange(spread.shape[1])
    counts = np.bincount(codes[hidden], minlength=len(spread)) @ (spread * (spread.sum(axis=1) == 1)[:, None])
    label = _labels(counts[order], np.any(np.diff(spread[inner][:, order], axis=1) != 0, axis=0), most)
    return [np.any(spread[:, order[label == at]], axis=1)[codes] for at in range(int(label[-1]) + 1)]


def _labels(counts: Ints, turns: Mask, most: int) -> Ints:
    """Return each leaf's region.

    A new one begins where the last would be too large, or is half full and a new family begins.
    """
    label = np.zeros(len(counts), dtype=np.int64)
    size = int(counts[0])
    for at in range(1, len(counts)):
        full = size + counts[at] > most or (turns[at - 1] and size > most // 2)
        label[at] = label[at - 1] + full
        size = int(counts[at]) + (0 if full else size)
    return label

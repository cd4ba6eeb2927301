"""The key space of some of the records: only values that occur have codes, what they cost stays as in the whole file.

Sorting and walking over the values of a column takes as long as there are values; of a part there are fewer. The codes
of a tree stay as they are, since its labels speak of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.records.recoding.key_space import SET, TREE, KeySpace


class LocalSpace(NamedTuple):
    """A key space, codes in it, and the code of the whole file that each of its codes is, by column."""

    space: KeySpace
    codes: NDArray[np.int32]
    values: tuple[NDArray[np.int32], ...]


def shrink_space(space: KeySpace, codes: NDArray[np.int32]) -> LocalSpace:
    """Return the space of the values that occur in some records by columns."""
    columns = len(space.kinds)
    widths = np.diff(space.starts)
    values = [_list_values(codes[:, column], int(widths[column])) for column in range(columns)]
    for column in np.flatnonzero(space.kinds == TREE).tolist():
        values[column] = np.arange(widths[column], dtype=np.int32)
    local = np.empty_like(codes)
    for column, present in enumerate(values):
        place = np.zeros(int(widths[column]), dtype=np.int32)
        place[present] = np.arange(len(present), dtype=np.int32)
        local[:, column] = place[codes[:, column]]
    chosen = np.concatenate([present + space.starts[column] for column, present in enumerate(values)])
    counts = np.array([len(present) for present in values], dtype=np.int64)
    sets, trees = counts * (space.kinds == SET), counts * (space.kinds == TREE)
    marks = np.where(space.kinds == TREE, sets.sum() + np.cumsum(trees) - trees, np.cumsum(sets) - sets)
    smaller = space._replace(
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        place=space.place[chosen],
        leaf=space.leaf[chosen],
        marks=marks.astype(np.int64),
        marked=np.array([sets.sum(), sets.sum() + trees.sum()], dtype=np.int64),
    )
    return LocalSpace(smaller, local, tuple(values))


def _list_values(codes: NDArray[np.int32], width: int) -> NDArray[np.int32]:
    occurs = np.zeros(width, dtype=np.bool_)
    occurs[codes] = True
    return np.flatnonzero(occurs).astype(np.int32)

"""Key columns as compiled code sees them: whole codes, and what it costs to write several codes as one cell.

The loss of a cell is its normalised certainty penalty (NCP): of a number (high - low) / range, of a set of s of d
values (s - 1) / (d - 1), of a label of a tree (leaves under it - 1) / (leaves - 1). A missing number is the first code
of its column, a whole range below the others: alone it loses nothing, together with numbers the cell is suppressed and
loses 1. Codes stand in an order in which
the cell of a number or of a tree is told by the least and the largest code alone: numbers ascend, the leaves of a tree
stand as a walk through it meets them, so that the least label above some leaves is the least above the first and the
last of them.

Source: Xu, Wang, Pei, Wang, Shi, Fu, "Utility-based anonymization using local recoding", KDD 2006, section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit

RANGE, SET, TREE = 0, 1, 2


class CellKind(IntEnum):
    """How the values of a class are written: as a range, as a set, or as a label of a tree."""

    RANGE = RANGE
    SET = SET
    TREE = TREE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeyNodes:
    """The labels of a tree, children before parents or not, in any order.

    Attributes:
        parent: the label above each; -1 for the root.
        first: the first leaf under each, as a code.
        last: the last.
        cost: the loss of each.
        leaf: the label of each code.
        begin: the step at which each begins, for those who ask.
    """

    parent: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    cost: NDArray[np.float64]
    leaf: NDArray[np.int64]
    begin: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def no_nodes() -> KeyNodes:
    """Return the labels of a column without a tree."""
    none = np.zeros(0, dtype=np.int64)
    return KeyNodes(parent=none, first=none, last=none, cost=np.zeros(0), leaf=none)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeyCodes:
    """One key column: a code for each record, and what its codes cost.

    Attributes:
        values: how many codes there are.
        place: of numbers, where each code lies between the least (0) and the largest (1); of a missing one -1.
    """

    name: str
    kind: CellKind
    codes: NDArray[np.int32]
    values: int
    place: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    nodes: KeyNodes = field(default_factory=no_nodes)


class KeySpace(NamedTuple):
    """All key columns, one behind the other.

    Attributes:
        kinds: of the columns.
        starts: where each column's codes begin in ``place`` and ``leaf``.
        place: of numbers, between 0 and 1; of a missing one -1.
        unit: of sets, the loss that one more value adds.
        leaf: of trees, the label of each code.
        parent: of each label; -1 above a root.
        first: the first code under each label.
        last: the last.
        cost: the loss of each label.
        marks: where the codes of each column begin among those of sets and trees; sets come first.
        marked: how many codes sets have, and how many sets and trees have together.
        step: the least loss that a value outside a cell adds to it; 0 of numbers.
    """

    kinds: NDArray[np.int8]
    starts: NDArray[np.int64]
    place: NDArray[np.float64]
    unit: NDArray[np.float64]
    leaf: NDArray[np.int64]
    parent: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    cost: NDArray[np.float64]
    marks: NDArray[np.int64]
    marked: NDArray[np.int64]
    step: NDArray[np.float64]


class Records(NamedTuple):
    """Distinct records, each with how often it occurs; with a sensitive column, distinct in that as well.

    Attributes:
        codes: records by key columns.
        copies: how often each occurs.
        sensitive: the code of each one's sensitive value; all 0 where no rule asks for it.
    """

    codes: NDArray[np.int32]
    copies: NDArray[np.int64]
    sensitive: NDArray[np.int32]


def join_columns(columns: Sequence[KeyCodes]) -> KeySpace:
    """Return the space of some key columns."""
    width = [column.values for column in columns]
    starts = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
    leaf, parent, below = np.zeros(starts[-1], dtype=np.int64), list[NDArray[np.int64]](), 0
    place = np.zeros(starts[-1])
    for column, start in zip(columns, starts[:-1].tolist(), strict=True):
        if column.kind is CellKind.RANGE:
            place[start : start + column.values] = column.place
        if column.kind is CellKind.TREE:
            leaf[start : start + column.values] = column.nodes.leaf + below
            parent.append(np.where(column.nodes.parent < 0, -1, column.nodes.parent + below))
            below += len(column.nodes.parent)
    sets = [column.values if column.kind is CellKind.SET else 0 for column in columns]
    trees = [column.values if column.kind is CellKind.TREE else 0 for column in columns]
    first = sum(sets)
    tree_start = first + np.concatenate([[0], np.cumsum(trees)])[:-1]
    set_start = np.concatenate([[0], np.cumsum(sets)])[:-1]
    is_tree = np.array([column.kind is CellKind.TREE for column in columns])
    return KeySpace(
        kinds=np.array([column.kind for column in columns], dtype=np.int8),
        starts=starts,
        place=place,
        unit=np.array([1.0 / max(1, column.values - 1) for column in columns]),
        leaf=leaf,
        parent=np.concatenate([np.zeros(0, dtype=np.int64), *parent]),
        first=np.concatenate([np.zeros(0, dtype=np.int64), *(column.nodes.first for column in columns)]),
        last=np.concatenate([np.zeros(0, dtype=np.int64), *(column.nodes.last for column in columns)]),
        cost=np.concatenate([np.zeros(0), *(column.nodes.cost for column in columns)]),
        marks=np.where(is_tree, tree_start, set_start).astype(np.int64),
        marked=np.array([first, first + sum(trees)], dtype=np.int64),
        step=np.array([_find_step(column) for column in columns]),
    )


def _find_step(column: KeyCodes) -> float:
    """Return the least loss that a value outside a cell adds to it."""
    if column.kind is CellKind.RANGE or column.values < 2:
        return 0.0
    if column.kind is CellKind.SET:
        return 1.0 / (column.values - 1)
    below = column.nodes.parent >= 0
    steps = column.nodes.cost[column.nodes.parent[below]] - column.nodes.cost[below]
    return float(steps[steps > 0].min(initial=1.0))


@njit(cache=True, nogil=True)
def find_label(space: KeySpace, column: int, low: int, high: int) -> int:
    """Return the least label above the leaves from low to high."""
    label = int(space.leaf[space.starts[column] + low])
    while space.last[label] < high:
        label = int(space.parent[label])
    return label


@njit(cache=True, nogil=True)
def measure_span(space: KeySpace, column: int, low: int, high: int) -> float:
    """Return the loss of a cell of a number or a tree that covers the codes from low to high."""
    if low == high:
        return 0.0
    if space.kinds[column] == RANGE:
        start = space.starts[column]
        return min(1.0, float(space.place[start + high] - space.place[start + low]))
    return float(space.cost[find_label(space, column, low, high)])

"""The leaves of a tree in the order in which a walk through it meets them.

In that order the leaves under a label stand side by side, so that the least label above some leaves is the least above
the first and the last of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.data.trees.hierarchy import Tree


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeafOrder:
    """A tree by its leaves; labels are positions in the tree's codes.

    Attributes:
        leaf: the label of each leaf, in the order of the walk.
        parent: the label above each label; -1 above the root.
        first: the first leaf under each label, as a place in the walk.
        last: the last.
        begin: the step at which each label begins.
    """

    leaf: NDArray[np.int64]
    parent: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    begin: NDArray[np.int64]

    def share(self) -> NDArray[np.float64]:
        """Return of each label (leaves under it - 1) / (leaves - 1): 0 of a leaf, 1 of the root."""
        return (self.last - self.first) / max(1, len(self.leaf) - 1)

    def find_labels(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the least label above the leaves from low to high, row by row."""
        label = self.leaf[low]
        while bool((short := self.last[label] < high).any()):
            label = np.where(short, self.parent[label], label)
        return label


def order_leaves(tree: Tree) -> LeafOrder:
    """Walk through a tree, children in their order."""
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(tree.parents):
        children.setdefault(parent, []).append(place)
    order: list[int] = []
    first, last = np.zeros(len(tree.codes), dtype=np.int64), np.zeros(len(tree.codes), dtype=np.int64)
    waiting: list[tuple[int, bool]] = [(0, False)]
    while waiting:
        label, closed = waiting.pop()
        if closed:
            last[label] = len(order) - 1
            continue
        first[label] = len(order)
        waiting.append((label, True))
        if label in children:
            waiting += [(child, False) for child in reversed(children[label])]
        else:
            order.append(label)
    return LeafOrder(
        leaf=np.array(order, dtype=np.int64),
        parent=np.array(tree.parents, dtype=np.int64),
        first=first,
        last=last,
        begin=np.array(tree.steps, dtype=np.int64),
    )


def climb_steps(
    leaf: NDArray[np.int64], parent: NDArray[np.int64], begin: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Return the label of each leaf at every step, from the leaves themselves up to the root.

    Step j has the highest label above a leaf that begins at j or before; the last step is the root's.

    Args:
        leaf: labels of leaves.
        parent: the label above each label; -1 above the root.
        begin: the step at which each label begins.
    """
    steps = [leaf]
    for step in range(1, int(begin.max(initial=0)) + 1):
        above = parent[steps[-1]]
        steps.append(np.where((above >= 0) & (begin[above] <= step), above, steps[-1]))
    return steps

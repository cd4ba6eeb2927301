"""Ever coarser ways to write a key: the levels of its tree, or levels of our own where it has none.

Level 0 writes every value as it is. Under a tree of depth D level j writes the label that stands D - j steps below the
root, or the value itself where it stands higher; the last level is the root. Without a tree a category is written as it
is or as ``*``; a number as it is, in ranges whose width doubles from a 32nd of the file's span on, or as ``*``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.protect.records.recoding.key_columns import KeyColumn
from sekisho.protect.records.recoding.key_space import CellKind, KeyNodes
from sekisho.protect.records.recoding.recoded import cover_values, find_extremes

FINEST = 32
"""Into at most so many ranges a number without a tree is put first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """One way to write a key.

    Attributes:
        group: what each code is written as, numbered from 0.
        cost: the certainty penalty of each code's cell.
        cells: what each group admits.
        labels: what each group is called; None where its cell is written as it is.
    """

    group: NDArray[np.int64]
    cost: NDArray[np.float64]
    cells: Cells
    labels: pl.Series | None


def build_ladder(data: Dataset, key: KeyColumn) -> tuple[Level, ...]:
    """Return the levels of a key, the finest first."""
    if key.codes.kind is CellKind.TREE:
        return _climb_tree(data, key)
    codes = np.arange(key.codes.values)
    if key.codes.kind is CellKind.RANGE:
        exact: Cells = RangeCells.exact(key.grid)
        levels = [Level(group=codes, cost=np.zeros(len(codes)), cells=exact, labels=None), *_widen_ranges(key.grid)]
    else:
        domain = data.domain(key.column.name)
        exact = SetCells.exact(codes.astype(np.int32), domain)
        names = pl.Series(key.column.name, domain, dtype=pl.String)
        levels = [Level(group=codes, cost=np.zeros(len(codes)), cells=exact, labels=names)]
    if len(codes) > 1:
        hidden = exact.take(np.zeros(1, dtype=np.intp)).suppress(np.ones(1, dtype=np.bool_))
        mark = pl.Series(key.column.name, ["*"], dtype=pl.String)
        levels.append(Level(group=np.zeros_like(codes), cost=np.ones(len(codes)), cells=hidden, labels=mark))
    return tuple(levels)


def _widen_ranges(grid: NDArray[np.int64]) -> list[Level]:
    """Return ranges of ever doubled width, whose borders are multiples of it."""
    if len(grid) < 2:
        return []
    least, most = int(grid[0]), int(grid[-1])
    span, levels = most - least, list[Level]()
    width = max(2, -(-span // FINEST))
    while width <= span:
        group = np.unique(grid // width, return_inverse=True)[1].astype(np.int64)
        start = np.unique(grid // width) * width
        cells = RangeCells(
            lower=np.maximum(start, least),
            upper=np.minimum(start + width - 1, most),
            suppressed=np.zeros(len(start), dtype=np.bool_),
        )
        cost = ((cells.upper - cells.lower) / span)[group]
        if 0 < group[-1] < len(grid) - 1:
            levels.append(Level(group=group, cost=cost, cells=cells, labels=None))
        width *= 2
    return levels


def _climb_tree(data: Dataset, key: KeyColumn) -> tuple[Level, ...]:
    nodes, name = key.codes.nodes, key.column.name
    depth = _measure_depths(nodes)
    label, levels = nodes.leaf, list[Level]()
    for deepest in range(int(depth[nodes.leaf].max(initial=0)), -1, -1):
        label = np.where(depth[label] > deepest, nodes.parent[label], label)
        chosen, group = np.unique(label, return_inverse=True)
        first, last = nodes.first[chosen], nodes.last[chosen]
        if key.column.kind.numeric:
            least, most = find_extremes(key.grid, first, last)
            cells: Cells = RangeCells(lower=least, upper=most, suppressed=np.zeros(len(least), dtype=np.bool_))
        else:
            cells = cover_values(key.domain, first, last, data.domain(name))
        levels.append(
            Level(
                group=group.reshape(-1).astype(np.int64),
                cost=nodes.cost[label],
                cells=cells,
                labels=pl.Series(name, key.labels, dtype=pl.String).gather(chosen),
            )
        )
    return tuple(levels)


def _measure_depths(nodes: KeyNodes) -> NDArray[np.int64]:
    """Return how many steps each label stands below the root."""
    depth, above = np.zeros(len(nodes.parent), dtype=np.int64), nodes.parent.copy()
    while bool((above >= 0).any()):
        depth += above >= 0
        above = np.where(above >= 0, nodes.parent[above], -1)
    return depth

"""NCP, the normalised certainty penalty: how much of a column's values does a generalised cell leave open?

Of a number (high - low) / (largest - least of the original); of a set of s of the original's d values (s - 1) / (d -
1); of a column with a tree (leaves under the least label above the cell - 1) / (leaves of the tree - 1), whether or not
the leaves occur in the data; 0 of an exact value and 1 of a suppressed cell or a deleted record. The NCP of a release
is the mean over all cells of the key columns.

A missing cell is an exact value, which costs 0 while it stays missing; in a tree it is a leaf right below the root.

Source: Xu, Wang, Pei, Wang, Shi, Fu, "Utility-based anonymization using local recoding", KDD 2006, section 3.2, all
weights 1; divided there by the number of leaves, here so that one value costs 0 (as sets do).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT, Cells, RangeCells, SetCells, drop_gaps
from sekisho.data.frame.dataset import Column, Dataset, Role
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.leaf_order import LeafOrder, order_leaves
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CertaintyPenalty:
    """The mean certainty penalty of the cells of the keys, all quasi-identifiers if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keys: tuple[str, ...] = ()
    tree: Mapping[str, Path | Tree] = field(default_factory=dict[str, Path | Tree])

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the NCP; the detail holds that of each key.

        Raises:
            ParameterError: a column is unknown, or a value of the data is no leaf of its tree.
        """
        require_one_row(original)
        keys = self.keys or original.schema.with_role(Role.QUASI)
        if not keys:
            raise ParameterError("keys", Said("be one column or more"), keys)
        columns, cells = [original.schema[name] for name in keys], released.table.columns
        detail = {
            column.name: float(self.measure_cells(original, column, cells[column.name]).mean())
            if len(original)
            else 0.0
            for column in columns
        }
        return Score(value=sum(detail.values()) / len(keys), detail=detail)

    def measure_cells(self, original: Dataset, column: Column, cells: Cells) -> NDArray[np.float64]:
        """Return the penalty of each cell of a column, beside the values that it has in the original."""
        tree = self.tree.get(column.name)
        if tree is not None:
            whole = tree if isinstance(tree, Tree) else read_tree(Path(tree))
            whole = whole.with_leaf(MISSING_TEXT) if original.count_gaps(column.name) else whole
            return measure_labels(column, cells, whole)
        if isinstance(cells, RangeCells):
            grid = drop_gaps(original.grid(column.name))
            width = float(grid.max() - grid.min()) if len(grid) else 0.0
            loss = (cells.upper - cells.lower) / width if width else np.zeros(len(cells))
        else:
            loss = (cells.sizes() - 1) / max(1, len(cells.domain) - 1)
        return np.where(cells.suppressed, 1.0, loss)


def measure_labels(column: Column, cells: RangeCells | SetCells, tree: Tree) -> NDArray[np.float64]:
    """Return the penalty of cells under a tree: that of the least label above what each admits."""
    order = order_leaves(tree)
    leaves = pl.Series([tree.codes[label] for label in order.leaf], dtype=pl.String)
    low, high = _find_leaves(column, cells, leaves)
    return np.where(cells.suppressed, 1.0, order.share()[_find_labels(order, low, high, cells.suppressed)])


def _find_labels(
    order: LeafOrder, low: NDArray[np.int64], high: NDArray[np.int64], suppressed: NDArray[np.bool_]
) -> NDArray[np.int64]:
    return order.find_labels(np.where(suppressed, 0, low), np.where(suppressed, 0, high))


def _find_leaves(
    column: Column, cells: RangeCells | SetCells, leaves: pl.Series
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last leaf, in the order of the walk, that each cell admits."""
    if isinstance(cells, SetCells):
        at = {leaf: place for place, leaf in enumerate(leaves)}
        missing = [value for value in cells.domain if value not in at]
        if missing:
            raise ParameterError(
                Said("tree of {name}", name=column.name), Said("have every value of the data as a leaf"), missing
            )
        codes = np.array([at[value] for value in cells.domain], dtype=np.int64)[cells.codes]
        low, high = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.int64)
        told = ~cells.suppressed
        if told.any():
            starts = cells.offsets[:-1][told]
            low[told], high[told] = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        return low, high
    grid, written = OrdinaryWriting().read(leaves, column.kind, column.decimals)
    gaps = (leaves == MISSING_TEXT).to_numpy()
    grid, written = np.where(gaps, MISSING_NUMBER, grid), written | gaps
    low, high = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.int64)
    ends, which = np.unique(np.stack([cells.lower, cells.upper], axis=1), axis=0, return_inverse=True)
    for place, (lower, upper) in enumerate(ends.tolist()):
        inside = np.flatnonzero(written & (grid >= lower) & (grid <= upper))
        rows = which.reshape(-1) == place
        if not len(inside) and not cells.suppressed[rows].all():
            raise ParameterError(
                Said("tree of {name}", name=column.name), Said("have a leaf in every range"), (lower, upper)
            )
        low[rows], high[rows] = inside.min(initial=len(grid)), inside.max(initial=0)
    return low, high

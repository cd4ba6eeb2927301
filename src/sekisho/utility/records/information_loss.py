"""NCP, the normalised certainty penalty: how much of a column's values does a generalised cell leave open?

Of a number (high - low) / (largest - least of the original); of a set of s of the original's d values (s - 1) / (d -
1); of a column with a tree (leaves under the least label above the cell - 1) / (leaves of the tree - 1), whether or not
the leaves occur in the data; 0 of an exact value and 1 of a suppressed cell or a deleted record. The NCP of a release
is the mean over all cells of the key columns.

A missing cell is an exact value, which costs 0 while it stays missing; in a tree it is a leaf right below the root.

Source: Xu, Wang, Pei, Wang, Shi, Fu, "Utility-based anonymization using local recoding", KDD 2006, section 3.2, all
weights 1; divided there by the number of leaves, here so that one value costs 0 (as sets do).

Non-uniform entropy: how many bits must be guessed to get the values back from the cells?

Of a cell S that stands for the value x of a record, with n(x) the records of the original that have the value x in the
column and n(S) those whose value S admits:

    loss = -log2(n(x) / n(S))

0 of an exact cell; of a suppressed cell, of a deleted record and of a cell that does not admit x (a changed value tells
nothing that can be relied on) it is -log2(n(x) / N). The value of a column, and of the release, is the sum of the
losses over the sum that suppressing everything would cost: 0 to 1. A frequent value hidden among rare ones costs
little, which sets the measure apart from NCP.

With ``expected`` the truth is not looked at, so that the rows may stand in any order: a cell costs the mean of its loss
over the records it admits, the entropy of the original's values within S. In global recoding both sums are equal.

Missing cells: missing is a value as any other, which a release either still tells or not.

Source: Gionis, Tassa, "k-Anonymization with minimal loss of information", TKDE 21 (2009), definition 2.5; de Waal,
Willenborg, "Information loss through global recoding and local suppression", Netherlands Official Statistics 14 (1999),
for the expected form; the scale is ours.

DM, the discernibility metric: how many other records can a record not be told apart from?

    DM = sum over classes of (records of the class)^2 + (records left out) * (records of the original)

A class holds the published records whose keys are written alike. The value is how far DM has moved from the original's
own towards the worst, (DM - DM_original) / (N^2 - DM_original): 0 of an unchanged release, 1 of one in which all
records are alike or left out; below 0 where a method that changes values tells records apart that were alike. DM of a
synthetic file of M rows is taken times (N/M)^2.

Missing cells: a suppressed cell is a text as any other: it makes records alike, and no record is left out because of
it.

Source: Bayardo, Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005, section 3; the scale is ours.
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
from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT, Cells, RangeCells, SetCells, drop_gaps
from sekisho.data.frame.dataset import Column, Dataset, Role
from sekisho.data.frame.release import Release, SyntheticRelease
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


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class EntropyLoss:
    """The share of the bits of the keys that is lost, all quasi-identifiers if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keys: tuple[str, ...] = ()
    expected: bool = False

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the share lost; the detail holds that of each key."""
        require_one_row(original)
        keys = self.keys or original.schema.with_role(Role.QUASI)
        if not keys:
            raise ParameterError("keys", Said("be one column or more"), keys)
        losses = {original.schema[name].name: self._measure(original, released, name) for name in keys}
        lost, most = (sum(pair[place] for pair in losses.values()) for place in (0, 1))
        detail = {name: loss / whole if whole else 0.0 for name, (loss, whole) in losses.items()}
        return Score(value=lost / most if most else 0.0, detail=detail)

    def _measure(self, original: Dataset, released: Release, name: str) -> tuple[float, float]:
        """Return the bits lost in a column, and those that suppressing all of it would cost."""
        cells = released.table.columns[name]
        if isinstance(cells, RangeCells):
            values, place = np.unique(original.grid(name), return_inverse=True)
            found = _Column(counts=np.bincount(place), place=place.reshape(-1))
            first = np.searchsorted(values, cells.lower)
            sums, hidden = found.sum_ranges(first, np.searchsorted(values, cells.upper, side="right"))
        else:
            found = _Column(counts=np.bincount(original.codes(name)), place=original.codes(name).astype(np.int64))
            sums, hidden = found.sum_sets(cells, original.domain(name))
        bits = found.bits()
        if self.expected:
            whole = found.entropy()
            mean = np.divide(hidden, sums, out=np.zeros_like(hidden), where=sums > 0)
            loss = np.where(cells.suppressed, whole, _log2(sums) - mean)
            return float(np.maximum(loss, 0.0).sum()), whole * len(cells)
        own = _log2(found.counts.astype(np.float64))[found.place]
        admitted = _admits(original, cells, name) & ~cells.suppressed
        return float(np.where(admitted, _log2(sums) - own, bits).sum()), float(bits.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Column:
    """A column of the original: how often each distinct value stands there, and which each record has."""

    counts: NDArray[np.int64]
    place: NDArray[np.int64]

    def bits(self) -> Floats:
        """Return for each record the bits that its value tells."""
        return np.log2(len(self.place)) - _log2(self.counts.astype(np.float64))[self.place]

    def entropy(self) -> float:
        """Return the mean of the bits."""
        return float(self.bits().mean()) if len(self.place) else 0.0

    def weigh(self) -> tuple[Floats, Floats]:
        """Return of each value n, and n log2 n."""
        counts = self.counts.astype(np.float64)
        return counts, counts * _log2(counts)

    def sum_ranges(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the sums of both over the values of each range."""
        sums = [np.concatenate([[0.0], np.cumsum(part)]) for part in self.weigh()]
        one, two = (part[np.maximum(last, first)] - part[first] for part in sums)
        return one, two

    def sum_sets(self, cells: SetCells, domain: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Return the sums of both over the values of each set."""
        at = {value: place for place, value in enumerate(domain)}
        places = np.array([at.get(value, len(domain)) for value in cells.domain], dtype=np.int64)[cells.codes]
        one, two = (
            np.bincount(cells.owners(), weights=np.append(part, 0.0)[places], minlength=len(cells)).astype(np.float64)
            for part in self.weigh()
        )
        return one, two


def _log2(values: Floats) -> Floats:
    return np.log2(np.maximum(values, 1.0))


def _admits(original: Dataset, cells: RangeCells | SetCells, name: str) -> NDArray[np.bool_]:
    if isinstance(cells, RangeCells):
        return cells.admits(original.grid(name))
    at = {value: code for code, value in enumerate(cells.domain)}
    codes = np.array([at.get(value, -1) for value in original.domain(name)], dtype=np.int32)
    return cells.admits(codes[original.codes(name)])


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Discernibility:
    """DM of the classes of the keys, all quasi-identifiers if none is named."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keys: tuple[str, ...] = ()

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return DM on its scale; the detail holds DM itself (``dm``), the original's and the worst."""
        require_one_row(original)
        keys = [original.schema[name].name for name in self.keys or original.schema.with_role(Role.QUASI)]
        if not keys:
            raise ParameterError("keys", Said("be one column or more"), keys)
        whole = len(original)
        left_out = int(np.count_nonzero(released.deleted))
        dm = sum_squares(publish_values(released).frame, keys) + left_out * whole
        if isinstance(released, SyntheticRelease):  # as if it had as many rows as the original
            dm = round(dm * (whole / max(1, len(released.deleted))) ** 2)
        own, worst = sum_squares(original.frame, keys), whole * whole
        value = (dm - own) / (worst - own) if worst > own else 0.0
        return Score(value=value, detail={"dm": float(dm), "original": float(own), "worst": float(worst)})


def sum_squares(frame: pl.DataFrame, keys: list[str]) -> int:
    """Return the sum of the squared sizes of the classes of equal keys."""
    # under names of their own, since polars takes the names * and ^…$ of columns for patterns
    parts = pl.DataFrame([frame[name].alias(f"key {place}") for place, name in enumerate(keys)])
    sizes = parts.group_by(parts.columns).len()["len"].to_numpy().astype(np.int64)
    return int((sizes * sizes).sum())

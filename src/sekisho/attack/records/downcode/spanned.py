"""Cells of local recoding are tight: both ends of a range, every value of a set, two children of a label occur.

Who attacks: one who knows the rule of the method (``rule``; no optimum is needed). What he does not know of how classes
were chosen is not used: the search ends by effort and breaks ties by a seed.

- Who knows nobody else (``one``): a range of m values over a class of s has both ends. Of s = 2 each cell holds an end;
  of s = 3 or more every value stays possible, the ends are likelier: (m^(s-1) - (m-1)^(s-1)) / (m^s - 2(m-1)^s +
  (m-2)^s) over uniform originals. Of a set nothing is narrowed. A label whose class lies in two or more of its
  children: a leaf of a child of c of the label's n leaves has (n^(s-1) - c^(s-1)) / (n^s - sum of c^s over its
  children).
- Who knows every other record (``others``): whoever alone holds an end or a listed value is known. Where all others of
  a class lie in one child of its label, he does not: his cell is narrowed to the label's other leaves.

A class is what is written alike; the adversary who knows the others also knows which class the person is in.

Source: the attack is ours; of the same kind: Cohen, "Attacks on deidentification's defenses", USENIX Security 2022.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.downcode.answer import Downcoded, KeyCells, Knows, Roster
from sekisho.data.frame.cells import Cells, RangeCells, SetCells, number_cells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.leaf_order import LeafOrder, order_leaves
from sekisho.data.trees.tree_column import TreeColumn

MOST_BITS = 1 << 17
"""Powers of more bits are not worked out exactly."""
FREE = -1
"""The part of a record without which the cell would be written the same."""


class SpannedKind(StrEnum):
    """What must occur in a class for its cell: the ends of a range, the values of a set, two children of a label."""

    RANGE = "range"
    SET = "set"
    LABEL = "label"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpannedKey:
    """The cells of one key.

    Attributes:
        name: of the key.
        kind: what must occur.
        wide: which cells admit more than one value and are tight.
        values: how many values each cell admits.
        part: of each record what it has of what must occur, a number; -1 if none. None where nobody knows.
        leaves: of labels, how many leaves lie in the part of each record.
        children: of labels, by row of ``shapes`` the leaves in each child; which row each cell has is ``shape``.
    """

    name: str
    kind: SpannedKind
    wide: NDArray[np.bool_]
    values: NDArray[np.int64]
    part: NDArray[np.int64] | None = None
    leaves: NDArray[np.int64] | None = None
    shape: NDArray[np.int64] | None = None
    children: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpannedCells:
    """A release by local recoding: its keys, and the class of each record."""

    keys: tuple[SpannedKey, ...]
    classes: NDArray[np.int64]


def read_spanned_cells(
    table: MaskedTable,
    known: Dataset,
    keys: Sequence[str],
    trees: Mapping[str, Tree],
    rows: NDArray[np.int64] | None,
) -> SpannedCells:
    """Return the keys of a release as one reads them who knows what values there are.

    Args:
        table: what is published.
        known: the original, or the values that the release itself names.
        keys: which columns.
        trees: of keys whose cells are labels.
        rows: the row of the original that each published one was; None where nobody knows.
    """
    read: list[SpannedKey] = []
    classes = np.zeros(len(table), dtype=np.int64)
    for name in keys:
        cells = table.columns[name]
        place, first = number_cells(cells)
        classes = np.unique(classes * len(first) + place, return_inverse=True)[1].reshape(-1).astype(np.int64)
        if name in trees:
            read.append(_read_labels(name, cells, known, trees[name], rows))
        elif isinstance(cells, RangeCells):
            read.append(_read_ranges(name, cells, None if rows is None else known.grid(name)[rows]))
        else:
            read.append(_read_sets(name, cells, None if rows is None else known.codes(name)[rows]))
    return SpannedCells(keys=tuple(read), classes=classes)


def _read_ranges(name: str, cells: RangeCells, true: NDArray[np.int64] | None) -> SpannedKey:
    wide = ~cells.suppressed & (cells.upper > cells.lower)
    part = None
    if true is not None:
        part = np.where(true == cells.lower, 0, np.where(true == cells.upper, 1, FREE))
    return SpannedKey(
        name=name,
        kind=SpannedKind.RANGE,
        wide=wide,
        values=np.where(wide, cells.upper - cells.lower + 1, 1),
        part=part,
    )


def _read_sets(name: str, cells: SetCells, true: NDArray[np.int32] | None) -> SpannedKey:
    values = np.where(cells.suppressed, len(cells.domain), cells.sizes())  # a set of all values is written as a star
    return SpannedKey(
        name=name,
        kind=SpannedKind.SET,
        wide=values > 1,
        values=values,
        part=None if true is None else true.astype(np.int64),
    )


def _read_labels(name: str, cells: Cells, known: Dataset, tree: Tree, rows: NDArray[np.int64] | None) -> SpannedKey:
    order, column = order_leaves(tree), TreeColumn.of(known, name)
    texts = [tree.codes[place] for place in order.leaf]
    found = column.find_leaves(texts).astype(np.int64)  # of each value of the data its leaf
    label = _find_cell_labels(cells, order, column, texts, found)
    wide = order.last[label] > order.first[label]
    distinct, shape = np.unique(label, return_inverse=True)
    children = tuple(
        tuple((order.last[below] - order.first[below] + 1).tolist())
        for below in (np.flatnonzero(order.parent == one) for one in distinct.tolist())
    )
    part = leaves = None
    if rows is not None:
        child = _find_children(order, order.leaf[found[column.codes][rows]], label)
        part, leaves = child, order.last[child] - order.first[child] + 1
    return SpannedKey(
        name=name,
        kind=SpannedKind.LABEL,
        wide=wide,
        values=order.last[label] - order.first[label] + 1,
        part=part,
        leaves=leaves,
        shape=shape.reshape(-1).astype(np.int64),
        children=children,
    )


def _find_cell_labels(
    cells: Cells, order: LeafOrder, column: TreeColumn, texts: Sequence[str], found: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the least label above what each cell admits; of a hidden one the root."""
    root = int(np.flatnonzero(order.parent < 0)[0])
    shown = ~cells.suppressed
    low = high = np.zeros(int(shown.sum()), dtype=np.int64)
    if isinstance(cells, RangeCells):
        grid = column.read_leaves(texts)[0]
        by_value = np.argsort(grid, kind="stable")
        ends = [by_value[np.searchsorted(grid[by_value], end[shown])] for end in (cells.lower, cells.upper)]
        low, high = np.minimum(*ends), np.maximum(*ends)
    else:
        starts = cells.offsets[:-1][shown]
        if len(starts):
            leaf = found[cells.codes]
            low, high = np.minimum.reduceat(leaf, starts), np.maximum.reduceat(leaf, starts)
    label = np.full(len(cells), root, dtype=np.int64)
    label[shown] = order.find_labels(low, high)
    return label


def _find_children(order: LeafOrder, leaf: NDArray[np.int64], label: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the child of each label under which a leaf lies; the label itself where it is the leaf."""
    child = leaf.copy()
    while bool((below := (child != label) & (order.parent[child] != label) & (order.parent[child] >= 0)).any()):
        child = np.where(below, order.parent[child], child)
    return child


def downcode_spanned(cells: SpannedCells, *, roster: Roster) -> Downcoded:
    """Return what the cells of a release by local recoding still can be."""
    sizes = np.bincount(cells.classes)[cells.classes] if len(cells.classes) else np.zeros(0, dtype=np.int64)
    keys: dict[str, KeyCells] = {}
    concerned, touched = np.zeros(len(sizes), dtype=np.bool_), np.zeros(len(sizes), dtype=np.bool_)
    best = by_rule = chance = 0.0
    for key in cells.keys:
        left = _count_left_alone(key, sizes) if roster is Roster.ONE else _count_left_beside(key, cells.classes)
        narrowed, known = key.wide & (left < key.values), key.wide & (left == 1)
        keys[key.name] = KeyCells(cells=int(key.wide.sum()), narrowed=int(narrowed.sum()), known=int(known.sum()))
        concerned |= narrowed
        touched |= key.wide
        chance += float((1.0 / key.values[known]).sum())
        by_rule += float((1.0 / key.values[key.wide]).sum())
        best += _guess_alone(key, sizes) if roster is Roster.ONE else float((1.0 / left[key.wide]).sum())
    wide = sum(each.cells for each in keys.values())
    checked = all(key.part is not None for key in cells.keys)
    claimed = sum(each.known for each in keys.values())
    return Downcoded(
        method="partition",
        knows=Knows.RULE,
        roster=roster,
        keys=keys,
        people=int(concerned.sum()),
        touched=int(touched.sum()),
        hits=claimed if checked else None,  # of a tight cell whose end is missing, the end is the truth
        excluded=0 if checked else None,
        chance=chance,
        guess=best / wide if wide else None,
        guess_rule=by_rule / wide if wide else None,
        certain=True,
    )


def _count_left_alone(key: SpannedKey, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many values each cell can hold for one who knows nobody else: the ends only, in a class of two."""
    pairs = key.wide & (sizes == 2) & (key.kind is SpannedKind.RANGE)
    return np.where(pairs, np.minimum(key.values, 2), key.values)


def _count_left_beside(key: SpannedKey, classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many values each cell can hold for one who knows every other record."""
    part, left = key.part, key.values.copy()
    if part is None or not len(classes):
        return left
    _, pair, sharing = np.unique(classes * (int(part.max()) + 2) + part + 1, return_inverse=True, return_counts=True)
    alone = key.wide & (part != FREE) & (sharing[pair.reshape(-1)] == 1)
    if key.kind is not SpannedKind.LABEL:
        left[alone] = 1
        return left
    first = np.unique(pair.reshape(-1), return_index=True)[1]
    parts = np.bincount(classes[first], minlength=int(classes.max()) + 1)
    leaves = np.zeros(len(classes), dtype=np.int64) if key.leaves is None else key.leaves
    both = np.bincount(classes[first], weights=leaves[first], minlength=len(parts))  # leaves of all parts of a class
    others = alone & (parts[classes] == 2)
    left[others] = (key.values + leaves - both[classes].astype(np.int64))[others]
    return left


def _guess_alone(key: SpannedKey, sizes: NDArray[np.int64]) -> float:
    """Return the sum over the wide cells of the chance of the best guess, over uniform originals."""
    rows = np.flatnonzero(key.wide)
    if key.kind is SpannedKind.SET:
        return float((1.0 / key.values[rows]).sum())
    shape = key.values if key.kind is SpannedKind.RANGE or key.shape is None else key.shape
    pairs, count = np.unique(np.stack([shape[rows], sizes[rows]], axis=1), axis=0, return_counts=True)
    total = 0.0
    for (one, size), times in zip(pairs.tolist(), count.tolist(), strict=True):
        if key.kind is SpannedKind.RANGE:
            total += times * float(compute_end_chance(one, size))
        else:
            total += times * _guess_label(key.children[one], size)
    return total


def compute_end_chance(values: int, records: int) -> Fraction | float:
    """Return the chance that a record has a given end of its range, both ends attained, else uniform."""
    if records * values.bit_length() > MOST_BITS:
        return 1.0 / min(values, records)  # what the formula tends to where one of them is large
    inner, outer = values - 1, values - 2
    ways = values**records - 2 * inner**records + outer**records
    return Fraction(values ** (records - 1) - inner ** (records - 1), ways) if ways else 1.0


def _guess_label(children: tuple[int, ...], records: int) -> float:
    """Return the chance of the likeliest leaf of a label, of which two children or more occur, else uniform."""
    leaves = sum(children)
    if records * leaves.bit_length() > MOST_BITS or len(children) < 2:
        return 1.0 / leaves
    ways = leaves**records - sum(child**records for child in children)
    smallest = min(children)
    return float(Fraction(leaves ** (records - 1) - smallest ** (records - 1), ways)) if ways else 1.0

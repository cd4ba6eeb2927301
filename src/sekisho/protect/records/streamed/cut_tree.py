"""Coarse cuts: a small tree that tells of every record to which part it belongs.

The cuts are chosen as a partition in memory chooses its first ones, each where both halves together lose least, between
different values of one key; but on a sample of the distinct records. The tree is all that a machine needs to say of a
record which part it goes to; equal records always go to one part.

A part must keep the rule by itself. That is asked of the sample, and counted again when all records are dealt: parts
that do not keep it are joined with their neighbours (:func:`join_parts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.key_space import SET, KeySpace, Records
from sekisho.protect.records.recoding.value_sums import (
    ClassRule,
    Sums,
    ValueCut,
    choose_value,
    keeps_rule,
    make_sums,
    sum_values,
)
from sekisho.protect.records.streamed.recoding_plan import LocalSpace, shrink_space

EVEN = 8
"""A coarse cut leaves at least one record in so many on each side, where there is such a cut."""
LEAF = -1


class CutTree(NamedTuple):
    """Cuts, the first of them the root.

    Attributes:
        column: in which each node cuts; -1 of a part.
        last: of numbers and trees, the last code that goes left.
        start: of sets, where the marks of the node begin: for each code of the column, whether it goes left; -1 else.
        left: the node on the left; of a part, its number.
        right: the node on the right.
        marks: of all nodes that cut sets.
    """

    column: NDArray[np.int64]
    last: NDArray[np.int64]
    start: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    marks: NDArray[np.bool_]

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return int((self.column == LEAF).sum())

    def find_parts(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the part of each record."""
        return _walk_tree(self, codes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartSize:
    """How large a part may be.

    Attributes:
        records: distinct ones.
        scale: how many distinct records of the file one of the sample stands for.
    """

    records: int
    scale: int = 1

    def is_small(self, sampled: int) -> bool:
        """Tell whether a part with so many records of the sample need not be cut."""
        return sampled * self.scale <= self.records


@dataclass(slots=True, eq=False)
class _Grower:
    """A tree that grows."""

    space: KeySpace
    records: Records
    rule: ClassRule
    size: PartSize
    nodes: list[tuple[int, int, int, int, int]]
    marks: list[NDArray[np.bool_]]
    parts: int = 0

    def grow(self, rows: NDArray[np.int64]) -> int:
        """Add the node of some records and all below; return its number."""
        node = len(self.nodes)
        self.nodes.append((LEAF, 0, LEAF, self.parts, LEAF))
        choice = None if self.size.is_small(len(rows)) else self._choose(rows)
        if choice is None:
            self.parts += 1
            return node
        column, goes_left = choice
        ordered = self.space.kinds[column] != SET
        start = LEAF if ordered else sum(map(len, self.marks))
        if not ordered:
            self.marks.append(goes_left)
        side = goes_left[self.records.codes[rows, column]]
        left, right = self.grow(rows[side]), self.grow(rows[~side])
        last = int(np.flatnonzero(goes_left).max()) if ordered else LEAF
        self.nodes[node] = (column, last, start, left, right)
        return node

    def _choose(self, rows: NDArray[np.int64]) -> tuple[int, NDArray[np.bool_]] | None:
        """Return the best cut of some records: its column, and which of the column's codes go left."""
        local = shrink_space(self.space, self.records.codes[rows])
        part = Records(local.codes, self.records.copies[rows], self.records.sensitive[rows])
        even = max(self.rule.k, int(part.copies.sum()) // EVEN)
        for least in (even, self.rule.k):
            column, goes_left = find_value_cut(local.space, part, self.rule._replace(k=least))
            if column != LEAF:
                return column, self._spread(local, column, goes_left)
        return None

    def _spread(self, local: LocalSpace, column: int, goes_left: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for all codes of a column whether they go left; those of a set that were not drawn do not."""
        values = local.values[column]
        whole = np.zeros(int(self.space.starts[column + 1] - self.space.starts[column]), dtype=np.bool_)
        whole[values[goes_left[: len(values)]]] = True
        if self.space.kinds[column] != SET:
            whole[: int(np.flatnonzero(whole).max()) + 1] = True
        return whole


def grow_tree(space: KeySpace, records: Records, rule: ClassRule, size: PartSize) -> CutTree:
    """Return the cuts that leave parts that are small enough, as far as records can be cut."""
    grower = _Grower(space, records, rule, size, [], [])
    grower.grow(np.arange(len(records.copies)))
    columns = np.array(grower.nodes, dtype=np.int64).T
    marks = np.concatenate([np.zeros(0, dtype=np.bool_), *grower.marks])
    return CutTree(*(np.ascontiguousarray(each) for each in columns), marks=marks)


def join_parts(tree: CutTree, rule: ClassRule, counts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the part that each becomes when those that do not keep the rule are joined with their neighbours.

    Args:
        tree: the cuts.
        rule: what every part must keep.
        counts: of each part, how often it has each sensitive value.

    Two halves of a cut are joined as soon as one of them does not keep the rule; the whole does, so this ends.
    """
    joined = np.arange(tree.parts, dtype=np.int32)
    _join_below(tree, rule, counts, 0, joined)
    return np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _join_below(
    tree: CutTree, rule: ClassRule, counts: NDArray[np.int64], node: int, joined: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Join the parts below a node where that is needed; return which these are."""
    if tree.column[node] == LEAF:
        return tree.left[node : node + 1]
    halves = [_join_below(tree, rule, counts, int(side[node]), joined) for side in (tree.left, tree.right)]
    below = np.concatenate(halves)
    groups = [counts[np.isin(joined, part)].sum(axis=0) for part in np.unique(joined[below])]
    if not all(keeps_rule(rule, group, int(group.sum())) for group in groups):
        joined[below] = joined[below].min()
    return below


def find_value_cut(space: KeySpace, records: Records, rule: ClassRule) -> tuple[int, NDArray[np.bool_]]:
    """Return the column of the best strict cut, -1 where there is none, and which of its values go left."""
    widest = int(np.diff(space.starts).max())
    goes_left = np.zeros(widest + 1, dtype=np.bool_)
    return int(_find_value_cut(space, records, rule, make_sums(space, rule, widest), goes_left)), goes_left


@njit(cache=True, nogil=True)
def _find_value_cut(
    space: KeySpace, records: Records, rule: ClassRule, sums: Sums, goes_left: NDArray[np.bool_]
) -> int:
    best, best_column = ValueCut(np.inf, 0, 0), LEAF
    columns = np.arange(len(space.kinds))
    for column in range(len(space.kinds)):
        sum_values(space, records, columns, column, sums)
        for by_count in range(2 if space.kinds[column] == SET else 1):
            cut = choose_value(space, rule, columns, column, by_count, sums, best)
            if cut.loss < best.loss:
                best, best_column = cut, column
                goes_left[:] = False
                passed, place = 0, 0
                while passed < cut.after:
                    value = sums.order[place]
                    goes_left[value] = True
                    passed += sums.pieces[value]
                    place += 1
    return best_column


@njit(cache=True, nogil=True)
def _walk_tree(tree: CutTree, codes: NDArray[np.int32]) -> NDArray[np.int32]:
    parts = np.empty(len(codes), np.int32)
    for row in range(len(codes)):
        node = 0
        while tree.column[node] != LEAF:
            code = codes[row, tree.column[node]]
            ordered = tree.start[node] == LEAF
            goes_left = code <= tree.last[node] if ordered else tree.marks[tree.start[node] + code]
            node = tree.left[node] if goes_left else tree.right[node]
        parts[row] = tree.left[node]
    return parts

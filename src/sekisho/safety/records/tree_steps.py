"""What each step of a column's tree would come to: how many values, classes and people alone.

A class is the records that agree in all keys, the others written at the steps chosen for them. The records are sorted
once, by the leaves; every further step joins the classes of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_TEXT
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.leaf_order import climb_steps, order_leaves
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.data.trees.tree_edits import find_strangers
from sekisho.data.trees.tree_rule import ROOT
from sekisho.errors import ParameterError
from sekisho.safety.records.classes import ColumnCodes, pack_codes, rank_dense
from sekisho.words import Said

SHOWN, SHOWN_STRANGERS = 3, 20
"""So many labels are shown of a step, and so many values that are no leaf."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCount:
    """One step.

    Attributes:
        step: 0 for the values themselves.
        values: how many labels there are, missing among them.
        classes: how many classes of records with equal keys.
        alone: how many records are alone in theirs.
        shown: some of the labels.
    """

    step: int
    values: int
    classes: int
    alone: int
    shown: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data for JSON."""
        return {**asdict(self), "shown": list(self.shown)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCounts:
    """All steps of a tree.

    Attributes:
        column: whose tree it is.
        keys: that the classes are made of, the column among them.
        records: how many there are.
        steps: from the values up to the root.
        strangers: values of the data that are no leaf; they are counted as if they stood right below the root.
    """

    column: str
    keys: tuple[str, ...]
    records: int
    steps: tuple[StepCount, ...]
    strangers: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return them as plain data."""
        return {
            "column": self.column,
            "keys": list(self.keys),
            "records": self.records,
            "steps": [step.as_dict() for step in self.steps],
            "missing_in_tree": list(self.strangers),
        }

    def tell_strangers(self) -> list[Said]:
        """Return in a sentence which values are no leaf of the tree, if any."""
        if not self.strangers:
            return []
        return [
            Said(
                "{count:,} {count:value is|values are} no leaf of the tree, counted as right below its root: {values}",
                count=len(self.strangers),
                values=", ".join(self.strangers[:SHOWN_STRANGERS]),
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStep:
    """Another key: its values, and at which step of its tree it is written; without a tree step 1 hides it whole."""

    column: TreeColumn
    tree: Tree | None = None
    step: int = 0

    def __post_init__(self) -> None:
        if self.step < 0:
            raise ParameterError("step", Said("be at least {least}", least=0), self.step)

    def write_codes(self) -> tuple[NDArray[np.int64], int]:
        """Return which label each record has, and how many there are."""
        column = self.write_labels()
        return column.codes, len(column.values)

    def write_labels(self) -> ColumnCodes:
        """Return the column as it is written at its step; a missing cell is the last value as long as it is one."""
        codes, labels = self.column.codes, self.column.texts
        if self.tree is None and self.step:
            codes, labels = np.zeros_like(codes), (ROOT,)
        elif self.tree is not None:
            climbed = _Climb.of(self.column, self.tree)
            chosen, place = np.unique(climbed.steps[min(self.step, len(climbed.steps) - 1)], return_inverse=True)
            codes = place.reshape(-1).astype(np.int64)[codes]
            labels = tuple(climbed.tree.codes[at] for at in chosen.tolist())
        if MISSING_TEXT not in labels:
            return ColumnCodes(codes=codes, values=labels)
        gap, last = labels.index(MISSING_TEXT), len(labels) - 1
        moved = np.where(codes == gap, last, codes - (codes > gap))
        return ColumnCodes(codes=moved, values=(*labels[:gap], *labels[gap + 1 :], None))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Climb:
    """A tree above a column: the label of each value at every step."""

    tree: Tree
    steps: Sequence[NDArray[np.int64]] = field(repr=False)

    @classmethod
    def of(cls, column: TreeColumn, tree: Tree) -> _Climb:
        leaves = tree.leaves
        places = column.find_leaves(leaves)
        whole = tree.with_leaves(text for text, place in zip(column.texts, places.tolist(), strict=True) if place < 0)
        found = [
            whole.position[text if place < 0 else leaves[place]]
            for text, place in zip(column.texts, places.tolist(), strict=True)
        ]
        climbed = climb_steps(
            np.arange(len(whole.codes)), np.array(whole.parents, dtype=np.int64), np.array(whole.steps)
        )
        return cls(tree=whole, steps=[labels[np.array(found, dtype=np.int64)] for labels in climbed])


def count_steps(column: TreeColumn, tree: Tree, others: Sequence[KeyStep] = ()) -> StepCounts:
    """Return what every step of a column's tree comes to, beside the other keys.

    Args:
        column: the values, and which record has which.
        tree: as it was read from its file.
        others: the other keys, each at a step of its own.

    Raises:
        ParameterError: a key is named twice, or has other records.
    """
    keys = (column.name, *(other.column.name for other in others))
    if len(set(keys)) < len(keys):
        raise ParameterError("keys", Said("be one column or more, each named once"), list(keys))
    rows = len(column)
    if any(len(other.column) != rows for other in others):
        raise ParameterError("keys", Said("have one row for each record"), [len(other.column) for other in others])
    climbed = _Climb.of(column, tree)
    owner, value, people = _count_leaves(column, others)
    steps = list[StepCount]()
    for number, labels in enumerate(climbed.steps):
        label = labels[value] if number == 0 else _follow(climbed.steps[number - 1], labels)[value]
        owner, value, people = _join_classes(owner, label, people, len(climbed.tree.codes))
        occurring = np.unique(value).tolist()
        shown = tuple(climbed.tree.codes[place] for place in occurring[:SHOWN])
        steps.append(
            StepCount(
                step=number,
                values=len(occurring),
                classes=len(people),
                alone=int((people == 1).sum()),
                shown=shown,
            )
        )
    return StepCounts(
        column=column.name, keys=keys, records=rows, steps=tuple(steps), strangers=find_strangers(tree, column)
    )


def _count_leaves(
    column: TreeColumn, others: Sequence[KeyStep]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes by values: of each the class by the other keys, the value and how many records it has."""
    width = max(1, len(column.texts))
    packed = pack_codes([*(other.write_codes() for other in others), (column.codes, width)], len(column))
    distinct, people = np.unique(packed, return_counts=True)
    owner, value = np.divmod(distinct, width)
    return rank_dense(owner), value, people.astype(np.int64)


def _follow(before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the label of a step by that of the step before."""
    table = np.zeros(int(before.max(initial=0)) + 1, dtype=np.int64)
    table[before] = after
    return table


def _join_classes(
    owner: NDArray[np.int64], label: NDArray[np.int64], people: NDArray[np.int64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    packed, place = np.unique(owner * width + label, return_inverse=True)
    joined = np.bincount(place.reshape(-1), weights=people, minlength=len(packed)).astype(np.int64)
    return packed // width, packed % width, joined


def list_steps(tree: Tree) -> tuple[tuple[str, ...], ...]:
    """Return the labels of each step of a tree, from the leaves up to the root."""
    order = order_leaves(tree)
    steps = climb_steps(order.leaf, order.parent, order.begin)
    return tuple(tuple(tree.codes[place] for place in np.unique(labels)) for labels in steps)

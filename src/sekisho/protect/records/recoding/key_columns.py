"""The key columns of a data set: their codes, how their cells are written, and what is wrong with keys and trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_TEXT, drop_gaps
from sekisho.data.frame.dataset import Column, Dataset, Role, Schema
from sekisho.data.frame.range_ends import EndsGrid
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.leaf_order import order_leaves
from sekisho.data.trees.tree_column import TreeColumn, number_values
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.protect.records.recoding.key_space import CellKind, KeyCodes, KeyNodes
from sekisho.words import Said

ALMOST_ALL = 0.9
"""A key with more distinct values than this share of the records looks like an identifier."""
MANY = 20
"""Of fewer records nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeyColumn:
    """A key column, coded.

    Attributes:
        column: of the schema.
        codes: what each record has, and what codes cost.
        grid: of numbers, the value of each code; of a tree above numbers, the value of each leaf.
        labels: of a tree, the names of its labels.
        domain: of a tree above categories, the code of each value of the data's domain.
        values: of categories, the data's domain.
        ends: where the ranges of numbers end as they are written; None where they end at values.
    """

    column: Column
    codes: KeyCodes
    grid: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    labels: tuple[str, ...] = ()
    domain: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    values: tuple[str, ...] = ()
    ends: EndsGrid | None = None

    @property
    def distinct(self) -> int:
        """How many values there are to tell apart: those of the data, or of numbers under a tree its leaves."""
        return max(len(self.grid), len(self.values))


def read_keys(data: Dataset, names: Sequence[str], trees: Mapping[str, Path | Tree | str]) -> tuple[KeyColumn, ...]:
    """Return the key columns, all quasi-identifiers if none is named.

    Raises:
        ParameterError: there is no such column, or it is the identifier, or it is named twice.
        FaultsError: trees cannot be read, have two parents for a code, or lack a value of the data; all at once.
    """
    return code_keys(data.schema, names, trees, lambda _: data)


def code_keys(
    schema: Schema, names: Sequence[str], trees: Mapping[str, Path | Tree | str], values: Callable[[str], Dataset]
) -> tuple[KeyColumn, ...]:
    """Return the same from data that are asked for column by column; each column's may have rows of their own."""
    keys = choose_keys(schema, names)
    strangers = [name for name in trees if name not in keys]
    if strangers:
        raise ParameterError("tree", Said("be of a key ({keys})", keys=", ".join(keys)), strangers)
    faults: list[Fault] = []
    columns: list[KeyColumn] = []
    for name in keys:
        try:
            columns.append(_code_column(values(name), name, trees.get(name)))
        except FaultsError as error:
            faults += [_name_source(fault, name) for fault in error.faults]
    if faults:
        raise FaultsError(Said("trees"), faults)
    return tuple(columns)


def choose_keys(schema: Schema, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the keys: those that are named, else all quasi-identifiers.

    Raises:
        ParameterError: there is no such column, or it is the identifier, or it is named twice.
    """
    keys = tuple(names) or schema.with_role(Role.QUASI)
    unknown = [name for name in keys if name not in schema.names]
    if unknown:
        raise ParameterError("keys", Said("be among the columns {names}", names=", ".join(schema.names)), unknown)
    holders = [name for name in keys if schema[name].role is Role.IDENTIFIER]
    if holders:
        raise ParameterError("keys", Said("not be the identifier, which is left out of the release"), holders)
    twice = sorted({name for name in keys if keys.count(name) > 1})
    if twice or not keys:
        raise ParameterError("keys", Said("be one column or more, each named once"), twice)
    return keys


def _name_source(fault: Fault, name: str) -> Fault:
    return Fault(
        row=fault.row,
        column=name,
        rule=fault.rule,
        value=fault.value,
        message=Said("tree of {name}: {message}", name=name, message=fault.message),
    )


def _code_column(data: Dataset, name: str, tree: Path | Tree | str | None) -> KeyColumn:
    if tree is not None:
        return _code_tree(data, name, tree if isinstance(tree, Tree) else read_tree(Path(tree)))
    column = data.schema[name]
    if column.kind.numeric:
        grid, codes = number_values(data.grid(name))
        place = _place_numbers(grid)
        coded = KeyCodes(
            name=name,
            kind=CellKind.RANGE,
            codes=codes.astype(np.int32),
            values=len(grid),
            place=place,
        )
        return KeyColumn(column=column, codes=coded, grid=grid)
    coded = KeyCodes(name=name, kind=CellKind.SET, codes=data.codes(name), values=len(data.domain(name)))
    return KeyColumn(column=column, codes=coded, values=data.domain(name))


def _place_numbers(grid: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return where numbers lie between the least (0) and the largest (1); a missing cell lies a whole range below."""
    numbers = drop_gaps(grid)
    width = float(numbers[-1] - numbers[0]) if len(numbers) > 1 else 1.0
    place = (numbers - numbers[0]).astype(np.float64) / width if len(numbers) else np.zeros(0)
    return place if len(numbers) == len(grid) else np.concatenate([[-1.0], place])


def _code_tree(data: Dataset, name: str, tree: Tree) -> KeyColumn:
    column = data.schema[name]
    if data.count_gaps(name):
        tree = tree.with_leaf(MISSING_TEXT)
    order = order_leaves(tree)
    nodes = KeyNodes(
        parent=order.parent,
        first=order.first,
        last=order.last,
        cost=order.share(),
        leaf=order.leaf,
        begin=order.begin,
    )
    leaves = [tree.codes[place] for place in order.leaf]
    values = TreeColumn.of(data, name)
    found, is_number = values.find_leaves(leaves), column.kind.numeric
    grid = values.read_leaves(leaves)[0] if is_number else np.zeros(0, dtype=np.int64)
    domain = np.zeros(0, dtype=np.int32) if is_number else found.astype(np.int32)
    _refuse_missing(name, values.texts, found)
    codes = found.astype(np.int32)[values.codes] if len(found) else np.zeros(0, dtype=np.int32)
    coded = KeyCodes(name=name, kind=CellKind.TREE, codes=codes, values=len(leaves), nodes=nodes)
    texts = () if is_number else data.domain(name)
    return KeyColumn(column=column, codes=coded, grid=grid, labels=tree.codes, domain=domain, values=texts)


def _refuse_missing(name: str, texts: Sequence[str], found: NDArray[np.int64]) -> None:
    faults = [
        Fault(row=0, column=name, rule="leaf", value=text, message=Said("{text!r} of the data is no leaf", text=text))
        for text, code in zip(texts, found.tolist(), strict=True)
        if code < 0
    ]
    if faults:
        raise FaultsError(Said("source|tree"), faults)


def list_warnings(rows: int, keys: Sequence[KeyColumn]) -> list[str]:
    """Return what is odd about the keys of so many records: constant columns, and such as name almost everybody."""
    notes: list[str] = []
    for key in keys:
        used = int(np.count_nonzero(np.bincount(key.codes.codes, minlength=1)))
        if used == 1 and rows > 1:
            notes.append(Said("key {name} has one value only and tells nothing", name=key.column.name))
        if used > ALMOST_ALL * rows and rows >= MANY:
            notes.append(
                Said(
                    "key {name} has {used:,} values in {rows:,} records: it looks like an identifier, which "
                    "is better left out",
                    name=key.column.name,
                    used=used,
                    rows=rows,
                )
            )
    return notes

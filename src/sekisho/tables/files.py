"""Tables as files of cells: one row per cell, inner cells only or all margins included.

``Total`` is the margin's code; tree nodes have their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from sekisho.data.hierarchy import Hierarchy, Relation
from sekisho.errors import Fault, FaultsError, InputError, ParameterError
from sekisho.tables.geometry import Dimension, from_cells
from sekisho.tables.largest import Rows, contributors
from sekisho.tables.table import LARGEST, TOTAL, Floats, Key, Table

COMMA = re.compile(r"-?\d+,\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFile:
    """Which columns of a frame of cells say what.

    Attributes:
        dims: the dimension columns.
        value: the column of the value.
        counts: whether the value is a count, which is whole and never negative.
        frequency: the column of the number of contributors; if None, a count counts them and a sum does not tell.
        largest: the columns of the largest contributions, the greatest first.
        weight: the column of what a suppression costs; 1 if None.
        trees: the hierarchies of the dimensions that have one.
        groups: further sums of codes of a dimension that nest with nothing, each with its members.
    """

    dims: tuple[str, ...]
    value: str
    counts: bool = True
    frequency: str | None = None
    largest: tuple[str, ...] = ()
    weight: str | None = None
    trees: Mapping[str, Hierarchy] = field(default_factory=dict[str, Hierarchy])
    groups: Mapping[str, tuple[Relation, ...]] = field(default_factory=dict[str, tuple[Relation, ...]])

    def __post_init__(self) -> None:
        if not self.dims:
            raise ParameterError("dims", "name at least one column", self.dims)
        twice = [name for place, name in enumerate(self.dims) if name in self.dims[:place]]
        if twice:
            raise ParameterError("dims", "name each column once", twice[0])
        if self.value in self.dims:
            raise ParameterError("value", "be no column of the dimensions", self.value)
        for word, names in (("tree", self.trees), ("grouping", self.groups)):
            strange = [name for name in names if name not in self.dims]
            if strange:
                raise ParameterError(word, f"be of one of {', '.join(self.dims)}", strange[0])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that are read."""
        others = (self.value, self.frequency, *self.largest, self.weight)
        return (*self.dims, *(name for name in others if name is not None))

    def table(self, frame: pl.DataFrame, *, source: object = "cells") -> Table:
        """Return the table of a frame of cells; margins that are not there are summed.

        Raises:
            FaultsError: unknown codes, doubled cells, negative counts, values that are no numbers: all of them at once; then
                margins that are missing or do not add up, likewise.
        """
        refuse_missing(frame, self.columns, source)
        keys = keys_of(frame, self.dims, self.trees)
        faults = doubled(keys)
        dimensions = [self._dimension(axis, keys, faults) for axis in range(len(self.dims))]
        value = self._numbers(frame, self.value, faults)
        extras = {name: self._numbers(frame, name, faults, least=0.0) for name in self.columns[len(self.dims) + 1 :]}
        faults += self._count_faults(frame, value)
        if faults:
            raise FaultsError(source, sorted(faults, key=lambda fault: fault.row))
        try:
            made = [found for found in dimensions if found is not None]
            return self._extended(from_cells(made, keys, value), made, keys, extras)
        except FaultsError as error:
            raise FaultsError(source, error.faults) from error

    def _dimension(self, axis: int, keys: Sequence[Key], faults: list[Fault]) -> Dimension | None:
        """Return a dimension, from its tree or from the codes that are there."""
        name = self.dims[axis]
        codes = [key[axis] for key in keys]
        empty = [row for row, code in enumerate(codes, start=1) if not code]
        faults += [fault(row, name, "code", "", f"the code of {name} is empty") for row in empty]
        groups = self.groups.get(name, ())
        try:
            if name not in self.trees:
                sums = {"", TOTAL, *(code for code, _ in groups)}
                inner = dict.fromkeys(code for code in codes if code not in sums)
                if not inner:
                    faults.append(fault(0, name, "codes", TOTAL, f"there is no code of {name} beside the total"))
                    return None
                return grouped(Dimension.flat(name, sorted(inner)), groups)
            made = grouped(dimension_of(name, self.trees[name]), groups)
        except FaultsError as error:
            faults += error.faults
            return None
        faults += [
            fault(row, name, "code", code, f"{code!r} is no code of {name}")
            for row, code in enumerate(codes, start=1)
            if code and code not in made.place
        ]
        return made

    def _numbers(self, frame: pl.DataFrame, name: str, faults: list[Fault], least: float = -np.inf) -> Floats:
        raw = frame[name]
        numbers = raw.cast(pl.Float64, strict=False)
        bad = (~numbers.is_finite()).fill_null(value=True) | (numbers < least).fill_null(value=False)
        text = raw.cast(pl.String).fill_null("")
        faults += [fault(row + 1, name, "number", text[row], _no_number(text[row], least)) for row in bad.arg_true()]
        faults += [
            fault(
                row + 1, name, "size", text[row], f"{text[row]} is too large: from {LARGEST:,} on numbers are not exact"
            )
            for row in ((numbers.abs() >= LARGEST) & numbers.is_finite()).fill_null(value=False).arg_true()
        ]
        return numbers.fill_null(0.0).to_numpy()

    def _count_faults(self, frame: pl.DataFrame, value: Floats) -> list[Fault]:
        if not self.counts:
            return []
        text = frame[self.value].cast(pl.String).fill_null("")
        known = frame[self.value].cast(pl.Float64, strict=False).is_finite().fill_null(value=False).to_numpy()
        bad = np.flatnonzero(known & ((value < 0) | (value != np.rint(value))))
        return [
            fault(int(row) + 1, self.value, "count", text[int(row)], f"{text[int(row)]} is no count: whole, at least 0")
            for row in bad
        ]

    def _extended(
        self, table: Table, dimensions: Sequence[Dimension], keys: Sequence[Key], extras: Mapping[str, Floats]
    ) -> Table:
        """Return the table with frequencies, largest contributions and costs, those of margins made up where they were not given."""
        given = np.array([table.position[key] for key in keys], dtype=np.int64)
        complete = len(given) == len(table)

        def filled(name: str) -> Floats:
            if not complete:
                return from_cells(dimensions, keys, extras[name]).value
            numbers = np.zeros(len(table))
            numbers[given] = extras[name]
            return numbers

        if self.frequency is None and not self.counts:
            table = replace(table, frequency=np.zeros(len(table), dtype=np.int64))  # a sum does not tell
        if self.frequency is not None:
            table = replace(table, frequency=np.rint(filled(self.frequency)).astype(np.int64))
        if self.weight is not None:
            table = replace(table, weight=filled(self.weight))
        if self.largest and complete:
            largest = np.column_stack([filled(name) for name in self.largest])
            table = replace(table, largest=-np.sort(-largest, axis=1))
        elif self.largest:
            table = replace(table, largest=self._merged(dimensions, keys, extras))
        return table

    def _merged(self, dimensions: Sequence[Dimension], keys: Sequence[Key], extras: Mapping[str, Floats]) -> Floats:
        """Return the largest contributions to every cell, each contributor standing in one inner cell."""
        places = len(self.largest)
        at = [{code: place for place, code in enumerate(one.leaves)} for one in dimensions]
        leaves = np.array([[known[code] for known, code in zip(at, key, strict=True)] for key in keys], dtype=np.int64)
        amount = np.concatenate([extras[name] for name in self.largest])
        nobody = np.zeros(len(amount), dtype=np.bool_)
        rows = Rows(
            leaves=np.tile(leaves, (places, 1)),
            who=np.arange(len(amount)),
            amount=amount,
            weight=np.ones(len(amount)),
            asked=nobody,
            waived=nobody,
        )
        return contributors(dimensions, rows, places=places).largest


def _no_number(text: str, least: float) -> str:
    hint = "; a decimal comma must be told" if COMMA.fullmatch(text) else ""
    return f"{text!r} is no number" + (" from 0" if least == 0 else "") + hint


def dimension_of(name: str, hierarchy: Hierarchy) -> Dimension:
    """Return a hierarchy as a table's dimension; its root becomes ``Total``."""
    tree = hierarchy.tree
    again = [code for code, _ in hierarchy.groups if code in tree]
    if again:
        raise ParameterError(f"groups of {name}", "have codes of their own; link two tables instead", again[0])
    above = [TOTAL if parent == 0 else tree.codes[parent] for parent in tree.parents[1:]]
    return Dimension(name=name, parent=dict(zip(tree.codes[1:], above, strict=True)), groupings=dict(hierarchy.groups))


def grouped(dimension: Dimension, groups: Sequence[Relation]) -> Dimension:
    """Return a dimension with further groupings.

    Raises:
        FaultsError: a group's members are unknown or overlap, or its code is one of the tree's; all at once.
    """
    if not groups:
        return dimension
    more = replace(dimension, groupings={**dimension.groupings, **dict(groups)})
    overlapping = [code for code, _ in groups if more.spread()[[more.place[code]]].data.max(initial=0.0) > 1]
    if overlapping:
        what = "is a sum of members that overlap"
        raise FaultsError(
            f"dimension {more.name}",
            [fault(0, more.name, "disjoint", code, f"the grouping {code!r} {what}") for code in overlapping],
        )
    return more


def keys_of(frame: pl.DataFrame, dims: Sequence[str], trees: Mapping[str, Hierarchy]) -> list[Key]:
    """Return each row's codes, stripped; a tree's root is written ``Total``."""
    columns: list[list[str]] = []
    for dim in dims:
        text = frame[dim].cast(pl.String).fill_null("").str.strip_chars()
        if dim in trees and trees[dim].root != TOTAL:
            text = text.replace({trees[dim].root: TOTAL})
        columns.append(text.to_list())
    return list(zip(*columns, strict=True))


def doubled(keys: Sequence[Key]) -> list[Fault]:
    """Return a fault for each row whose cell stood in an earlier row."""
    first: dict[Key, int] = {}
    for row, key in enumerate(keys, start=1):
        first.setdefault(key, row)
    return [
        fault(row, "", "duplicate", ",".join(key), f"the cell {', '.join(key)} stands in row {first[key]} already")
        for row, key in enumerate(keys, start=1)
        if first[key] != row
    ]


def refuse_missing(frame: pl.DataFrame, names: Sequence[str], source: object) -> None:
    """Refuse a frame that lacks a column."""
    missing = [name for name in dict.fromkeys(names) if name not in frame.columns]
    if missing:
        raise InputError(source, f"has no column {', '.join(missing)}; it has {', '.join(frame.columns)}")
    if not frame.height:
        raise InputError(source, "has no rows")


def fault(row: int, column: str, rule: str, value: str, message: str) -> Fault:
    """Return one fault of a file of cells."""
    return Fault(row=row, column=column, rule=rule, value=value, message=message)

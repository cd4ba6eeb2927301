"""Tables as files of cells: one row per cell, inner cells only or all margins included.

The margin's code is told or known by its name (:mod:`sekisho.tables.model.margins`), ``Total`` where margins are added;
tree nodes have their own.

Hierarchies and groupings from files as the dimensions of a table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from sekisho.data.trees.hierarchy import Hierarchy, Relation
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.files.rows import apply_bounds, columns_of, fault, find_bounds, find_doubled, refuse_missing
from sekisho.tables.model.code_levels import prefix_sums
from sekisho.tables.model.geometry import Dimension, from_cells, inner_cells, sum_up
from sekisho.tables.model.largest import Rows, contributors
from sekisho.tables.model.limits import LARGEST
from sekisho.tables.model.lookalikes import lookalikes
from sekisho.tables.model.margins import Margins, by_name, margin_fault
from sekisho.tables.model.table import TOTAL, Floats, Key, Table
from sekisho.words import Said, name_setting


def dimension_of(name: str, hierarchy: Hierarchy, *, total: str | None = None) -> Dimension:
    """Return a hierarchy as a table's dimension; the margin's code is its root's if not told."""
    tree = hierarchy.tree
    again = [code for code, _ in hierarchy.groups if code in tree]
    if again:
        raise ParameterError(
            Said("groups of {name}", name=name), Said("have codes of their own; link two tables instead"), again[0]
        )
    margin = total or tree.root or TOTAL
    above = [margin if parent == 0 else tree.codes[parent] for parent in tree.parents[1:]]
    return Dimension(
        name=name,
        parent=dict(zip(tree.codes[1:], above, strict=True)),
        groupings=dict(hierarchy.groups),
        total=margin,
    )


def group_dimension(dimension: Dimension, groups: Sequence[Relation]) -> Dimension:
    """Return a dimension with further groupings.

    Raises:
        FaultsError: a group's members are unknown or overlap, or its code is one of the tree's; all at once.
    """
    if not groups:
        return dimension
    more = replace(dimension, groupings={**dimension.groupings, **dict(groups)})
    overlapping = [code for code, _ in groups if more.spread()[[more.place[code]]].data.max(initial=0.0) > 1]
    if overlapping:
        raise FaultsError(
            Said("dimension {name}", name=more.name),
            [
                fault(
                    0,
                    more.name,
                    "disjoint",
                    code,
                    Said("the grouping {code!r} is a sum of members that overlap", code=code),
                )
                for code in overlapping
            ],
        )
    return more


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
        margins: what is said of the margins' codes.
        bounds: whether columns of bounds (:mod:`sekisho.tables.files.rows`) tell what everybody knows of the cells.
    """

    dims: tuple[str, ...]
    value: str
    counts: bool = True
    frequency: str | None = None
    largest: tuple[str, ...] = ()
    weight: str | None = None
    trees: Mapping[str, Hierarchy] = field(default_factory=dict[str, Hierarchy])
    groups: Mapping[str, tuple[Relation, ...]] = field(default_factory=dict[str, tuple[Relation, ...]])
    margins: Margins = field(default_factory=Margins)
    bounds: bool = True

    def __post_init__(self) -> None:
        if not self.dims:
            raise ParameterError("dims", Said("name at least one column"), self.dims)
        twice = [name for place, name in enumerate(self.dims) if name in self.dims[:place]]
        if twice:
            raise ParameterError("dims", Said("name each column once"), twice[0])
        if self.value in self.dims:
            raise ParameterError("value", Said("be no column of the dimensions"), self.value)
        for word, names in (("tree", self.trees), ("grouping", self.groups)):
            strange = [name for name in names if name not in self.dims]
            if strange:
                raise ParameterError(word, Said("be of one of {dims}", dims=", ".join(self.dims)), strange[0])
        self.margins.refuse_strange(self.dims)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that are read."""
        others = (self.value, self.frequency, *self.largest, self.weight)
        return (*self.dims, *(name for name in others if name is not None))

    def table(self, frame: pl.DataFrame, *, source: object = "cells") -> Table:
        """Return the table of a frame of cells; margins that are not there are summed.

        Raises:
            FaultsError: unknown codes, doubled cells, negative counts, values that are no numbers, codes of which it is
                not clear whether they are margins: all of them at once; then codes that only add up like margins; then
                margins that are missing or do not add up, likewise; then bounds that are none.
        """
        refuse_missing(frame, self.columns, source)
        keys = self.keys(frame)
        faults = find_doubled(keys)
        dimensions = [self.dimension(axis, keys, faults) for axis in range(len(self.dims))]
        value = self.numbers(frame, self.value, faults)
        extras = {name: self.numbers(frame, name, faults, least=0.0) for name in self.columns[len(self.dims) + 1 :]}
        faults += self._count_faults(frame, value)
        if faults:
            raise FaultsError(source, sorted(faults, key=lambda fault: fault.row))
        made = [found for found in dimensions if found is not None]
        flat = [name for name in self.dims if name not in self.trees]
        alike = lookalikes(made, keys, value, said=self.margins, flat=flat, exact=self.counts)
        alike = alike or prefix_sums(made, keys, value, said=self.margins, flat=flat)
        if alike:
            raise FaultsError(source, alike)
        try:
            table = self._extended(from_cells(made, keys, value), made, keys, extras)
        except FaultsError as error:
            named = self._by_name(made)
            raise FaultsError(source, [*named, *error.faults], count=len(named) + error.count) from error
        return apply_bounds(table, keys, frame, self.bounds_of(frame, source=source), counts=self.counts, source=source)

    def bounds_of(self, frame: pl.DataFrame, *, source: object = "cells") -> dict[str, str]:
        """Return the columns that tell what everybody knows of the cells, by what they hold."""
        return find_bounds(frame.columns, self.columns, source=source) if self.bounds else {}

    def keys(self, frame: pl.DataFrame) -> list[Key]:
        """Return each row's codes, stripped; a margin's that is empty is written ``Total``."""
        columns = columns_of(frame, self.dims)
        for axis, dim in enumerate(self.dims):
            if self.margins.empty(dim) or (dim in self.trees and not self.trees[dim].root):
                columns[axis] = columns[axis].replace({"": TOTAL})
        return list(zip(*columns, strict=True))

    def _by_name(self, dimensions: Sequence[Dimension]) -> list[Fault]:
        """Return a hint for each margin that is known by its name only: it may be a category."""
        pairs = [(one.name, one.total) for one in dimensions]
        return [by_name(*pair) for pair in pairs if self._unsaid(*pair)]

    def _unsaid(self, dim: str, margin: str) -> bool:
        """Tell whether a margin's code was not told but known by its name; ``Total`` always is the margin's."""
        told = {TOTAL, self.margins.everywhere, self.margins.of.get(dim)}
        return margin not in told and not (dim in self.trees and self.trees[dim].root == margin)

    def known_by_name(self, table: Table) -> list[tuple[str, str]]:
        """Return the dimensions of a table that was read whose margin nobody named.

        Each comes with the code that was taken for its margin.
        """
        return [pair for pair in zip(table.dims, table.margins, strict=True) if self._unsaid(*pair)]

    def dimension(self, axis: int, keys: Sequence[Key], faults: list[Fault]) -> Dimension | None:
        """Return a dimension, from its tree or from the codes that are there."""
        name = self.dims[axis]
        codes = [key[axis] for key in keys]
        empty = [row for row, code in enumerate(codes, start=1) if not code]
        faults += [fault(row, name, "code", "", Said("the code of {name} is empty", name=name)) for row in empty]
        groups = self.groups.get(name, ())
        try:
            if name not in self.trees:
                sums = {"", *(code for code, _ in groups)}
                return self._flat(name, {code for code in codes if code not in sums}, groups, faults)
            tree = self.trees[name]
            total = self.margins.root(name, tree.tree.codes, frozenset(codes))
            made = group_dimension(dimension_of(name, tree, total=total), groups)
        except FaultsError as error:
            faults += error.faults
            return None
        faults += [
            fault(row, name, "code", code, _no_code(name, code, has_margin=made.total in codes))
            for row, code in enumerate(codes, start=1)
            if code and code not in made.place
        ]
        return made

    def _flat(
        self, name: str, codes: AbstractSet[str], groups: Sequence[Relation], faults: list[Fault]
    ) -> Dimension | None:
        """Return a dimension without a tree, its margin found among the codes or added."""
        total = self.margins.code(name, codes)
        inner = sorted(codes - {total})
        faults += self.margins.subtotals(name, inner)
        if not inner:
            message = (
                Said(
                    "there is no code of {name} beside the total: leave {name} out, or say {category} if that is one",
                    name=name,
                    category=name_setting("category", total, name),
                )
                if codes
                else Said("there is no code of {name} beside the total", name=name)
            )
            faults.append(margin_fault(name, "codes", total, message))
            return None
        return group_dimension(Dimension.flat(name, inner, total=total), groups)

    def numbers(self, frame: pl.DataFrame, name: str, faults: list[Fault], least: float = -np.inf) -> Floats:
        """Return the numbers of a column, from ``least`` on; what is none becomes a fault."""
        raw = frame[name]
        numbers = raw.cast(pl.Float64, strict=False)
        bad = (~numbers.is_finite()).fill_null(value=True) | (numbers < least).fill_null(value=False)
        text = raw.cast(pl.String).fill_null("")
        faults += [fault(row + 1, name, "number", text[row], _no_number(text[row], least)) for row in bad.arg_true()]
        faults += [
            fault(
                row + 1,
                name,
                "size",
                text[row],
                Said("{text} is too large: from {largest:,} on numbers are not exact", text=text[row], largest=LARGEST),
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
            fault(
                int(row) + 1,
                self.value,
                "count",
                text[int(row)],
                Said("{text} is no count: whole, at least 0", text=text[int(row)]),
            )
            for row in bad
        ]

    def _extended(
        self, table: Table, dimensions: Sequence[Dimension], keys: Sequence[Key], extras: Mapping[str, Floats]
    ) -> Table:
        """Return the table with frequencies, largest contributions and costs.

        Those of margins are made up where they were not given.
        """
        given = np.array([table.position[key] for key in keys], dtype=np.int64)
        complete = len(given) == len(table)

        def filled(name: str) -> Floats:
            if not complete:
                return sum_up(dimensions, keys, extras[name])
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
            merged = self._merged(dimensions, keys, extras).copy()
            merged[given] = -np.sort(-np.column_stack([extras[name] for name in self.largest]), axis=1)
            table = replace(table, largest=merged)
        return table

    def _merged(self, dimensions: Sequence[Dimension], keys: Sequence[Key], extras: Mapping[str, Floats]) -> Floats:
        """Return the largest contributions to every cell, each contributor standing in one inner cell."""
        places = len(self.largest)
        inner = inner_cells(dimensions, keys)
        at = [{code: place for place, code in enumerate(one.leaves)} for one in dimensions]
        leaves = np.array(
            [
                [known[code] for known, code in zip(at, key, strict=True)]
                for key, leaf in zip(keys, inner, strict=True)
                if leaf
            ],
            dtype=np.int64,
        )
        amount = np.concatenate([extras[name][inner] for name in self.largest])
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


def _no_code(name: str, code: str, *, has_margin: bool) -> Said:
    if has_margin:
        return Said("{code!r} is no code of {name}", code=code, name=name)
    return Said(
        "{code!r} is no code of {name}; if it is the margin, say {total}",
        code=code,
        name=name,
        total=name_setting("total", "CODE", name),
    )


def _no_number(text: str, least: float) -> Said:
    if COMMA.fullmatch(text):
        if least == 0:
            return Said("{text!r} is no number from 0; a decimal comma must be told", text=text)
        return Said("{text!r} is no number; a decimal comma must be told", text=text)
    if least == 0:
        return Said("{text!r} is no number from 0", text=text)
    return Said("{text!r} is no number", text=text)

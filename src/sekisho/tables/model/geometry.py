"""From inner cells to the whole table: dimensions with their trees and groupings, all margins, all equations.

Every cell is a choice of one code per dimension. Wherever a code is the sum of others in its dimension (a node of its
children, a grouping of its members), each combination of codes of the other dimensions gives one equation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from sekisho.errors import Fault, FaultsError
from sekisho.parameters import checked
from sekisho.tables.model.exact_sums import Number, add_exactly
from sekisho.tables.model.table import TOTAL, Floats, Key, Table
from sekisho.words import Said


@dataclass(frozen=True, kw_only=True)
@checked
class Dimension:
    """One dimension: its tree from the margin down to the leaves, and further sums that the tree does not hold.

    Attributes:
        name: the column's name.
        parent: each code's parent; the codes below the margin name ``total``.
        groupings: codes outside the tree, each the sum of some codes (non-nested groupings).
        total: the margin's code.
    """

    name: str
    parent: Mapping[str, str]
    groupings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    total: str = TOTAL

    @classmethod
    def flat(cls, name: str, codes: Iterable[str], *, total: str = TOTAL) -> Dimension:
        """Return a dimension whose codes all stand directly below the margin."""
        return cls(name=name, parent=dict.fromkeys(codes, total), total=total)

    def __post_init__(self) -> None:
        faults = [*self._tree_faults(), *self._grouping_faults()]
        if faults:
            raise FaultsError(f"dimension {self.name}", faults)

    def _fault(self, rule: str, code: str, message: Said) -> Fault:
        return Fault(row=0, column=self.name, rule=rule, value=code, message=message)

    def _tree_faults(self) -> Iterable[Fault]:
        if not self.parent:
            yield self._fault("empty", self.name, Said("has no codes"))
        if self.total in self.parent:
            yield self._fault("root", self.total, Said("{total} is the margin and has no parent", total=self.total))
        for code, above in self.parent.items():
            if above != self.total and above not in self.parent:
                yield self._fault(
                    "unknown code",
                    above,
                    Said("the parent {above!r} of {code!r} is nowhere in the tree", above=above, code=code),
                )
            elif self._circles(code):
                yield self._fault("cycle", code, Said("{code!r} is among its own ancestors", code=code))

    def _circles(self, code: str) -> bool:
        seen: set[str] = set()
        at = code
        while at in self.parent and at not in seen:
            seen.add(at)
            at = self.parent[at]
        return at == code

    def _grouping_faults(self) -> Iterable[Fault]:
        for code, members in self.groupings.items():
            if code in self.parent or code == self.total:
                yield self._fault(
                    "duplicate", code, Said("the grouping {code!r} is also a code of the tree", code=code)
                )
            for member in members:
                if member not in self.parent:
                    yield self._fault(
                        "unknown code",
                        member,
                        Said("the grouping {code!r} has the unknown member {member!r}", code=code, member=member),
                    )
            if len(set(members)) != len(members) or not members:
                yield self._fault(
                    "members", code, Said("the grouping {code!r} must have members, none of them twice", code=code)
                )

    @cached_property
    def children(self) -> dict[str, tuple[str, ...]]:
        """The parts of each inner node of the tree."""
        below: dict[str, list[str]] = {}
        for code, above in self.parent.items():
            below.setdefault(above, []).append(code)
        return {code: tuple(parts) for code, parts in below.items()}

    @cached_property
    def sums(self) -> dict[str, tuple[str, ...]]:
        """Every code that is a sum, tree nodes and groupings, with its parts."""
        return {**{code: self.children[code] for code in self.codes if code in self.children}, **self.groupings}

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """All codes: the margin, the tree depth first, the groupings."""
        order: list[str] = []
        stack = [self.total]
        while stack:
            code = stack.pop()
            order.append(code)
            stack.extend(reversed(self.children.get(code, ())))
        return (*order, *self.groupings)

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each code stands in :attr:`codes`."""
        return {code: place for place, code in enumerate(self.codes)}

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The codes that are no sums."""
        return tuple(code for code in self.codes if code not in self.sums)

    def spread(self) -> csr_array:
        """Return the matrix, codes by leaves, that says which leaves each code holds."""
        leaf = {code: place for place, code in enumerate(self.leaves)}
        held: dict[str, list[int]] = {}
        for code in reversed(self.codes[: len(self.parent) + 1]):
            parts = self.children.get(code)
            held[code] = [leaf[code]] if parts is None else [at for part in parts for at in held[part]]
        for code, members in self.groupings.items():
            held[code] = [at for member in members for at in held[member]]
        rows = np.repeat(np.arange(len(self.codes)), [len(held[code]) for code in self.codes])
        columns = np.concatenate([held[code] for code in self.codes])
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(self.codes), len(leaf)))


def from_inner(
    dimensions: Sequence[Dimension], keys: Sequence[Key], value: Floats, frequency: Floats | None = None
) -> Table:
    """Return the whole table of some inner cells (leaf codes only); a combination that is absent holds 0.

    Raises:
        FaultsError: an unknown code, a code that is a sum, or a cell given twice; all of them at once.
    """
    value = np.asarray(value, dtype=np.float64)
    inner = _place(dimensions, keys)
    shape = tuple(len(dimension.leaves) for dimension in dimensions)
    flat: NDArray[np.int64] = inner @ np.array([prod(shape[axis + 1 :]) for axis in range(len(shape))], dtype=np.int64)
    _refuse_twice(dimensions, keys, flat)
    table = Table.of(
        dims=[dimension.name for dimension in dimensions],
        keys=tuple(product(*(dimension.codes for dimension in dimensions))),
        value=_sum(dimensions, shape, flat, value),
        matrix=equations_of(dimensions),
        equations=_names(dimensions),
        margins=[dimension.total for dimension in dimensions],
    )
    if frequency is None:
        return table
    return replace(table, frequency=np.rint(_sum(dimensions, shape, flat, frequency)).astype(np.int64))


def from_cells(dimensions: Sequence[Dimension], keys: Sequence[Key], value: Floats) -> Table:
    """Return the table of cells that may include margins.

    Those of a code must all be there and right, or none, and are then summed: a file may have the sub-totals of a tree
    without its total.

    Raises:
        FaultsError: as :func:`from_inner`; also a margin that is missing or does not add up; all of them at once.
    """
    table = from_inner(dimensions, *_inner(dimensions, keys, value))
    given = frozenset(keys)
    sums = [dimension.sums.keys() for dimension in dimensions]
    unsaid = [held - {key[axis] for key in given} for axis, held in enumerate(sums)]
    if unsaid == [set(held) for held in sums]:
        return table
    faults = [
        Fault(
            row=0,
            column="",
            rule="unknown code",
            value=",".join(key),
            message=Said("there is no cell {key}", key=", ".join(key)),
        )
        for key in keys
        if key not in table.position
    ] + [
        Fault(
            row=0, column="", rule="complete", value="", message=Said("the cell {key} is missing", key=", ".join(key))
        )
        for key in table.keys
        if key not in given and not any(code in held for code, held in zip(key, unsaid, strict=True))
    ]
    if faults:
        raise FaultsError(Said("cells"), faults)
    replace(table, value=_overlay(table, keys, value))  # refuses margins that do not add up
    return table  # those that do are the exact sums, whatever a program made of their last digits


def sum_up(dimensions: Sequence[Dimension], keys: Sequence[Key], value: Floats) -> Floats:
    """Return a number for every cell of the whole table, added up from inner cells where it was not given.

    Given ones need not add up.
    """
    return _overlay(from_inner(dimensions, *_inner(dimensions, keys, value)), keys, value)


def inner_cells(dimensions: Sequence[Dimension], keys: Sequence[Key]) -> NDArray[np.bool_]:
    """Return which keys name a leaf in every dimension."""
    sums = [dimension.sums for dimension in dimensions]
    return np.array([all(code not in held for code, held in zip(key, sums, strict=True)) for key in keys], dtype=bool)


def _inner(dimensions: Sequence[Dimension], keys: Sequence[Key], value: Floats) -> tuple[list[Key], Floats]:
    inner = inner_cells(dimensions, keys)
    return [key for key, leaf in zip(keys, inner, strict=True) if leaf], value[inner]


def _overlay(table: Table, keys: Sequence[Key], value: Floats) -> Floats:
    """Return a table's values with those given in place of its own."""
    whole = table.value.copy()
    whole[[table.position[key] for key in keys]] = value
    return whole


def _place(dimensions: Sequence[Dimension], keys: Sequence[Key]) -> NDArray[np.int64]:
    """Return each key's leaf positions, or refuse the keys that have none."""
    tables = [{code: place for place, code in enumerate(dimension.leaves)} for dimension in dimensions]
    faults = [
        Fault(
            row=row + 1,
            column=dimension.name,
            rule="inner cell",
            value=code,
            message=Said("{code!r} is a sum, not an inner code", code=code)
            if code in dimension.place
            else Said("{code!r} is an unknown code", code=code),
        )
        for row, key in enumerate(keys)
        for dimension, known, code in zip(dimensions, tables, key, strict=True)
        if code not in known
    ]
    if faults:
        raise FaultsError(Said("cells"), faults)
    columns = [[known[key[at]] for key in keys] for at, known in enumerate(tables)]
    return np.array(columns, dtype=np.int64).T.reshape(len(keys), len(tables))


def _refuse_twice(dimensions: Sequence[Dimension], keys: Sequence[Key], flat: NDArray[np.int64]) -> None:
    first = np.unique(flat, return_index=True)[1]
    again = np.setdiff1d(np.arange(len(flat)), first)
    if again.size:
        raise FaultsError(
            Said("cells"),
            [
                Fault(
                    row=int(row) + 1,
                    column=",".join(dimension.name for dimension in dimensions),
                    rule="duplicate",
                    value=",".join(keys[row]),
                    message=Said("the cell {keys} is there twice", keys=", ".join(keys[row])),
                )
                for row in again
            ],
        )


def _sum(dimensions: Sequence[Dimension], shape: tuple[int, ...], flat: NDArray[np.int64], value: Floats) -> Floats:
    """Return the values of all cells: the inner grid summed along each dimension in turn, in the unit of the values."""
    return add_exactly(value, partial(sum_grid, dimensions, shape, flat))


def sum_grid(
    dimensions: Sequence[Dimension], shape: tuple[int, ...], flat: NDArray[np.int64], value: NDArray[Number]
) -> NDArray[Number]:
    """Return the sums of all cells of numbers of some inner ones, in the arithmetic of their type.

    ``flat`` says where each stands in the grid of the leaves, whose ``shape`` is given.
    """
    grid = np.zeros(prod(shape), dtype=value.dtype)
    grid[flat] = value
    grid = grid.reshape(shape)
    for axis, dimension in enumerate(dimensions):
        moved = np.moveaxis(grid, axis, 0)
        summed: NDArray[Number] = dimension.spread().astype(value.dtype) @ moved.reshape(moved.shape[0], -1)
        grid = np.moveaxis(summed.reshape(-1, *moved.shape[1:]), 0, axis)
    return np.ascontiguousarray(grid).ravel()


def equations_of(dimensions: Sequence[Dimension]) -> csr_array:
    """Return all equations between the cells of the full product of the dimensions' codes, parts +1 and total -1."""
    shape = tuple(len(dimension.codes) for dimension in dimensions)
    grid = np.arange(prod(shape)).reshape(shape)
    rows: list[NDArray[np.int64]] = []
    columns: list[NDArray[np.int64]] = []
    signs: list[Floats] = []
    count = 0
    for axis, dimension in enumerate(dimensions):
        by_code = np.moveaxis(grid, axis, 0).reshape(shape[axis], -1)
        width = by_code.shape[1]
        for code, parts in dimension.sums.items():
            taken = by_code[[dimension.place[code], *(dimension.place[part] for part in parts)]]
            rows.append(np.tile(np.arange(count, count + width), len(taken)))
            columns.append(taken.ravel())
            signs.append(np.repeat([-1.0, *(1.0 for _ in parts)], width))
            count += width
    indices = (np.concatenate(rows), np.concatenate(columns))
    return csr_array(coo_array((np.concatenate(signs), indices), shape=(count, grid.size)))


def _names(dimensions: Sequence[Dimension]) -> list[str]:
    """Return the equations' names in the order of :func:`equations_of`: ``v1=r0 at v2=b001``."""
    names: list[str] = []
    for dimension in dimensions:
        others = [other for other in dimensions if other is not dimension]
        places = [
            ", ".join(f"{other.name}={code}" for other, code in zip(others, choice, strict=True))
            for choice in product(*(other.codes for other in others))
        ]
        names += [
            f"{dimension.name}={code}" + (f" at {place}" if place else "")
            for code in dimension.sums
            for place in places
        ]
    return names

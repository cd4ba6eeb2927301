"""The axes of a table that is a full product of dimensions, read off its equations.

And the simplest moves along each axis.

A move along an axis adds one to a leaf code, and takes one from another or from none; every code above follows. The
product of one move per axis is a *box*: a deviation that keeps every equation of the table, whatever its trees and
groupings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.table import TOTAL, Table

Ints = NDArray[np.int64]
INNER = 6
"""Through how many of its leaves a code that is a sum may move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """A product of code lists.

    Attributes:
        codes: each cell's code number on every axis.
        shape: how many codes each axis has.
        cell: the cell at each place of the product, the last axis fastest.
        spread: for each axis, codes by leaves: 1 where the code holds the leaf.
        names: each axis' codes, as they are written.
        leaves: for each axis, the numbers of the codes that are no sums, ascending.
    """

    codes: Ints
    shape: tuple[int, ...]
    cell: Ints
    spread: tuple[Ints, ...]
    names: tuple[tuple[str, ...], ...]
    leaves: tuple[Ints, ...]

    @classmethod
    def of(cls, table: Table) -> Axes | None:
        """Return a table's axes, or None if it is not a product of codes with sums along single axes.

        Linked tables are not.
        """
        columns = [
            _ordered(np.array(column), margin)
            for column, margin in zip(zip(*table.keys, strict=True), table.margins, strict=True)
        ]
        shape = tuple(size for size, _ in columns)
        if not columns or int(np.prod(shape)) != len(table):
            return None
        codes = np.stack([place for _, place in columns], axis=1)
        flat = codes @ strides(shape)
        cell = np.empty(len(table), dtype=np.int64)
        cell[flat] = np.arange(len(table))
        spreads: list[Ints] = []
        leaves: list[Ints] = []
        along = _axis_of_rows(table, codes)
        if along is None:
            return None
        for axis, size in enumerate(shape):
            found = _spread(table, codes, np.flatnonzero(along == axis), axis, size)
            if found is None:
                return None
            leaves.append(found[0])
            spreads.append(found[1])
        names = tuple(
            tuple(table.keys[cell][axis] for cell in np.unique(codes[:, axis], return_index=True)[1])
            for axis in range(len(shape))
        )
        return cls(codes=codes, shape=shape, cell=cell, spread=tuple(spreads), names=names, leaves=tuple(leaves))

    def moves(self, axis: int, code: int, most: int) -> list[Ints]:
        """Return moves that add one to a code, at most so many, those that touch the fewest codes first."""
        spread = self.spread[axis]
        own = np.flatnonzero(spread[code])[:INNER]
        others = np.flatnonzero(spread[code] == 0)
        found = [spread[:, leaf] - spread[:, other] for leaf in own for other in others]
        found += [spread[:, leaf] for leaf in own]
        order = np.argsort([np.count_nonzero(move) for move in found], kind="stable")
        kept = [found[at] for at in order[:most]]
        if len(found) > most:
            kept[-1] = spread[:, own[0]]
        return kept


def _ordered(column: NDArray[np.str_], margin: str) -> tuple[int, Ints]:
    """Return how many codes there are and each cell's number.

    Codes are sorted by name, the margin where ``Total`` would stand, whatever it is called.
    """
    own = column == margin
    others, place = np.unique(column[~own], return_inverse=True)
    if not own.any():
        return len(others), place.astype(np.int64)
    at = int(np.searchsorted(others, TOTAL))
    numbers = np.full(len(column), at, dtype=np.int64)
    numbers[~own] = place + (place >= at)
    return len(others) + 1, numbers


def strides(shape: tuple[int, ...]) -> Ints:
    """Return how far apart neighbours on each axis stand, the last axis fastest."""
    return np.array([int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))], dtype=np.int64)


def _axis_of_rows(table: Table, codes: Ints) -> Ints | None:
    """Return along which axis each equation sums, or None if some equation does not sum along one axis."""
    matrix = table.matrix
    if np.any(np.diff(matrix.indptr) == 0):
        return None
    begins = matrix.indptr[:-1]
    seen = codes[matrix.indices]
    differs = np.maximum.reduceat(seen, begins) != np.minimum.reduceat(seen, begins)
    return None if np.any(differs.sum(axis=1) != 1) else differs.argmax(axis=1).astype(np.int64)


def _spread(table: Table, codes: Ints, rows: Ints | NDArray[np.intp], axis: int, size: int) -> tuple[Ints, Ints] | None:
    """Return the leaves of an axis and which of them each code holds.

    None if the equations along it are not sums of parts.
    """
    matrix = table.matrix
    parts: dict[int, Ints] = {}
    seen: set[bytes] = set()
    relations: list[Ints] = []
    for row in rows.tolist():
        held = slice(matrix.indptr[row], matrix.indptr[row + 1])
        relation = np.zeros(size, dtype=np.int64)
        relation[codes[matrix.indices[held], axis]] = matrix.data[held]
        if relation.tobytes() in seen:
            continue
        seen.add(relation.tobytes())
        totals = np.flatnonzero(relation == -1)
        if len(totals) != 1 or relation.max() > 1 or relation.min() < -1:
            return None
        relations.append(relation)
        parts.setdefault(int(totals[0]), np.flatnonzero(relation == 1).astype(np.int64))
    return _resolved(parts, relations, size)


def _resolved(parts: dict[int, Ints], relations: list[Ints], size: int) -> tuple[Ints, Ints] | None:
    leaves = [code for code in range(size) if code not in parts]
    spread = np.zeros((size, len(leaves)), dtype=np.int64)
    spread[leaves, np.arange(len(leaves))] = 1
    known = set(leaves)
    waiting = dict(parts)
    while waiting:
        ready = [code for code, below in waiting.items() if known.issuperset(below.tolist())]
        if not ready:
            return None
        for code in ready:
            spread[code] = spread[waiting.pop(code)].sum(axis=0)
            known.add(code)
    held = all(not np.any(relation @ spread) for relation in relations)
    return (np.array(leaves, dtype=np.int64), spread) if held and spread.max() <= 1 else None

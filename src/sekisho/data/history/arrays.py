"""A history as arrays: whose each row is, the rows gathered by person, the attributes as numbers and codes.

The one view that methods and adversaries share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.errors import ParameterError
from sekisho.words import Said

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, kw_only=True, eq=False)
class History:
    """The rows of some people as arrays.

    Attributes:
        data: the rows themselves.
        names: the people as the data call them, sorted.
        owner: for each row its person, a position in the names.
        order: the rows, one person after another, each person's rows in the file's order.
        starts: where in ``order`` each person's rows start; one more entry marks the end.
        numbers: the numeric attributes on their grids, one column each.
        codes: the category attributes as codes, one column each.
    """

    data: Dataset
    names: tuple[str, ...]
    owner: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, data: Dataset) -> History:
        """Return the view of a data set.

        Raises:
            ParameterError: no column says whose row it is.
        """
        owner, names = find_owners(data)
        numeric = [column.name for column in data.schema.attributes if column.kind.numeric]
        categories = [column.name for column in data.schema.attributes if not column.kind.numeric]
        return cls(
            data=data,
            names=names,
            owner=owner,
            order=np.argsort(owner, kind="stable"),
            starts=find_starts(owner, len(names)),
            numbers=stack_columns([data.grid(name) for name in numeric], len(data), np.int64),
            codes=stack_columns([data.codes(name) for name in categories], len(data), np.int32),
        )

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.names)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many rows each person has."""
        return np.diff(self.starts)


def find_owners(data: Dataset) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return for each row its person as a position in the sorted names, and the names."""
    holder = data.schema.identifier
    if holder is None or holder.kind.numeric:
        raise ParameterError(
            "data", Said("have an identifier column of kind category that says whose row it is"), "none"
        )
    return data.codes(holder.name).astype(np.int64), data.domain(holder.name)


def find_starts(owner: NDArray[np.integer], people: int) -> NDArray[np.int64]:
    """Return where each person's rows start once they are gathered; one more entry marks the end."""
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=people))]).astype(np.int64)


def list_runs(starts: NDArray[np.int64], people: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the rows of some people stand among all, gathered by person, one person after another."""
    lengths = np.diff(starts)[people]
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts[people] - before, lengths) + np.arange(int(lengths.sum()))


def stack_columns(columns: list[NDArray[T]], rows: int, kind: type[T]) -> NDArray[T]:
    """Return columns as one table, also where there are none."""
    return np.column_stack(columns).astype(kind, copy=False) if columns else np.zeros((rows, 0), dtype=kind)


def number_rows(*columns: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return a number per row, equal exactly where the rows agree in every column."""

    def joined(numbers: NDArray[np.int64], column: NDArray[np.integer]) -> NDArray[np.int64]:
        values, rank = np.unique(column, return_inverse=True)
        return np.unique(numbers * len(values) + rank, return_inverse=True)[1].astype(np.int64)

    return reduce(joined, columns, np.zeros(len(columns[0]), np.int64))


def number_runs(starts: NDArray[np.int64], ends: NDArray[np.int64], values: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return a number per run ``values[start:end]``, equal exactly where the runs are equal; the empty run is 0.

    Runs are compared position by position: those that share a prefix share a number until they differ or end.
    """
    ids = np.zeros(len(starts), np.int64)
    base = int(values.min(initial=0))
    space = int(values.max(initial=0)) - base + 1
    fresh, depth = 1, 0
    active = np.flatnonzero(ends > starts)
    while len(active):
        prefix, place = np.unique(ids[active] * space + values[starts[active] + depth] - base, return_inverse=True)
        ids[active] = fresh + place
        fresh, depth = fresh + len(prefix), depth + 1
        active = active[ends[active] - starts[active] > depth]
    return ids

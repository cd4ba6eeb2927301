"""Records as points, and how far two are apart: by the contest's information loss, or by one-hot Euclidean distance.

Some columns are measured (an age, a body-mass index), the others only compared (same value or not).

Iloss of a pair of records is max(largest difference of a measured column, number of compared columns that differ); of
two files, the largest over their rows. The organisers' sample attack measures instead the Euclidean distance after
one-hot encoding: a category that differs adds 1 + 1 to the square, a 0/1 column that differs adds 1.

A missing number is as far from every number as a record can be, and no step from another missing one.

All arithmetic is on whole numbers of the columns' last decimal, so that "at most 4" means at most 4.
Source: PWS Cup 2021, rules; FAQ, question 10; programs iloss.py and attack.py.

Which records have the same values: the same number for equal rows, also of different data sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, drop_gaps, find_gaps
from sekisho.data.frame.dataset import Dataset, Kind, Role, Schema, encode_texts
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

LARGEST = int(np.iinfo(np.int64).max) // 4
FARTHEST = 10**9
"""The largest limit on Iloss: in steps of nine decimals it still fits 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Points:
    """Records as whole numbers.

    Attributes:
        numbers: the measured columns, in units of ``1 / unit``.
        labels: the compared columns as codes.
        weights: what a differing label adds to the squared Euclidean distance: 2 for a category, 1 for a 0/1 column.
        unit: how many steps of the grid make 1.
    """

    numbers: NDArray[np.int64]
    labels: NDArray[np.int32]
    weights: NDArray[np.int64]
    unit: int

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Points:
        """Return some of the points."""
        return Points(numbers=self.numbers[rows], labels=self.labels[rows], weights=self.weights, unit=self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RecordSpace:
    """Which columns are measured and which are only compared.

    Where neither is said, as the kinds of the columns say.
    """

    measured: tuple[str, ...] = field(
        default=(),
        metadata={"help": "Columns whose differences are measured; as the rules say, else all columns of numbers."},
    )
    compared: tuple[str, ...] = field(
        default=(), metadata={"help": "Columns that only differ or not; as the rules say, else all categories."}
    )

    def settle_columns(self, schema: Schema) -> RecordSpace:
        """Return the space with its columns named: its own, or those that a schema has.

        An identifier and columns of another role (``other``) are left out.
        """
        if self.measured or self.compared:
            both = [*self.measured, *self.compared]
            if len(set(both)) < len(both):
                raise ParameterError(Said("measured and compared columns"), Said("be distinct"), both)
            return RecordSpace(measured=self.measured, compared=self.compared)
        columns = [column for column in schema.attributes if column.role is not Role.OTHER]
        if not columns:
            raise ParameterError("schema", Said("have a column that tells something of a person"), schema.names)
        return RecordSpace(
            measured=tuple(column.name for column in columns if column.kind.numeric),
            compared=tuple(column.name for column in columns if not column.kind.numeric),
        )

    def points(self, *sets: Dataset) -> tuple[Points, ...]:
        """Return data sets as points with common codes, so that points of different sets may be compared."""
        for data in sets:
            require_one_row(data)
        space = self.settle_columns(sets[0].schema)
        digits = max((data.schema[name].decimals for data in sets for name in space.measured), default=0)
        ends = np.cumsum([0, *(len(data) for data in sets)])
        numbers = np.empty((ends[-1], len(space.measured)), dtype=np.int64)
        labels = np.empty((ends[-1], len(space.compared)), dtype=np.int32)
        for place, name in enumerate(space.measured):
            numbers[:, place] = np.concatenate([_refine_grid(data, name, digits) for data in sets])
        for place, name in enumerate(space.compared):
            labels[:, place] = encode_texts(pl.concat([data.text(name) for data in sets]))[0]
        weights = np.array(
            [1 + (sets[0].schema[name].kind is Kind.CATEGORY) for name in space.compared], dtype=np.int64
        )
        return tuple(
            Points(numbers=numbers[low:high], labels=labels[low:high], weights=weights, unit=10**digits)
            for low, high in pairwise(ends.tolist())
        )


def require_one_row(data: Dataset) -> None:
    """Refuse what is no table of records: one row is one person.

    Raises:
        ParameterError: the identifier names somebody twice; such data are a history.
    """
    holder = data.schema.identifier
    if holder is None:
        return
    names = data.text(holder.name)
    nameless = data.count_gaps(holder.name)
    if names.n_unique() - bool(nameless) < len(data) - nameless:
        raise ParameterError("data", Said("be records, one row a person"), f"a history: {holder.name} repeats")


def hide_identifier(data: Dataset) -> Dataset:
    """Return records without the column that says whose they are: people then go by their rows."""
    require_one_row(data)
    schema = Schema(data.schema.attributes)
    return Dataset(data.frame[list(schema.names)], schema)  # by exact names: one may be called *


def _refine_grid(data: Dataset, name: str, digits: int) -> NDArray[np.int64]:
    """Return a column on a grid of so many decimals."""
    grid, factor = data.grid(name), 10 ** (digits - data.schema[name].decimals)
    largest = int(np.abs(drop_gaps(grid)).max(initial=0))
    if factor > 1 and largest * factor > LARGEST:
        raise ParameterError(
            Said("column {name}", name=name),
            Said("be small enough for {digits} decimals, which another measured column has", digits=digits),
            largest,
            hint=Said("give that column fewer decimals, or name the columns that matter"),
        )
    return np.where(find_gaps(grid), MISSING_NUMBER, grid * factor) if factor > 1 else grid


def require_limit(limit: float | None) -> float:
    """Return the largest loss of a record, which rules or the caller must say.

    Raises:
        ParameterError: nobody said it, or it is below 0.
    """
    if limit is None or not limit >= 0:
        raise ParameterError(
            "limit",
            Said("be given, at least 0, where no rules say it"),
            limit,
            hint=Said("the largest loss of a record"),
        )
    return limit


def round_to_steps(limit: float, unit: int) -> int:
    """Return a limit on Iloss as whole steps of the grid, rounded down, with a tolerance for float error."""
    if not 0 <= limit <= FARTHEST:
        raise ParameterError("limit", Said("lie between 0 and {most:,}", most=FARTHEST), limit)
    return int(np.floor(limit * unit + 1e-6))


def check_cuts(cuts: Mapping[str, Sequence[float]]) -> None:
    """Refuse borders of classes that are fewer than two, not ascending, or beyond any value."""
    for name, edges in cuts.items():
        if len(edges) < 2 or not all(low < high for low, high in pairwise(edges)):
            raise ParameterError(Said("cuts of {name}", name=name), Said("be at least two ascending numbers"), edges)
        if not -FARTHEST <= edges[0] < edges[-1] <= FARTHEST:
            raise ParameterError(
                Said("cuts of {name}", name=name),
                Said("lie between -{farthest:,} and {farthest:,}", farthest=FARTHEST),
                edges,
            )


def take_kept(release: Release) -> Dataset:
    """Return D, what is left of a release of records: the undeleted rows in the original's order."""
    return release.table.take(~release.deleted).to_dataset()


def number_equal_rows(*sets: Dataset, columns: Sequence[str]) -> tuple[NDArray[np.int64], ...]:
    """Return a number for each row of each data set: two rows have the same one if they agree in all the columns.

    Raises:
        ParameterError: a data set lacks one of the columns, or none is named.
    """
    missing = sorted({name for data in sets for name in columns if name not in data.schema.names})
    if missing or not columns:
        raise ParameterError("columns", Said("be at least one, and stand in every file that is compared"), missing)
    ends = np.cumsum([len(data) for data in sets])
    number = np.zeros(int(ends[-1]), dtype=np.int64)
    for name in columns:
        codes, values = encode_texts(pl.concat([data.text(name) for data in sets]))
        number = np.unique(number * len(values) + codes, return_inverse=True)[1].reshape(-1)
    return tuple(np.split(number, ends[:-1]))


def find_single_rows(number: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the rows whose number no other row has, ascending."""
    _, first, count = np.unique(number, return_index=True, return_counts=True)
    return np.sort(first[count == 1])


def count_unique_records(data: Dataset) -> int:
    """Return how many records there are whose values, all attributes taken together, nobody else has."""
    (number,) = number_equal_rows(data, columns=[column.name for column in data.schema.attributes])
    return len(find_single_rows(number))

"""Records as points: how far two of them are apart, by the contest's information loss and by one-hot Euclidean distance.

Some columns are measured (age, body-mass index), the others only compared (same value or not).

Iloss of a pair of records is max(largest difference of a measured column, number of compared columns that differ); of two files, the
largest over their rows. The organisers' sample attack measures instead the Euclidean distance after one-hot encoding: a category
that differs adds 1 + 1 to the square, a 0/1 column that differs adds 1.

All arithmetic is on whole numbers of the columns' last decimal, so that "at most 4" means at most 4.
Source: PWS Cup 2021, rules; FAQ, question 10; programs iloss.py and attack.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.dataset import Dataset, coded
from sekisho.data.release import Release
from sekisho.data.schema import Kind
from sekisho.errors import ParameterError

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
class RecordSpace:
    """Which columns are measured and which are only compared; those of the contest of 2021 unless told otherwise."""

    measured: tuple[str, ...] = field(
        default=("age", "bmi"), metadata={"help": "Columns whose differences are measured."}
    )
    compared: tuple[str, ...] = field(
        default=("gen", "race", "edu", "mar", "dep", "pir", "qm", "dia"),
        metadata={"help": "Columns that only differ or not."},
    )

    def points(self, *sets: Dataset) -> tuple[Points, ...]:
        """Return data sets as points with common codes, so that points of one may be compared with points of another."""
        both = [*self.measured, *self.compared]
        if not both or len(set(both)) < len(both):
            raise ParameterError("measured and compared columns", "be distinct, at least one", both)
        digits = max((data.schema[name].decimals for data in sets for name in self.measured), default=0)
        ends = np.cumsum([0, *(len(data) for data in sets)])
        numbers = np.empty((ends[-1], len(self.measured)), dtype=np.int64)
        labels = np.empty((ends[-1], len(self.compared)), dtype=np.int32)
        for place, name in enumerate(self.measured):
            numbers[:, place] = np.concatenate(
                [data.grid(name) * 10 ** (digits - data.schema[name].decimals) for data in sets]
            )
        for place, name in enumerate(self.compared):
            labels[:, place] = coded(pl.concat([data.text(name) for data in sets]))[0]
        weights = np.array([1 + (sets[0].schema[name].kind is Kind.CATEGORY) for name in self.compared], dtype=np.int64)
        return tuple(
            Points(numbers=numbers[low:high], labels=labels[low:high], weights=weights, unit=10**digits)
            for low, high in pairwise(ends.tolist())
        )


HEALTH_SPACE = RecordSpace()


def row_loss(one: Points, other: Points) -> NDArray[np.int64]:
    """Return Iloss of each row of one against the same row of the other, in steps of the grid."""
    differing = (one.labels != other.labels).sum(axis=1) * one.unit
    return np.maximum(np.abs(one.numbers - other.numbers).max(axis=1, initial=0), differing)


def in_steps(limit: float, unit: int) -> int:
    """Return a limit on Iloss as whole steps of the grid, rounded down; a hair of float error is forgiven."""
    if not 0 <= limit <= FARTHEST:
        raise ParameterError("limit", f"lie between 0 and {FARTHEST:,}", limit)
    return int(np.floor(limit * unit + 1e-6))


def check_cuts(cuts: Mapping[str, Sequence[float]]) -> None:
    """Refuse borders of classes that are fewer than two, not ascending, or beyond any value."""
    for name, edges in cuts.items():
        if len(edges) < 2 or not all(low < high for low, high in pairwise(edges)):
            raise ParameterError(f"cuts of {name}", "be at least two ascending numbers", edges)
        if not -FARTHEST <= edges[0] < edges[-1] <= FARTHEST:
            raise ParameterError(f"cuts of {name}", f"lie between -{FARTHEST:,} and {FARTHEST:,}", edges)


def kept(release: Release) -> Dataset:
    """Return D, what is left of a release of records: the undeleted rows in the original's order."""
    return release.table.take(~release.deleted).dataset()

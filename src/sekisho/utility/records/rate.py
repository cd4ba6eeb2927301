"""rate of the contest of 2021: do the cross tables of each explanatory column with the outcome still hold?

Each column's values are counted by outcome and divided by the file's own number of rows; the measure is the largest
absolute difference of a cell, original against release. Cut columns are clipped to their outer cuts first and then
binned left-open, as (19,44]: a value clipped to the lowest cut falls out of the table. A cell that is empty in one of
the files counts 0 there (the organisers' program passed over such a cell, which can only hide a loss).

Source: PWS Cup 2021, rules; program ccount.py.

Which column is the outcome and which explain it: as named, else as the roles of the schema say.

uniqrt of the contest of 2021: how many of the kept records are alone with their values?

The records of C (the original values of the rows kept) whose tuple of explanatory columns occurs exactly once in C,
over the number of records of B; some columns (there age and body-mass index) are first rounded to tens, half to even. A
condition on the first anonymisation: few may stay unique.

Source: PWS Cup 2021, rules; FAQ, questions 6 and 11; program uniqrt.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import drop_gaps, find_gaps
from sekisho.data.frame.dataset import Dataset, Role, Schema, encode_texts
from sekisho.data.frame.release import Release
from sekisho.data.records.space import check_cuts, require_one_row, take_kept
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said


def settle_outcome(schema: Schema, name: str) -> str:
    """Return the outcome: the one named, else the only sensitive column.

    Raises:
        ParameterError: none is named, and there is no sensitive column or more than one; or there is no such column.
    """
    if name:
        return schema[name].name
    sensitive = schema.with_role(Role.SENSITIVE)
    if len(sensitive) != 1:
        raise ParameterError(
            "outcome", Said("be given where there is not exactly one sensitive column"), list(sensitive)
        )
    return sensitive[0]


def settle_explaining(schema: Schema, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the explaining columns: those named, else all quasi-identifiers.

    Raises:
        ParameterError: there is none, or no such column.
    """
    names = tuple(schema[name].name for name in columns) or schema.with_role(Role.QUASI)
    if not names:
        raise ParameterError("columns", Said("be given where no column is a quasi-identifier"), list(schema.names))
    return names


MANY = 20
"""A column of numbers with more values than this, for which no cuts are given, is cut at the original's quartiles."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RateChange:
    """The largest change of a cell of the cross tables with the outcome."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    outcome: str = ""
    columns: tuple[str, ...] = ()
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])

    def __post_init__(self) -> None:
        check_cuts(self.cuts)

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the largest difference; the detail holds each column's."""
        return self.compare_files(original, take_kept(released))

    def compare_files(self, original: Dataset, other: Dataset) -> Score:
        """Return the same for any two files, which need not have the same rows."""
        require_one_row(original)
        outcome, outcomes = _label_values(original, other, settle_outcome(original.schema, self.outcome))
        columns: dict[str, float] = {}
        for name in settle_explaining(original.schema, self.columns):
            codes, count = self._code_column(original, other, name)
            tables = [
                np.bincount((part + 1) * outcomes + result, minlength=(count + 1) * outcomes)[outcomes:] / len(part)
                for part, result in zip(codes, outcome, strict=True)
            ]
            columns[name] = float(np.abs(tables[0] - tables[1]).max())
        return Score(value=max(columns.values()), detail=columns)

    def place_records(self, data: Dataset) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return each record's cell in each column's table, -1 where it falls out, and all cells' shares of the file.

        For those who change records one by one and must know what a change does to the tables.
        """
        (outcome, _), outcomes = _label_values(data, data, settle_outcome(data.schema, self.outcome))
        parts: list[NDArray[np.int64]] = []
        start = 0
        for name in settle_explaining(data.schema, self.columns):
            (codes, _), count = self._code_column(data, data, name)
            parts.append(np.where(codes < 0, -1, start + codes * outcomes + outcome))
            start += count * outcomes
        cells = np.stack(parts, axis=1)
        return cells, np.bincount(cells[cells >= 0], minlength=start) / len(data)

    def _code_column(self, original: Dataset, other: Dataset, name: str) -> tuple[tuple[NDArray[np.int64], ...], int]:
        """Return both files' codes of a column, -1 where a value falls out, and how many codes there are."""
        edges = self._choose_edges(original, name)
        if edges is None:
            return _label_values(original, other, name)
        lacking = bool(original.count_gaps(name) or other.count_gaps(name))
        return tuple(_bin_column(data, name, edges) for data in (original, other)), len(edges) - 1 + int(lacking)

    def _choose_edges(self, original: Dataset, name: str) -> NDArray[np.int64] | None:
        """Return where a column is cut, on its grid; None where its values are counted one by one."""
        column = original.schema[name]
        if name in self.cuts:
            unit = 10**column.decimals
            return np.array([int(Fraction(str(cut)) * unit) for cut in self.cuts[name]], dtype=np.int64)
        if not column.kind.numeric or len(np.unique(original.grid(name))) <= MANY:
            return None
        numbers = drop_gaps(original.grid(name))
        quartiles = np.quantile(numbers, (0.25, 0.5, 0.75), method="inverted_cdf").astype(np.int64)
        return np.unique([numbers.min() - 1, *quartiles, numbers.max()])


def _bin_column(data: Dataset, name: str, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    grid = data.grid(name)
    bins = np.searchsorted(edges, np.clip(grid, edges[0], edges[-1]), side="left") - 1
    return np.where(find_gaps(grid), len(edges) - 1, bins)  # missing is a bin of its own, the last


def _label_values(original: Dataset, other: Dataset, name: str) -> tuple[tuple[NDArray[np.int64], ...], int]:
    codes, domain = encode_texts(pl.concat([data.text(name) for data in (original, other)]))
    both = codes.astype(np.int64)
    return (both[: len(original)], both[len(original) :]), len(domain)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class UniqueRate:
    """The share of the original's records that are kept and unique among those kept."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    columns: tuple[str, ...] = ()
    rounded: tuple[str, ...] = ()

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return uniqrt; the detail holds the counts."""
        keys = self.compute_keys(original)[~released.deleted]
        unique = int((np.bincount(keys) == 1).sum()) if len(keys) else 0
        detail = {"unique": float(unique), "kept": float(len(keys)), "records": float(len(original))}
        return Score(value=unique / len(original), detail=detail)

    def compute_keys(self, data: Dataset) -> NDArray[np.int64]:
        """Return a number for each record, the same for records that look the same."""
        require_one_row(data)
        key = np.zeros(len(data), dtype=np.int64)
        for name in settle_explaining(data.schema, self.columns):
            if name in self.rounded:
                values = round_to_tens(data.grid(name), 10 ** data.schema[name].decimals)
            else:
                values = encode_texts(data.text(name))[0]
            pair = np.stack([key, values.astype(np.int64)])
            key = np.unique(pair, axis=1, return_inverse=True)[1].reshape(-1)
        return key.astype(np.int64)


def round_to_tens(grid: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """Return how many tens a number on a grid rounds to, half to even."""
    whole, rest = np.divmod(grid, 10 * unit)
    up = (2 * rest > 10 * unit) | ((2 * rest == 10 * unit) & (whole % 2 == 1))
    return whole + up

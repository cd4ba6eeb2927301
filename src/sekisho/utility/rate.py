"""rate of the contest of 2021: do the cross tables of each explanatory column with the outcome still hold?

Each column's values are counted by outcome and divided by the file's own number of rows; the measure is the largest absolute
difference of a cell, original against release. Cut columns are clipped to their outer cuts first and then binned left-open, as
(19,44]: a value clipped to the lowest cut falls out of the table. A cell that is empty in one of the files counts 0 there (the organisers'
program passed over such a cell, which can only hide a loss).

Source: PWS Cup 2021, rules; program ccount.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.dataset import Dataset, coded
from sekisho.data.records import check_cuts, kept
from sekisho.data.release import Release
from sekisho.utility.score import Score

CUTS: dict[str, tuple[float, ...]] = {"age": (19, 44, 64, 80), "bmi": (15, 18.5, 25, 30, 70)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """The largest change of a cell of the cross tables with the outcome."""

    outcome: str = "dia"
    columns: tuple[str, ...] = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "qm")
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: dict(CUTS))

    def __post_init__(self) -> None:
        check_cuts(self.cuts)

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the largest difference; the detail holds each column's."""
        return self.between(original, kept(released))

    def between(self, original: Dataset, other: Dataset) -> Score:
        """Return the same for any two files, which need not have the same rows."""
        outcome, outcomes = _labels(original, other, self.outcome)
        columns: dict[str, float] = {}
        for name in self.columns:
            codes, count = self._cells(original, other, name)
            tables = [
                np.bincount((part + 1) * outcomes + result, minlength=(count + 1) * outcomes)[outcomes:] / len(part)
                for part, result in zip(codes, outcome, strict=True)
            ]
            columns[name] = float(np.abs(tables[0] - tables[1]).max())
        return Score(value=max(columns.values()), detail=columns)

    def cells(self, data: Dataset) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return for each record its cell in each column's table, -1 where it falls out, and all cells' shares of the file.

        For those who change records one by one and must know what a change does to the tables.
        """
        (outcome, _), outcomes = _labels(data, data, self.outcome)
        parts: list[NDArray[np.int64]] = []
        start = 0
        for name in self.columns:
            (codes, _), count = self._cells(data, data, name)
            parts.append(np.where(codes < 0, -1, start + codes * outcomes + outcome))
            start += count * outcomes
        cells = np.stack(parts, axis=1)
        return cells, np.bincount(cells[cells >= 0], minlength=start) / len(data)

    def _cells(self, original: Dataset, other: Dataset, name: str) -> tuple[tuple[NDArray[np.int64], ...], int]:
        """Return both files' codes of a column, -1 where a value falls out, and how many codes there are."""
        if name not in self.cuts:
            return _labels(original, other, name)
        cuts = self.cuts[name]
        return tuple(_binned(data, name, cuts) for data in (original, other)), len(cuts) - 1


def _binned(data: Dataset, name: str, cuts: tuple[float, ...]) -> NDArray[np.int64]:
    unit = 10 ** data.schema[name].decimals
    edges = np.array([int(Fraction(str(cut)) * unit) for cut in cuts], dtype=np.int64)
    return np.searchsorted(edges, np.clip(data.grid(name), edges[0], edges[-1]), side="left") - 1


def _labels(original: Dataset, other: Dataset, name: str) -> tuple[tuple[NDArray[np.int64], ...], int]:
    codes, domain = coded(pl.concat([data.text(name) for data in (original, other)]))
    both = codes.astype(np.int64)
    return (both[: len(original)], both[len(original) :]), len(domain)

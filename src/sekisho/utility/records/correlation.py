"""cor of the contest of 2021: do the columns still move together as they did?

Categories are one-hot encoded; the measure is the largest absolute difference of a Pearson correlation between two
different columns, original against release. A column that is constant in one of the files has no correlation there and
is passed over, and so is a value that one of the files lacks.

Source: PWS Cup 2021, rules; program cor.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row, take_kept
from sekisho.data.shape import Shape
from sekisho.utility.score import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """The largest change of a correlation."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the largest difference; the detail holds the largest of each encoded column."""
        return self.compare_files(original, take_kept(released))

    def compare_files(self, original: Dataset, other: Dataset) -> Score:
        """Return the same for any two files, which need not have the same rows."""
        require_one_row(original)
        one, two = encode_columns(original), encode_columns(other)
        names = [name for name in one if name in two]
        gap = np.abs(_compute_correlations(one, names) - _compute_correlations(two, names))
        np.fill_diagonal(gap, 0.0)
        worst = np.where(np.isnan(gap), 0.0, gap).max(axis=1, initial=0.0)
        return Score(value=float(worst.max(initial=0.0)), detail=dict(zip(names, worst.tolist(), strict=True)))


def encode_columns(data: Dataset) -> dict[str, NDArray[np.float64]]:
    """Return the columns as numbers, a category as one column of 0 and 1 per value."""
    columns: dict[str, NDArray[np.float64]] = {}
    for column in data.schema.attributes:
        if column.kind.numeric:
            columns[column.name] = data.grid(column.name) / 10**column.decimals
        else:
            codes = data.codes(column.name)
            for code, value in enumerate(data.domain(column.name)):
                columns[f"{column.name}={value}"] = (codes == code).astype(np.float64)
    return columns


def _compute_correlations(columns: dict[str, NDArray[np.float64]], names: list[str]) -> NDArray[np.float64]:
    """Return Pearson's correlations; NaN beside a constant column."""
    matrix = np.stack([columns[name] for name in names])
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    length = np.sqrt((centred * centred).sum(axis=1))
    length[np.ptp(matrix, axis=1) == 0] = np.nan
    return (centred @ centred.T) / np.outer(length, length)

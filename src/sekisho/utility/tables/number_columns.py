"""Columns of text as numbers, and tables as the features of regressions and trees.

A cell that is no number is NaN. A category becomes indicators of its values in their order, without the first.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def parse_numbers(column: pl.Series) -> Floats:
    """Return a column of text as numbers, NaN where a cell is none."""
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return numbers.fill_null(float("nan")).to_numpy().astype(np.float64)


def stack_numbers(table: pl.DataFrame, columns: tuple[str, ...]) -> Floats:
    """Return columns as a matrix, a row each."""
    return np.stack([parse_numbers(table[name]) for name in columns], axis=1)


def is_number_column(column: pl.Series, *, share: float) -> bool:
    """Tell whether at least so large a share of the cells that are filled are numbers; not if none is filled."""
    filled = (column.cast(pl.String).str.strip_chars() != "").to_numpy().astype(np.bool_)
    return bool(filled.any()) and float(np.isfinite(parse_numbers(column))[filled].mean()) >= share


def code_features(table: pl.DataFrame, *, share: float) -> dict[str, Floats]:
    """Return the features of a table, sorted by name: numbers as they are, indicators ``column_value`` of categories.

    Args:
        table: without the column that is to be explained.
        share: from which share of numbers on a column is one of numbers; 0: as soon as it has one.
    """
    features: dict[str, Floats] = {}
    for column in table.iter_columns():
        if _is_numeric(column, share):
            features[column.name] = parse_numbers(column)
            continue
        texts = column.cast(pl.String)
        for value in texts.unique().sort().to_list()[1:]:
            features[f"{column.name}_{value}"] = (texts == value).to_numpy().astype(np.float64)
    return dict(sorted(features.items()))


def _is_numeric(column: pl.Series, share: float) -> bool:
    return is_number_column(column, share=share) if share else bool(np.isfinite(parse_numbers(column)).any())


def drop_constant(features: dict[str, Floats]) -> dict[str, Floats]:
    """Return the features that take more than one value."""
    return {name: values for name, values in features.items() if not np.all(values == values[0])}


def compare_terms(one: dict[str, float], two: dict[str, float]) -> dict[str, float]:
    """Return two - one by name; a term that is missing or undefined counts 0."""
    return {
        name: float(np.nan_to_num(two.get(name, 0.0)) - np.nan_to_num(one.get(name, 0.0)))
        for name in sorted({*one, *two})
    }


def find_largest(differences: dict[str, float]) -> float:
    """Return the largest absolute difference; 0 if there is none."""
    return max(map(abs, differences.values()), default=0.0)

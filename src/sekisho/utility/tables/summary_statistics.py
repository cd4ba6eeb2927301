"""Statistics of columns: d1 of the contest of 2025.

Of every column of numbers the mean, standard deviation (n - 1) and quartiles (linear); each statistic is scaled to 0..1
by its least and largest column of the same file. Of every category the shares of its values. Of every pair of columns
of numbers Pearson's correlation. What is missing or undefined counts 0.

    d1 = largest |difference| of these terms between original and release

A column is one of numbers if so large a share of its filled cells are. Less is better.

Source: PWS Cup 2025, program stats_diff; guidebook v1.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.number_columns import (
    Floats,
    compare_terms,
    find_largest,
    is_number_column,
    parse_numbers,
)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class StatisticsDifference:
    """The largest difference of a statistic."""

    share: float = 0.95

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return d1; the detail holds the difference of each term."""
        del given
        differences = compare_terms(self.compute_terms(original), self.compute_terms(released))
        return Score(value=find_largest(differences), detail=differences)

    def compute_terms(self, table: pl.DataFrame) -> dict[str, float]:
        """Return every statistic by name."""
        numeric = [name for name in table.columns if is_number_column(table[name], share=self.share)]
        numbers = {name: parse_numbers(table[name]) for name in numeric}
        terms = _scale_statistics(numbers)
        for name in table.columns:
            if name not in numbers:
                terms |= _share_values(table[name])
        for one, two in combinations(numeric, 2):
            terms[f"correlation {one} {two}"] = correlate(numbers[one], numbers[two])
        return terms


def _scale_statistics(numbers: dict[str, Floats]) -> dict[str, float]:
    terms: dict[str, float] = {}
    told = {name: values[np.isfinite(values)] for name, values in numbers.items()}
    statistics: dict[str, list[float]] = {
        "mean": [float(values.mean()) for values in told.values()],
        "deviation": [float(values.std(ddof=1)) if len(values) > 1 else np.nan for values in told.values()],
    }
    for quarter in (25, 50, 75):
        statistics[f"quantile {quarter}"] = [float(np.percentile(values, quarter)) for values in told.values()]
    for statistic, values in statistics.items():
        scaled = _scale(np.array(values))
        terms |= {f"{statistic} {name}": value for name, value in zip(told, scaled.tolist(), strict=True)}
    return terms


def _scale(values: Floats) -> NDArray[np.float64]:
    if not np.isfinite(values).any():
        return np.zeros(len(values))
    least, most = np.nanmin(values), np.nanmax(values)
    return (values - least) / (most - least) if most > least else np.zeros(len(values))


def _share_values(column: pl.Series) -> dict[str, float]:
    counts = column.cast(pl.String).str.strip_chars().value_counts()
    pairs = zip(counts[column.name].to_list(), counts["count"].to_list(), strict=True)
    return {f"share {column.name} {value}": count / len(column) for value, count in pairs}


def correlate(one: Floats, two: Floats) -> float:
    """Return Pearson's correlation of the rows that tell both; NaN where it is undefined."""
    told = np.isfinite(one) & np.isfinite(two)
    x, y = one[told], two[told]
    if len(x) < 2 or np.all(x == x[0]) or np.all(y == y[0]):
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1, 1))

"""A synthetic table from a Gaussian copula: columns as in the original, links by their correlations alone.

Each column is thought to come from a normal variable of its own: numbers in their order, categories and flags in the
order of their texts, ties spread at random. Correlated normals are drawn and each is turned into a value of its column
at the same rank, between two neighbouring values of the original by interpolation (whole numbers and decimals as in the
original), so that exact values of people are not handed on where values are many. Since tied and skewed columns weaken
correlations, those of the normals are corrected a few times by what Pearson's correlations of the tables still lack.

Nobody's row is copied, but extremes are the original's, and nothing is proven: how much a release says about who was in
the original is what attacks on it tell.

Source: Nelsen, "An Introduction to Copulas" (2006); Cario, Nelson, "Modeling and generating random vectors with
arbitrary marginal distributions and correlation matrix" (NORTA, 1997).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Floats = NDArray[np.float64]
LEAST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CopulaTable:
    """Draw a table of the same columns.

    Attributes:
        numbers: columns whose values are interpolated; all others are drawn as they stand.
        corrections: how often correlations are corrected.
        by: a column of numbers by which rows are parted first; each part has a copula of its own, so that links that
            bend with this column are kept.
        bounds: where each part but the first begins.
    """

    numbers: tuple[str, ...]
    corrections: int = 8
    by: str = ""
    bounds: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.corrections < 0:
            raise ParameterError("corrections", Said("be at least 0"), self.corrections)

    def apply(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return a table with as many rows; parts of fewer than ten rows are drawn with the part below."""
        if not self.by:
            return self._draw(table, rng=rng)
        part = np.searchsorted(np.array(self.bounds), table[self.by].cast(pl.Float64).to_numpy(), side="right")
        for each in range(len(self.bounds), 0, -1):
            part[part == each] -= int((part == each).sum()) < LEAST
        drawn = [self._draw(table[np.flatnonzero(part == each)], rng=rng) for each in np.unique(part).tolist()]
        return pl.concat(drawn)[rng.permutation(table.height)]

    def _draw(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        rows, width = table.height, table.width
        sorted_values = [_sort_column(column, number=column.name in self.numbers) for column in table.iter_columns()]
        coded = np.stack([_code(column, number=column.name in self.numbers) for column in table.iter_columns()], axis=1)
        wanted = _correlate(coded)
        latent = wanted.copy()
        noise = rng.normal(size=(rows, width))
        ranks = _rank(noise)
        for _ in range(self.corrections + 1):
            ranks = _rank(noise @ np.linalg.cholesky(_mend(latent)).T)
            drawn = np.stack([np.sort(coded[:, place])[ranks[:, place]] for place in range(width)], axis=1)
            latent = np.clip(latent + (wanted - _correlate(drawn)), -0.999, 0.999)
            np.fill_diagonal(latent, 1.0)
        columns = [
            _write(values, ranks[:, place], column, rng)
            if column.name in self.numbers
            else values.gather(ranks[:, place]).alias(column.name)
            for place, (values, column) in enumerate(zip(sorted_values, table.iter_columns(), strict=True))
        ]
        return pl.DataFrame(columns)


def _code(column: pl.Series, *, number: bool) -> Floats:
    return (column.cast(pl.Float64) if number else column.rank("dense")).to_numpy().astype(np.float64)


def _sort_column(column: pl.Series, *, number: bool) -> pl.Series:
    return column.cast(pl.Float64).sort() if number else column.sort()


def _rank(values: Floats) -> NDArray[np.int64]:
    return values.argsort(axis=0).argsort(axis=0)


def _correlate(values: Floats) -> Floats:
    moved = values - values.mean(axis=0)
    scale = np.sqrt((moved**2).sum(axis=0))
    return (moved.T @ moved) / np.outer(np.where(scale > 0, scale, 1), np.where(scale > 0, scale, 1))


def _mend(matrix: Floats) -> Floats:
    """Return the matrix with its negative parts taken away and ones on the diagonal."""
    values, vectors = np.linalg.eigh(matrix)
    whole = (vectors * np.maximum(values, 1e-6)) @ vectors.T
    scale = np.sqrt(np.diag(whole))
    return whole / np.outer(scale, scale)


def _write(values: pl.Series, rank: NDArray[np.int64], column: pl.Series, rng: np.random.Generator) -> pl.Series:
    grid = values.to_numpy()
    place = np.clip(rank + rng.uniform(-0.5, 0.5, size=len(rank)), 0, len(rank) - 1)
    between = np.interp(place, np.arange(len(grid)), grid)
    decimals = int(column.str.split(".").list.get(1, null_on_oob=True).str.len_chars().fill_null(0).to_numpy().max())
    return pl.Series(column.name, [f"{value:.{decimals}f}" for value in between.tolist()])

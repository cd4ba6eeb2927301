"""A population as large as one likes, from records at hand: for benchmarks, not for release.

Rows are drawn from the records with replacement. Then every cell is redrawn from its column's own values with a small
probability, and some numbers are moved by a few units, so that most records are no longer copies. What is made this way
still holds people's own rows and protects nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import TYPES, Dataset
from sekisho.data.frame.schema import Kind
from sekisho.errors import ParameterError
from sekisho.words import Said

REDRAWN = 0.05


def scale_population(
    data: Dataset,
    rows: int,
    *,
    rng: np.random.Generator,
    redrawn: float = REDRAWN,
    moved: Mapping[str, int] | None = None,
) -> Dataset:
    """Return so many rows like those of some records.

    Args:
        data: the records; an identifier is drawn like any other column, so leave it out first.
        rows: how many rows are made.
        rng: the randomness.
        redrawn: the probability that a cell is drawn anew from its column.
        moved: numbers that are moved, each by up to so many steps of its grid either way, within the column's range.

    Raises:
        ParameterError: there are no records, or a column that is moved is no number.
    """
    if not len(data) or rows < 1 or not 0 <= redrawn <= 1:
        raise ParameterError("population", Said("be made of records, with 1 row or more and a probability"), rows)
    drawn = rng.integers(0, len(data), rows)
    parts: list[pl.Series] = []
    for column in data.schema:
        again = np.where(rng.random(rows) < redrawn, rng.integers(0, len(data), rows), drawn)
        steps = (moved or {}).get(column.name, 0)
        if steps:
            grid = _move(data.grid(column.name), again, steps, rng)
            values = pl.Series(column.name, grid)
            parts.append(values.cast(pl.Int32).cast(pl.Date) if column.kind is Kind.DATE else values)
        else:
            parts.append(data.frame[column.name].gather(again))
    return Dataset(pl.DataFrame(parts).cast({each.name: TYPES[each.kind] for each in data.schema}), data.schema)


def _move(grid: NDArray[np.int64], rows: NDArray[np.int64], steps: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.clip(grid[rows] + rng.integers(-steps, steps + 1, len(rows)), grid.min(), grid.max())

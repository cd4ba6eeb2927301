"""Places as sets of neighbouring regions, or moved to one of them: a plain method for traces.

A region becomes the square of regions within a reach of it, or, with ``move``, one of them drawn at random: whoever
reads the release knows the neighbourhood. It blurs where somebody was and hardly who he is: a square around home is
still around home. What it leaves is what attacks on it tell; nothing is proven.

Source: PWS Cup 2019, what cells may hold; cloaking as in Gruteser, Grunwald, "Anonymous usage of location-based
services through spatial and temporal cloaking", MobiSys 2003 (without its count of people).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RegionSets:
    """Blur a column of regions, numbered from 1, row by row.

    Attributes:
        column: of the regions.
        columns: of the grid.
        rows: of the grid.
        reach: how many regions the square reaches to each side; 0 leaves all as it is.
        move: whether one of the square is drawn, in place of all.
    """

    column: str
    columns: int
    rows: int
    reach: int = 1
    move: bool = False

    def __post_init__(self) -> None:
        if self.reach < 0:
            raise ParameterError("reach", Said("be at least 0"), self.reach)

    def apply(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the table with its column blurred."""
        region = table[self.column].cast(pl.Int64).to_numpy() - 1
        up, along = region // self.columns, region % self.columns
        if self.move:
            steps = rng.integers(-self.reach, self.reach + 1, size=(2, len(region)))
            up, along = np.clip(up + steps[0], 0, self.rows - 1), np.clip(along + steps[1], 0, self.columns - 1)
            return table.with_columns(pl.Series(self.column, (up * self.columns + along + 1).astype(str)))
        names, place = np.unique(region, return_inverse=True)
        texts = [self._list(int(name) // self.columns, int(name) % self.columns) for name in names.tolist()]
        return table.with_columns(pl.Series(self.column, texts).gather(place))

    def _list(self, up: int, along: int) -> str:
        rows = range(max(0, up - self.reach), min(self.rows, up + self.reach + 1))
        columns = range(max(0, along - self.reach), min(self.columns, along + self.reach + 1))
        return " ".join(str(row * self.columns + column + 1) for row in rows for column in columns)

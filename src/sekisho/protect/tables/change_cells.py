"""Change a share of the cells: the plain methods of contests over tables.

Each cell of the named columns is changed with the given probability, whatever stands in it:

- ``star`` says nothing any more (``*``);
- ``uniform`` draws one of the column's values, all alike (the cell may keep its own);
- ``column`` draws from the column itself, so that its distribution stays (invariant PRAM, with P = (1 - share) I +
  share 1 p').

Nothing is promised: what an adversary gains depends on what else he can match. Source: PWS Cup 2023, manual, sample
programs; Gouweleeuw et al., "Post randomisation for statistical disclosure control", J. Official Statistics 14 (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said


class CellChange(StrEnum):
    """What becomes of a cell."""

    STAR = "star"
    UNIFORM = "uniform"
    COLUMN = "column"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ChangeCells:
    """Change cells at random; all columns if none is named."""

    share: float
    how: CellChange = CellChange.COLUMN
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ParameterError("share", Said("lie between 0 and 1"), self.share)

    def apply(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the changed table."""
        changed = [self._change(table[name], rng=rng) for name in self.columns or table.columns]
        return table.with_columns(changed)

    def _change(self, column: pl.Series, *, rng: np.random.Generator) -> pl.Series:
        kept = pl.Series(rng.random(len(column)) >= self.share)
        if self.how is CellChange.STAR:
            drawn = pl.Series(["*"])
        else:
            values = column.unique().sort() if self.how is CellChange.UNIFORM else column
            drawn = values.gather(rng.integers(len(values), size=len(column)))
        return column.zip_with(kept, drawn).alias(column.name)

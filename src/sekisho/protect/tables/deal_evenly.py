"""Deal columns out anew, evenly over the groups of another: nothing links a person's cells, and few counts are off.

Each column that is dealt keeps its own counts exactly and loses every link to persons: which cell goes where is drawn.
But it is not drawn blindly: rows are put in the order of their group (a postcode, say), groups in a random order and
rows within a group too, and the column's values are laid along them at even distances, each value from a random start.
So a group of g rows gets g p of a value of share p, up to rounding. A table of group by value then differs from the
original's by the original's own scatter only; a blind permutation would add as much of its own, and be farther off by a
factor of about sqrt 2.

Rows come out in a random order. Columns that are kept stay beside each other as they are: what they say about persons
must be harmless without the rest.

Source: systematic sampling, Madow, Madow, Annals of Mathematical Statistics 15 (1944).
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
class DealEvenly:
    """Deal all columns but some.

    Attributes:
        over: the column whose groups get even shares.
        kept: columns that are not dealt; ``over`` is always one of them.
    """

    over: str
    kept: tuple[str, ...] = ()

    def apply(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the table, its rows in a random order.

        Raises:
            ParameterError: it has no such column.
        """
        if self.over not in table.columns:
            raise ParameterError("over", Said("name a column of the table"), self.over)
        group = table[self.over].rank("dense").to_numpy().astype(np.int64) - 1
        dealt = [
            self._deal(column, group, rng=rng) if column.name not in {self.over, *self.kept} else column
            for column in table.iter_columns()
        ]
        return pl.DataFrame(dealt)[rng.permutation(table.height)]

    def _deal(
        self, column: pl.Series, group: np.ndarray[tuple[int, ...], np.dtype[np.int64]], *, rng: np.random.Generator
    ) -> pl.Series:
        codes = column.rank("dense").to_numpy().astype(np.int64) - 1
        counts = np.bincount(codes)
        number = np.empty(len(codes))
        order = np.argsort(codes, kind="stable")
        number[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
        along = np.argsort((number + rng.random(len(counts))[codes]) / counts[codes], kind="stable")
        places = np.lexsort((rng.random(len(codes)), rng.permutation(int(group.max()) + 1)[group]))
        source = np.empty(len(codes), dtype=np.int64)
        source[places] = along
        return column.gather(source)

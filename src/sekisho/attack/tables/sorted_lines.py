"""Pair sorted lines: the sample attack of the contest of 2023.

The adversary knows the public columns of everybody in order, and the published lines, sorted. He sorts the public lines
and takes the i-th published line for the i-th of them; where a secret cell is not told he draws one. Right wherever few
public cells were changed, since both orders then run side by side.

Source: PWS Cup 2023, manual, sample attack.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sekisho.parameters import checked

NOTHING = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SortedLines:
    """The sample attack.

    Attributes:
        values: what is drawn for a cell that says nothing.
    """

    values: tuple[str, ...] = tuple("0123456789")

    def guess(self, public: pl.DataFrame, published: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the secret columns of everybody, in the order of the public rows.

        Args:
            public: the columns that everybody knows, in order.
            published: sorted lines; its first columns are the public ones, changed, the rest the secret ones.
            rng: for cells that are not told.
        """
        order = np.argsort(join_lines(public).to_numpy().astype("S"), kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return fill_untold(published[:, public.width :][place], self.values, rng=rng)


def join_lines(cells: pl.DataFrame) -> pl.Series:
    """Return rows as lines of text, as a strict file has them."""
    return cells.select(pl.concat_str(pl.all(), separator=",")).to_series()


def fill_untold(cells: pl.DataFrame, values: tuple[str, ...], *, rng: np.random.Generator) -> pl.DataFrame:
    """Return cells with a draw wherever nothing is told."""
    drawn = np.array(values)[rng.integers(len(values), size=cells.shape)]
    return pl.DataFrame(
        [
            column.zip_with(column != NOTHING, pl.Series(drawn[:, place]))
            for place, column in enumerate(cells.iter_columns())
        ]
    )

"""Join sheets row by row and look for the nearest: the sample attack of the contest of 2024.

The adversary takes each column from one chosen sheet and puts the columns side by side as if the rows of all sheets
were in one order. For each masked row he tries every known person and every joined row, and takes the first pair whose
cells differ in fewest places from the joined row's (Hamming distance, people before joined rows). He reads the masked
value in that joined row.

Right as long as the sheets keep their order; a shuffle of each sheet leaves him little more than chance.

Source: PWS Cup 2024, program sampleAttack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Counts = NDArray[np.int64]
MASK = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SheetJoin:
    """The sample attack.

    Attributes:
        chosen: of each sheet the columns that are taken from it.
        known: the identifying columns that are compared.
    """

    chosen: tuple[tuple[str, ...], ...]
    known: tuple[str, ...]

    def guess(self, known: pl.DataFrame, masked: pl.DataFrame, sheets: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Return for each masked row a row of ``known``, and what the masked cell is taken to be.

        Raises:
            ParameterError: there are other sheets than columns were chosen from.
        """
        if len(sheets) != len(self.chosen):
            raise ParameterError("sheets", Said("be {count:,}", count=len(self.chosen)), len(sheets))
        parts = [sheet.select(columns) for sheet, columns in zip(sheets, self.chosen, strict=True)]
        joined = pl.concat(parts, how="horizontal").select(*self.known, *masked.columns)
        person, row = _find_nearest(
            _count_differences(known.select(self.known), joined), _count_differences(masked, joined)
        )
        hidden = (masked == MASK).to_numpy().argmax(axis=1)
        values = joined.select(masked.columns).to_numpy()[row, hidden]
        return pl.DataFrame({"person": person.astype(str), "value": values.astype(str)})


def _count_differences(table: pl.DataFrame, joined: pl.DataFrame) -> Counts:
    """Return in how many columns of a table each row differs from each joined row."""
    total = np.zeros((table.height, joined.height), dtype=np.int64)
    for name in table.columns:
        codes = pl.concat([table[name].cast(pl.String), joined[name].cast(pl.String)]).rank("dense").to_numpy()
        total += codes[: table.height, None] != codes[None, table.height :]
    return total


def _find_nearest(people: Counts, rows: Counts) -> tuple[Counts, Counts]:
    """Return for each row the first person, and then the first joined row, of least distance."""
    best = np.full(len(rows), np.iinfo(np.int64).max)
    person, row = np.zeros_like(best), np.zeros_like(best)
    for each, before in enumerate(people):
        distance = rows + before
        nearest = distance.argmin(axis=1)
        least = distance[np.arange(len(rows)), nearest]
        better = least < best
        best, person, row = (np.where(better, new, old) for new, old in ((least, best), (each, person), (nearest, row)))
    return person, row

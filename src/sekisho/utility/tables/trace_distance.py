"""How near released regions are to the true ones: utility of the contest of 2019.

    u = mean over cells of 1 - min(1, d/2 km),   for a set of regions the mean of its members', for ``*`` 0

with d the distance of the region's centre from the true one's. More is better; the contest asks for at least 0.7.

Source: PWS Cup 2019, rules Ver 1.4, program EvalUtil.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sekisho.data.files.region_cells import RegionCells, RegionGrid
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class TraceDistance:
    """Nearness of regions.

    Attributes:
        column: of the regions, in both tables.
        grid: where they lie.
        far: kilometres from which on a cell is worth nothing.
    """

    column: str
    grid: RegionGrid
    far: float = 2.0

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the mean; the detail holds the shares of cells that are sets and that tell nothing."""
        del given
        truth = original[self.column].cast(pl.Int64).to_numpy()
        cells = RegionCells.parse(released[self.column])
        if len(cells) != len(truth) or not len(truth):
            raise ParameterError("released", Said("have the original's rows, at least one"), len(cells))
        near = 1 - np.minimum(1.0, self.grid.measure(truth[cells.cells], cells.regions) / self.far)
        sums = np.bincount(cells.cells, weights=near, minlength=len(truth))
        value = float((sums / np.maximum(cells.sizes, 1)).mean())
        shares = {"sets": float((cells.sizes > 1).mean()), "nothing": float((cells.sizes == 0).mean())}
        return Score(value=value, direction=Direction.MORE, detail=shares)

"""Regions of a grid: how far they are apart, and cells that hold one region, several, or none.

The grid has rows and columns between two latitudes and two longitudes; its regions are numbered from 1, from the lower
left, row by row. The distance of two regions is Euclidean between their centres, with so many kilometres a degree.

A released cell is a region, several regions separated by spaces, or ``*``.

Source: PWS Cup 2019, rules Ver 1.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.part_table import NONE, CellRules
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RegionGrid:
    """A grid over the ground.

    Attributes:
        south: latitude at which it begins.
        north: at which it ends.
        west: longitude at which it begins.
        east: at which it ends.
        rows: from south to north.
        columns: from west to east.
        km_latitude: kilometres a degree of latitude.
        km_longitude: a degree of longitude.
    """

    south: float
    north: float
    west: float
    east: float
    rows: int
    columns: int
    km_latitude: float = 111.0
    km_longitude: float = 91.0

    def __post_init__(self) -> None:
        if not (self.south < self.north and self.west < self.east and self.rows > 0 and self.columns > 0):
            raise ParameterError("grid", Said("have a height, a width, rows and columns"), (self.rows, self.columns))

    @property
    def regions(self) -> int:
        """How many there are."""
        return self.rows * self.columns

    def limit_cells(self, *, several: bool = False) -> CellRules:
        """Return what a cell may hold: one region, or several or none."""
        return CellRules(whole=True, least=1, most=self.regions, several=several)

    def measure(self, one: Ints, two: Ints) -> Floats:
        """Return the distances in kilometres of regions, pair by pair."""
        up = (one - 1) // self.columns - (two - 1) // self.columns
        along = (one - 1) % self.columns - (two - 1) % self.columns
        return np.hypot(
            up * ((self.north - self.south) / self.rows * self.km_latitude),
            along * ((self.east - self.west) / self.columns * self.km_longitude),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegionCells:
    """Cells as sets of regions: cell i has ``regions[offsets[i] : offsets[i + 1]]``; an empty one tells nothing."""

    regions: Ints
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def parse(cls, column: pl.Series) -> RegionCells:
        """Return cells from their texts."""
        told = column.cast(pl.String).replace(NONE, None)
        lists = told.str.split(" ").list.eval(pl.element().cast(pl.Int64))
        sizes = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
        regions = lists.drop_nulls().explode(empty_as_null=False).to_numpy().astype(np.int64)
        return cls(regions=regions, offsets=np.concatenate([[0], np.cumsum(sizes)]))

    @property
    def sizes(self) -> Ints:
        """How many regions each cell has."""
        return np.diff(self.offsets)

    @property
    def cells(self) -> Ints:
        """The cell of each region."""
        return np.repeat(np.arange(len(self)), self.sizes)

"""A rule for tests: cells that somebody says are unsafe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sekisho.data.shape import Shape
from sekisho.tables import Levels
from sekisho.tables.model.table import Key, Mask, Table
from sekisho.tables.rules.primary import refuse_no_level, usual_levels


def mask_cells(table: Table, keys: Sequence[Key]) -> Mask:
    """Return which cells these keys name."""
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[[table.position[key] for key in keys]] = True
    return mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """Cells that somebody says are unsafe, for reasons the table does not know.

    Attributes:
        cells: their keys.
        margin: how many per cent below and above the value the interval must reach.
        width: of the interval an attacker must be left with; if neither is said, counts need 10 and sums a margin of 20
            %.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})

    cells: tuple[Key, ...]
    margin: Fraction | None = None
    width: float | None = None

    def __post_init__(self) -> None:
        refuse_no_level(self.width, self.margin)

    def flag(self, table: Table) -> Mask:
        """Return those cells."""
        return mask_cells(table, self.cells)

    def levels(self, table: Table) -> Levels:
        """Return the width, and the margin on either side."""
        return usual_levels(table, width=self.width, margin=self.margin)

"""Delete cells and rows of a history at random.

Against whom: an adversary who knows some purchases of a person finds each of them intact only with the chance that all
its cells were kept. No guarantee follows: the cells that stay are exact, and one rare item names its buyer.

Source: PWS Cup 2018, rules, anonymisation (suppression of cells ``*``, deletion of rows).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.protect.history.shared_cells import build_history_release
from sekisho.provenance import Provenance, list_parameters
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Erase:
    """Suppress each cell, and delete each row, with a fixed chance of its own; new names for all.

    A cell of a row that stays is suppressed with chance ``cells``, so U is about rows + (1 - rows) * cells.

    Source: PWS Cup 2018, rules, anonymisation.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    cells: float = field(default=0.3, metadata={"help": "Chance that a cell is suppressed."})
    rows: float = field(default=0.0, metadata={"help": "Chance that a row is deleted."})

    def __post_init__(self) -> None:
        for name, value in (("cells", self.cells), ("rows", self.rows)):
            if not 0 <= value <= 1:
                raise ParameterError(name, Said("lie between 0 and 1"), value)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the release."""
        deleted = rng.random(len(data)) < self.rows
        columns = {
            name: cells.suppress(rng.random(len(data)) < self.cells)
            for name, cells in exact_table(data).columns.items()
        }
        return build_history_release(
            data, columns, deleted, Provenance(name="erase", parameters=list_parameters(self)), rng=rng
        )

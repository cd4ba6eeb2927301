"""Answer ``cells``: the secret cells of every row, in the order of the public ones.

    a = (cells of the answer equal to the secret) / (rows x columns)

Whoever draws at random among v values gets 1/v. Source: PWS Cup 2023, manual, attack.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.parameters import checked
from sekisho.utility.tables.equal_cells import count_equal_cells


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CellAnswer:
    """Answers of so many rows and columns, each cell one of the values.

    Attributes:
        columns: names of the secret columns; the file has no header.
        rows: of the secret table.
        values: what a cell may be.
    """

    columns: tuple[str, ...]
    rows: int
    values: tuple[str, ...] = tuple("0123456789")

    @property
    def form(self) -> PartTable:
        """The file an answer is."""
        return PartTable(columns=self.columns, rows=self.rows, header=False, others=CellRules(values=self.values))

    def read(self, path: Path) -> pl.DataFrame:
        """Return an answer.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        return self.form.read(path)

    def score(self, answer: pl.DataFrame, truth: pl.DataFrame) -> Fraction:
        """Return the share of cells that are right."""
        return Fraction(count_equal_cells(truth, answer), truth.height * truth.width)

    def draw(self, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return an answer drawn at random: the baseline."""
        picks = np.array(self.values)[rng.integers(len(self.values), size=(self.rows, len(self.columns)))]
        return pl.DataFrame({name: picks[:, place] for place, name in enumerate(self.columns)})

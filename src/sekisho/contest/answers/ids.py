"""Answers ``ids`` and ``trace``: who a pseudonym is, and where a person was.

    ids     sec = 1 - share of pseudonyms that are named rightly; a person may be named for several
    trace   sec = 1 - weighted mean of max(0, 1 - d/2 km) over users and times; times at which the true region is a
            sensitive one (a hospital) weigh 10, others 1

1: nothing was found. Source: PWS Cup 2019, rules Ver 1.4, programs EvalSecI and EvalSecT.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.data.files.region_cells import RegionGrid
from sekisho.parameters import checked

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class IdAnswer:
    """Answers about so many pseudonyms; people are numbered from 1.

    Attributes:
        people: how many there are, each with a pseudonym.
        column: the file's one column.
    """

    people: int
    column: str = "user_id"

    @property
    def form(self) -> PartTable:
        """The file an answer is."""
        rules = CellRules(whole=True, least=1, most=self.people)
        return PartTable(columns=(self.column,), rows=self.people, others=rules)

    def read(self, path: Path) -> Ints:
        """Return the person named for each pseudonym.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        return self.form.read(path)[self.column].cast(int).to_numpy()

    def score(self, answer: Ints, truth: Ints) -> Fraction:
        """Return the share of pseudonyms named rightly; 1 less it is the release's safety."""
        return Fraction(int((answer == truth).sum()), len(truth))

    def draw(self, *, rng: np.random.Generator) -> Ints:
        """Return an answer drawn at random: the baseline."""
        return rng.permutation(self.people) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class TraceAnswer:
    """Answers of a region for each user and time.

    Attributes:
        grid: of the regions.
        sensitive: regions that weigh more.
        weight: how much.
        far: kilometres from which on an answer is worth nothing.
        column: the file's one column.
    """

    grid: RegionGrid
    sensitive: tuple[int, ...] = ()
    weight: float = 10.0
    far: float = 2.0
    column: str = "reg_id"

    def find_form(self, rows: int) -> PartTable:
        """Return the file an answer is."""
        return PartTable(columns=(self.column,), rows=rows, others=self.grid.limit_cells())

    def read(self, path: Path, *, rows: int) -> Ints:
        """Return the regions.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        return self.find_form(rows).read(path)[self.column].cast(int).to_numpy()

    def score(self, answer: Ints, truth: Ints) -> float:
        """Return the weighted mean of how near the answers are; 1 less it is the release's safety."""
        near = np.maximum(0.0, 1 - self.grid.measure(truth, answer) / self.far)
        weights = np.where(np.isin(truth, self.sensitive), self.weight, 1.0)
        return float(near @ weights / weights.sum())

    def draw(self, *, rows: int, rng: np.random.Generator) -> Ints:
        """Return an answer drawn at random: the baseline."""
        return rng.integers(1, self.grid.regions + 1, size=rows)

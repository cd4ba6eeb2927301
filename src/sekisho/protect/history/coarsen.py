"""Generalise cells of a history at random: ranges and sets around the truth.

Against whom: an adversary who looks for exact values finds fewer. No guarantee follows: every cell still admits the
truth, and the cells of one person together may admit nobody else.

Source: PWS Cup 2018, rules, anonymisation (ranges ``[a;b]`` and sets ``{x;y}`` that contain the value).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells, drop_gaps, find_gaps, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.protect.history.shared_cells import MAX_SET, build_history_release
from sekisho.provenance import Provenance, list_parameters
from sekisho.words import Said

WIDEST = 1000.0
"""So many standard deviations reach across any column."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Coarsen:
    """Widen each cell with a fixed chance; new names for all.

    A number x with population standard deviation sd becomes [x - d; x + e] with d and e drawn from 0 to ``width * sd``
    and cut at the smallest and largest value that occurs; a category becomes a set of the value and up to ``others``
    values of other rows.

    Source: PWS Cup 2018, rules, anonymisation.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    cells: float = field(default=0.5, metadata={"help": "Chance that a cell is generalised."})
    width: float = field(default=0.5, metadata={"help": "Widest step to each side, in standard deviations."})
    others: int = field(default=3, metadata={"help": "How many other values, at most, join a set."})

    def __post_init__(self) -> None:
        if not 0 <= self.cells <= 1:
            raise ParameterError("cells", Said("lie between 0 and 1"), self.cells)
        if not 0 <= self.width <= WIDEST:
            raise ParameterError("width", Said("lie between 0 and {most:,}", most=WIDEST), self.width)
        if not 0 <= self.others < MAX_SET:
            raise ParameterError("others", Said("lie between 0 and {most}", most=MAX_SET - 1), self.others)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the release."""
        columns: dict[str, Cells] = {}
        for column in data.schema.attributes:
            chosen = rng.random(len(data)) < self.cells
            if column.kind.numeric:
                columns[column.name] = self._widen_ranges(data.grid(column.name), chosen, rng)
            else:
                columns[column.name] = self._widen_sets(data, column.name, chosen, rng)
        return build_history_release(
            data,
            columns,
            np.zeros(len(data), dtype=np.bool_),
            Provenance(name="coarsen", parameters=list_parameters(self)),
            rng=rng,
        )

    def _widen_ranges(
        self, values: NDArray[np.int64], chosen: NDArray[np.bool_], rng: np.random.Generator
    ) -> RangeCells:
        present, gaps = drop_gaps(values), find_gaps(values)
        if not len(present):
            return RangeCells.exact(values)
        reach = int(self.width * float(np.std(present)))
        down, up = (np.where(chosen, rng.integers(0, reach + 1, size=len(values)), 0) for _ in range(2))
        return RangeCells(
            lower=np.where(gaps, values, np.maximum(values - down, present.min())),
            upper=np.where(gaps, values, np.minimum(values + up, present.max())),
            suppressed=np.zeros(len(values), dtype=np.bool_),
        )

    def _widen_sets(self, data: Dataset, name: str, chosen: NDArray[np.bool_], rng: np.random.Generator) -> SetCells:
        codes, rows = data.codes(name), np.arange(len(data))
        if not len(codes):
            return SetCells.exact(codes, data.domain(name))
        owners = np.concatenate([rows, np.repeat(rows[chosen], self.others)])
        joined = codes[rng.integers(0, len(data), size=self.others * int(chosen.sum()))]
        return gather_sets(owners, np.concatenate([codes, joined]), len(data), data.domain(name))

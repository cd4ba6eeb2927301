"""Randomised response: each cell of some columns is kept with a chance, else drawn from the column's values.

The adversary cannot tell a kept cell from a drawn one; he only knows the chances. With ``most``, at most so many
columns of a record change, so that Iloss stays within it; the record's surplus changes are taken back at random.

Source: Warner, JASA 60 (1965); PWS Cup 2021, program rr.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.record_release import ReleaseMaker, build_record_release
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Randomise:
    """Keep each cell with chance ``keep``, else draw one of the column's values, the old one included.

    Source: Warner, JASA 60 (1965); PWS Cup 2021, program rr.py.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keep: float = field(default=0.9, metadata={"help": "The chance that a cell is kept before drawing."})
    attributes: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns to randomise; all categories if none is named."}
    )
    most: int = field(default=-1, metadata={"help": "At most so many cells of a record change; -1 for no limit."})

    def __post_init__(self) -> None:
        if not 0 <= self.keep <= 1:
            raise ParameterError("keep", Said("lie in [0, 1]"), self.keep)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the randomised records; none is deleted."""
        require_one_row(data)
        names = self.attributes or tuple(column.name for column in data.schema.attributes if not column.kind.numeric)
        if not names:
            raise ParameterError(
                "attributes", Said("name at least one column where none is a category"), self.attributes
            )
        redrawn = rng.random((len(data), len(names))) >= self.keep
        if self.most >= 0:
            place = rng.permuted(np.tile(np.arange(len(names)), (len(data), 1)), axis=1)
            rank = np.cumsum(np.take_along_axis(redrawn, place, axis=1), axis=1)
            np.put_along_axis(redrawn, place, np.take_along_axis(redrawn, place, axis=1) & (rank <= self.most), axis=1)
        columns = dict(exact_table(data).columns)
        for i, name in enumerate(names):
            columns[name] = _draw_cells(data, name, redrawn[:, i], rng)
        table = MaskedTable(schema=data.schema, columns=columns)
        return build_record_release(table, np.zeros(len(data), dtype=np.bool_), ReleaseMaker("randomise", self))


def _draw_cells(data: Dataset, name: str, redrawn: NDArray[np.bool_], rng: np.random.Generator) -> Cells:
    if data.schema[name].kind.numeric:
        values = np.unique(data.grid(name))
        return RangeCells.exact(np.where(redrawn, rng.choice(values, len(data)), data.grid(name)))
    domain = data.domain(name)
    codes = np.where(redrawn, rng.integers(0, len(domain), len(data)), data.codes(name)).astype(np.int32)
    return SetCells.exact(codes, domain)

"""Methods that take every column as a category, on records whose columns are numbers and dates as well.

Every value is written as a text of its own, the method applied, and the texts are read back: the methods only draw
among the values that a column has, so each text is one of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from sekisho.data.abilities import read_abilities
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.frame.schema import Column, Kind, Role, Schema
from sekisho.protect import Method


def reads_text(method: Method) -> bool:
    """Tell whether a method takes every column as a category."""
    return read_abilities(method).reads_text


def apply_to_texts(method: Method, data: Dataset, *, rng: np.random.Generator) -> Release:
    """Return the release of a method that takes every column as a category, its cells as the data have them."""
    columns = [Column(name=one.name, kind=Kind.CATEGORY, role=one.role) for one in data.schema]
    frame = pl.DataFrame([_write_column(data, one) for one in data.schema])
    release = method.apply(Dataset(frame, Schema(tuple(columns))), rng=rng)
    cells = {one.name: _read_cells(one, release.table.sets(one.name)) for one in data.schema.attributes}
    return replace(release, table=MaskedTable(schema=data.schema, columns=cells))


def _write_column(data: Dataset, column: Column) -> pl.Series:
    if column.role is Role.IDENTIFIER or not column.kind.numeric:
        return data.frame[column.name].cast(pl.String)
    return pl.Series(column.name, data.grid(column.name)).cast(pl.String)


def _read_cells(column: Column, cells: SetCells) -> Cells:
    if not column.kind.numeric:
        return cells
    numbers = np.zeros(len(cells), dtype=np.int64)
    there = ~cells.suppressed
    values = np.array([int(text) for text in cells.domain], dtype=np.int64)
    numbers[there] = values[cells.codes[cells.offsets[:-1][there]]]
    return RangeCells.exact(numbers).suppress(~there)

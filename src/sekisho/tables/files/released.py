"""Released tables of any program, read as a reader has them: numbers as they are shown, whether or not they add up.

The equations come from the codes alone. What is no number is a hidden cell; a margin that the file does not have is not
published. ``low`` and ``high`` columns tell intervals of another program's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.files.plain_files.numbers import POINT
from sekisho.errors import FaultsError, MissingColumnsError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.published import find_missing
from sekisho.tables.files.rows import find_doubled
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.geometry import from_inner
from sekisho.tables.model.table import Floats, Table
from sekisho.words import Said

LOW, HIGH = "low", "high"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedCells:
    """What a file shows of a table.

    Attributes:
        table: its cells and equations; its values say nothing.
        shown: the numbers shown, NaN where none is.
        low: what the file's own columns say each cell is at least, minus infinity where nothing.
        high: at most.
        notice: how the file was read.
    """

    table: Table
    shown: Floats
    low: Floats
    high: Floats
    notice: Said


def read_released(cells: CellFile, form: TableForm, source: Path, *, ends: bool) -> ReleasedCells:
    """Return what a file shows; with ``ends`` its columns ``low`` and ``high`` instead of a value.

    Raises:
        MissingColumnsError: a column is missing.
        FaultsError: unknown or doubled codes, inner cells that are missing; all at once.
    """
    columns = [LOW, HIGH] if ends else [cells.value]
    frame, notice = form.read_frame(source, columns, otherwise=POINT)
    missing = [name for name in (*cells.dims, *columns) if name not in frame.columns]
    if missing:
        raise MissingColumnsError(source, missing, frame.columns)
    keys = cells.keys(frame)
    faults = find_doubled(keys)
    dimensions = [cells.dimension(axis, keys, faults) for axis in range(len(cells.dims))]
    known = [one for one in dimensions if one is not None]
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda each: each.row))
    empty = from_inner(known, [], np.zeros(0))
    lacking = find_missing(known, empty, keys)
    if lacking:
        raise FaultsError(source, lacking)
    place = np.array([empty.position[key] for key in keys], dtype=np.int64)
    told = np.full((len(columns), len(empty)), np.nan)
    told[:, place] = [read_numbers(frame[name]) for name in columns]
    shown, low, high = split_ends(told)
    return ReleasedCells(table=empty, shown=shown, low=low, high=high, notice=notice)


def read_numbers(column: pl.Series) -> Floats:
    """Return what a column shows, NaN where that is no number."""
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    return np.where(np.isfinite(numbers), numbers, np.nan)


def split_ends(told: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the numbers shown and what is told to be their ends, given the values of one column, or of both ends."""
    nothing = np.full(told.shape[1:], np.nan)
    shown, low, high = (told[0], nothing, nothing) if len(told) == 1 else (nothing, *told)
    return shown, np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)

"""Released tables of any program, read as a reader has them: numbers as they are shown, whether or not they add up.

The equations come from the codes alone. What is no number is a hidden cell; a margin that the file does not have is not
published. ``low`` and ``high`` columns tell intervals of another program's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.files.plain_files.number_forms import settle_numbers
from sekisho.data.files.plain_files.numbers import POINT
from sekisho.data.files.plain_table import read_frame
from sekisho.errors import FaultsError, MissingColumnsError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.published import find_missing
from sekisho.tables.files.rows import find_doubled
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.geometry import from_inner
from sekisho.tables.model.table import Floats, Table

LOW, HIGH = "low", "high"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedCells:
    """What a file shows of a table.

    Attributes:
        table: its cells and equations; its values say nothing.
        shown: the numbers shown, NaN where none is.
        low: what the file's own columns say each cell is at least, minus infinity where nothing.
        high: at most.
    """

    table: Table
    shown: Floats
    low: Floats
    high: Floats


def read_released(cells: CellFile, form: TableForm, source: Path, *, ends: bool) -> ReleasedCells:
    """Return what a file shows; with ``ends`` its columns ``low`` and ``high`` instead of a value.

    Raises:
        MissingColumnsError: a column is missing.
        FaultsError: unknown or doubled codes, inner cells that are missing; all at once.
    """
    file = read_frame(source, separator=form.separator, encoding=form.encoding, sheet=form.sheet)
    columns = [LOW, HIGH] if ends else [cells.value]
    missing = [name for name in (*cells.dims, *columns) if name not in file.frame.columns]
    if missing:
        raise MissingColumnsError(source, missing, file.frame.columns)
    frame = settle_numbers(form.settle_kinds(file.frame, source)[0], columns, form.decimal, source, otherwise=POINT)
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
    told = [_place_numbers(frame[name], place, len(empty)) for name in columns]
    nothing = np.full(len(empty), np.nan)
    low, high = told if ends else (nothing, nothing)
    return ReleasedCells(
        table=empty,
        shown=nothing if ends else told[0],
        low=np.where(np.isnan(low), -np.inf, low),
        high=np.where(np.isnan(high), np.inf, high),
    )


def _place_numbers(column: pl.Series, place: np.ndarray[tuple[int], np.dtype[np.int64]], cells: int) -> Floats:
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    out = np.full(cells, np.nan)
    out[place] = numbers.fill_null(np.nan).to_numpy()
    return np.where(np.isfinite(out), out, np.nan)

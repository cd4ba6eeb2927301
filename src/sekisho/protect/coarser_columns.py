"""Columns told more coarsely before a method protects them: a month instead of a day, five years instead of one.

A method then spends nothing on what nobody needs so precisely, and more is left of the other columns. What it makes is
widened again: a cell that says ``2025-03-01`` of a column told by the month is released as the whole month, so that
every measure, guarantee and attack sees ranges and sets beside the true original, and nothing lost is hidden. A column
that is left out is released as hidden in every row, and counts as lost. A missing cell stays one, in
no step with a number or a date.

By column: a number (steps so wide for numbers, so many first characters for texts), ``week``, ``month``, ``quarter`` or
``year`` for dates, ``out`` to leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, Cells, RangeCells, SetCells, drop_gaps, find_gaps, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, grid_series
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.errors import ParameterError
from sekisho.words import Said

OUT = "out"
PERIODS: Mapping[str, str] = {"week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
"""The periods of dates, and what polars calls them."""
OF_METHOD = ("ncp", "lower_bound", "optimal")
"""What a method says of its own loss, which it measured on the coarser columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarserColumns:
    """Which columns are told more coarsely, and how; none where nothing is said."""

    columns: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that are not released at all."""
        return tuple(name for name, how in self.columns.items() if how == OUT)

    def check(self, data: Dataset) -> None:
        """Refuse what does not suit the columns of a file.

        Raises:
            ParameterError: a column is not there or names people, or cannot be told in this way.
        """
        known = {column.name: column for column in data.schema.attributes}
        for name, how in self.columns.items():
            place = f"coarser.{name}"
            if name not in known:
                raise ParameterError(place, Said("be one of {choices}", choices=", ".join(known)), how)
            _check_step(place, known[name], how)

    def blur(self, data: Dataset) -> Dataset:
        """Return the data with each coarser value as the first of its step; a column left out is the same in all."""
        if not self.columns or not len(data):
            return data
        parts = [
            _blur_column(data, column, self.columns[column.name])
            if column.name in self.columns and column.role is not Role.IDENTIFIER
            else data.frame[column.name]
            for column in data.schema
        ]
        return Dataset(pl.DataFrame(parts), data.schema)

    def widen(self, release: Release, data: Dataset, *, largest: int | None = None) -> Release:
        """Return what a method made of coarser data as a release of the true ones.

        Args:
            release: of :meth:`blur`.
            data: the true ones.
            largest: how many values a set may hold; a larger one is hidden. None for any.
        """
        if not self.columns or not len(data):
            return release
        cells: dict[str, Cells] = dict(release.table.columns)
        for name, how in self.columns.items():
            cells[name] = _widen_cells(cells[name], data, data.schema[name], how, largest)
        return replace(
            release,
            table=MaskedTable(schema=release.table.schema, columns=cells, pseudonym=release.table.pseudonym),
            detail={name: value for name, value in release.detail.items() if name not in OF_METHOD},
            labels={name: texts for name, texts in release.labels.items() if name not in self.columns},
            provenance=replace(
                release.provenance, parameters={**release.provenance.parameters, "coarser": dict(self.columns)}
            ),
        )


def _check_step(place: str, column: Column, how: object) -> None:
    if how == OUT:
        return
    number = isinstance(how, int | float) and not isinstance(how, bool) and how > 0
    if column.kind is Kind.DATE:
        if how not in PERIODS:
            raise ParameterError(place, Said("be one of {choices}", choices=", ".join((*PERIODS, OUT))), how)
    elif not number or (column.kind is not Kind.DECIMAL and not isinstance(how, int)):
        rule = (
            Said("be out, or how wide its steps are")
            if column.kind.numeric
            else Said("be out, or how many first characters are kept")
        )
        raise ParameterError(place, rule, how)


def _blur_column(data: Dataset, column: Column, how: object) -> pl.Series:
    whole = data.frame[column.name]
    if not column.kind.numeric:
        domain = np.asarray(data.domain(column.name), dtype=object)
        first = _find_first(data.domain(column.name), how)
        return pl.Series(column.name, domain[first[data.codes(column.name)]], dtype=pl.String)
    values = data.grid(column.name)
    if how == OUT:
        low = np.full_like(values, min(drop_gaps(values), default=MISSING_NUMBER))
    else:
        low = _find_edges(values, column, how)[0]
    narrow = pl.Int32 if column.kind is Kind.DATE else pl.Int64
    return grid_series(column.name, low).cast(narrow).cast(whole.dtype)


def _find_first(domain: tuple[str, ...], how: object) -> NDArray[np.intp]:
    """Return by value the first one that is told alike."""
    starts: dict[str, int] = {}
    length = 0 if how == OUT else int(str(how))
    return np.array([starts.setdefault(text[:length], place) for place, text in enumerate(domain)], dtype=np.intp)


def _find_edges(values: NDArray[np.int64], column: Column, how: object) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last value of the step in which each value lies; a missing cell stays one."""
    if column.kind is Kind.DATE:
        days = grid_series(column.name, values).cast(pl.Int32).cast(pl.Date)
        first = days.dt.truncate(PERIODS[str(how)])
        last = first.dt.offset_by(PERIODS[str(how)]).dt.offset_by("-1d")
        low, high = (edge.cast(pl.Int32).cast(pl.Int64).fill_null(MISSING_NUMBER).to_numpy() for edge in (first, last))
        return low, high
    width, gaps = max(1, round(float(str(how)) * 10**column.decimals)), find_gaps(values)
    low = np.where(gaps, MISSING_NUMBER, values // width * width)
    return low, np.where(gaps, MISSING_NUMBER, low + width - 1)


def _widen_cells(cells: Cells, data: Dataset, column: Column, how: object, largest: int | None) -> Cells:
    if how == OUT:
        return cells.suppress(np.ones(len(cells), dtype=np.bool_))
    if isinstance(cells, RangeCells):
        low, high = _find_edges(cells.lower, column, how)[0], _find_edges(cells.upper, column, how)[1]
        gone = cells.suppressed
        return RangeCells(lower=np.where(gone, 0, low), upper=np.where(gone, 0, high), suppressed=gone)
    return _widen_sets(cells, data.domain(column.name), how, largest)


def _widen_sets(cells: SetCells, domain: tuple[str, ...], how: object, largest: int | None) -> SetCells:
    """Return sets of first values as the sets of all values that are told alike."""
    first = _find_first(domain, how)
    order = np.argsort(first, kind="stable")
    starts, sizes = np.searchsorted(first[order], np.arange(len(domain))), np.bincount(first, minlength=len(domain))
    place = {text: at for at, text in enumerate(domain)}
    named = np.array([first[place[text]] for text in cells.domain], dtype=np.intp)[cells.codes]
    count = sizes[named]
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    codes = order[np.repeat(starts[named], count) + within].astype(np.int32)
    wide = gather_sets(np.repeat(cells.owners(), count), codes, len(cells), domain)
    return wide if largest is None else wide.suppress(wide.sizes() > largest)

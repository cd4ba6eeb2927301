"""Published tables, read as an outsider reads them: values where they are shown, a mark where they are hidden.

Nothing is known of the hidden values, nor which of them are unsafe unless a column ``status`` says it. A margin that
the file does not have is not published; an inner cell that it does not have is refused, for it may be 0 or hidden.

A table that fits what is published of it: shown cells as they are, hidden ones filled in somehow.

Whoever sees a published table does not know its hidden values, and need not: the tables that fit are the same whichever
of them one counts from. So any of them will do, in whole units of the last decimal, which are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from sekisho.errors import Fault, FaultsError, InputError, ParameterError
from sekisho.tables.files.cell_marks import STATUS, read_statuses
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.pattern import refuse_mark
from sekisho.tables.files.rows import fault, find_doubled, read_bounds, refuse_missing
from sekisho.tables.model.exact_sums import count_decimals, write_units
from sekisho.tables.model.geometry import Dimension, from_inner, inner_cells
from sekisho.tables.model.lookalikes import lookalikes
from sekisho.tables.model.table import Floats, Key, Mask, Status, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

NODES = 10_000
"""How many cases are tried for whole units where the first corner is none."""


def fill_hidden(table: Table, shown: Floats, hidden: Mask, lower: Floats, upper: Floats, *, source: object) -> Table:
    """Return a table with the shown values, and values of the hidden cells with which it adds up.

    Args:
        table: its cells and equations; its values are not looked at.
        shown: the values of the cells that are shown.
        hidden: the cells that are not.
        lower: the least that each cell may hold.
        upper: the most.
        source: to be named.

    Raises:
        InputError: no table fits: what is shown contradicts itself or the bounds.
        FaultsError: where nothing is hidden, the equations that do not add up.
    """
    value = np.where(hidden, 0.0, shown)
    cells = np.flatnonzero(hidden)
    if not cells.size:
        return replace(table, value=value, lower=lower, upper=upper)
    decimals = count_decimals(value) or 0
    unit = 10.0**decimals
    rows = csr_array(table.matrix.tocsc()[:, cells].tocsr())
    right = -np.rint((table.matrix @ value) * unit)
    for whole in (False, True):
        units = _solve(rows, right, lower[cells] * unit, upper[cells] * unit, whole=whole)
        if units is None:
            break
        if np.array_equal(rows @ units, right):
            value[cells] = write_units(units.astype(np.int64), decimals)
            return replace(table, value=value, lower=np.minimum(lower, value), upper=np.maximum(upper, value))
    raise InputError(source, Said("is a table of nothing: no values of the hidden cells add up to what is shown"))


def _solve(rows: csr_array, right: Floats, lower: Floats, upper: Floats, *, whole: bool) -> Floats | None:
    """Return a point in rounded units; None if there is none."""
    count = rows.shape[1]
    held = np.diff(rows.indptr) > 0
    if np.any(right[~held] != 0):
        return None
    program = Program(
        cost=np.zeros(count),
        lower=lower,
        upper=upper,
        rows=csr_array(rows[held]),
        row_lower=right[held],
        row_upper=right[held],
        whole=np.ones(count, dtype=np.bool_) if whole else None,
    )
    if whole:
        program.limit(nodes=NODES)
    solution = program.solve()
    return np.rint(solution.x) if solution.status is SolveStatus.OPTIMAL or (whole and solution.x.size) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCellFile:
    """How a published table is read.

    Attributes:
        cells: which columns say what.
        mark: what stands for a hidden cell; found out if None.
    """

    cells: CellFile
    mark: str | None = None

    def find_mark(self, frame: pl.DataFrame) -> str | None:
        """Return what stands for hidden cells; None where every value is a number.

        Raises:
            ParameterError: several things that are no numbers stand there, or one that could be a value.
        """
        if self.cells.value not in frame.columns:
            return None
        text = _read_texts(frame, self.cells.value)
        numbers = text.cast(pl.Float64, strict=False).is_finite().fill_null(value=False)
        others = sorted(text.filter(~numbers).unique().to_list())
        if not others or self.mark is not None:
            return self.mark if others else None
        if len(others) > 1:
            raise ParameterError(
                "mark", Said("be given, for several texts stand where values are due"), ", ".join(others)
            )
        if others[0]:
            refuse_mark(others[0])
        return others[0]

    def table(self, frame: pl.DataFrame, *, source: object = "cells") -> Table:
        """Return a table that fits what is published; its hidden values are made up.

        Hidden cells are secondary, or what ``status`` says.

        Raises:
            FaultsError: what is wrong with the codes, values, statuses and bounds; inner cells that are missing.
            InputError: no table fits.
        """
        refuse_missing(frame, self.cells.columns, source)
        mark, keys = self.find_mark(frame), self.cells.keys(frame)
        hidden = (_read_texts(frame, self.cells.value) == (mark or "")).to_numpy() & (mark is not None)
        faults = find_doubled(keys)
        dimensions = [self.cells.dimension(axis, keys, faults) for axis in range(len(self.cells.dims))]
        value = np.zeros(len(keys))
        value[~hidden] = self.cells.numbers(frame.filter(pl.Series(~hidden)), self.cells.value, faults)
        known = [one for one in dimensions if one is not None]
        words = read_statuses(frame[STATUS], faults) if STATUS in frame.columns else None
        if faults:
            raise FaultsError(source, sorted(faults, key=lambda each: each.row))
        self._refuse_lookalikes(known, keys, value, ~hidden, source)
        return self._fill(known, keys, value, hidden, words, frame, source)

    def _refuse_lookalikes(
        self, dimensions: list[Dimension], keys: list[Key], value: Floats, shown: Mask, source: object
    ) -> None:
        """Refuse codes that add up like margins, hidden cells counting as lost."""
        flat = [name for name in self.cells.dims if name not in self.cells.trees]
        there = [key for key, seen in zip(keys, shown.tolist(), strict=True) if seen]
        alike = (
            lookalikes(dimensions, there, value[shown], said=self.cells.margins, flat=flat, exact=self.cells.counts)
            if there
            else []
        )
        if alike:
            raise FaultsError(source, alike)

    def _fill(
        self,
        dimensions: list[Dimension],
        keys: list[Key],
        value: Floats,
        hidden: Mask,
        words: list[Status] | None,
        frame: pl.DataFrame,
        source: object,
    ) -> Table:
        empty = from_inner(dimensions, [], np.zeros(0))
        faults = [*find_missing(dimensions, empty, keys)]
        if faults:
            raise FaultsError(source, faults)
        at = np.array([empty.position[key] for key in keys], dtype=np.int64)
        status = np.full(len(empty), np.int8(Status.UNPUBLISHED))
        status[at] = np.where(hidden, Status.SECONDARY, Status.SAFE)
        if words is not None:
            status[at[hidden]] = [_hide(word) for word, out in zip(words, hidden.tolist(), strict=True) if out]
        shown = np.zeros(len(empty))
        shown[at] = value
        signed = bool(np.any(value[~hidden] < 0)) and not self.cells.counts
        plain = replace(empty, lower=np.full(len(empty), -np.inf if signed else 0.0))
        columns = self.cells.bounds_of(frame, source=source)
        lower, upper = read_bounds(plain, keys, frame, columns, counts=self.cells.counts, source=source)
        free = status != Status.SAFE
        lower, upper = np.where(free, lower, -np.inf), np.where(free, upper, np.inf)
        filled = fill_hidden(empty, shown, free, lower, upper, source=source)
        return replace(filled, frequency=np.zeros(len(filled), dtype=np.int64)).mark_cells(status)


def _read_texts(frame: pl.DataFrame, name: str) -> pl.Series:
    return frame[name].cast(pl.String).fill_null("").str.strip_chars()


def _hide(word: Status) -> Status:
    return Status.PRIMARY if word is Status.PRIMARY else Status.SECONDARY


def find_missing(dimensions: list[Dimension], table: Table, keys: list[Key]) -> list[Fault]:
    """Return which inner cells a published table lacks: each may be 0 or hidden."""
    given = frozenset(keys)
    inner = inner_cells(dimensions, table.keys)
    return [
        fault(
            0,
            "",
            "complete",
            ",".join(key),
            Said("the cell {key} is missing: it may be 0 or hidden", key=", ".join(key)),
        )
        for key, leaf in zip(table.keys, inner, strict=True)
        if leaf and key not in given
    ]

"""From microdata to a table: counts or sums in every cell, margins included, and who stands behind each.

The statistical office sees the rows; what it publishes are the cells. The contributors it keeps, for the primary rules
to judge by.

Sampling weights: the published value is the weighted sum, and a row of weight w counts as w contributions of its size
(a part of a place is filled in part), as the τ-ARGUS manual 4.1, section 4.4.4, describes it; the number of
contributors stays the number of respondents. Holdings: contributions of one holding to a cell are summed before any
rule sees them (the same section).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError, MissingColumnsError, ParameterError
from sekisho.parameters import checked
from sekisho.tables.model.contributors import Contributors, Surveyed
from sekisho.tables.model.exact_sums import Number, add_exactly, count_decimals, settle_unit
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.largest import Positions, Rows, contributors
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Floats, Key, Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Tabulation:
    """Which columns make the table.

    Attributes:
        dimensions: the table's dimensions; their names are columns.
        value: the column that is summed; None counts rows.
        weight: the column of sampling weights.
        contributor: the column that says whose row it is; without it every row is a contributor of his own.
        holding: the column that says to which holding a row belongs; empty for none.
        request: the column that is 1 (or true) where the contributor asked for protection.
        waiver: the column that is 1 (or true) where he waived it.
        places: how many of the largest contributions to keep.
    """

    dimensions: tuple[Dimension, ...]
    value: str | None = None
    weight: str | None = None
    contributor: str | None = None
    holding: str | None = None
    request: str | None = None
    waiver: str | None = None
    places: int = 3

    def __post_init__(self) -> None:
        if self.places < 1:
            raise ParameterError("places", Said("be at least 1"), self.places)
        if not self.dimensions:
            raise ParameterError("dimensions", Said("be at least one"), self.dimensions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that are read."""
        others = (self.value, self.weight, self.contributor, self.holding, self.request, self.waiver)
        return (*(one.name for one in self.dimensions), *(name for name in others if name is not None))

    def table(self, frame: pl.DataFrame, *, source: object = "microdata") -> Surveyed:
        """Return the table of some microdata.

        Raises:
            FaultsError: unknown codes, and values or weights that are no numbers; all of them at once.
        """
        missing = [name for name in self.columns if name not in frame.columns]
        if missing:
            raise MissingColumnsError(source, missing, frame.columns)
        faults: list[Fault] = []
        leaves = [self._leaves(frame[one.name], one, faults) for one in self.dimensions]
        amount = self._numbers(frame, self.value, faults)
        weight = self._numbers(frame, self.weight, faults, least=0.0)
        if faults:
            raise FaultsError(source, sorted(faults, key=lambda fault: (fault.row, fault.column)))
        rows = Rows(
            leaves=np.column_stack(leaves).astype(np.int64),
            who=_number(frame, self.contributor),
            amount=amount,
            weight=weight,
            asked=_marks(frame, self.request),
            waived=_marks(frame, self.waiver),
        )
        units = contributors(self.dimensions, rows, places=self.places)
        holdings = None if self.holding is None else self._holdings(frame, self.holding, rows)
        return self.survey(self._sum_rows(rows, units), units, holdings)

    def _leaves(self, series: pl.Series, dimension: Dimension, faults: list[Fault]) -> Positions:
        """Return the position of each row's leaf; a code that is none becomes a fault."""
        text = series.cast(pl.String).str.strip_chars()
        known = pl.Series(dimension.leaves, dtype=pl.String)
        positions = text.replace_strict(known, np.arange(len(known)), default=None, return_dtype=pl.Int64)
        faults += _strange(text, positions.is_null(), Said("is no code of {name}", name=dimension.name), "code")
        return positions.fill_null(0).to_numpy()

    def _numbers(self, frame: pl.DataFrame, name: str | None, faults: list[Fault], least: float = -np.inf) -> Floats:
        """Return a numeric column, ones where there is none; what is no number becomes a fault."""
        if name is None:
            return np.ones(frame.height)
        raw = frame[name]
        numbers = raw.cast(pl.Float64, strict=False)
        bad = (numbers.is_null() | ~numbers.is_finite().fill_null(value=False)) | (numbers < least).fill_null(
            value=True
        )
        wanted = Said("is no number") if least < 0 else Said("is no number of at least {least:g}", least=least)
        faults += _strange(raw.cast(pl.String), bad, wanted, "number")
        return numbers.fill_null(0.0).to_numpy()

    def _holdings(self, frame: pl.DataFrame, name: str, rows: Rows) -> Contributors:
        """Return the contributors by holding; who belongs to none stays alone.

        A holding's weighted rows make one contribution.
        """
        holding = frame[name].cast(pl.String).str.strip_chars()
        none = (holding.is_null() | (holding == "")).fill_null(value=True).to_numpy()
        grouped = _codes(holding)
        alone = grouped.max(initial=0) + 1 + rows.who
        whole = replace(
            rows,
            who=np.where(none, alone, grouped),
            amount=np.where(none, rows.amount, rows.amount * rows.weight),
            weight=np.where(none, rows.weight, 1.0),
        )
        return contributors(self.dimensions, whole, places=self.places)

    def _cells(self, rows: Rows) -> Table:
        """Return the table of the rows' weighted amounts; its frequency is the number of rows."""
        lengths = tuple(len(one.leaves) for one in self.dimensions)
        cell = np.ravel_multi_index(tuple(rows.leaves.T), lengths)
        seen, place = np.unique(cell, return_inverse=True)
        at = np.unravel_index(seen, lengths)
        codes = [np.asarray(one.leaves, dtype=object)[axis] for one, axis in zip(self.dimensions, at, strict=True)]
        keys: list[Key] = list(zip(*codes, strict=True))

        def add(figures: NDArray[Number]) -> NDArray[Number]:
            sums = np.zeros(len(seen), dtype=figures.dtype)
            np.add.at(sums, place, figures)
            return sums

        value = add_exactly(rows.amount, add, rows.weight if self.weight else None)
        return from_inner(self.dimensions, keys, value, np.bincount(place, minlength=len(seen)).astype(np.float64))

    def survey(self, table: Table, units: Contributors, holdings: Contributors | None) -> Surveyed:
        """Return a table together with its contributors; who asked for protection is known where a column says it."""
        if self.request is None:
            units = replace(units, asked=None)
            holdings = None if holdings is None else replace(holdings, asked=None)
        return Surveyed.over(table, units=units, holdings=holdings)

    def _sum_rows(self, rows: Rows, units: Contributors) -> Table:
        cells = self._cells(rows)
        least = -np.inf if bool(np.any(rows.amount < 0)) else 0.0
        return replace(
            cells,
            frequency=units.count,
            largest=units.largest if self.weight else settle_unit(units.largest, count_decimals(rows.amount)),
            lower=np.full(len(cells), least),
        )


def flat_dimensions(
    frame: pl.DataFrame, names: Sequence[str], *, source: object = "microdata", margins: Margins | None = None
) -> tuple[Dimension, ...]:
    """Return dimensions without trees, their codes being the distinct values of the columns, in order.

    Raises:
        FaultsError: a value has the margin's code, or the name of one, and ``margins`` does not say what it is; all at
            once.
    """
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise MissingColumnsError(source, missing, frame.columns)
    codes = [frame[name].cast(pl.String).str.strip_chars().drop_nulls().unique().sort().to_list() for name in names]
    said, faults = margins or Margins(), list[Fault]()
    said.refuse_strange(names)
    found: list[Dimension] = []
    for name, those in zip(names, codes, strict=True):
        try:
            found.append(Dimension.flat(name, those, total=said.above(name, those)))
        except FaultsError as error:
            faults += error.faults
    if faults:
        raise FaultsError(source, faults)
    return tuple(found)


def _strange(text: pl.Series, bad: pl.Series, what: str, rule: str) -> list[Fault]:
    """Return a fault for each distinct bad value: its first row, and how many rows hold it."""
    if not bool(bad.any()):
        return []
    found = (
        pl.DataFrame({"row": np.flatnonzero(bad.to_numpy()) + 1, "value": text.filter(bad)})
        .group_by("value", maintain_order=True)
        .agg(pl.first("row"), pl.len())
    )
    return describe_strange(list(found.select("value", "row", "len").iter_rows()), text.name, what, rule)


def describe_strange(found: Sequence[tuple[str | None, int, int]], name: str, what: str, rule: str) -> list[Fault]:
    """Return a fault for each bad value of a column.

    Args:
        found: the values, each with its first row from 1, and how many rows hold it.
        name: the column's.
        what: is wrong with them.
        rule: that they break.
    """
    return [
        Fault(
            row=row,
            column=name,
            rule=rule,
            value=value or "",
            message=_say_strange(value or "an empty cell", what, times),
        )
        for value, row, times in found
    ]


def _say_strange(value: str, what: str, times: int) -> Said:
    if times > 1:
        return Said("{value!r} {what} (the first of {times} rows)", value=value, what=what, times=times)
    return Said("{value!r} {what}", value=value, what=what)


def _number(frame: pl.DataFrame, name: str | None) -> Positions:
    return np.arange(frame.height) if name is None else _codes(frame[name])


def _codes(series: pl.Series) -> Positions:
    """Return a number for each distinct value."""
    return series.cast(pl.String).fill_null("").cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy()


def _marks(frame: pl.DataFrame, name: str | None) -> NDArray[np.bool_]:
    if name is None:
        return np.zeros(frame.height, dtype=np.bool_)
    text = frame[name].cast(pl.String).str.strip_chars().str.to_lowercase().fill_null("")
    return text.is_in(["1", "true", "yes", "y"]).to_numpy()

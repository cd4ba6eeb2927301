"""From microdata to a table: counts or sums in every cell, margins included, and who stands behind each.

The statistical office sees the rows; what it publishes are the cells. The contributors it keeps, for the primary rules
to judge by.

Where the rows lie is not asked: an engine counts and sums the inner cells and keeps their largest rows, and memory is
one engine more. Where every row is a contributor of its own, what is kept of an inner cell is enough for its margins:
how many rows there are, their sums, and the largest. Where a contributor or a holding has several rows, these are
brought together first (:mod:`contributor_sums`).

Sampling weights: the published value is the weighted sum, and a row of weight w counts as w contributions of its size
(a part of a place is filled in part), as the τ-ARGUS manual 4.1, section 4.4.4, describes it; the number of
contributors stays the number of respondents. Holdings: contributions of one holding to a cell are summed before any
rule sees them (the same section).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.engines.memory import AskedRows, MemoryRows
from sekisho.data.engines.names import Frame, file_column, list_kinds, list_plain, make_plain
from sekisho.errors import Fault, FaultsError, MissingColumnsError, ParameterError
from sekisho.parameters import checked
from sekisho.tables.model.contributor_sums import ROW, ContributorSums, RowParts, UnitSums, place_leaves
from sekisho.tables.model.contributors import Contributors, Surveyed
from sekisho.tables.model.exact_sums import USUAL, count_decimals, fit_decimals, join_decimals, most_units, settle_unit
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.largest import Positions, Rows, contributors
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Key, Table
from sekisho.words import Said

AMOUNT, WEIGHT = "sekisho_amount", "sekisho_weight"
"""Columns of our own, beside ``ROW``: what a row adds, and how many it stands for, null if no number."""
COUNT, FIRST, GROSS, TOTAL, LEAST, SIZE, RANK, ONE = (
    f"sekisho_{word}" for word in ("count", "first", "gross", "total", "least", "size", "rank", "one")
)
TRUE = ("1", "true", "yes", "y")
SEVERAL = 1_000_000
"""So many different figures that are no decimals are looked at: more have no unit."""


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
        """Return the table of some microdata in memory.

        Raises:
            FaultsError: unknown codes, and values or weights that are no numbers; all of them at once.
        """
        self._refuse_missing(frame.columns, source)
        numbers = [(name, column) for name, column in ((self.value, AMOUNT), (self.weight, WEIGHT)) if name is not None]
        texts = [pl.col(one.name).cast(pl.String).str.strip_chars().cast(pl.Categorical) for one in self.dimensions]
        rows = frame.select(
            *{name: pl.col(name) for name in self.columns}.values(),
            pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW),
            *(_parse_number(frame[name]).alias(column) for name, column in numbers),
        )
        return self.count(MemoryRows(rows.with_columns(texts)), source=source)

    def place_records(self, frame: pl.DataFrame) -> Positions:
        """Return the position of the leaf of each record of a table's microdata, one column per dimension."""
        texts = frame.select(pl.col(one.name).cast(pl.String).str.strip_chars() for one in self.dimensions)
        return place_leaves(self.dimensions, MemoryRows(texts), texts)

    def count(self, rows: AskedRows, *, source: object = "microdata") -> Surveyed:
        """Return the table of some microdata, wherever they are.

        Args:
            rows: with ``ROW``; numbers in ``AMOUNT`` and ``WEIGHT`` where they are asked for.
            source: the file's name.

        Raises:
            FaultsError: unknown codes, and values or weights that are no numbers; all of them at once.
        """
        self._refuse_missing([name for name in rows.names if name not in {ROW, AMOUNT, WEIGHT}], source)
        faults = [fault for one in self.dimensions for fault in _find_strange_codes(one, list_codes(rows, one.name))]
        faults += _find_strange_numbers(rows, self.value, AMOUNT, -np.inf)
        faults += _find_strange_numbers(rows, self.weight, WEIGHT, 0.0)
        if faults:
            raise FaultsError(source, sorted(faults, key=lambda fault: (fault.row, fault.column)))
        return _Counting(self, rows).survey()

    def _refuse_missing(self, names: Sequence[str], source: object) -> None:
        missing = [name for name in self.columns if name not in names]
        if missing:
            raise MissingColumnsError(source, missing, names)

    def survey(self, table: Table, units: Contributors, holdings: Contributors | None) -> Surveyed:
        """Return a table together with its contributors; who asked for protection is known where a column says it."""
        if self.request is None:
            units = replace(units, asked=None)
            holdings = None if holdings is None else replace(holdings, asked=None)
        return Surveyed.over(table, units=units, holdings=holdings)


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
    return (margins or Margins()).make_flat({name: frame[name].cast(pl.String) for name in names}, source)


def list_codes(rows: AskedRows, name: str) -> pl.DataFrame:
    """Return the distinct values of a column: as they are, their ``text``, how many rows have each, and the first."""
    groups = rows.frame.group_by(make_plain(name)).agg(nw.len().alias(COUNT), nw.col(ROW).min().alias(FIRST))
    codes = rows.collect(groups).sort(FIRST)
    return codes.with_columns(rows.show(codes[name]).str.strip_chars().alias("text"))


def _parse_number(raw: pl.Series) -> pl.Series:
    numbers = raw.cast(pl.Float64, strict=False)
    return numbers.set(~numbers.is_finite().fill_null(value=True), None)


def _find_strange_codes(dimension: Dimension, codes: pl.DataFrame) -> list[Fault]:
    known = pl.Series(dimension.leaves, dtype=pl.String).implode()
    strange = codes.filter(~pl.col("text").is_in(known).fill_null(value=False))
    # texts that differ by blanks only are one
    by_text = strange.group_by("text", maintain_order=True).agg(pl.col(FIRST).min(), pl.col(COUNT).sum())
    rows = [(text, first + 1, count) for text, first, count in by_text.select("text", FIRST, COUNT).iter_rows()]
    return _describe_strange(rows, dimension.name, Said("is no code of {name}", name=dimension.name), "code")


def _find_strange_numbers(rows: AskedRows, name: str | None, column: str, least: float) -> list[Fault]:
    if name is None:
        return []
    number = nw.col(column)
    unfit = number.is_null() if least < 0 else number.is_null() | (number < least)
    groups = (
        rows.frame.filter(unfit).group_by(make_plain(name)).agg(nw.len().alias(COUNT), nw.col(ROW).min().alias(FIRST))
    )
    bad = rows.collect(groups).sort(FIRST)
    texts = rows.show(bad[name]).to_list()
    values = [(text, row + 1, count) for text, row, count in zip(texts, bad[FIRST], bad[COUNT], strict=True)]
    wanted = Said("is no number") if least < 0 else Said("is no number of at least {least:g}", least=least)
    return _describe_strange(values, name, wanted, "number")


def _describe_strange(found: Sequence[tuple[str | None, int, int]], name: str, what: str, rule: str) -> list[Fault]:
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


class _Counting:
    """The questions that a table asks of the rows."""

    def __init__(self, tabulation: Tabulation, rows: AskedRows) -> None:
        self.tabulation, self.rows = tabulation, rows
        self.dims = [one.name for one in tabulation.dimensions]
        self.amount = nw.lit(1.0) if tabulation.value is None else nw.col(AMOUNT)
        self.weight = nw.lit(1.0) if tabulation.weight is None else nw.col(WEIGHT)

    def survey(self) -> Surveyed:
        tabulation, sums = self.tabulation, self._choose_sums()
        cells = self._count_cells(sums)
        keys: list[Key] = [tuple(row) for row in cells.select(self.dims).rows()]
        count = cells[COUNT].to_numpy().astype(np.float64)
        summed = from_inner(tabulation.dimensions, keys, sums.read(cells, GROSS), count)
        if tabulation.contributor is None:
            units = self._take_contributors(from_inner(tabulation.dimensions, keys, sums.read(cells, TOTAL), count))
        else:
            units = self._bring_together().count_units(tabulation.contributor)
        holdings = None
        if tabulation.holding is not None:
            holdings = self._bring_together().count_holdings(tabulation.holding, tabulation.contributor or ROW)
        least = -np.inf if bool((cells[LEAST] < 0).any()) else 0.0
        largest = units.largest if tabulation.weight else settle_unit(units.largest, self._amount_decimals)
        known = replace(summed, frequency=units.count, largest=largest, lower=np.full(len(summed), least))
        return tabulation.survey(known, units, holdings)

    def _choose_sums(self) -> UnitSums:
        """Return how the cells are added up: estimates are rounded to units, other numbers leave a rest."""
        weighted = self.tabulation.weight is not None
        decimals = fit_decimals(self._decimals, self._gross_size, estimated=weighted)
        fits = decimals is not None and self._decimals is not None and self._decimals <= decimals
        return UnitSums(decimals=decimals, whole=weighted or fits)

    def _bring_together(self) -> ContributorSums:
        """Return the rows of each contributor; his amounts, grossed up or not, are added up as units and a rest."""
        tabulation = self.tabulation
        size = self._gross_size if tabulation.weight is None else self._gross_size + self._sum_sizes(self.amount)
        decimals = fit_decimals(self._decimals, size, estimated=True)
        parts = RowParts(
            amount=self.amount,
            sums=UnitSums(decimals=decimals, whole=decimals == self._decimals),
            weight=None if tabulation.weight is None else self.weight,
            asked=None if tabulation.request is None else self._mark(tabulation.request),
            waived=None if tabulation.waiver is None else self._mark(tabulation.waiver),
        )
        return ContributorSums(dimensions=tabulation.dimensions, rows=self.rows, parts=parts, places=tabulation.places)

    def _count_cells(self, sums: UnitSums) -> pl.DataFrame:
        """Return the inner cells: their codes, how many rows they have, and what is added up of them."""
        gross = self.amount * self.weight
        rows = self.rows.frame.select(
            *list_plain(self.dims),
            *sums.split(gross, GROSS),
            *sums.split(gross.abs(), TOTAL),
            self.amount.alias(LEAST),
        )
        added = [*sums.list_columns(GROSS), *sums.list_columns(TOTAL)]
        cells = self.rows.collect(
            rows.group_by(*list_plain(self.dims)).agg(
                nw.len().alias(COUNT), *(nw.col(name).sum() for name in added), nw.col(LEAST).min()
            )
        )
        texts = [self.rows.show(cells[name]).str.strip_chars().alias(name) for name in self.dims]
        named = cells.with_columns(texts).group_by(self.dims, maintain_order=True)
        return named.agg(pl.col(COUNT, *added).sum(), pl.col(LEAST).min())

    def _take_contributors(self, sizes: Table) -> Contributors:
        """Return the contributors where each row is another's, from the largest rows of the inner cells."""
        tabulation = self.tabulation
        top = self._rank_contributors(tabulation.places)
        target, asked = top.target, np.zeros(len(sizes))
        if tabulation.waiver is not None:
            target = self._rank_contributors(1, ~self._mark(tabulation.waiver)).target
        if tabulation.request is not None:
            asked = self._rank_contributors(1, self._mark(tabulation.request)).target
        return Contributors(total=sizes.value, count=sizes.frequency, largest=top.largest, target=target, asked=asked)

    def _mark(self, name: str) -> nw.Expr:
        """Return which rows have a mark in a column."""
        cell, kind = file_column(name), list_kinds(self.rows.frame)[name]
        if kind == nw.String:
            marked = cell.str.strip_chars().str.to_lowercase().is_in(list(TRUE))
        else:
            marked = (cell == 1) if kind.is_integer() else cell if kind == nw.Boolean else nw.lit(value=False)
        return nw.when(marked).then(nw.lit(value=True)).otherwise(nw.lit(value=False))

    def _rank_contributors(self, places: int, chosen: nw.Expr | None = None) -> Contributors:
        """Return the largest contributors, of the rows that are chosen."""
        frame = self.rows.frame if chosen is None else self.rows.frame.filter(chosen)
        plain = self.tabulation.value is None and self.tabulation.weight is None
        answer = self._repeat_ones(frame, places) if plain else self.rows.collect(self._rank(frame, places))
        nobody = np.zeros(answer.height, dtype=np.bool_)
        rows = Rows(
            leaves=place_leaves(self.tabulation.dimensions, self.rows, answer),
            who=np.arange(answer.height),
            amount=answer[AMOUNT].to_numpy().astype(np.float64),
            weight=answer[WEIGHT].to_numpy().astype(np.float64),
            asked=nobody,
            waived=nobody,
        )
        return contributors(self.tabulation.dimensions, rows, places=places)

    def _rank(self, frame: Frame, places: int) -> Frame:
        # a weight below one is a part of a contribution
        part = nw.when(self.weight < 1.0).then(self.weight).otherwise(nw.lit(1.0))
        rows = frame.select(
            *list_plain(self.dims),
            ROW,
            self.amount.alias(AMOUNT),
            self.weight.alias(WEIGHT),
            (self.amount.abs() * part * -1.0).alias(SIZE),
            nw.lit(1, nw.Int64).alias(ONE),
        )
        ranks = nw.col(ONE).cum_sum().over(*list_plain(self.dims), order_by=[SIZE, ROW])
        return rows.with_columns(ranks.alias(RANK)).filter(nw.col(RANK) <= places).sort(SIZE, ROW)

    def _repeat_ones(self, frame: Frame, places: int) -> pl.DataFrame:
        """Return as many rows of each inner cell as are wanted, all alike, without ranking them."""
        cells = self.rows.collect(frame.group_by(*list_plain(self.dims)).agg(nw.len().alias(COUNT)))
        several = pl.concat([cells.filter(pl.col(COUNT) > place) for place in range(places)])
        return several.with_columns(pl.lit(1.0).alias(AMOUNT), pl.lit(1.0).alias(WEIGHT))

    @cached_property
    def _gross_size(self) -> float:
        """The sum of the sizes of what rows add."""
        return self._sum_sizes(self.amount * self.weight)

    @cached_property
    def _amount_decimals(self) -> int | None:
        return 0 if self.tabulation.value is None else self._count_decimals(self.amount)

    @cached_property
    def _decimals(self) -> int | None:
        """How many decimals what rows add has; None if it has no unit."""
        weight = 0 if self.tabulation.weight is None else self._count_decimals(self.weight)
        return join_decimals(self._amount_decimals, weight)

    def _sum_sizes(self, figure: nw.Expr) -> float:
        sizes = self.rows.frame.select(ROW, figure.abs().alias(SIZE)).select(nw.col(SIZE).sum())
        return float(self.rows.collect(sizes)[SIZE][0] or 0.0)

    def _count_decimals(self, figure: nw.Expr) -> int | None:
        """Return how many decimals all figures have, as :func:`count_decimals` tells of an array.

        The engine counts of which figures which numbers of decimals are what they read as; those of more than usual are
        brought here if they are few, for a unit behind rounding errors is asked of all of them at once.
        """
        frame, value = self.rows.frame.select(figure.alias(SIZE)), nw.col(SIZE)
        first = nw.lit(None, nw.Int64)
        for decimals in range(USUAL, -1, -1):
            first = nw.when(_is_written(value, decimals)).then(nw.lit(decimals, nw.Int64)).otherwise(first)
        rows = frame.with_columns(first.alias(FIRST))
        least = self.rows.collect(rows.select(nw.col(FIRST).max()))[FIRST][0]
        odd = rows.filter(nw.col(FIRST).is_null()).select(SIZE)
        others = self.rows.collect(odd.unique().head(SEVERAL))[SIZE].to_numpy().astype(np.float64)
        if not len(others):
            return int(least or 0)
        largest = self.rows.collect(frame.select(value.abs().max()))[SIZE][0]
        return count_decimals(np.append(others, [float(largest), 10.0 ** -int(least or 0)]))


def _is_written(value: nw.Expr, decimals: int) -> nw.Expr:
    """Tell which figures are decimals of so many places, apart from the error of one product.

    Engines may divide by a number as they multiply by its inverse: a quotient could not be compared.
    """
    scaled = value * 10.0**decimals
    return ((scaled - scaled.round(0)).abs() <= scaled.abs() * 2.0**-52) & (scaled.abs() < most_units(decimals))

"""From microdata beyond memory to a table: an engine counts and sums the inner cells and keeps their largest rows.

Where every row is a contributor of its own, what is kept of an inner cell is enough for its margins: how many rows
there are, their sums, and the largest. Where a contributor or a holding has several rows, these are brought together
first (:mod:`scan_contributors`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.engines.names import file_column, list_kinds, list_plain, make_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Frame
from sekisho.errors import Fault, FaultsError, MissingColumnsError
from sekisho.tables.model.contributors import Contributors, Surveyed
from sekisho.tables.model.exact_sums import (
    USUAL,
    count_decimals,
    fit_decimals,
    join_decimals,
    most_units,
    settle_unit,
    write_units,
)
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.largest import Rows, contributors
from sekisho.tables.model.scan_contributors import LargeContributors, Parts
from sekisho.tables.model.table import Floats, Key
from sekisho.tables.model.tabulate import Tabulation, describe_strange
from sekisho.words import Said

ROW, AMOUNT, WEIGHT = "sekisho_row", "sekisho_amount", "sekisho_weight"
"""Columns of our own: where a row stands, from 0; what it adds, and how many it stands for, null if no number."""
COUNT, FIRST, GROSS, TOTAL, SIZE, RANK, ONE = (
    f"sekisho_{word}" for word in ("count", "first", "gross", "total", "size", "rank", "one")
)
TRUE = ("1", "true", "yes", "y")
SEVERAL = 1_000_000
"""So many different figures that are no decimals are looked at: more have no unit."""


def list_codes(scan: Scan, name: str) -> pl.DataFrame:
    """Return the distinct values of a column: as they are, their ``text``, how many rows have each, and the first."""
    groups = scan.frame.group_by(make_plain(name)).agg(nw.len().alias(COUNT), nw.col(ROW).min().alias(FIRST))
    found = scan.collect(groups).sort(FIRST)
    return found.with_columns(scan.show(found[name]).str.strip_chars().alias("text"))


def tabulate_large(tabulation: Tabulation, scan: Scan, *, source: object = "microdata") -> Surveyed:
    """Return the table of some microdata.

    Args:
        tabulation: which columns make the table.
        scan: the rows, with ``ROW``; numbers in ``AMOUNT`` and ``WEIGHT`` where they are asked for.
        source: the file's name.

    Raises:
        FaultsError: unknown codes, and values or weights that are no numbers; all of them at once.
    """
    missing = [name for name in tabulation.columns if name not in scan.names]
    if missing:
        names = [name for name in scan.names if name not in {ROW, AMOUNT, WEIGHT}]
        raise MissingColumnsError(source, missing, names)
    codes = {one.name: list_codes(scan, one.name) for one in tabulation.dimensions}
    faults = [fault for one in tabulation.dimensions for fault in _find_strange_codes(one, codes[one.name])]
    faults += _find_strange_numbers(scan, tabulation.value, AMOUNT, -np.inf)
    faults += _find_strange_numbers(scan, tabulation.weight, WEIGHT, 0.0)
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda fault: (fault.row, fault.column)))
    return _Tabulating(tabulation, scan, codes).survey()


def _find_strange_codes(dimension: Dimension, codes: pl.DataFrame) -> list[Fault]:
    known = pl.Series(dimension.leaves, dtype=pl.String).implode()
    strange = codes.filter(~pl.col("text").is_in(known).fill_null(value=False))
    # texts that differ by blanks only are one
    by_text = strange.group_by("text", maintain_order=True).agg(pl.col(FIRST).min(), pl.col(COUNT).sum())
    rows = [(text, first + 1, count) for text, first, count in by_text.select("text", FIRST, COUNT).iter_rows()]
    return describe_strange(rows, dimension.name, Said("is no code of {name}", name=dimension.name), "code")


def _find_strange_numbers(scan: Scan, name: str | None, column: str, least: float) -> list[Fault]:
    if name is None:
        return []
    number = nw.col(column)
    unfit = number.is_null() if least < 0 else number.is_null() | (number < least)
    groups = (
        scan.frame.filter(unfit).group_by(make_plain(name)).agg(nw.len().alias(COUNT), nw.col(ROW).min().alias(FIRST))
    )
    bad = scan.collect(groups).sort(FIRST)
    texts = scan.show(bad[name]).to_list()
    rows = [(text, row + 1, count) for text, row, count in zip(texts, bad[FIRST], bad[COUNT], strict=True)]
    return describe_strange(
        rows,
        name,
        Said("is no number") if least < 0 else Said("is no number of at least {least:g}", least=least),
        "number",
    )


class _Tabulating:
    """The questions that a table asks of the rows."""

    def __init__(self, tabulation: Tabulation, scan: Scan, codes: dict[str, pl.DataFrame]) -> None:
        self.tabulation, self.scan, self.codes = tabulation, scan, codes
        self.dims = [one.name for one in tabulation.dimensions]
        self.amount = nw.lit(1.0) if tabulation.value is None else nw.col(AMOUNT)
        self.weight = nw.lit(1.0) if tabulation.weight is None else nw.col(WEIGHT)

    def survey(self) -> Surveyed:
        cells = self._count_cells()
        keys: list[Key] = [tuple(row) for row in cells.select(self.dims).rows()]
        dimensions = self.tabulation.dimensions
        count, total = cells[COUNT].to_numpy().astype(np.float64), cells[TOTAL].to_numpy().astype(np.float64)
        summed = from_inner(dimensions, keys, cells[GROSS].to_numpy(), count)
        together = LargeContributors(self.tabulation, self.scan, self._list_parts())
        if self.tabulation.contributor is None:
            units = self._find_contributors(summed.frequency, from_inner(dimensions, keys, total).value)
        else:
            units = together.count_units()
        holdings = None if self.tabulation.holding is None else together.count_holdings()
        least = -np.inf if float(cells["least"].to_numpy().min()) < 0 else 0.0
        largest = units.largest if self.tabulation.weight else settle_unit(units.largest, self._amount_decimals)
        known = replace(summed, frequency=units.count, largest=largest, lower=np.full(len(summed), least))
        return self.tabulation.survey(known, units, holdings)

    def _list_parts(self) -> Parts:
        """Return what a row tells of its contributor."""
        nothing, tabulation = nw.lit(value=False), self.tabulation
        return Parts(
            amount=self.amount,
            weight=self.weight,
            asked=nothing if tabulation.request is None else self._mark(tabulation.request),
            waived=nothing if tabulation.waiver is None else self._mark(tabulation.waiver),
            row=ROW,
        )

    def _count_cells(self) -> pl.DataFrame:
        """Return the inner cells: their codes, how many rows they have, and the exact sums."""
        gross, decimals = self.amount * self.weight, self._choose_decimals()
        if decimals is not None:
            gross = (gross * 10.0**decimals).round(0).cast(nw.Int64)
        rows = self.scan.frame.with_columns(gross.alias(GROSS), gross.abs().alias(TOTAL), self.amount.alias("least"))
        found = self.scan.collect(
            rows.group_by(*list_plain(self.dims)).agg(
                nw.len().alias(COUNT), nw.col(GROSS).sum(), nw.col(TOTAL).sum(), nw.col("least").min()
            )
        )
        named = self._name_codes(found)
        kind = pl.Float64 if decimals is None else pl.Int64
        cells = named.group_by(self.dims, maintain_order=True).agg(
            pl.col(COUNT).sum(), pl.col(GROSS, TOTAL).cast(kind).sum(), pl.col("least").min()
        )
        if decimals is None:
            return cells
        return cells.with_columns(
            pl.Series(name, write_units(cells[name].to_numpy(), decimals)) for name in (GROSS, TOTAL)
        )

    def _choose_decimals(self) -> int | None:
        """Return with how many decimals rows are added up, as memory would."""
        tabulation = self.tabulation
        if tabulation.value is None and tabulation.weight is None:
            return 0
        weight = 0 if tabulation.weight is None else self._count_decimals(self.weight)
        size = self.scan.collect(
            self.scan.frame.select((self.amount * self.weight).abs().alias(SIZE)).select(nw.col(SIZE).sum())
        )[SIZE][0]
        both = join_decimals(self._amount_decimals, weight)
        return fit_decimals(both, float(size or 0.0), estimated=tabulation.weight is not None)

    @cached_property
    def _amount_decimals(self) -> int | None:
        return 0 if self.tabulation.value is None else self._count_decimals(self.amount)

    def _name_codes(self, found: pl.DataFrame) -> pl.DataFrame:
        """Return an answer in which codes stand for the values of the dimensions."""
        texts = [self.scan.show(found[name]).str.strip_chars().alias(name) for name in self.dims]
        return found.with_columns(texts)

    def _find_contributors(self, count: np.ndarray[tuple[int, ...], np.dtype[np.int64]], total: Floats) -> Contributors:
        tabulation = self.tabulation
        places = tabulation.places
        top = contributors(tabulation.dimensions, self._take_largest(places), places=places)
        target, asked = top.target, np.zeros(len(count))
        if tabulation.waiver is not None:
            rows = self._take_largest(1, ~self._mark(tabulation.waiver))
            target = contributors(tabulation.dimensions, rows, places=1).target
        if tabulation.request is not None:
            rows = self._take_largest(1, self._mark(tabulation.request))
            asked = contributors(tabulation.dimensions, rows, places=1).target
        return Contributors(total=total, count=count, largest=top.largest, target=target, asked=asked)

    def _mark(self, name: str) -> nw.Expr:
        """Return which rows have a mark in a column."""
        cell, kind = file_column(name), list_kinds(self.scan.frame)[name]
        if kind == nw.String:
            marked = cell.str.strip_chars().str.to_lowercase().is_in(list(TRUE))
        else:
            marked = (cell == 1) if kind.is_integer() else cell if kind == nw.Boolean else nw.lit(value=False)
        return nw.when(marked).then(nw.lit(value=True)).otherwise(nw.lit(value=False))

    def _take_largest(self, places: int, chosen: nw.Expr | None = None) -> Rows:
        """Return the largest rows of every inner cell, of those that are chosen."""
        frame = self.scan.frame if chosen is None else self.scan.frame.filter(chosen)
        found = self._name_codes(self.scan.collect(self._rank(frame, places)))
        leaves = [
            found[one.name].replace_strict(one.leaves, list(range(len(one.leaves))), return_dtype=pl.Int64).to_numpy()
            for one in self.tabulation.dimensions
        ]
        nobody = np.zeros(found.height, dtype=np.bool_)
        return Rows(
            leaves=np.column_stack(leaves).astype(np.int64),
            who=np.arange(found.height),
            amount=found[AMOUNT].to_numpy().astype(np.float64),
            weight=found[WEIGHT].to_numpy().astype(np.float64),
            asked=nobody,
            waived=nobody,
        )

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
        if self.tabulation.value is None and self.tabulation.weight is None:
            return self._repeat_ones(rows, places)
        ranks = nw.col(ONE).cum_sum().over(*list_plain(self.dims), order_by=[SIZE, ROW])
        ranked = rows.with_columns(ranks.alias(RANK)).filter(nw.col(RANK) <= places)
        return ranked.sort(SIZE, ROW)

    def _repeat_ones(self, rows: Frame, places: int) -> Frame:
        """Return as many rows of each inner cell as are wanted, all alike, without ranking them."""
        cells = self.scan.collect(rows.group_by(*list_plain(self.dims)).agg(nw.len().alias(COUNT)))
        copies = cells.select(pl.col(self.dims), pl.col(COUNT).clip(upper_bound=places).alias(COUNT))
        several = pl.concat([copies.filter(pl.col(COUNT) > place) for place in range(places)])
        return self.scan.session.take(
            several.with_columns(pl.lit(1.0).alias(AMOUNT), pl.lit(1.0).alias(WEIGHT)).drop(COUNT)
        )

    def _count_decimals(self, figure: nw.Expr) -> int | None:
        """Return how many decimals all figures have, as :func:`count_decimals` tells of numbers in memory.

        The engine counts of which figures which numbers of decimals are what they read as; those of more than usual are
        brought here if they are few, for a unit behind rounding errors is asked of all of them at once.
        """
        frame, value = self.scan.frame.select(figure.alias(SIZE)), nw.col(SIZE)
        first = nw.lit(None, nw.Int64)
        for decimals in range(USUAL, -1, -1):
            first = nw.when(_is_written(value, decimals)).then(nw.lit(decimals, nw.Int64)).otherwise(first)
        rows = frame.with_columns(first.alias(FIRST))
        least = self.scan.collect(rows.select(nw.col(FIRST).max()))[FIRST][0]
        odd = rows.filter(nw.col(FIRST).is_null()).select(SIZE)
        others = self.scan.collect(odd.unique().head(SEVERAL))[SIZE].to_numpy().astype(np.float64)
        if not len(others):
            return int(least or 0)
        largest = self.scan.collect(frame.select(value.abs().max()))[SIZE][0]
        return count_decimals(np.append(others, [float(largest), 10.0 ** -int(least or 0)]))


def _is_written(value: nw.Expr, decimals: int) -> nw.Expr:
    """Tell which figures are decimals of so many places, apart from the error of one product.

    Engines may divide by a number as they multiply by its inverse: a quotient could not be compared.
    """
    scaled = value * 10.0**decimals
    return ((scaled - scaled.round(0)).abs() <= scaled.abs() * 2.0**-52) & (scaled.abs() < most_units(decimals))

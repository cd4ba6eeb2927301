"""Who contributes to the cells of a table, where a contributor or a holding has several rows.

Whatever holds the rows sums up what a contributor has in an inner cell and sorts these sums by contributor; some
contributors at a time, each with all that is his, are then counted, margins included. Sums are those of whole units, as
:mod:`exact_sums` has them: they do not depend on the order in which an engine adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.engines.memory import AskedRows
from sekisho.data.engines.names import file_column, list_kinds, make_plain
from sekisho.tables.model.contributors import Contributors
from sekisho.tables.model.exact_sums import write_units
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.largest import ContributorTally, Positions, Rows
from sekisho.tables.model.table import Floats

BLOCK = 1 << 18
"""So many sums, about, are counted at a time."""
ROW = "sekisho_row"
"""Where a row stands, from 0."""
WHO, HOLDING, AMOUNT, WEIGHT, ASKED, WAIVED = (
    f"sekisho_his_{word}" for word in ("name", "holding", "amount", "weight", "request", "waiver")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSums:
    """Figures that are added up as so many units, and what is left of each where units are not all of it.

    Attributes:
        decimals: of the unit; None if figures are added as they are.
        whole: whether every figure is whole units.
    """

    decimals: int | None
    whole: bool

    def split(self, figure: nw.Expr, name: str) -> list[nw.Expr]:
        """Return the columns that are added up for a figure."""
        if self.decimals is None:
            return [figure.alias(name)]
        units = (figure * 10.0**self.decimals).round(0)
        # a product, for engines may divide here so and there so, and a rest must not depend on a row's place
        rest = figure - units * 10.0**-self.decimals
        return [units.cast(nw.Int64).alias(name), *([] if self.whole else [rest.alias(_name_rest(name))])]

    def list_columns(self, name: str) -> list[str]:
        """Return the names of these columns."""
        return [name] if self.decimals is None or self.whole else [name, _name_rest(name)]

    def read(self, sums: pl.DataFrame, name: str) -> Floats:
        """Return the sums as numbers again."""
        if self.decimals is None:
            return sums[name].to_numpy().astype(np.float64)
        units = sums[name].cast(pl.Int64).to_numpy()  # an engine may add in numbers of more bits
        if self.whole:
            return write_units(units, self.decimals)
        return units * 10.0**-self.decimals + sums[_name_rest(name)].to_numpy().astype(np.float64)


def _name_rest(name: str) -> str:
    return f"{name}_rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowParts:
    """What a row tells of its contributor: expressions.

    Attributes:
        amount: what he contributes.
        sums: how amounts are added up.
        weight: how many such contributors the row stands for in a sample; one if None.
        asked: whether he asked for protection; nobody did if None.
        waived: whether he waived it; nobody did if None.
    """

    amount: nw.Expr
    sums: UnitSums
    weight: nw.Expr | None = None
    asked: nw.Expr | None = None
    waived: nw.Expr | None = None

    @property
    def marks(self) -> dict[str, nw.Expr]:
        """What is told beside the amount, by the names of columns."""
        columns = {WEIGHT: self.weight, ASKED: self.asked, WAIVED: self.waived}
        return {name: told for name, told in columns.items() if told is not None}

    def gross_up(self, chosen: nw.Expr) -> RowParts:
        """Return the parts with which some rows count their weighted amounts, once."""
        if self.weight is None:
            return self
        amount = nw.when(chosen).then(self.amount * self.weight).otherwise(self.amount)
        return replace(self, amount=amount, weight=nw.when(chosen).then(nw.lit(1.0)).otherwise(self.weight))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributorSums:
    """The rows of each contributor, or of each holding, brought together.

    Attributes:
        dimensions: of the table.
        rows: of the data.
        parts: what a row tells.
        places: how many of the largest contributions to keep.
    """

    dimensions: Sequence[Dimension]
    rows: AskedRows
    parts: RowParts
    places: int

    def count_units(self, contributor: str) -> Contributors:
        """Return the contributors to each cell; rows without a name are one contributor's."""
        return self._count([self._name(contributor, strip=False).alias(WHO)], self.parts)

    def count_holdings(self, holding: str, alone: str) -> Contributors:
        """Return the contributors by holding; who belongs to none stays alone, by his own column.

        A holding's weighted rows make one contribution.
        """
        whole = self._name(holding, strip=True)
        own = nw.when(whole.is_null()).then(self._name(alone, strip=False))
        return self._count([whole.alias(HOLDING), own.alias(WHO)], self.parts.gross_up(~whole.is_null()))

    def _name(self, column: str, *, strip: bool) -> nw.Expr:
        """Return whose a row is; an empty text is nobody's, as a missing cell is."""
        cell = file_column(column)
        if list_kinds(self.rows.frame)[column] != nw.String:
            return cell
        name = cell.str.strip_chars() if strip else cell
        return nw.when(name != "").then(name)

    def _count(self, who: Sequence[nw.Expr], parts: RowParts) -> Contributors:
        dims = [make_plain(one.name) for one in self.dimensions]
        rows = self.rows.frame.select(
            *dims,
            *who,
            ROW,
            *parts.sums.split(parts.amount, AMOUNT),
            *(told.alias(name) for name, told in parts.marks.items()),
        )
        names = [name for name in (HOLDING, WHO) if name in rows.collect_schema().names()]
        # rows of other weights, requests or waivers stay apart, so that each sum is like a row
        added = [nw.col(name).sum() for name in parts.sums.list_columns(AMOUNT)]
        sums = rows.group_by(*names, *dims, *parts.marks).agg(nw.col(ROW).min(), *added)
        tally = ContributorTally(self.dimensions, places=self.places)
        for frame, number in _cut_between(self.rows.give_pieces(sums.sort(*names, ROW), BLOCK), names):
            tally.add(self._make_rows(frame, number))
        return tally.finish()

    def _make_rows(self, frame: pl.DataFrame, number: Positions) -> Rows:
        nobody = np.zeros(frame.height, dtype=np.bool_)
        return Rows(
            leaves=place_leaves(self.dimensions, self.rows, frame),
            who=number,
            amount=self.parts.sums.read(frame, AMOUNT),
            weight=frame[WEIGHT].to_numpy().astype(np.float64) if WEIGHT in frame.columns else np.ones(frame.height),
            asked=frame[ASKED].to_numpy().astype(np.bool_) if ASKED in frame.columns else nobody,
            waived=frame[WAIVED].to_numpy().astype(np.bool_) if WAIVED in frame.columns else nobody,
        )


def place_leaves(dimensions: Sequence[Dimension], rows: AskedRows, answer: pl.DataFrame) -> Positions:
    """Return the position of the leaf of each row of an answer, one column per dimension."""
    leaves = list[Positions]()
    for one in dimensions:
        cells, codes = answer[one.name], answer[one.name].unique()  # few values, each shown once
        places = rows.show(codes).str.strip_chars().replace_strict(one.leaves, range(len(one.leaves)))
        leaves.append(cells.replace_strict(codes, places, return_dtype=pl.Int64).to_numpy())
    return np.column_stack(leaves).astype(np.int64)


def _cut_between(frames: Iterator[pl.DataFrame], names: Sequence[str]) -> Iterator[tuple[pl.DataFrame, Positions]]:
    """Give rows that are sorted by contributor, and a number for each row's; no contributor is cut."""
    rest = pl.DataFrame()
    for frame in frames:
        whole = frame if rest.is_empty() else pl.concat([rest, frame])
        number = _number_runs(whole, names)
        last = int(np.searchsorted(number, number[-1]))
        rest = whole[last:]
        if last:
            yield whole[:last], number[:last]
    if not rest.is_empty():
        yield rest, np.zeros(rest.height, dtype=np.int64)


def _number_runs(frame: pl.DataFrame, names: Sequence[str]) -> Positions:
    differ = pl.any_horizontal([pl.col(name).ne_missing(pl.col(name).shift(1)) for name in names])
    return frame.select(differ.cast(pl.Int64).cum_sum()).to_series().to_numpy().astype(np.int64)

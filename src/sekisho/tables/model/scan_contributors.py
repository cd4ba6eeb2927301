"""Who contributes to the cells of microdata beyond memory, where a contributor or a holding has several rows.

An engine sums up what a contributor has in an inner cell and sorts these sums by contributor; some contributors at a
time, each with all that is his, are then counted as in memory, margins included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.engines.names import Batch, file_column, list_kinds, make_plain
from sekisho.data.engines.scan import Scan
from sekisho.errors import BugError
from sekisho.tables.model.contributors import Contributors
from sekisho.tables.model.largest import ContributorTally, Positions, Rows
from sekisho.tables.model.tabulate import Tabulation

BLOCK = 1 << 18
"""So many sums, about, are counted at a time."""
WHO, HOLDING, AMOUNT, WEIGHT, ASKED, WAIVED = (
    f"sekisho_his_{word}" for word in ("name", "holding", "amount", "weight", "request", "waiver")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a row tells of its contributor: expressions.

    Attributes:
        amount: what he contributes.
        weight: how many such contributors the row stands for in a sample.
        asked: whether he asked for protection.
        waived: whether he waived it.
        row: the column that says where the row stands.
    """

    amount: nw.Expr
    weight: nw.Expr
    asked: nw.Expr
    waived: nw.Expr
    row: str


class LargeContributors:
    """The rows of each contributor, or of each holding, brought together."""

    def __init__(self, tabulation: Tabulation, scan: Scan, parts: Parts) -> None:
        self._tabulation, self._scan, self._parts = tabulation, scan, parts

    def count_units(self) -> Contributors:
        """Return the contributors to each cell."""
        if self._tabulation.contributor is None:
            raise BugError("no column says whose a row is")
        return self._count([file_column(self._tabulation.contributor).alias(WHO)], self._parts)

    def count_holdings(self) -> Contributors:
        """Return the contributors by holding; who belongs to none stays alone.

        A holding's weighted rows make one contribution.
        """
        if self._tabulation.holding is None:
            raise BugError("no column says to which holding a row belongs")
        parts, whole = self._parts, file_column(self._tabulation.holding)
        if list_kinds(self._scan.frame)[self._tabulation.holding] == nw.String:
            whole = whole.str.strip_chars()
        alone = file_column(self._tabulation.contributor or parts.row)
        grossed = replace(
            parts,
            amount=nw.when(whole.is_null()).then(parts.amount).otherwise(parts.amount * parts.weight),
            weight=nw.when(whole.is_null()).then(parts.weight).otherwise(nw.lit(1.0)),
        )
        return self._count([whole.alias(HOLDING), nw.when(whole.is_null()).then(alone).alias(WHO)], grossed)

    def _count(self, who: Sequence[nw.Expr], parts: Parts) -> Contributors:
        dims = [make_plain(one.name) for one in self._tabulation.dimensions]
        rows = self._scan.frame.select(
            *dims,
            *who,
            parts.amount.alias(AMOUNT),
            parts.weight.alias(WEIGHT),
            parts.asked.alias(ASKED),
            parts.waived.alias(WAIVED),
        )
        names = [name for name in rows.collect_schema().names() if name in {WHO, HOLDING}]
        # rows of other weights, requests or waivers stay apart, so that each sum is a row like those of memory
        sums = rows.group_by(*dims, *names, WEIGHT, ASKED, WAIVED).agg(nw.col(AMOUNT).sum())
        tally = ContributorTally(self._tabulation.dimensions, places=self._tabulation.places)
        stream = self._scan.session.stream(sums.sort(*names), BLOCK)
        for frame, number in _cut_between(map(_read_block, stream), names):
            tally.add(self._make_rows(frame, number))
        return tally.finish()

    def _make_rows(self, frame: pl.DataFrame, number: Positions) -> Rows:
        leaves = [
            self._scan.show(frame[one.name])
            .str.strip_chars()
            .replace_strict(one.leaves, list(range(len(one.leaves))), return_dtype=pl.Int64)
            .to_numpy()
            for one in self._tabulation.dimensions
        ]
        return Rows(
            leaves=np.column_stack(leaves).astype(np.int64),
            who=number,
            amount=frame[AMOUNT].to_numpy().astype(np.float64),
            weight=frame[WEIGHT].to_numpy().astype(np.float64),
            asked=frame[ASKED].to_numpy().astype(np.bool_),
            waived=frame[WAIVED].to_numpy().astype(np.bool_),
        )


def _read_block(block: Batch) -> pl.DataFrame:
    return pl.DataFrame(block)


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

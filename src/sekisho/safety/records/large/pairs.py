"""Pairs of a class and a sensitive value that it has, as an engine counts them."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw
import polars as pl

from sekisho.data.large.names import list_plain, make_plain
from sekisho.data.large.session import Frame
from sekisho.safety.records.large.records import LargeRecords

PAIR, SIZE, TOTAL, PLACE = "sekisho pair", "sekisho size", "sekisho total", "sekisho place"
SHARE, FAR = "sekisho share", "sekisho far"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargePairs:
    """The pairs of one sensitive column.

    Attributes:
        records: whose.
        name: of the sensitive column.
        domain: its values, with how often each stands anywhere (``TOTAL``) and its ``place``.
        rows: how many records there are.
    """

    records: LargeRecords
    name: str
    domain: pl.DataFrame
    rows: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that make the classes."""
        return self.records.keys

    @property
    def plain_keys(self) -> list[str]:
        """Their plain names."""
        return list_plain(self.keys)

    def count(self) -> Frame:
        """Return every pair, and in ``PAIR`` how many records have it."""
        return self.records.frame.group_by(*self.plain_keys, make_plain(self.name)).agg(
            nw.len().cast(nw.Int64).alias(PAIR)
        )

    def describe(self) -> Frame:
        """Return every pair with the size of its class, and the total and the place of its value."""
        sized = self.count().with_columns(nw.col(PAIR).sum().over(*self.plain_keys).cast(nw.Int64).alias(SIZE))
        return self.add_from_domain(sized, {TOTAL: TOTAL, "place": PLACE})

    def add_from_domain(self, frame: Frame, columns: dict[str, str]) -> Frame:
        """Return a frame with columns of the domain beside the value of each row, under new names."""
        known = self.domain.filter(pl.col(self.name).is_not_null())
        absent = self.domain.filter(pl.col(self.name).is_null())
        side = self.records.scan.session.take(known.select(self.name, *columns).rename(columns))
        joined = frame.join(side, on=make_plain(self.name), how="left")
        if absent.is_empty():
            return joined
        fills = [nw.col(new).fill_null(int(absent[old][0])).alias(new) for old, new in columns.items()]
        return joined.with_columns(*fills)

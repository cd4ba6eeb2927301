"""Rows of a file of one's own, read on a cluster: the same data, kinds, notices and faults as on one machine.

A kernel reads the rows. What it has to say of a block travels in a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, Batch
from sekisho.data.engines.schema_files.survey import ROW, OwnScan, take_block
from sekisho.data.engines.session import ClusterSession, Frame
from sekisho.data.files.published_frame import publish_unchanged
from sekisho.data.files.schema_files.block_reader import BlockReader
from sekisho.data.files.schema_files.blocks import BlockReport, read_block
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.frame.dataset import TYPES, Column, Dataset
from sekisho.protect.records.streamed.remote_kernels import PLACE, name_value
from sekisho.protect.records.streamed.remote_recoding import ClusterRows

CHUNK, REPORT = "sekisho_chunk", "sekisho_report"
COUNT, BEFORE = "rows", "before"
WIDTH = 1 << 16
"""So many rows of the file a chunk has, in which the rows that are kept are numbered."""
READ = "rows"
LAST = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadKernel:
    """Reads the rows of a block, and tells of it in one row more.

    Attributes:
        reader: of a block.
        names: what the file calls its columns.
        values: the columns that are counted.
        others: those that are published as they are.
    """

    reader: BlockReader
    names: tuple[str, ...]
    values: tuple[str, ...]
    others: tuple[Column, ...]

    @property
    def carried(self) -> ArrowSchema:
        """The types of the columns that are published as they are."""
        return pa.schema(list(self.schema)[3 + len(self.values) :])

    @cached_property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        return self._make(self._make_nothing(), np.zeros(0, dtype=np.int64)).to_arrow().schema

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        cells, rows = take_block(batch, self.names)
        own, report = read_block(self.reader, cells, rows)
        data, kept = (self._make_nothing(), rows[:0]) if own is None else (own.data, own.rows)
        told = pl.DataFrame({ROW: [int(rows.min(initial=LAST))], REPORT: [report.write()]})
        made = pl.concat([self._make(data, kept), told], how="diagonal")
        return made.to_arrow().cast(self.schema).combine_chunks().to_batches()[0]

    def _make_nothing(self) -> Dataset:
        schema = self.reader.data_schema
        return Dataset(pl.DataFrame(schema={each.name: TYPES[each.kind] for each in schema}), schema)

    def _make(self, data: Dataset, rows: NDArray[np.int64]) -> pl.DataFrame:
        values = [
            pl.Series(data.grid(name)) if data.schema[name].kind.numeric else data.frame[name] for name in self.values
        ]
        others = publish_unchanged(data, self.others, {}, as_values=True)
        return pl.DataFrame(
            [
                pl.Series(ROW, rows, dtype=pl.Int64),
                pl.Series(CHUNK, rows // WIDTH, dtype=pl.Int64),
                pl.Series(REPORT, [None] * len(rows), dtype=pl.String),
                *(each.alias(name_value(place)) for place, each in enumerate(values)),
                *(each.alias(name_other(place)) for place, each in enumerate(others)),
            ]
        )


def name_other(place: int) -> str:
    """Return what a column that is published as it is is called on its way."""
    return f"sekisho_other_{place}"


def read_cluster_rows(
    session: ClusterSession,
    file: OwnScan,
    values: Sequence[str],
    others: Sequence[Column],
    say: Callable[[Notice], None],
) -> ClusterRows:
    """Return the rows of a file, read; they are kept on the cluster.

    Args:
        session: the cluster.
        file: the rows as they stand, and how cells are read.
        values: the columns that are counted.
        others: those that are published as they are.
        say: is told what was dropped, rounded or made a category.

    Raises:
        FaultsError: cells break the rules; all at once.
    """
    kernel = ReadKernel(reader=file.reader, names=file.names, values=tuple(values), others=tuple(others))
    read = session.keep(session.map_blocks(file.scan.frame, kernel, kernel.schema), READ)
    told = session.collect(read.filter(~nw.col(REPORT).is_null()).select(ROW, REPORT)).sort(ROW)
    report = BlockReport()
    for text in told[REPORT]:
        report = report.join(BlockReport.read(text))
    report.settle(file.reader.path, say)
    rows = read.filter(nw.col(REPORT).is_null()).drop(REPORT)
    placed = rows.with_columns(nw.col(ROW).alias(PLACE)) if report.kept == report.rows else _number_kept(session, rows)
    return ClusterRows(session=session, frame=placed.drop(ROW, CHUNK), rows=report.kept, others=kernel.carried)


def _number_kept(session: ClusterSession, rows: Frame) -> Frame:
    """Return rows with their place among those that are kept."""
    counts = session.collect(rows.group_by(CHUNK).agg(nw.len().alias(COUNT))).sort(CHUNK)
    before = counts.select(CHUNK, (pl.col(COUNT).cum_sum() - pl.col(COUNT)).alias(BEFORE))
    numbered = rows.with_columns((nw.col(ROW).cum_count().over(CHUNK, order_by=ROW) - 1).alias(PLACE))
    joined = numbered.join(session.take(before), on=CHUNK, how="inner")
    return joined.with_columns((nw.col(PLACE) + nw.col(BEFORE)).alias(PLACE)).drop(BEFORE)

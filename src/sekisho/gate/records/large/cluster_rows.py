"""Rows of a file of one's own, read on a cluster: the same data, kinds, notices and faults as on one machine.

A kernel tells a few texts of every column, by which the schema is settled here; another one reads the rows. What it has
to say of a block travels in a row of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.files.frames import is_parquet
from sekisho.data.files.own.blocks import BlockReport, OwnBlocks, Witnesses, find_witnesses, open_blocks
from sekisho.data.files.own.columns import Notice
from sekisho.data.files.own.schema_file import ColumnRules, SchemaFile
from sekisho.data.frame.dataset import TYPES, Dataset
from sekisho.data.frame.schema import Column
from sekisho.data.large.arrow import ArrowSchema, Batch
from sekisho.data.large.session import ClusterSession, Frame
from sekisho.errors import BugError, Fault
from sekisho.gate.records.large.large_task import LargeTask
from sekisho.gate.records.large.streamed_release import publish_others
from sekisho.protect.records.parts.cluster_kernels import PLACE, name_value
from sekisho.protect.records.parts.cluster_recoding import ClusterRows

ROW, CHUNK, REPORT = "sekisho row", "sekisho chunk", "sekisho report"
COLUMN, TEXT, COUNT, BEFORE = "column", "text", "rows", "before"
WIDTH = 1 << 16
"""So many rows of the file a chunk has, in which the rows that are kept are numbered."""
READ = "rows"
LAST = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True, eq=False)
class WitnessKernel:
    """Tells a few texts of each column of a block."""

    path: Path
    columns: Mapping[str, ColumnRules]
    schema: SchemaFile
    made = pa.schema([(COLUMN, pa.string()), (TEXT, pa.string())])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        words = find_witnesses(self.path, pl.DataFrame(pl.from_arrow(batch)), self.columns, self.schema)
        names = [name for name, texts in words.items() for _ in range(len(texts))]
        texts = [text for texts in words.values() for text in texts]
        return pa.record_batch([pa.array(names, pa.string()), pa.array(texts, pa.string())], self.made)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadKernel:
    """Reads the rows of a block, and tells of it in one row more.

    Attributes:
        blocks: how cells are read.
        values: the columns that are counted.
        others: those that are published as they are.
    """

    blocks: OwnBlocks
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
        block = pl.DataFrame(pl.from_arrow(batch))
        rows = block[ROW].to_numpy()
        own, report = self.blocks.read_block(block.drop(ROW), rows)
        data, kept = (self._make_nothing(), rows[:0]) if own is None else (own.data, own.rows)
        told = pl.DataFrame({ROW: [int(rows.min(initial=LAST))], REPORT: [write_report(report)]})
        made = pl.concat([self._make(data, kept), told], how="diagonal")
        return made.to_arrow().cast(self.schema).combine_chunks().to_batches()[0]

    def _make_nothing(self) -> Dataset:
        schema = self.blocks.data_schema
        return Dataset(pl.DataFrame(schema={each.name: TYPES[each.kind] for each in schema}), schema)

    def _make(self, data: Dataset, rows: NDArray[np.int64]) -> pl.DataFrame:
        values = [
            pl.Series(data.grid(name)) if data.schema[name].kind.numeric else data.frame[name] for name in self.values
        ]
        others = publish_others(data, self.others, self.blocks.schema, as_values=True)
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
    return f"sekisho other {place}"


def open_cluster_blocks(session: ClusterSession, task: LargeTask, schema: SchemaFile) -> tuple[OwnBlocks, Frame]:
    """Return how the cells of a file are read, and its rows as they stand, each with its place (ROW)."""
    # missing cells are found by whoever reads the blocks, once for all cells of a text
    source = session.find_source(task.source, replace(schema.file, missing=()), row=ROW)
    if source is None:
        raise BugError("a cluster sees no files")
    names = tuple(source.names.values())
    raw = session.scan_parquet(source.files, row=ROW).select(ROW, *names)
    shown = task.source if is_parquet(task.source) and not task.source.is_dir() else task.source / "part.parquet"

    def gather(columns: Mapping[str, ColumnRules]) -> Iterator[Witnesses]:
        kernel = WitnessKernel(path=shown, columns=columns, schema=schema)
        texts = session.map_blocks(raw.drop(ROW), kernel, kernel.made)
        words = session.collect(texts.group_by(COLUMN, TEXT).agg(nw.len().alias(COUNT))).sort(COLUMN, TEXT)
        yield {str(name): words.filter(pl.col(COLUMN) == name)[TEXT] for name in words[COLUMN].unique()}

    return open_blocks(shown, give_no_frames, names, schema, form=source.csv, gather=gather), raw


def give_no_frames() -> Iterator[pl.DataFrame]:
    """Give nothing: the rows stay on the cluster."""
    return iter(())


def read_cluster_rows(
    session: ClusterSession,
    blocks: OwnBlocks,
    raw: Frame,
    values: Sequence[str],
    others: Sequence[Column],
    say: Callable[[Notice], None],
) -> ClusterRows:
    """Return the rows of a file, read; they are kept on the cluster.

    Args:
        session: the cluster.
        blocks: how cells are read.
        raw: the rows as they stand.
        values: the columns that are counted.
        others: those that are published as they are.
        say: is told what was dropped, rounded or made a category.

    Raises:
        FaultsError: cells break the rules; all at once.
    """
    kernel = ReadKernel(blocks=blocks, values=tuple(values), others=tuple(others))
    read = session.keep(session.map_blocks(raw.select(ROW, *blocks.columns), kernel, kernel.schema), READ)
    told = session.collect(read.filter(~nw.col(REPORT).is_null()).select(ROW, REPORT)).sort(ROW)
    report = BlockReport()
    for text in told[REPORT]:
        report = report.join(read_report(text))
    report.settle(blocks.path, say)
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


def write_report(report: BlockReport) -> str:
    """Return what there is to say of a block as a text."""
    return json.dumps(asdict(report))


def read_report(text: str) -> BlockReport:
    """Return what a text says of a block."""
    told = json.loads(text)
    told["notices"] = tuple(Notice(**each) for each in told["notices"])
    told["faults"] = tuple(Fault(**each) for each in told["faults"])
    return BlockReport(**told)

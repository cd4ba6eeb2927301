"""Local recoding of a file that stays on a cluster, from its rows to a folder.

The release is written to a hidden folder beside its place, and renamed by whoever asked for it.

Rows of a file of one's own, read on a cluster: the same data, kinds, notices and faults as on one machine.

A kernel reads the rows. What it has to say of a block travels in a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.engine import is_address
from sekisho.data.engines.names import ArrowSchema, Batch, open_workspace
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.schema_files.survey import ROW, OwnScan, open_own, take_block
from sekisho.data.engines.session import ClusterSession, Frame, open_engine
from sekisho.data.files.published_frame import publish_unchanged
from sekisho.data.files.schema_files.block_reader import BlockReader
from sekisho.data.files.schema_files.blocks import BlockReport, read_block
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.frame.dataset import TYPES, Column, Dataset
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import BugError
from sekisho.protect.beyond_memory import EngineRelease, EngineTask
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_columns import choose_keys
from sekisho.protect.records.streamed.recoding_plan import PartLimit, choose_columns
from sekisho.protect.records.streamed.remote_kernels import PLACE, name_value
from sekisho.protect.records.streamed.remote_recoding import ClusterRecoding, ClusterRows, recode_rows
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said

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


RELEASE = "release"


@contextmanager
def recode_on_cluster(method: Partition, task: EngineTask, seed: Seed) -> Generator[EngineRelease]:
    """Recode a file on a cluster; the arguments and errors are those of recoding on one machine."""
    own, beside = task.require_own(), None if is_address(task.out) else task.out
    with (
        open_workspace(beside) as folder,
        open_engine(task.choice, folder) as opened,
        require_cluster(opened).open_stage(task.out) as stage,
    ):
        session = require_cluster(opened)
        task.tell(Said("reading"))
        file = open_own(session, task.source, own)
        for notice in file.notices:
            task.say(notice)
        schema, fields = file.reader.data_schema, {each.name: each for each in file.reader.schema.fields()}
        keys = choose_keys(schema, method.keys)
        others = [each for each in schema.attributes if each.name not in keys]
        rows = read_cluster_rows(session, file, choose_columns(method, schema), others, task.say)
        own_seed = seed.child("partition")
        recoding = recode_rows(
            method, rows, schema, fields, stage=stage, limit=limit_parts(task), seed=own_seed, tell=task.tell
        )
        task.tell(Said("writing"))
        words = None if task.ordered else choose_words(seed.child("publish").rng())
        names = {each.name: name_other(place) for place, each in enumerate(others)}
        release = stage.write(recoding.publish(schema, names, words), RELEASE)
        _refuse_lost_rows(session, release, recoding.figures.kept)
        yield EngineRelease(
            published=Scan(session, release),
            put=partial(stage.put, RELEASE),
            records=recoding.figures.records,
            kept=recoding.figures.kept,
            provenance=Provenance(name="partition", parameters=list_parameters(method)),
            detail={**method.describe_figures(recoding.figures, schema, recoding.keys), "parts": recoding.parts},
            terms=task.terms.adopt_schema(file.reader.schema),
            kinds={each.name: each.kind for each in schema},
            deleted=_write_deleted(session, recoding, folder / "deleted") if task.ordered else None,
            trees=list_trees(method),
            distinct={each.column.name: each.distinct for each in recoding.keys},
        )


def limit_parts(task: EngineTask) -> PartLimit:
    """Return how large a part of a file may be."""
    return PartLimit(memory=task.choice.memory) if task.size is None else PartLimit(records=task.size)


def list_trees(method: Partition) -> dict[str, Tree]:
    """Return the trees of a method, read."""
    trees = (method.tree or {}).items()
    return {name: tree if isinstance(tree, Tree) else read_tree(Path(tree)) for name, tree in trees}


def require_cluster(session: object) -> ClusterSession:
    """Return an engine of many machines.

    Raises:
        BugError: it is none.
    """
    if not isinstance(session, ClusterSession):
        raise BugError("an engine of one machine was asked to keep rows on a cluster")
    return session


def _refuse_lost_rows(session: ClusterSession, release: Frame, kept: int) -> None:
    written = int(session.collect(release.select(nw.len().alias(COUNT)))[COUNT][0])
    if written != kept:
        raise BugError(f"the folder to be handed over has {written:,} rows, {kept:,} are in classes")


def _write_deleted(session: ClusterSession, recoding: ClusterRecoding, path: Path) -> Path:
    """Write the places of the rows that are left out; they pass here block by block."""
    places = recoding.list_deleted()
    with path.open("w") as stream:
        for block in () if places is None else session.stream(places):
            stream.writelines(f"{place}\n" for place in block.column(PLACE).to_pylist())
    return path

"""A file of one's own beyond memory, open: its schema is settled by kernels, each of which tells a few texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.files.schema_files.block_reader import BlockColumns, BlockReader, match_block_columns
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.large.arrow import ArrowSchema, Batch
from sekisho.data.large.blocks import map_blocks
from sekisho.data.large.names import file_column
from sekisho.data.large.own.blocks import ROW, find_own_source, name_source
from sekisho.data.large.scan import Scan
from sekisho.data.large.session import Session

COLUMN, TEXT, COUNT = "column", "text", "records"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnScan:
    """A file that is read block by block, wherever its blocks are.

    Attributes:
        scan: the cells as they are in the file, columns named by their places, and each row's place.
        names: what the file calls these columns.
        kinds: what its cells are.
        reader: of a block.
        notices: what was found out about the file as a whole.
    """

    scan: Scan
    names: tuple[str, ...]
    kinds: tuple[nw.dtypes.DType, ...]
    reader: BlockReader
    notices: tuple[Notice, ...]


def open_own(session: Session, path: Path, schema: SchemaFile) -> OwnScan:
    """Return a file of one's own, its schema settled.

    Raises:
        InputError: the file cannot be read, has no records, or lacks a column.
        FaultsError: lines of a CSV have too few or too many cells.
        ParameterError: rows are dropped by limits, and a column's kind is left open, which the other rows decide.
    """
    source = find_own_source(session, path, schema, row=ROW)
    columns = match_block_columns(name_source(path), tuple(source.names.values()), schema, source.csv)
    names = tuple(columns.columns)
    frame = session.scan_parquet(source.files, row="" if source.row else ROW)
    cells = [file_column(name).alias(place_name(place)) for place, name in enumerate(names)]
    scan = Scan(session, frame.select(*cells, nw.col(ROW)), form=source.form, csv=source.csv)
    kinds = scan.frame.collect_schema()
    reader, notices = columns.settle(_gather_witnesses(scan, columns, names))
    return OwnScan(
        scan=scan,
        names=names,
        kinds=tuple(kinds[place_name(place)] for place in range(len(names))),
        reader=reader,
        notices=notices,
    )


def place_name(place: int) -> str:
    """Return what a column is called on its way: its own name may be one that an engine reads otherwise."""
    return f"c{place}"


def take_block(batch: Batch, names: tuple[str, ...]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Return the cells of a block by the names of the file, and where its rows stand."""
    block = pl.DataFrame(pl.from_arrow(batch))
    cells = block.select([pl.col(place_name(place)).alias(name) for place, name in enumerate(names)])
    return cells, block[ROW].to_numpy().astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WitnessKernel:
    """Tells a few texts of each column of a block."""

    columns: BlockColumns
    names: tuple[str, ...]

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        return pa.schema({COLUMN: pa.int32(), TEXT: pa.large_string()})

    def __call__(self, batch: Batch) -> Batch:
        """Return the texts, each with the place of its column."""
        cells, _ = take_block(batch, self.names)
        words = self.columns.find_witnesses(cells).values()
        places = [np.full(len(texts), place, dtype=np.int32) for place, texts in enumerate(words)]
        texts = [text for each in words for text in each.to_list()]
        return pa.record_batch([pa.array(np.concatenate(places)), pa.array(texts, pa.large_string())], self.schema)


def _gather_witnesses(scan: Scan, columns: BlockColumns, names: tuple[str, ...]) -> dict[str, pl.Series]:
    kernel = WitnessKernel(columns=columns, names=names)
    told = map_blocks(scan, kernel, kernel.schema)
    texts = told.collect(told.frame.group_by(COLUMN, TEXT).agg(nw.len().alias(COUNT))).sort(COLUMN, TEXT)
    return {
        columns.columns[name].output_name: columns.merge_witnesses(
            texts.filter(pl.col(COLUMN) == place)[TEXT].alias("")
        )
        for place, name in enumerate(names)
    }

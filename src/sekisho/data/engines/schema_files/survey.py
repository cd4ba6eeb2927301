"""What there is to know of a file before its rows are worked on: how often each value occurs, and what is wrong.

One pass of a kernel over the blocks tells all of it; an engine adds it up. Only values, counts and the places of rows
that are left out come back: no rows.

A file of one's own beyond memory, read block by block: the names, kinds and missing cells of its schema.

A file of one's own beyond memory, open: its schema is settled by kernels, each of which tells a few texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import is_address
from sekisho.data.engines.names import ArrowSchema, Batch, file_column
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Session
from sekisho.data.engines.source import Source, find_source
from sekisho.data.files.csv_form import CsvForm, name_columns
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.files.schema_files.block_reader import BlockColumns, BlockReader, match_block_columns
from sekisho.data.files.schema_files.blocks import BlockReport, OwnBlocks, open_blocks, read_block
from sekisho.data.files.schema_files.columns import Notice, make_notices, name_by_schema
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import TYPES, Column, Dataset, Kind, Schema, grid_series
from sekisho.errors import ParameterError
from sekisho.words import Said

ROW = "sekisho_row"
"""Where a row stands in the file, from 0."""
ROWS = 1 << 18
"""So many rows are read at a time."""


def open_own_blocks(session: Session, path: Path, schema: SchemaFile) -> OwnBlocks:
    """Return a file, opened by an engine of one machine that is at work, to be read block by block as its schema says.

    Raises:
        InputError: the file cannot be read, has no records, or lacks a column.
        FaultsError: lines of a CSV have too few or too many cells.
        ParameterError: rows are dropped by limits, and a column's kind is left open, which the other rows decide.
    """
    source = find_own_source(session, path, schema)
    names = tuple(source.names.values())
    frame = session.scan_parquet(source.files).select(*map(file_column, names))

    def frames() -> Iterator[pl.DataFrame]:
        for block in session.stream(frame, ROWS):
            yield pl.DataFrame(pl.from_arrow(block))

    own = open_blocks(name_source(path), frames, names, schema, form=source.csv)
    return replace(own, notices=(*make_notices(source.notices), *own.notices))


def find_own_source(session: Session, path: Path, schema: SchemaFile, *, row: str = "") -> Source:
    """Return what a file of one's own is made of.

    Missing cells are found by whoever reads the blocks, once for all cells of a text.
    """
    folder = session.folder / f"own-{sum(1 for _ in session.folder.iterdir())}"
    folder.mkdir()
    file = replace(schema.file, missing=())
    naming = partial(_name_cells, schema=schema) if schema.columns else name_columns
    return session.find_source(path, file, row=row) or find_source(path, file, folder, row=row, naming=naming)


def name_source(path: Path) -> Path:
    """Return what messages call a file: one of a folder of Parquet files is called ``part.parquet``."""
    is_folder = path.is_dir() or (is_address(path) and not is_parquet(path))
    return path / "part.parquet" if is_folder else path


def _name_cells(frame: pl.DataFrame, path: Path, form: CsvForm, *, schema: SchemaFile) -> tuple[pl.DataFrame, CsvForm]:
    return name_by_schema(*name_columns(frame, path, replace(form, header=False)), schema)


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


NUMBER, VALUES, KEPT = "number", "values", "survey"
LAST = np.iinfo(np.int64).max


class About(IntEnum):
    """What a line of a survey is about, where it is none of a column's values."""

    REPORT = -1
    """What there is to say of a block, by its first row."""
    GONE = -2
    """A row that is left out, by its place."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistinctValues:
    """The distinct values of a column as data, sorted, and how many records bear each."""

    data: Dataset
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """What there is to know of a file.

    Attributes:
        values: by column, of those that were asked for.
        records: how many there are.
        gone: the places of rows that are left out, ascending.
    """

    values: Mapping[str, DistinctValues]
    records: int
    gone: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurveyKernel:
    """Tells of a block what is counted, left out, wrong or to be said.

    Attributes:
        reader: of a block.
        names: what the file calls its columns.
        counted: the columns whose values are counted.
    """

    reader: BlockReader
    names: tuple[str, ...]
    counted: tuple[str, ...]

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        return pa.schema({COLUMN: pa.int32(), NUMBER: pa.int64(), TEXT: pa.large_string(), COUNT: pa.int64()})

    def __call__(self, batch: Batch) -> Batch:
        """Return the lines of a block."""
        cells, rows = take_block(batch, self.names)
        lines = pl.concat(list(self._tell(cells, rows)))
        return lines.to_arrow().cast(self.schema).combine_chunks().to_batches()[0]

    def _tell(self, cells: pl.DataFrame, rows: NDArray[np.int64]) -> Iterator[pl.DataFrame]:
        own, report = read_block(self.reader, cells, rows)
        yield _write_lines(About.REPORT, [int(rows.min(initial=LAST))], [report.write()])
        if own is not None:
            yield _write_lines(About.GONE, np.setdiff1d(rows, own.rows, assume_unique=True).tolist())
            for place, name in enumerate(self.counted):
                yield _count_values(own.data, name, place)


def survey_file(
    own: OwnScan,
    counted: tuple[str, ...],
    say: Callable[[Notice], None],
    *,
    most: int,
    most_gone: int | None = None,
) -> Survey:
    """Return what there is to know of a file.

    Args:
        own: the file.
        counted: the columns whose values are counted.
        say: is told what was dropped, rounded or made a category.
        most: how many distinct values a column may have.
        most_gone: how many rows may be left out; None: any number.

    Raises:
        FaultsError: cells break the rules; all at once, or the first thousand.
        ParameterError: a column has too many values, or too many rows are left out.
    """
    kernel = SurveyKernel(reader=own.reader, names=own.names, counted=counted)
    told = map_blocks(own.scan, kernel, kernel.schema)
    session = told.session
    # DuckDB sums up in wider numbers, which a file would hold as floats
    groups = (
        told.frame.group_by(COLUMN, NUMBER, TEXT).agg(nw.col(COUNT).sum()).with_columns(nw.col(COUNT).cast(nw.Int64))
    )
    lines = told.ask(session.keep(groups, KEPT))
    report = BlockReport()
    reports = lines.collect(lines.frame.filter(nw.col(COLUMN) == int(About.REPORT))).sort(NUMBER)
    for text in reports[TEXT]:
        report = report.join(BlockReport.read(text))
    report.settle(own.reader.path, say)
    sizes = lines.collect(lines.frame.group_by(COLUMN).agg(nw.len().alias(VALUES)))
    _refuse_many(counted, dict(sizes.select(COLUMN, VALUES).iter_rows()), most, most_gone)
    rest = lines.collect(lines.frame.filter(nw.col(COLUMN) != int(About.REPORT)))
    session.drop(KEPT)
    by_column = {column: part for (column,), part in rest.partition_by(COLUMN, as_dict=True).items()}
    schema, empty = own.reader.data_schema, rest.clear()
    return Survey(
        values={name: _list_values(by_column.get(place, empty), schema[name]) for place, name in enumerate(counted)},
        records=report.kept,
        gone=np.sort(by_column.get(int(About.GONE), empty)[NUMBER].to_numpy().astype(np.int64)),
    )


def _refuse_many(counted: tuple[str, ...], size: Mapping[int, int], most: int, most_gone: int | None) -> None:
    for place, name in enumerate(counted):
        if size.get(place, 0) > most:
            rule = Said("have at most {most:,} distinct values to be coded beyond memory", most=most)
            raise ParameterError(Said("column {name}", name=name), rule, f"more than {most:,}")
    gone = size.get(int(About.GONE), 0)
    if most_gone is not None and gone > most_gone:
        raise ParameterError(
            "missing",
            Said("drop at most {most_gone:,} rows here: leave them out of the file first", most_gone=most_gone),
            gone,
        )


def _list_values(lines: pl.DataFrame, column: Column) -> DistinctValues:
    ordered = lines.sort(NUMBER if column.kind.numeric else TEXT)
    numbers = grid_series(column.name, ordered[NUMBER].to_numpy()) if column.kind.numeric else ordered[NUMBER]
    values = numbers if column.kind.numeric else ordered[TEXT].alias(column.name)
    values = values.cast(pl.Int32).cast(pl.Date) if column.kind is Kind.DATE else values
    frame = pl.DataFrame([values.cast(TYPES[column.kind])])
    return DistinctValues(data=Dataset(frame, Schema((column,))), counts=ordered[COUNT].to_numpy().astype(np.int64))


def _write_lines(about: About, numbers: list[int], texts: list[str] | None = None) -> pl.DataFrame:
    size = len(numbers)
    return pl.DataFrame(
        {
            COLUMN: pl.Series([int(about)] * size, dtype=pl.Int32),
            NUMBER: pl.Series(numbers, dtype=pl.Int64),
            TEXT: pl.Series([None] * size if texts is None else texts, dtype=pl.String),
            COUNT: pl.Series([1] * size, dtype=pl.Int64),
        }
    )


def _count_values(data: Dataset, name: str, place: int) -> pl.DataFrame:
    numeric = data.schema[name].kind.numeric
    values = pl.Series(data.grid(name)) if numeric else data.frame[name]
    counted = values.alias(VALUES).value_counts(name=COUNT)
    return counted.select(
        pl.lit(place, dtype=pl.Int32).alias(COLUMN),
        (pl.col(VALUES) if numeric else pl.lit(None, dtype=pl.Int64)).alias(NUMBER),
        (pl.lit(None, dtype=pl.String) if numeric else pl.col(VALUES)).alias(TEXT),
        pl.col(COUNT).cast(pl.Int64),
    )

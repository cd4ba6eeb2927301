"""What there is to know of a file before its rows are worked on: how often each value occurs, and what is wrong.

One pass of a kernel over the blocks tells all of it; an engine adds it up. Only values, counts and the places of rows
that are left out come back: no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.arrow import ArrowSchema, Batch
from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.schema_files.own_scan import COLUMN, COUNT, TEXT, OwnScan, take_block
from sekisho.data.files.schema_files.block_reader import BlockReader
from sekisho.data.files.schema_files.blocks import BlockReport, read_block
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.frame.dataset import TYPES, Dataset, grid_series
from sekisho.data.frame.schema import Column, Kind, Schema
from sekisho.errors import ParameterError
from sekisho.words import Said

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

"""A history that stays where it lies: its rows as whole numbers on an engine, a few numbers about each person here."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.blocks import map_blocks, map_groups
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import ArrowSchema, Table, file_column
from sekisho.data.engines.scan import Scan, open_engine_beside, open_within
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.spread import Spread
from sekisho.data.history.arrays import find_starts
from sekisho.protect.history.block import QUANTILES, Units, list_quantiles
from sekisho.protect.history.engine.cell_reading import (
    CELL,
    COUNT,
    MOST_VALUES,
    OWNER,
    ROW,
    CellReader,
    HistoryCodeKernel,
    HistoryColumn,
    name_value,
    order_columns,
)
from sekisho.protect.history.grouping.rows import Scales

BUCKET, CODED, NAME = "bucket", "coded", "name"
PEOPLE = 1024
"""So many people's rows are looked at together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowCoder:
    """Makes rows of whole numbers.

    Attributes:
        reader: of the cells.
        columns: the attributes.
        people: by the cell that means each, his number and name.
    """

    reader: CellReader
    columns: tuple[HistoryColumn, ...]
    people: pl.DataFrame

    def code(self, scan: Scan, *others: str) -> Scan:
        """Return whose each row is and its attributes as whole numbers, beside other columns of whole numbers."""
        named = {each.column.name: name_value(place) for place, each in enumerate(self.columns)}
        held = file_column(self.reader.holder)
        held = held.cast(nw.Int64) if self.people.schema[CELL].is_integer() else held
        values = [
            file_column(name).alias(named[rules.output_name])
            for name, rules in self.reader.columns.items()
            if rules.output_name in named
        ]
        rows = scan.frame.select(held.alias(CELL), *values, *others)
        joined = rows.join(scan.session.take(self.people.select(CELL, OWNER)), on=CELL, how="inner")
        kernel = HistoryCodeKernel(columns=self.columns, others=(OWNER, *others))
        return map_blocks(scan.ask(joined.select(OWNER, *others, *named.values())), kernel, kernel.schema)

    def read_all(self, schema: Schema) -> Dataset:
        """Return all rows as data in memory, in the order of the file."""
        scan = self.reader.open_rows(ROW)
        rows = self.code(scan.ask(self.reader.drop_missing(scan.frame)), ROW)
        frame = rows.collect(rows.frame).sort(ROW)
        values = {
            each.column.name: each.decode(frame[name_value(place)].to_numpy())
            for place, each in enumerate(self.columns)
        }
        names = self.people.unique(OWNER).sort(OWNER)[NAME].gather(frame[OWNER])
        return Dataset(pl.DataFrame([values.get(name, names.alias(name)) for name in schema.names]), schema)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeHistory:
    """A history.

    Attributes:
        scan: its rows: whose each is, and its attributes as whole numbers.
        schema: its columns.
        settled: the same as files are written, with nothing left open.
        coder: what made the rows of it.
        lengths: how many rows each person has, in the order of their names.
        notices: what was found out.
    """

    scan: Scan
    schema: Schema
    settled: SchemaFile
    coder: RowCoder
    lengths: NDArray[np.int64]
    notices: tuple[Notice, ...]

    @property
    def columns(self) -> tuple[HistoryColumn, ...]:
        """The attributes."""
        return self.coder.columns

    def read_all(self) -> Dataset:
        """Return all rows as data in memory, in the order of the file."""
        return self.coder.read_all(self.schema)

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.lengths)

    @property
    def spreads(self) -> dict[str, Spread]:
        """The spread of each number."""
        return {each.column.name: each.measure() for each in self.columns if each.column.kind.numeric}

    def describe_people(self) -> Units:
        """Return what blocks are cut by: the engine finds the quantiles of each person's numbers."""
        numbers = {place: each for place, each in enumerate(self.columns) if each.column.kind.numeric}
        scales = Scales.of(list(self.spreads.values()))
        kernel = QuantileKernel(numbers=tuple(numbers), low=scales.low)
        steps = np.zeros((len(numbers) * QUANTILES, self.people))
        if numbers:
            bucketed = self.scan.frame.with_columns((nw.col(OWNER) - nw.col(OWNER) % PEOPLE).alias(BUCKET))
            for block in map_groups(self.scan.ask(bucketed), BUCKET, kernel, kernel.schema).batches():
                owner = block.column(OWNER).to_numpy()
                for line, name in enumerate(kernel.names):
                    steps[line, owner] = block.column(name).to_numpy()
        lines = np.split(steps, len(numbers)) if numbers else []
        return Units.describe(
            self.lengths,
            [line * factor for line, factor in zip(lines, scales.factor, strict=True)],
            [
                _find_median(each, low, factor)
                for each, low, factor in zip(numbers.values(), scales.low, scales.factor, strict=True)
            ],
            width=len(self.columns),
        )


def _find_median(column: HistoryColumn, low: np.int64, factor: np.float64) -> float:
    """Return the median over all rows, on the column's scale."""
    below, above = (float(value - int(low)) * float(factor) for value in column.find_middles())
    return (below + above) / 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuantileKernel:
    """Gives of each person some quantiles of his numbers, in steps above the column's smallest.

    Attributes:
        numbers: which columns are numbers.
        low: the smallest of each.
    """

    numbers: tuple[int, ...]
    low: NDArray[np.int64]

    @property
    def names(self) -> list[str]:
        """The columns of what is made."""
        return [f"{name_value(place)}-{line}" for place in self.numbers for line in range(QUANTILES)]

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        return pa.schema([(OWNER, pa.int64()), *((name, pa.float64()) for name in self.names)])

    def __call__(self, table: Table) -> Table:
        """Return a line for each person."""
        people, owner = np.unique(table[OWNER].to_numpy(), return_inverse=True)
        order, starts = np.argsort(owner, kind="stable"), find_starts(owner, len(people))
        lines = list[NDArray[np.float64]]()
        for place, low in zip(self.numbers, self.low, strict=True):
            steps = (table[name_value(place)].to_numpy() - low).astype(np.float64)
            lines += list(list_quantiles(starts, steps[order]))
        return pa.table([pa.array(people), *map(pa.array, lines)], schema=self.schema)


@contextmanager
def open_history(
    path: Path, schema: SchemaFile, choice: EngineChoice, *, beside: Path | None = None
) -> Generator[LargeHistory]:
    """Open a history of Parquet files on an engine, and read its distinct cells.

    Args:
        path: a Parquet file or a folder of them.
        schema: of the history.
        choice: the engine.
        beside: the file that is going to be written: temporary files are put beside it.

    Raises:
        InputError: the file cannot be read, has no records or lacks a column.
        FaultsError: cells break the rules; all at once, or the first thousand.
        ParameterError: the schema drops rows by limits, or a column has too many values.
    """
    plain = SchemaFile(shape=schema.shape, file=schema.file)
    with open_engine_beside(choice, beside) as session:
        yield _read_history(path, schema, lambda row: open_within(session, path, plain, row=row))


def _read_history(path: Path, schema: SchemaFile, open_rows: Callable[[str], Scan]) -> LargeHistory:
    reader, scan = CellReader.of(path, open_rows, schema)
    counted = {name: reader.count_cells(scan, name, MOST_VALUES) for name in reader.columns if name != reader.holder}
    cells = reader.count_cells(scan, reader.holder, None)
    if not cells.height:
        raise reader.refuse_nothing_left()
    settled, found = reader.settle(counted)
    columns, names, notices = reader.read_cells(counted, cells, settled)
    owner = names.rank("dense").cast(pl.Int64).to_numpy() - 1
    lengths = np.zeros(int(owner.max()) + 1, dtype=np.int64)
    np.add.at(lengths, owner, cells[COUNT].to_numpy())
    coder = RowCoder(
        reader=reader, columns=columns, people=pl.DataFrame({CELL: cells[CELL], OWNER: owner, NAME: names})
    )
    coded = coder.code(scan)
    return LargeHistory(
        scan=coded.ask(coded.session.keep(coded.frame, CODED)),
        schema=order_columns(columns, settled),
        settled=settled,
        coder=coder,
        lengths=lengths,
        notices=(*found, *notices),
    )

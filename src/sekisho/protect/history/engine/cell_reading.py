"""Cells of a history beyond this machine, read as the schema says: each distinct cell once.

The engine counts the distinct cells of each column; what they mean, of which kind a column is and what is wrong with a
cell is found out here, by the reading of every file of one's own. For cells that break a rule the engine is asked in
which rows they stand.

A column of a history as whole numbers: each distinct cell was read once, and rows carry what it means.

A number is where it lies on its grid, a category its place among the sorted values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, ArrowType, Batch, file_column
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Frame
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.blocks import open_blocks
from sekisho.data.files.schema_files.columns import FileColumns, Notice, format_values, match_columns
from sekisho.data.files.schema_files.reading import read_texts
from sekisho.data.files.schema_files.schema_file import ColumnRules, Missing, Outside, SchemaFile
from sekisho.data.frame.dataset import TYPES, Column, Kind, Role, Schema, encode_texts
from sekisho.data.frame.spread import Spread, measure_spread
from sekisho.errors import LISTED, BugError, Fault, FaultsError, ParameterError
from sekisho.words import Said

OWNER = "owner"
CELL, MEANING = "cell", "meaning"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryColumn:
    """A column.

    Attributes:
        column: what it is.
        cells: the distinct cells as the file holds them.
        meaning: what each is: a number on the grid, or a place in the domain.
        counts: how many rows have each.
        domain: the values of a category, sorted; empty for numbers.
    """

    column: Column
    cells: pl.Series
    meaning: NDArray[np.int64]
    counts: NDArray[np.int64]
    domain: pl.Series

    @property
    def kind(self) -> ArrowType:
        """The type of its numbers."""
        return pa.int64() if self.column.kind.numeric else pa.int32()

    def encode(self, cells: pl.Series) -> NDArray[np.int64]:
        """Return what some cells mean.

        Raises:
            BugError: one is none of those that were read.
        """
        meanings = pl.DataFrame({CELL: self.cells, MEANING: self.meaning})
        given = cells.cast(self.cells.dtype).to_frame(CELL)
        found = given.join(meanings, on=CELL, how="left", nulls_equal=True, maintain_order="left")[MEANING]
        if found.null_count():
            raise BugError(f"a cell of {self.column.name} was not among those that were read")
        return found.to_numpy()

    def decode(self, numbers: NDArray[np.int64]) -> pl.Series:
        """Return values as a data set holds them."""
        if self.column.kind is Kind.CATEGORY:
            return self.domain.gather(numbers).alias(self.column.name)
        narrow = pl.Int32 if self.column.kind is Kind.DATE else pl.Int64
        return pl.Series(self.column.name, numbers).cast(narrow).cast(TYPES[self.column.kind])

    def forget_cells(self) -> HistoryColumn:
        """Return the column for those who only decode."""
        nothing = np.zeros(0, dtype=np.int64)
        return replace(self, cells=self.cells.clear(), meaning=nothing, counts=nothing)

    def measure(self) -> Spread:
        """Return the spread of a column of numbers over all rows."""
        return measure_spread(self.meaning, self.counts)

    def find_middles(self) -> tuple[int, int]:
        """Return the two values in the middle of all rows, which are one where their number is odd."""
        order = np.argsort(self.meaning, kind="stable")
        ends = np.cumsum(self.counts[order])
        rows = int(ends[-1])
        below, above = np.searchsorted(ends, [(rows - 1) // 2, rows // 2], side="right")
        return int(self.meaning[order[below]]), int(self.meaning[order[above]])


def name_value(place: int) -> str:
    """Return what a column of numbers or codes is called on its way."""
    return f"v{place}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryCodeKernel:
    """Makes whole numbers of a block of cells; whose they are, and other columns of whole numbers, stay as they are."""

    columns: tuple[HistoryColumn, ...]
    others: tuple[str, ...] = (OWNER,)

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        values = [(name_value(place), column.kind) for place, column in enumerate(self.columns)]
        return pa.schema([*((name, pa.int64()) for name in self.others), *values])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        block, schema = pl.DataFrame(pl.from_arrow(batch)), self.schema
        arrays = [pa.array(block[name].cast(pl.Int64).to_numpy()) for name in self.others]
        for place, column in enumerate(self.columns):
            arrays.append(pa.array(column.encode(block[name_value(place)])).cast(column.kind))
        return pa.record_batch(arrays, schema=schema)


MOST_VALUES = 1_000_000
"""So many distinct cells a column may have that does not say whose a row is: they are sent to all machines."""
COUNT, ROW = "rows", "sekisho_row"
FORM = CsvForm(header=True)
PART = "part.parquet"


class _BadCell(NamedTuple):
    """A cell that breaks a rule: in which column of the file, what is wrong, and as the engine holds it."""

    name: str
    fault: Fault
    cell: object


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellReader:
    """Reads the cells of a history.

    Attributes:
        path: of the history, as messages name it.
        open_rows: opens its rows, with where each stands in the file if that is asked for.
        names: of all columns of the file.
        columns: those that are read, by what the file calls them.
        schema: as it was given.
        form: how the file is written.
    """

    path: Path
    open_rows: Callable[[str], Scan]
    names: tuple[str, ...]
    columns: Mapping[str, ColumnRules]
    schema: SchemaFile
    form: CsvForm

    @classmethod
    def of(cls, path: Path, open_rows: Callable[[str], Scan], schema: SchemaFile) -> tuple[CellReader, Scan]:
        """Return a reader, and the rows without those that missing cells drop.

        Raises:
            InputError: a column is lacking.
            ParameterError: limits drop rows.
        """
        scan = open_rows("")
        columns, _ = match_columns(path, scan.names, schema, header=True)
        dropping = [each.output_name for each in columns.values() if each.outside is Outside.DROP]
        if dropping:
            raise ParameterError("schema", Said("drop no rows by limits where rows stay on a cluster"), dropping)
        reader = cls(path=path, open_rows=open_rows, names=scan.names, columns=columns, schema=schema, form=scan.csv)
        return reader, scan.ask(reader.drop_missing(scan.frame))

    @property
    def shown(self) -> Path:
        """The path whose ending says that the values are those of Parquet."""
        return self.path / PART

    @property
    def holder(self) -> str:
        """What the file calls the column that says whose a row is."""
        return next(name for name, rules in self.columns.items() if rules.role is Role.IDENTIFIER)

    def drop_missing(self, frame: Frame) -> Frame:
        """Return the rows without those that the schema drops for a missing cell."""
        for name, rules in self.columns.items():
            if (rules.missing or self.schema.missing_cells) is Missing.DROP:
                frame = frame.filter(~file_column(name).is_null())
        return frame

    def count_cells(self, scan: Scan, name: str, most: int | None) -> pl.DataFrame:
        """Return the distinct cells of a column, and how many rows have each.

        Raises:
            ParameterError: there are too many.
        """
        cells_alone = scan.frame.select(file_column(name).alias(CELL))
        counted = cells_alone.group_by(CELL).agg(nw.len().alias(COUNT))
        cells = scan.collect(counted if most is None else counted.head(most + 1))
        if most is not None and cells.height > most:
            rule = Said(
                "have at most {most:,} different values where rows stay on a cluster: round it, or leave it out",
                most=most,
            )
            raise ParameterError(Said("column {name}", name=name), rule, f"more than {most:,}")
        return cells

    def settle(self, counted: Mapping[str, pl.DataFrame]) -> tuple[SchemaFile, tuple[Notice, ...]]:
        """Return the schema with nothing left open, and what was found out."""
        height = max((cells.height for cells in counted.values()), default=1)
        frame = pl.DataFrame(
            [
                counted[name][CELL].gather(np.arange(height) % counted[name].height).alias(name)
                if name in counted
                else pl.Series(name, ["1"] * height)
                for name in self.columns
            ]
        )
        blocks = open_blocks(self.shown, lambda: iter([frame]), self.names, self.schema, form=self.form)
        return blocks.schema, blocks.notices

    def read_cells(
        self, counted: Mapping[str, pl.DataFrame], people: pl.DataFrame, settled: SchemaFile
    ) -> tuple[tuple[HistoryColumn, ...], pl.Series, list[Notice]]:
        """Return the attributes, the name that each cell of the people's column means, and what there is to say.

        Args:
            counted: the distinct cells of each attribute.
            people: those of the column that says whose a row is.
            settled: the schema with nothing left open.

        Raises:
            FaultsError: cells break the rules; all of them at once.
            ParameterError: missing names are to be a name of their own.
        """
        bad, columns, notices, hint = list[_BadCell](), list[HistoryColumn](), list[Notice](), ""
        names = pl.Series(dtype=pl.String)
        for name, cells in (*counted.items(), (self.holder, people)):
            try:
                if name == self.holder:
                    names = self._read_people(cells, settled)
                    continue
                column, told = self._read_attribute(name, cells, settled)
                columns.append(column)
                notices += told
            except FaultsError as error:
                bad += [_BadCell(name, fault, cells[CELL][fault.row - 1]) for fault in error.faults]
                hint = error.hint or hint
        if bad:
            raise self._find_rows(bad, hint)
        if people[CELL].null_count():
            rule = Said("be refuse or drop for the identifier where rows stay on a cluster")
            raise ParameterError("missing", rule, Missing.CATEGORY.value)
        return tuple(columns), names, notices

    def _read_attribute(
        self, name: str, cells: pl.DataFrame, settled: SchemaFile
    ) -> tuple[HistoryColumn, list[Notice]]:
        rules = {each.output_name: each for each in settled.columns}
        held, wanted = self.columns[self.holder].output_name, self.columns[name].output_name
        texts = {
            held: pl.Series(["1"] * cells.height),
            wanted: format_values(self.shown, cells[CELL], settled.file),
        }
        part = replace(settled, columns=(rules[held], rules[wanted]))
        found = FileColumns(columns=part.columns, texts=texts, rows=cells.height, form=FORM, notices=[])
        own = read_texts(self.shown, found, part, whole=False)
        column, values = own.data.schema[wanted], own.data.frame[wanted]
        domain = pl.Series(dtype=pl.String)
        if column.kind is Kind.CATEGORY:
            codes, words = encode_texts(values)
            meaning, domain = codes.astype(np.int64), pl.Series(words, dtype=pl.String)
        else:
            meaning = own.data.grid(wanted)
        coded = HistoryColumn(
            column=column, cells=cells[CELL], meaning=meaning, counts=cells[COUNT].to_numpy(), domain=domain
        )
        return coded, [_tell_cells(notice, cells, column.decimals) for notice in own.notices if notice.count]

    def _read_people(self, cells: pl.DataFrame, settled: SchemaFile) -> pl.Series:
        rules = next(each for each in settled.columns if each.role is Role.IDENTIFIER)
        texts = {rules.output_name: format_values(self.shown, cells[CELL], settled.file)}
        part = replace(settled, columns=(rules,))
        found = FileColumns(columns=part.columns, texts=texts, rows=cells.height, form=FORM, notices=[])
        return read_texts(self.shown, found, part, whole=False).data.frame[rules.output_name]

    def refuse_nothing_left(self) -> FaultsError:
        """Return what is said where missing cells drop all rows."""
        rows = self.open_rows("").count_rows()
        message = Said("no row is left of {rows:,}", rows=rows)
        return FaultsError(self.path, [Fault(row=0, column="", rule="rows", value=str(rows), message=message)])

    def _find_rows(self, bad: Sequence[_BadCell], hint: str) -> FaultsError:
        """Return what is wrong in which rows of the file."""
        scan = self.open_rows(ROW)
        frame, faults, count = self.drop_missing(scan.frame), list[Fault](), 0
        for name in dict.fromkeys(each.name for each in bad):
            of_cell = {each.cell: each.fault for each in bad if each.name == name}
            cell, values = file_column(name), [each for each in of_cell if each is not None]
            wrong = cell.is_null() if None in of_cell else cell.is_in(values)
            wrong = wrong | cell.is_in(values) if None in of_cell and values else wrong
            rows = frame.filter(wrong).select(nw.col(ROW), cell.alias(CELL))
            count += int(scan.collect(rows.select(nw.len().alias(COUNT)))[COUNT][0])
            first = scan.collect(rows.sort(ROW).head(LISTED))
            faults += [replace(of_cell[value], row=row + 1) for row, value in first.select(ROW, CELL).iter_rows()]
        return FaultsError(self.path, sorted(faults, key=lambda each: each.row), count=count, hint=hint)


def _tell_cells(notice: Notice, cells: pl.DataFrame, decimals: int) -> Notice:
    """Return what was said of distinct cells so that it tells of how many."""
    name, count = notice.column, notice.count
    if notice.what == "rounded":
        return replace(
            notice,
            message=Said(
                "{count:,} different values of {name} were rounded to {decimals} decimals",
                count=count,
                name=name,
                decimals=decimals,
            ),
        )
    if notice.what == "times dropped":
        return replace(
            notice,
            message=Said(
                "{count:,} different values of {name} had times of day, which were dropped", count=count, name=name
            ),
        )
    missing = int(cells.filter(pl.col(CELL).is_null())[COUNT].sum())
    return replace(
        notice,
        count=missing,
        message=Said(
            '{count:,} missing cells of {name} are a category, "{category}"',
            count=missing,
            name=name,
            category="missing",
        ),
    )


def order_columns(columns: Sequence[HistoryColumn], settled: SchemaFile) -> Schema:
    """Return the schema of the data: whose a row is, and the attributes."""
    by_name = {each.column.name: each.column for each in columns}
    return Schema(tuple(by_name.get(field.name, field.column) for field in settled.fields()))

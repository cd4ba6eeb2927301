"""Data of one's own, read block by block as a schema says: the same data, kinds, notices and faults as if read at once.

The blocks pass several times. First the schema is settled by a few texts of each column (:mod:`witnesses`); from then
on every block can be read by itself. Faults are raised when all blocks have passed, with their rows in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.own.columns import FileColumns, Notice, format_values, match_columns
from sekisho.data.files.own.reading import OwnData, find_missing, read_texts, settle_schema
from sekisho.data.files.own.schema_file import MISSING_VALUE, ColumnRules, FileRules, Missing, Outside, SchemaFile
from sekisho.data.files.own.witnesses import keep_witnesses
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.schema import Schema
from sekisho.errors import LISTED, Fault, FaultsError, ParameterError

Frames: TypeAlias = Callable[[], Iterator[pl.DataFrame]]
"""Gives the rows of a file, block by block and in their order, each time it is called."""
Witnesses: TypeAlias = Mapping[str, pl.Series]
"""A few texts of each column, by output name, that answer like all of them."""
ONE_ROW, ROWS = re.compile("^row "), re.compile("^rows ")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockReport:
    """What there is to say of rows that were read.

    Attributes:
        rows: how many there were in the file.
        kept: how many of them are data.
        notices: what was dropped, rounded or made a category.
        faults: cells that break the rules, the first of them, with their rows in the file.
        count: how many such cells there are.
        hint: what may help.
    """

    rows: int = 0
    kept: int = 0
    notices: tuple[Notice, ...] = ()
    faults: tuple[Fault, ...] = ()
    count: int = 0
    hint: str = ""

    def join(self, other: BlockReport) -> BlockReport:
        """Return what there is to say of these rows and of those that stand behind them."""
        return BlockReport(
            rows=self.rows + other.rows,
            kept=self.kept + other.kept,
            notices=(*self.notices, *other.notices),
            faults=(*self.faults, *other.faults)[:LISTED],
            count=self.count + other.count,
            hint=other.hint or self.hint,
        )

    def settle(self, path: Path, tell: Callable[[Notice], None] | None) -> None:
        """Say what was found when all rows of a file have passed.

        Raises:
            FaultsError: cells break the rules, or no row is left.
        """
        if self.count:
            raise FaultsError(path, self.faults, count=self.count, hint=self.hint)
        if not self.kept:
            message = f"no row is left of {self.rows:,}"
            raise FaultsError(path, [Fault(row=0, column="", rule="rows", value=str(self.rows), message=message)])
        for notice in merge_notices(self.notices) if tell is not None else ():
            tell(notice) if tell is not None else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnBlocks:
    """A file that is read block by block.

    Attributes:
        path: the file, as messages name it.
        frames: its rows.
        columns: those that are read, by what the file calls them.
        schema: with nothing left open.
        form: how the file was written.
        notices: what was found out about the file as a whole.
    """

    path: Path
    frames: Frames
    columns: Mapping[str, ColumnRules]
    schema: SchemaFile
    form: CsvForm
    notices: tuple[Notice, ...]

    @property
    def data_schema(self) -> Schema:
        """The columns of the data."""
        return Schema(tuple(field.column for field in self.schema.fields()))

    def read(self, tell: Callable[[Notice], None] | None = None) -> Iterator[Dataset]:
        """Give the data, block by block; see :meth:`read_parts`."""
        for part in self.read_parts(tell):
            yield part.data

    def read_parts(self, tell: Callable[[Notice], None] | None = None) -> Iterator[OwnData]:
        """Give the data, block by block, with where each row stands in the file.

        Args:
            tell: is told what was dropped, rounded or made a category, when all blocks have passed.

        Raises:
            FaultsError: cells break the rules; raised at the end, of all blocks at once.
        """
        report = BlockReport()
        for frame in self.frames():
            own, found = self.read_block(frame, np.arange(report.rows, report.rows + frame.height))
            report = report.join(found)
            if own is not None and not report.count and found.kept:
                yield own
        report.settle(self.path, tell)

    def read_block(self, frame: pl.DataFrame, rows: NDArray[np.int64]) -> tuple[OwnData | None, BlockReport]:
        """Return the data of some rows, None if cells break the rules, and what there is to say of them.

        Args:
            frame: the rows, with the columns that are read.
            rows: where each stands in the file, from 0.
        """
        try:
            own = read_texts(self.path, self._take_texts(frame), self.schema, whole=False)
        except FaultsError as error:
            faults = tuple(replace(each, row=int(rows[each.row - 1]) + 1) for each in error.faults)
            return None, BlockReport(rows=frame.height, faults=faults, count=error.count, hint=error.hint)
        return replace(own, rows=rows[own.rows]), BlockReport(
            rows=frame.height, kept=len(own.data), notices=own.notices
        )

    def _take_texts(self, frame: pl.DataFrame) -> FileColumns:
        file = self.schema.file
        texts = {rules.output_name: format_values(self.path, frame[name], file) for name, rules in self.columns.items()}
        return FileColumns(columns=self.schema.columns, texts=texts, rows=frame.height, form=self.form, notices=[])


def open_blocks(
    path: Path,
    frames: Frames,
    names: Sequence[str],
    schema: SchemaFile,
    *,
    form: CsvForm,
    gather: Callable[[Mapping[str, ColumnRules]], Iterator[Witnesses]] | None = None,
) -> OwnBlocks:
    """Return a file that is read block by block, its schema settled.

    Args:
        path: as messages name it.
        frames: its rows: texts of a CSV, values of a Parquet file.
        names: of its columns.
        schema: of the file.
        form: how it is written.
        gather: gives the witnesses of all blocks, of the columns that are read; if not given, the rows pass for that.

    Raises:
        InputError: a column is lacking.
        ParameterError: rows are dropped by limits, and a column's kind is left open, which the other rows decide.
    """
    columns, left_out = match_columns(path, names, schema, header=bool(form.header))
    dropping = [
        each.output_name for each in columns.values() if each.outside is Outside.DROP and (each.low or each.high)
    ]
    open_kinds = [each.output_name for each in columns.values() if each.kind is None]
    if dropping and open_kinds:
        rule = "say the kind of every column where rows are dropped by limits, to be read block by block"
        raise ParameterError("schema", rule, open_kinds)
    blocks = (find_witnesses(path, frame, columns, schema) for frame in frames()) if gather is None else gather(columns)
    words = _join_witnesses(blocks, columns, schema)
    rows = max(1, *map(len, words.values()))
    texts = {
        name: pl.concat(
            [text, pl.Series([text[0] if len(text) else MISSING_VALUE] * (rows - len(text)), dtype=pl.String)]
        )
        for name, text in words.items()
    }
    few = FileColumns(columns=tuple(columns.values()), texts=texts, rows=rows, form=form, notices=[])
    settled, found = settle_schema(few, schema)
    return OwnBlocks(path=path, frames=frames, columns=columns, schema=settled, form=form, notices=(*left_out, *found))


def find_witnesses(
    path: Path, frame: pl.DataFrame, columns: Mapping[str, ColumnRules], schema: SchemaFile
) -> dict[str, pl.Series]:
    """Return a few texts of each column of a block; rows with a missing cell that drops them have no say.

    Args:
        path: as messages name it.
        frame: the block.
        columns: those that are read, by what the file calls them.
        schema: of the file.
    """
    dropping = [name for name, rules in columns.items() if (rules.missing or schema.missing_cells) is Missing.DROP]
    kept = _drop_missing(path, frame, dropping, schema.file)
    words = dict[str, pl.Series]()
    for name, rules in columns.items():
        texts = format_values(path, kept[name].unique(maintain_order=True), schema.file).alias("")
        texts = texts.filter(pl.Series(~find_missing(texts, schema.file)))
        words[rules.output_name] = keep_witnesses(texts.unique(maintain_order=True), schema.file.date_format)
    return words


def _join_witnesses(
    blocks: Iterator[Witnesses], columns: Mapping[str, ColumnRules], schema: SchemaFile
) -> dict[str, pl.Series]:
    """Return a few texts of each column, by output name, that answer like those of all blocks."""
    words = {rules.output_name: pl.Series(dtype=pl.String) for rules in columns.values()}
    for block in blocks:
        for name, texts in block.items():
            both = pl.concat([words[name], texts]).unique(maintain_order=True)
            words[name] = keep_witnesses(both, schema.file.date_format)
    return words


def _drop_missing(path: Path, frame: pl.DataFrame, names: Sequence[str], file: FileRules) -> pl.DataFrame:
    """Return the rows without missing cells in some columns; a column whose distinct cells are none is not searched."""
    gone = np.zeros(frame.height, dtype=np.bool_)
    for name in names:
        if find_missing(format_values(path, frame[name].unique(), file), file).any():
            gone |= find_missing(format_values(path, frame[name], file), file)
    return frame.filter(pl.Series(~gone)) if gone.any() else frame


def merge_notices(notices: Sequence[Notice]) -> list[Notice]:
    """Return what was said of several blocks as if it were said once: counts are summed up."""
    merged: dict[tuple[str, str, str], Notice] = {}
    for notice in notices:
        rest = notice.message.removeprefix(f"{notice.count:,} ")
        key = (notice.what, notice.column, ONE_ROW.sub("rows ", rest))
        before = merged[key].count if key in merged else 0
        merged[key] = replace(notice, count=before + notice.count)
    return [
        replace(notice, message=f"{notice.count:,} {rest if notice.count > 1 else ROWS.sub('row ', rest)}")
        for (*_, rest), notice in merged.items()
        if notice.count
    ]

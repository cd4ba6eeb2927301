"""Data of one's own, read block by block as a schema says: the same data, kinds, notices and faults as if read at once.

The blocks pass several times. First the schema is settled by a few texts of each column (:mod:`witnesses`); from then
on every block can be read by itself. Faults are raised when all blocks have passed, with their rows in the file.

Data that were read by a schema as texts again: for questions that only ask whether two cells are the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_table import FrameSource, TableSource
from sekisho.data.files.published_frame import publish_values
from sekisho.data.files.schema_files.block_reader import BlockColumns, BlockReader, match_block_columns
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.reading import OwnData, read_own
from sekisho.data.files.schema_files.schema_file import (
    MISSING_VALUE,
    ColumnRules,
    FileRules,
    Missing,
    SaidKind,
    SchemaFile,
)
from sekisho.data.files.schema_files.understood_columns import UNDERSTOOD
from sekisho.data.frame.cells import MISSING_TEXT
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import exact_table
from sekisho.data.shape import Shape
from sekisho.errors import LISTED, Fault, FaultsError, InputError, MissingColumnsError
from sekisho.words import Said

Frames: TypeAlias = Callable[[], Iterator[pl.DataFrame]]
"""Gives the rows of a file, block by block and in their order, each time it is called."""
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
        """Return what there is to say of these rows and of others."""
        return BlockReport(
            rows=self.rows + other.rows,
            kept=self.kept + other.kept,
            notices=(*self.notices, *other.notices),
            # a block of a cluster may hold rows of several places
            faults=tuple(sorted((*self.faults, *other.faults), key=lambda fault: fault.row)[:LISTED]),
            count=self.count + other.count,
            hint=other.hint or self.hint,
        )

    def write(self) -> str:
        """Return it as a text, to be sent."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> BlockReport:
        """Return what a text says."""
        told = json.loads(text)
        told["notices"] = tuple(Notice(**each) for each in told["notices"])
        told["faults"] = tuple(Fault(**each) for each in told["faults"])
        return cls(**told)

    def settle(self, path: Path, tell: Callable[[Notice], None] | None) -> None:
        """Say what was found when all rows of a file have passed.

        Raises:
            FaultsError: cells break the rules, or no row is left.
        """
        if self.count:
            raise FaultsError(path, self.faults, count=self.count, hint=self.hint)
        if not self.kept:
            message = Said("no row is left of {rows:,}", rows=self.rows)
            raise FaultsError(path, [Fault(row=0, column="", rule="rows", value=str(self.rows), message=message)])
        for notice in merge_notices(self.notices) if tell is not None else ():
            tell(notice) if tell is not None else None


def read_block(reader: BlockReader, frame: pl.DataFrame, rows: NDArray[np.int64]) -> tuple[OwnData | None, BlockReport]:
    """Return the data of some rows, None if cells break the rules, and what there is to say of them.

    Args:
        reader: of blocks of the file.
        frame: the rows, with the columns that are read.
        rows: where each stands in the file, from 0.
    """
    try:
        own = reader.read(frame)
    except FaultsError as error:
        faults = tuple(replace(each, row=int(rows[each.row - 1]) + 1) for each in error.faults)
        return None, BlockReport(rows=frame.height, faults=faults, count=error.count, hint=error.hint)
    found = BlockReport(rows=frame.height, kept=len(own.data), notices=own.notices)
    return replace(own, rows=rows[own.rows]), found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnBlocks:
    """A file that is read block by block.

    Attributes:
        frames: its rows.
        reader: of a block.
        notices: what was found out about the file as a whole.
    """

    frames: Frames
    reader: BlockReader
    notices: tuple[Notice, ...]

    @property
    def schema(self) -> SchemaFile:
        """The schema, with nothing left open."""
        return self.reader.schema

    @property
    def form(self) -> CsvForm:
        """How the file was written."""
        return self.reader.form

    @property
    def data_schema(self) -> Schema:
        """The columns of the data."""
        return self.reader.data_schema

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
            block, found = read_block(self.reader, frame, np.arange(report.rows, report.rows + frame.height))
            report = report.join(found)
            if block is not None and not report.count and found.kept:
                yield block
        report.settle(self.reader.path, tell)


def open_blocks(path: Path, frames: Frames, names: Sequence[str], schema: SchemaFile, *, form: CsvForm) -> OwnBlocks:
    """Return a file that is read block by block, its schema settled.

    Args:
        path: as messages name it.
        frames: its rows: texts of a CSV, values of a Parquet file.
        names: of its columns.
        schema: of the file.
        form: how it is written.

    Raises:
        InputError: a column is lacking.
        ParameterError: rows are dropped by limits, and a column's kind is left open, which the other rows decide.
    """
    columns = match_block_columns(path, names, schema, form)
    reader, notices = columns.settle(_gather_witnesses(frames, columns))
    return OwnBlocks(frames=frames, reader=reader, notices=notices)


def _gather_witnesses(frames: Frames, columns: BlockColumns) -> dict[str, pl.Series]:
    """Return a few texts of each column of all blocks, by output name."""
    words = {rules.output_name: pl.Series(dtype=pl.String) for rules in columns.columns.values()}
    for frame in frames():
        for name, texts in columns.find_witnesses(frame).items():
            words[name] = columns.merge_witnesses(pl.concat([words[name], texts]))
    return words


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


CUTS = frozenset({"times dropped", "rounded"})


def refuse_cuts(path: TableSource, schema: SchemaFile, notices: Iterable[Notice]) -> None:
    """Refuse data of which something was cut off that no schema says: cells that differ would be the same.

    Raises:
        InputError: times of day were dropped, or numbers rounded, in a column whose kind was found out.
    """
    said = {each.output_name for each in schema.columns if each.kind is not None}
    cut = [each for each in notices if each.what in CUTS and each.column not in said]
    if cut:
        names = ", ".join(dict.fromkeys(each.column for each in cut))
        raise InputError(
            path,
            Said(
                "what differs would be the same: {cut}; say the kind of {names} in the schema", cut=cut[0], names=names
            ),
        )


def settle_said(frame: pl.DataFrame, said: Sequence[SaidKind], source: object) -> tuple[pl.DataFrame, list[str]]:
    """Return a frame whose columns are written as what somebody says they are, and what was found out of them.

    Dates are ISO dates, numbers plain ones with a point, all of them texts, and every other column stays as it is.

    Raises:
        MissingColumnsError: a column is not there.
        FaultsError: cells are no values of the kind; all of them at once.
    """
    strange = [each.column for each in said if each.column not in frame.columns]
    if strange:
        raise MissingColumnsError(source, strange, frame.columns)
    if not said:
        return frame, []
    columns = tuple(ColumnRules(name=each.column, kind=each.kind, format=each.format) for each in said)
    part = FrameSource(name=str(source), frame=frame.select(each.column for each in said))
    own = read_own(part, SchemaFile(shape=Shape.RECORDS, file=FileRules(missing=("",)), columns=columns))
    return frame.with_columns(show_own(own).fill_null("")), [
        each.message for each in own.notices if each.what == UNDERSTOOD
    ]


def show_own(own: OwnData) -> pl.DataFrame:
    """Return data as texts, null where missing, without the identifier; who lives together stands last."""
    shown = publish_values(exact_table(own.data)).frame.cast(pl.String)
    home = own.data.schema.household
    shown = shown.with_columns(own.data.text(home).alias(home)) if home else shown
    texts = {Missing.CATEGORY: MISSING_VALUE, Missing.CARRY: MISSING_TEXT}
    gaps = [
        pl.col(each.output_name).replace(texts[treatment], None)
        for each in own.schema.columns
        if each.role is not Role.IDENTIFIER and (treatment := each.missing or own.schema.missing_cells) in texts
    ]
    return shown.with_columns(gaps)

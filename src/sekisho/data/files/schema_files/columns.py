"""Which columns of a file are read: those that a schema names, by their header, their number, or their output name.

What is left out is reported.

Values of a Parquet file as a CSV file would hold them: two texts are the same only where the values are.

A text tells a value whole: times of day to their last digit and with their offset from UTC, decimals digit by digit,
the sign of a zero. What has no such text (lists, structures, bytes that are no text) is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from sekisho.data.files.csv_form import CsvForm, PlainTable
from sekisho.data.files.fault_notes import CELL
from sekisho.data.files.plain_files.date_forms import ISO, day_format
from sekisho.data.files.plain_files.numbers import COMMA, POINT
from sekisho.data.files.plain_table import TableSource, read_cells, read_table
from sekisho.data.files.schema_files.schema_file import CONTROL, ColumnRules, FileRules, SchemaFile
from sekisho.data.frame.dataset import Column, Kind
from sekisho.errors import InputError, MissingColumnsError
from sekisho.words import Said

CLOCK, OFFSET = "%H:%M:%S%.f", "%::z"
WHOLE_MINUTES = r"([+-][0-9]{2}:[0-9]{2}):00$"
FARTHEST = 250_000 * 366
"""So many days from 1970 a day can be to be written at all."""
DAY_UNITS = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def format_values(path: TableSource, values: pl.Series, file: FileRules) -> pl.Series:
    """Return the values of a column as texts, different ones where the values differ; a missing one is null.

    Raises:
        InputError: the column holds what has no text.
    """
    kind = values.dtype
    if isinstance(kind, pl.String):
        return values
    if isinstance(kind, pl.Date | pl.Datetime):
        return _write_moments(path, values, day_format(file.date_format) or ISO)
    if isinstance(kind, pl.Time):
        return values.dt.strftime(CLOCK)
    if isinstance(kind, pl.Duration):
        return values.dt.to_string("iso")
    if kind.is_float() or kind.is_decimal():
        return values.cast(pl.String).str.replace(POINT, file.decimal or POINT, literal=True)
    plain = kind.is_integer() or isinstance(kind, pl.Boolean | pl.Categorical | pl.Enum | pl.Binary | pl.Null)
    try:
        text = values.cast(pl.String) if plain else None
    except pl.exceptions.PolarsError:  # bytes that are no text
        text = None
    if text is None:
        raise InputError(
            path, Said("column {name} holds {kind}: no texts, numbers or dates", name=values.name, kind=kind)
        )
    return text


def _write_moments(path: TableSource, values: pl.Series, day: str) -> pl.Series:
    """Return days, or moments to their last digit."""
    kind = values.dtype
    numbers = values.to_physical().cast(pl.Int64)
    span = FARTHEST * (DAY_UNITS[kind.time_unit] if isinstance(kind, pl.Datetime) else 1)
    if not bool(numbers.is_between(max(-span, -(2**63)), min(span, 2**63 - 1)).all()):
        raise InputError(
            path, Said("column {name} holds {kind}s that are no days of a calendar", name=values.name, kind=kind)
        )
    if not isinstance(kind, pl.Datetime):
        return values.dt.strftime(day)
    if kind.time_zone is None:
        return values.dt.strftime(f"{day} {CLOCK}")
    return values.dt.strftime(f"{day} {CLOCK}{OFFSET}").str.replace(WHOLE_MINUTES, "${1}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that was found out, left out or dropped in reading, and is reported.

    Attributes:
        what: in a word or two, such as ``left out`` or ``rows dropped``.
        count: of the rows or cells concerned; 0 where none is.
        message: the whole sentence.
    """

    what: str
    column: str = ""
    count: int = 0
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileColumns:
    """The columns that are read, their texts by output name, how the file was written, and what is to be reported.

    What is not read, ``left_out``, is there as the file calls it: only whose rows they are is asked of it.
    """

    columns: tuple[ColumnRules, ...]
    texts: dict[str, pl.Series]
    rows: int
    form: CsvForm
    notices: list[Notice]
    left_out: Mapping[str, pl.Series] = field(default_factory=dict[str, pl.Series])


def find_columns(path: TableSource, schema: SchemaFile) -> FileColumns:
    """Return the texts of the columns that are read, by output name."""
    table = _read_cells(path, schema)
    frame, form = table.frame, table.form
    by_source, notices = match_columns(path, frame.columns, schema, header=bool(form.header))
    return FileColumns(
        columns=tuple(by_source.values()),
        texts={
            column.output_name: format_values(path, frame[source], schema.file) for source, column in by_source.items()
        },
        rows=frame.height,
        form=form,
        notices=[*make_notices(say_reading(table, schema.file.encoding)), *notices],
        left_out={name: frame[name] for name in frame.columns if name not in by_source},
    )


def say_reading(table: PlainTable, encoding: str | None) -> tuple[Said, ...]:
    """Return what was decided in reading a file, with its encoding where none was given and it is not the usual one."""
    found = table.form.encoding
    if encoding is not None or found in {None, "utf-8"}:
        return table.notices
    return Said("read as {encoding}", encoding=found), *table.notices


def make_notices(sentences: Iterable[Said]) -> list[Notice]:
    """Return what was decided in reading a file, to be reported."""
    return [Notice(what=Said("reading"), message=said) for said in sentences]


def match_columns(
    path: TableSource, names: Sequence[str], schema: SchemaFile, *, header: bool
) -> tuple[dict[str, ColumnRules], list[Notice]]:
    """Return which columns of a file are read, by what the file calls them, and what is to be reported.

    Raises:
        InputError: a column is lacking.
    """
    by_source = {column.source_name: column for column in schema.columns}
    if not header:
        by_source = {f"column_{name}" if name.isdecimal() else name: column for name, column in by_source.items()}
    if not set(by_source) <= set(names):  # a file that was made from the data calls the columns by our names
        by_name = {column.output_name: column for column in schema.columns}
        by_source = by_name if set(by_name) <= set(names) else by_source
    missing = [name for name in by_source if name not in names]
    if missing:
        raise MissingColumnsError(path, missing, names)
    others = [name for name in names if name not in by_source]
    if schema.open_columns:
        by_source |= {name: ColumnRules(name=CONTROL.sub(" ", name), source=name) for name in others}
        others = []
    by_source = _settle_said(path, by_source, schema)
    message = Said("columns left out: {others}", others=", ".join(others))
    return by_source, [Notice(what=Said("columns left out"), count=len(others), message=message)] if others else []


def _settle_said(path: TableSource, by_source: dict[str, ColumnRules], schema: SchemaFile) -> dict[str, ColumnRules]:
    """Return the columns with the kinds that are said of them.

    Raises:
        MissingColumnsError: a column of which something is said, or that is named elsewhere, is not read.
    """
    said = {each.column: each for each in schema.said}
    names = {name for source, column in by_source.items() for name in (source, column.output_name)}
    missing = [name for name in dict.fromkeys((*said, *schema.named)) if name not in names]
    if missing:
        raise MissingColumnsError(path, missing, by_source)
    kinds = {source: said.get(source) or said.get(column.output_name) for source, column in by_source.items()}
    return {
        source: column if (kind := kinds[source]) is None else kind.settle(column)
        for source, column in by_source.items()
    }


def clear_missing_texts(text: pl.Series, missing: Sequence[str]) -> pl.Series:
    """Return a column with null for the texts that mean missing; its distinct texts are looked at, not every cell."""
    distinct = text.unique().drop_nulls()
    gaps = distinct.filter(distinct.str.strip_chars().is_in(pl.Series(missing, dtype=pl.String).implode()))
    return text.replace(gaps, pl.Series([None] * len(gaps), dtype=pl.String)) if len(gaps) else text


def _read_cells(path: TableSource, schema: SchemaFile) -> PlainTable:
    form = schema.file.csv
    if not schema.columns:
        return read_table(path, form)
    table = read_cells(path, form)
    if table.form.parquet:
        return table
    frame, settled = name_by_schema(table.frame, table.form, schema)
    return replace(table, frame=frame, form=settled)


def name_by_schema(frame: pl.DataFrame, form: CsvForm, schema: SchemaFile) -> tuple[pl.DataFrame, CsvForm]:
    """Return the first cells of a CSV file, read without names, below the names that a schema with columns finds there.

    Columns that the schema leaves out need no distinct names.
    """
    file = schema.file
    first = [str(cell).strip() for cell in frame.row(0)]
    # numbers are no names of a file that is said to have none: its first row may well hold 1 and 2
    names = (_name_in_data,) if file.header is False else (_name_in_file, _name_in_data)
    named = any({name(each) for each in schema.columns} <= set(first) for name in names)
    numbered = all(each.source_name.isdecimal() for each in schema.columns)
    header = named or (not numbered if file.header is None else file.header)
    if not header:
        return frame, replace(form, header=False)
    frame.columns = make_names_distinct(first)
    return frame[1:], replace(form, header=True)


def _name_in_file(column: ColumnRules) -> str:
    return column.source_name


def _name_in_data(column: ColumnRules) -> str:
    return column.output_name


def make_names_distinct(names: list[str]) -> list[str]:
    """Return names of which a doubled or empty one has its place added; such columns can only be left out."""
    return [
        name if name and names.count(name) == 1 else f"{name} (column {place})" for place, name in enumerate(names, 1)
    ]


def complete_file(file: FileRules, form: CsvForm) -> FileRules:
    """Return how a file is written, as far as its form tells: numbers of Parquet are texts with a decimal point."""
    decimal = POINT if form.parquet and file.decimal is None else file.decimal
    return replace(file.adopt(form), decimal=decimal)


def make_column(column: ColumnRules, kind: Kind, decimals: int) -> Column:
    """Return a column of data that were read."""
    return Column(
        name=column.output_name,
        kind=kind,
        role=column.role,
        origin=column.origin,
        decimals=decimals,
        means=column.means,
    )


def say_unreadable(name: str, kind: Kind, mark: str) -> Said:
    """Return what is wrong with a cell that is no value of its column's kind."""
    if kind is Kind.DECIMAL and mark == COMMA:
        return Said("{name} {value} is no {kind} with a decimal comma", name=name, value=CELL, kind=kind.words)
    return Said("{name} {value} is no {kind}", name=name, value=CELL, kind=kind.words)

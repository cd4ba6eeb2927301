"""Which columns of a file are read: those that a schema names, by their header, their number, or the name we call them by.

What is left out is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm, read_csv
from sekisho.data.files.frames import PARQUET, read_frame
from sekisho.data.files.ordinary.dates import ISO, PLAIN, day_format
from sekisho.data.files.ordinary.numbers import POINT
from sekisho.data.files.own.schema_file import CONTROL, ColumnRules, FileRules, SchemaFile
from sekisho.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that was found out, left out or dropped in reading, and is said.

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
class FoundColumns:
    """The columns that are read, their texts by the name they are called, how the file was written, and what there is to say."""

    columns: tuple[ColumnRules, ...]
    texts: dict[str, pl.Series]
    rows: int
    form: CsvForm
    notices: list[Notice]


def find_columns(path: Path, schema: SchemaFile) -> FoundColumns:
    """Return the texts of the columns that are read, by the name they are called."""
    frame, form = _read_cells(path, schema)
    by_source = {each.found_as: each for each in schema.columns}
    if not form.header:
        by_source = {f"column_{name}" if name.isdecimal() else name: each for name, each in by_source.items()}
    if not set(by_source) <= set(frame.columns):  # a file that was made from the data calls the columns by our names
        by_name = {each.called: each for each in schema.columns}
        by_source = by_name if set(by_name) <= set(frame.columns) else by_source
    missing = [name for name in by_source if name not in frame.columns]
    if missing:
        raise InputError(path, f"has no column {', '.join(missing)}; it has {', '.join(frame.columns)}")
    others = [name for name in frame.columns if name not in by_source]
    if schema.open_columns:
        by_source |= {name: ColumnRules(name=CONTROL.sub(" ", name), source=name) for name in others}
        others = []
    message = f"columns left out: {', '.join(others)}"
    return FoundColumns(
        columns=tuple(by_source.values()),
        texts={each.called: _as_text(path, frame[source], schema.file) for source, each in by_source.items()},
        rows=frame.height,
        form=form,
        notices=[Notice(what="columns left out", count=len(others), message=message)] if others else [],
    )


def _as_text(path: Path, values: pl.Series, file: FileRules) -> pl.Series:
    """Return the values of a column as a CSV file would hold them; a Parquet file has them as numbers and dates."""
    kind = values.dtype
    if isinstance(kind, pl.Date | pl.Datetime):
        clock = " %H:%M:%S" if isinstance(kind, pl.Datetime) and file.date_format in PLAIN else ""
        return values.dt.strftime((day_format(file.date_format) or ISO) + clock)
    try:
        text = values.cast(pl.String)
    except pl.exceptions.PolarsError as error:
        raise InputError(path, f"column {values.name} holds {kind}: no texts, numbers or dates") from error
    if kind.is_float() or kind.is_decimal():
        return text.str.replace(POINT, file.decimal or POINT, literal=True)
    return text.str.replace_all("\r\n?", "\n")


def _read_cells(path: Path, schema: SchemaFile) -> tuple[pl.DataFrame, CsvForm]:
    if path.suffix.lower() in PARQUET:
        return read_frame(path).frame, CsvForm(header=True)
    file = schema.file
    form = CsvForm(separator=file.separator, header=file.header, encoding=file.encoding)
    if not schema.columns:
        return read_csv(path, form)
    frame, found = read_csv(path, replace(form, header=False))
    first = [str(cell).strip() for cell in frame.row(0)]
    named = any({name(each) for each in schema.columns} <= set(first) for name in (_source, _called))
    numbered = all(each.found_as.isdecimal() for each in schema.columns)
    header = named or (not numbered if file.header is None else file.header)
    if not header:
        return frame, found
    frame.columns = _distinct(first)
    return frame[1:], replace(found, header=True)


def _source(column: ColumnRules) -> str:
    return column.found_as


def _called(column: ColumnRules) -> str:
    return column.called


def _distinct(names: list[str]) -> list[str]:
    """Return names of which a doubled or empty one is told apart by its place; such columns can only be left out."""
    return [
        name if name and names.count(name) == 1 else f"{name} (column {place})" for place, name in enumerate(names, 1)
    ]

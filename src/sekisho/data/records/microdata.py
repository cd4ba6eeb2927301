"""Files of records, one line a person: CSV of any make, or Parquet.

Every column is read as a category, the text as it stands; a column that says whose record it is may be named. What was
found out about a CSV file is reported, so that a wrong guess is seen and can be overruled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm, PlainTable
from sekisho.data.files.plain_table import TableSource, read_table
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.files.schema_files.value_texts import format_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.schema import Column, Kind, Role, Schema
from sekisho.errors import InputError, MissingColumnsError
from sekisho.words import Said

PARQUET_FILE = Path("records.parquet")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Microdata:
    """The records of a file, the form they were found in, and what was decided in reading them."""

    data: Dataset
    form: CsvForm
    notices: tuple[Said, ...] = ()


def read_microdata(
    path: TableSource, *, form: CsvForm | None = None, columns: Sequence[str] = (), identifier: str = ""
) -> Microdata:
    """Read a file of records.

    Args:
        path: the file.
        form: what is known of how it is written.
        columns: which columns to read, in this order; all if none is named.
        identifier: the column that says whose record it is; it is read beside the others.

    Raises:
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    table = _read_cells(path, form or CsvForm())
    frame = table.frame
    names = choose_columns(path, frame.columns, columns, identifier)
    if not frame.height:
        raise InputError(path, Said("has no records"))
    roles = {name: Role.IDENTIFIER if name == identifier else Role.QUASI for name in names}
    schema = Schema(tuple(Column(name=name, kind=Kind.CATEGORY, role=roles[name]) for name in names))
    return Microdata(data=Dataset(frame[names], schema), form=table.form, notices=table.notices)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextColumns:
    """Which columns of a file are read as texts as they stand.

    Attributes:
        form: what is known of how the file is written.
        columns: which are read, in this order; all if none is named.
        identifier: the column that says whose each record is; empty if there is none.
    """

    form: CsvForm = field(default_factory=CsvForm)
    columns: tuple[str, ...] = ()
    identifier: str = ""


def choose_columns(path: TableSource, available: Sequence[str], columns: Sequence[str], identifier: str) -> list[str]:
    """Return the columns that are read, the identifier first.

    Raises:
        InputError: the file lacks one of them.
    """
    named = [name for name in columns or available if name != identifier]
    names = [identifier, *named] if identifier else named
    missing = [name for name in names if name not in available]
    if missing:
        raise MissingColumnsError(path, missing, available)
    return names


def show_values(values: pl.Series) -> pl.Series:
    """Return the values of a column of a Parquet file as a CSV file would hold them; nothing where one is missing."""
    return format_values(PARQUET_FILE, values, FileRules()).fill_null("")


def _read_cells(path: TableSource, form: CsvForm) -> PlainTable:
    table = read_table(path, form)
    if not table.form.parquet:
        return table
    return replace(table, frame=pl.DataFrame([show_values(column) for column in table.frame]))

"""Files of records, one line a person: CSV of any make, or Parquet.

Every column is read as a category, the text as it stands; a column that says whose record it is may be named. What was
found out about a CSV file is reported, so that a wrong guess is seen and can be overruled.

The key of a record: what decisions about it depend on, wherever its row stands.

How many records bear each value of each category: all that a method of single columns must know of the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl

from sekisho.data.files.csv_form import CsvForm, PlainTable
from sekisho.data.files.plain_table import TableSource, read_table
from sekisho.data.files.schema_files.columns import format_values
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.identity.identifying import FEWEST_RECORDS, IDENTIFYING_SHARE, Ground, Identifying
from sekisho.errors import InputError, MissingColumnsError, ParameterError
from sekisho.seeds import Words
from sekisho.words import Said

NUMERAL = r"^(0|[1-9][0-9]{0,18})\z"
"""An id that is its own key: a whole number as one writes it, of at most 19 digits."""


def compute_record_keys(data: Dataset) -> Words:
    """Return a number for each record: its id, a digest of an id that is no number, or its row where there is no id."""
    holder = data.schema.identifier
    if holder is None:
        return np.arange(len(data), dtype=np.uint64)
    ids = data.frame[holder.name].cast(pl.String)
    if ids.n_unique() < len(ids):
        raise_doubled(holder.name)
    return compute_text_keys(ids, numbers=bool(ids.str.contains(NUMERAL).all()))


def raise_doubled(name: str) -> NoReturn:
    """Refuse ids that do not tell the records apart."""
    raise ParameterError(Said("identifier {name}", name=name), Said("differ from record to record"), "a doubled one")


def compute_text_keys(ids: pl.Series, *, numbers: bool) -> Words:
    """Return the keys of ids: the numbers that they are, if all of the file are, else their 64-bit BLAKE2b digests."""
    if numbers:
        return ids.cast(pl.UInt64).to_numpy().astype(np.uint64)
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in ids)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCounts:
    """How many records there are, and how many of them bear each value.

    Attributes:
        records: n.
        counts: by column, the number of records by value; values sorted as strings.
    """

    records: int
    counts: Mapping[str, Mapping[str, int]]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.counts)

    def domain(self, name: str) -> tuple[str, ...]:
        """Return the distinct values of a column, sorted as strings."""
        return tuple(self.counts[name])

    def shares(self, name: str) -> dict[str, Fraction]:
        """Return the share of the records that bears each value of a column."""
        return {value: Fraction(count, self.records) for value, count in self.counts[name].items()}


def list_distinct(counts: CategoryCounts) -> tuple[Identifying, ...]:
    """Return the columns in which almost every record has a text of its own: they name people."""
    few = counts.records < FEWEST_RECORDS
    return tuple(
        Identifying(column=name, ground=Ground.DISTINCT)
        for name in counts.names
        if not few and len(counts.counts[name]) >= IDENTIFYING_SHARE * counts.records
    )


def count_categories(data: Dataset, names: Sequence[str] | None = None) -> CategoryCounts:
    """Return how many records bear each value of some columns; of all attributes if none is named."""
    chosen = [column.name for column in data.schema.attributes] if names is None else names
    counts = {name: np.bincount(data.codes(name), minlength=len(data.domain(name))).tolist() for name in chosen}
    return CategoryCounts(
        records=len(data),
        counts={name: dict(zip(data.domain(name), each, strict=True)) for name, each in counts.items()},
    )


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

"""Records as texts, a missing cell as null: for questions that only ask whether two cells are the same.

Without columns in the schema every cell is the text as it stands, dates and numbers in forms of their own aside: two
ways to write a day are one. With columns the file is read as the schema says
(names, kinds, limits, what becomes of missing cells), and the identifier is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import FaultNotes
from sekisho.data.files.plain_table import TableSource
from sekisho.data.files.schema_files.blocks import refuse_cuts, show_own
from sekisho.data.files.schema_files.columns import Notice, clear_missing_texts, find_columns
from sekisho.data.files.schema_files.reading import OwnData, read_own
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.data.files.schema_files.understood_columns import UNDERSTOOD, understand_file
from sekisho.data.frame.dataset import Role
from sekisho.errors import InputError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextTable:
    """The cells of a file of records.

    Attributes:
        frame: texts, null where missing.
        rows: where each row stands in the file, from 0: a schema may have dropped some.
        names: all columns of the file, the identifier among them.
        roles: what a schema says of each column.
        form: how the file was found to be written, in words.
        notices: what was found out, left out or dropped.
    """

    frame: pl.DataFrame
    rows: NDArray[np.int64]
    names: tuple[str, ...]
    roles: dict[str, Role]
    form: str
    notices: tuple[Notice, ...] = ()


def read_text_table(path: TableSource, schema: SchemaFile) -> TextTable:
    """Return the cells of a file of records.

    Raises:
        InputError: the file cannot be read, or has no records.
        FaultsError: cells break the schema's rules; all of them at once.
    """
    if schema.columns:
        own = read_own(path, schema)
        refuse_cuts(path, schema, own.notices)
        return _describe_own(own)
    columns = find_columns(path, schema)
    if not columns.rows:
        raise InputError(path, Said("has no records"))
    columns = understand_file(columns, schema.file, as_texts=True)
    texts = [clear_missing_texts(text, schema.file.missing).alias(name) for name, text in columns.texts.items()]
    return TextTable(
        frame=pl.DataFrame(texts),
        rows=np.arange(columns.rows),
        names=tuple(columns.texts),
        roles={},
        form=str(columns.form),
        notices=tuple(each for each in columns.notices if each.what == UNDERSTOOD),
    )


def _describe_own(own: OwnData) -> TextTable:
    return TextTable(
        frame=show_own(own),
        rows=own.rows,
        names=own.data.schema.names,
        roles={column.name: column.role for column in own.data.schema},
        form=str(own.form),
        notices=own.notices,
    )


def treat_missing(frame: pl.DataFrame, treatment: Missing, *, source: str) -> NDArray[np.int64]:
    """Return the rows that are kept, from 0.

    Raises:
        FaultsError: a cell is missing where none may be; all of them at once.
        InputError: no record is left.
    """
    rows = np.arange(frame.height)
    if treatment is Missing.REFUSE:
        notes = FaultNotes(source, frame.height)
        for name in frame.columns:
            mask = frame[name].is_null().to_numpy().astype(np.bool_)
            notes.note(mask, name, "missing", frame[name].fill_null(""), Said("{name} is missing", name=name))
        notes.raise_faults()
    if treatment is Missing.DROP:
        rows = rows[~frame.select(pl.any_horizontal(pl.all().is_null())).to_series().to_numpy().astype(np.bool_)]
        if not len(rows):
            raise InputError(
                source, Said("no record is left of {records:,}: each has a missing cell", records=frame.height)
            )
    return rows

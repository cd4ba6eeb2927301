"""Records beyond memory as texts, a missing cell as null: those of ``data.records.text_table``.

Without columns in the schema a file is opened as it is; with columns it is read as the schema says, block by block, and
the texts are kept in temporary files.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import narwhals as nw
import polars as pl

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.names import file_column, list_kinds, open_workspace
from sekisho.data.engines.scan import Scan, open_within
from sekisho.data.engines.schema_files.survey import open_own_blocks
from sekisho.data.engines.session import Session, open_engine
from sekisho.data.files.plain_files.column_reading import Surroundings
from sekisho.data.files.plain_files.understanding import understand_columns
from sekisho.data.files.schema_files.blocks import refuse_cuts, show_own
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.schema_file import ColumnRules, SchemaFile
from sekisho.data.frame.dataset import Kind, Role
from sekisho.errors import ParameterError
from sekisho.words import Said, name_setting

PROBED = 2000
"""So many first rows tell whether a column is written in a form of its own."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeTextTable:
    """The cells of a file of records, as rows of an engine.

    Attributes:
        scan: null where a cell is missing; where it is asked for, with a column for where each row stands in the file,
            from 0.
        names: all columns of the file, the identifier among them.
        roles: what a schema says of each column.
        notices: what was found out, left out or dropped.
    """

    scan: Scan
    names: tuple[str, ...]
    roles: dict[str, Role]
    notices: tuple[Notice, ...] = ()


@contextmanager
def open_text_table(
    path: Path, schema: SchemaFile, choice: EngineChoice, *, row: str = ""
) -> Generator[LargeTextTable]:
    """Open a file of records beyond memory.

    Args:
        path: a CSV file, a Parquet file, or a folder of Parquet files (in the order of their names).
        schema: how it is written, and which of its columns are read as what.
        choice: the engine.
        row: the name of a column to add, where each row stands in the file, from 0; none if empty.

    Raises:
        InputError: the file cannot be read, has no records, or lacks a column.
        FaultsError: cells break the schema's rules; all of them at once.
        ParameterError: the engine is not installed, is Spark, or a column has the rows' name.
    """
    with open_workspace(None) as folder, open_engine(choice, folder) as session:
        yield open_table_within(session, path, schema, row=row)


def open_table_within(session: Session, path: Path, schema: SchemaFile, *, row: str = "") -> LargeTextTable:
    """Return another file, opened by an engine that is at work already; the two can be joined."""
    if schema.columns:
        return read_by_schema(session, path, schema, row=row)
    scan = open_within(session, path, schema, row=row)
    if schema.said:
        others = tuple(ColumnRules(name=name, kind=Kind.CATEGORY) for name in scan.names if name != row)
        return read_by_schema(session, path, replace(schema, columns=others), row=row)
    return LargeTextTable(scan=scan, names=tuple(name for name in scan.names if name != row), roles={})


def refuse_forms(table: LargeTextTable, columns: Sequence[str], said: Sequence[str]) -> None:
    """Refuse columns whose texts are dates or numbers in forms of their own: two ways to write a day would be two days.

    Args:
        table: cells as they stand in the file.
        columns: those that matter.
        said: those of which somebody says what they are.

    Raises:
        ParameterError: the first rows hold such texts.
    """
    kinds = list_kinds(table.scan.frame)
    names = [name for name in columns if name not in said and kinds[name] == nw.String]
    if not names or table.roles:
        return
    first = table.scan.collect(table.scan.frame.select(*map(file_column, names)).head(PROBED))
    readings = understand_columns(
        {name: first[name] for name in names}, Surroundings(separator=table.scan.csv.separator)
    )
    formed = [name for name, each in readings.items() if each.kind.kind.numeric and not each.plain]
    if formed:
        reading = readings[formed[0]]
        form = f":{reading.format}" if reading.format else ""
        rule = Said(
            "be said of columns written in forms of their own, to be read beyond memory: {kind}, or {category} to take "
            "the texts as they stand",
            kind=name_setting("kind", f"{reading.kind.kind.value}{form}", formed[0]),
            category=name_setting("kind", "category", formed[0]),
        )
        raise ParameterError("kind", rule, formed)


def read_by_schema(session: Session, path: Path, schema: SchemaFile, *, row: str = "") -> LargeTextTable:
    """Return a file that is read as a schema says, its texts kept in temporary files.

    Raises:
        InputError: the file cannot be read, has no records, or lacks a column.
        FaultsError: cells break the schema's rules; all of them at once.
        ParameterError: the engine is Spark, or a column has the rows' name.
    """
    if session.engine is Engine.SPARK:  # all rows would pass through the driver, and back
        raise ParameterError(
            "schema", Said("have no columns of its own on Spark"), [each.name for each in schema.columns]
        )
    blocks = open_own_blocks(session, path, schema)
    columns = blocks.data_schema
    if row in columns.names:
        raise ParameterError("row", Said("be no column of the file"), row)
    folder = session.folder / f"texts-{sum(1 for _ in session.folder.iterdir())}"
    folder.mkdir()
    files, notices = list[Path](), list[Notice]()
    for place, part in enumerate(blocks.read_parts(notices.append)):
        files.append(folder / f"part-{place:06}.parquet")
        places = [pl.Series(row, part.rows)] if row else []
        show_own(part).with_columns(places).write_parquet(files[-1], compression="lz4")
    refuse_cuts(path, schema, notices)
    scan = Scan(session, session.take_files(files), form=str(blocks.form), rules=schema.file, csv=blocks.form)
    return LargeTextTable(
        scan=scan,
        names=columns.names,
        roles={column.name: column.role for column in columns},
        notices=(*blocks.notices, *notices),
    )

"""A file of one's own beyond memory, read block by block: the names, kinds and missing cells of its schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from sekisho.data.engines.addresses import is_address
from sekisho.data.engines.names import file_column
from sekisho.data.engines.session import Session
from sekisho.data.engines.source import Source, find_source
from sekisho.data.files.csv_form import CsvForm, name_columns
from sekisho.data.files.frames import is_parquet
from sekisho.data.files.schema_files.blocks import OwnBlocks, open_blocks
from sekisho.data.files.schema_files.columns import make_notices, name_by_schema
from sekisho.data.files.schema_files.schema_file import SchemaFile

ROW = "sekisho_row"
"""Where a row stands in the file, from 0."""
ROWS = 1 << 18
"""So many rows are read at a time."""


def open_own_blocks(session: Session, path: Path, schema: SchemaFile) -> OwnBlocks:
    """Return a file, opened by an engine of one machine that is at work, to be read block by block as its schema says.

    Raises:
        InputError: the file cannot be read, has no records, or lacks a column.
        FaultsError: lines of a CSV have too few or too many cells.
        ParameterError: rows are dropped by limits, and a column's kind is left open, which the other rows decide.
    """
    source = find_own_source(session, path, schema)
    names = tuple(source.names.values())
    frame = session.scan_parquet(source.files).select(*map(file_column, names))

    def frames() -> Iterator[pl.DataFrame]:
        for block in session.stream(frame, ROWS):
            yield pl.DataFrame(pl.from_arrow(block))

    own = open_blocks(name_source(path), frames, names, schema, form=source.csv)
    return replace(own, notices=(*make_notices(source.notices), *own.notices))


def find_own_source(session: Session, path: Path, schema: SchemaFile, *, row: str = "") -> Source:
    """Return what a file of one's own is made of.

    Missing cells are found by whoever reads the blocks, once for all cells of a text.
    """
    folder = session.folder / f"own-{sum(1 for _ in session.folder.iterdir())}"
    folder.mkdir()
    file = replace(schema.file, missing=())
    naming = partial(_name_cells, schema=schema) if schema.columns else name_columns
    return session.find_source(path, file, row=row) or find_source(path, file, folder, row=row, naming=naming)


def name_source(path: Path) -> Path:
    """Return what messages call a file: one of a folder of Parquet files is called ``part.parquet``."""
    is_folder = path.is_dir() or (is_address(path) and not is_parquet(path))
    return path / "part.parquet" if is_folder else path


def _name_cells(frame: pl.DataFrame, path: Path, form: CsvForm, *, schema: SchemaFile) -> tuple[pl.DataFrame, CsvForm]:
    return name_by_schema(*name_columns(frame, path, replace(form, header=False)), schema)

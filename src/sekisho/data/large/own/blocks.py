"""A file of one's own beyond memory, read block by block: the names, kinds and missing cells of its schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import narwhals as nw
import polars as pl

from sekisho.data.files.csv_form import CsvForm, name_columns
from sekisho.data.files.own.blocks import OwnBlocks, open_blocks
from sekisho.data.files.own.columns import name_by_schema
from sekisho.data.files.own.schema_file import SchemaFile
from sekisho.data.large.session import Session
from sekisho.data.large.source import find_source

ROWS = 1 << 18
"""So many rows are read at a time."""


def open_own_blocks(session: Session, path: Path, schema: SchemaFile) -> OwnBlocks:
    """Return a file, opened by an engine of one machine that is at work, to be read block by block as its schema says.

    Raises:
        InputError: the file cannot be read, has no records, or lacks a column.
        FaultsError: lines of a CSV have too few or too many cells.
        ParameterError: rows are dropped by limits, and a column's kind is left open, which the other rows decide.
    """
    folder = session.folder / f"own-{sum(1 for _ in session.folder.iterdir())}"
    folder.mkdir()
    # missing cells are found by whoever reads the blocks, once for all cells of a text
    file = replace(schema.file, missing=())
    naming = partial(_name_cells, schema=schema) if schema.columns else name_columns
    source = find_source(path, file, folder, naming=naming)
    names = tuple(source.names.values())
    frame = session.scan_parquet(source.files).select(*[nw.col(name) for name in names])

    def frames() -> Iterator[pl.DataFrame]:
        for block in session.stream(frame, ROWS):
            yield pl.DataFrame(pl.from_arrow(block))

    shown = path / "part.parquet" if path.is_dir() else path
    return open_blocks(shown, frames, names, schema, form=source.csv)


def _name_cells(frame: pl.DataFrame, path: Path, form: CsvForm, *, schema: SchemaFile) -> tuple[pl.DataFrame, CsvForm]:
    return name_by_schema(*name_columns(frame, path, replace(form, header=False)), schema)

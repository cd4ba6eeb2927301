"""Who is alone in a whole file of which only the first rows are looked at: counted by an engine, and kept.

What it depends on names what is kept: the file, how it is read, and the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import narwhals as nw

from sekisho.data.engines.engine import LEAST, Engine, EngineChoice
from sekisho.data.engines.names import file_column, list_plain
from sekisho.data.engines.schema_files.text_rows import open_text_table
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.server.desk.plain_data import Plain

SHARE = 3
"""An engine may take so small a part of what a counting process may: the other parts are its columns and answers."""
SIZE, RECORDS, ALONE = "size", "records", "alone"


def count_whole(path: Path, schema: SchemaFile, keys: Sequence[str], allowed: int) -> Plain:
    """Return how many records a file has, and how many of them are alone on some keys.

    Args:
        path: of the file.
        schema: how it is read.
        keys: some of its columns.
        allowed: bytes that the counting process may take.

    Raises:
        InputError: the file cannot be read.
        FaultsError: cells do not fit the schema; all of them at once.
    """
    choice = EngineChoice(engine=Engine.DUCKDB, memory=max(LEAST, allowed // SHARE))
    drops = schema.missing_cells is Missing.DROP or any(one.missing is Missing.DROP for one in schema.columns)
    needed = (
        schema if drops else replace(schema, columns=tuple(one for one in schema.columns if one.output_name in keys))
    )
    with open_text_table(path, needed, choice) as table:
        rows = table.scan.frame.select(*map(file_column, keys))
        classes = rows.group_by(list_plain(keys)).agg(nw.len().alias(SIZE))
        alone = nw.when(nw.col(SIZE) == 1).then(1).otherwise(0)
        told = table.scan.collect(classes.select(nw.col(SIZE).sum().alias(RECORDS), alone.sum().alias(ALONE)))
    return {RECORDS: int(told[RECORDS][0] or 0), ALONE: int(told[ALONE][0] or 0)}

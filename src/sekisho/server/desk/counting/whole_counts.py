"""Who is alone in a whole file of which only the first rows are looked at: counted by an engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sekisho.data.engines.engine import LEAST, Engine, EngineChoice
from sekisho.data.engines.names import file_column
from sekisho.data.engines.schema_files.text_rows import open_text_table
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.safety.records.engine.class_counts import count_class_sizes
from sekisho.safety.records.engine.records import EngineRecords
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.server.desk.counting.alone_counts import AloneCount

SHARE = 3
"""An engine may take so small a part of what a counting process may: the other parts are its columns and answers."""


def count_whole(path: Path, schema: SchemaFile, keys: tuple[str, ...], allowed: int) -> AloneCount:
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
    used = tuple(one for one in schema.columns if drops or one.output_name in keys)
    with open_text_table(path, replace(schema, columns=used), choice) as table:
        rows = table.scan.ask(table.scan.frame.select(*map(file_column, keys)))
        counts = count_class_sizes(EngineRecords(scan=rows, choice=KeyChoice(keys=keys)), {})
    return AloneCount(alone=counts.count(1), records=int(counts.records.sum()))

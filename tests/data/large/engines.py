"""The engines of one machine, each with what every test asks of it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.scan import Scan
from sekisho.data.shape import Shape

CHOICES = (EngineChoice(engine=Engine.POLARS), EngineChoice(engine=Engine.DUCKDB, memory=10**9))
RECORDS = SchemaFile(shape=Shape.RECORDS)


def describe(file: FileRules) -> SchemaFile:
    return SchemaFile(shape=Shape.RECORDS, file=file)


def show(scan: Scan) -> pl.DataFrame:
    """Return all cells of a scan as the texts that they show."""
    frame = pl.concat([pl.DataFrame(block) for block in scan.batches()])
    return frame.select([scan.show(frame[name]).alias(name) for name in frame.columns])


def leaves_nothing(folder: Path) -> bool:
    return not [path for path in folder.iterdir() if ".tmp-" in path.name]

"""What Parquet files are made of, as a cluster sees them.

On one machine a CSV file, or a column that engines compare differently, is written anew first. A cluster would wait for
the one machine that does so: it takes Parquet of texts, numbers, days and truth values, and refuses the rest.
"""

from __future__ import annotations

from pathlib import Path

import narwhals as nw

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.frames import is_parquet
from sekisho.data.files.ordinary.dates import PLAIN
from sekisho.data.files.own.schema_file import FileRules
from sekisho.data.large.addresses import is_address
from sekisho.data.large.session import Session
from sekisho.data.large.source import Source, list_parquet_files, name_columns, read_shared_schema
from sekisho.errors import InputError


def find_cluster_source(session: Session, path: Path, rules: FileRules, *, row: str = "") -> Source:
    """Return what a Parquet file, or a folder of them, is made of.

    Raises:
        InputError: it is none, has no records, or a column of a type that is not taken here.
    """
    files = _list_files(path)
    frame = session.scan_parquet(files)
    for name, kind in frame.collect_schema().items():
        is_day = kind == nw.Date and rules.date_format in PLAIN
        if not (isinstance(kind, nw.String | nw.Boolean) or kind.is_integer() or kind.is_float() or is_day):
            reason = "Spark takes texts, numbers, days (as 2026-01-31) and truth values here: write it as text first"
            raise InputError(path, f"column {name!r} is of type {kind}; {reason}")
    rows = int(session.collect(frame.select(nw.len().alias("rows")))["rows"][0])
    if not rows:
        raise InputError(path, "has no records")
    names = name_columns(frame.collect_schema().names(), row)
    return Source(files=files, names=names, rows=rows, csv=CsvForm(header=True, parquet=True))


def _list_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a folder that is seen from here; an address is left to Spark."""
    if not is_address(path):
        if path.exists() and not path.is_dir() and not is_parquet(path):
            raise InputError(path, "Spark reads Parquet, a file or a folder of them: write a CSV as Parquet first")
        files = list_parquet_files(path)
        read_shared_schema(files)
        return files
    if not is_parquet(path) and "." in path.name:
        raise InputError(path, "Spark reads Parquet, a file or a folder of them: write a CSV as Parquet first")
    return (path,)

"""What Parquet files are made of, as a cluster sees them.

On one machine a CSV file, or a column that engines compare differently, is written anew first. A cluster would wait for
the one machine that does so: it takes Parquet of texts, numbers, days and truth values, and refuses the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import narwhals as nw

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.frames import is_parquet
from sekisho.data.files.plain_files.dates import PLAIN
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.large.addresses import is_address, name_place
from sekisho.data.large.names import list_kinds
from sekisho.data.large.session import Session
from sekisho.data.large.source import Source, find_signed_zeros, list_parquet_files, name_columns, read_shared_schema
from sekisho.data.large.spark.connection import SparkObject
from sekisho.data.large.spark.places import escape_pattern, name_file
from sekisho.errors import InputError
from sekisho.words import Said

READERS = 8
"""So many files' columns are asked for at once."""


def find_cluster_source(session: Session, path: Path, rules: FileRules, *, row: str = "") -> Source:
    """Return what a Parquet file, or a folder of them, is made of.

    Raises:
        InputError: it is none, has no records, or a column of a type that is not taken here.
    """
    files = _list_files(path)
    frame = session.scan_parquet(files)
    for name, kind in list_kinds(frame).items():
        is_day = kind == nw.Date and rules.date_format in PLAIN
        if not (isinstance(kind, nw.String | nw.Boolean) or kind.is_integer() or kind.is_float() or is_day):
            message = Said(
                "column {name!r} is of type {kind}; Spark takes texts, numbers, days (as 2026-01-31) and truth values "
                "here: write it as text first",
                name=name,
                kind=str(kind),
            )
            raise InputError(path, message)
    rows = int(session.collect(frame.select(nw.len().alias("rows")))["rows"][0])
    if not rows:
        raise InputError(path, Said("has no records"))
    numbers = [name for name, kind in list_kinds(frame).items() if kind.is_float()]
    if numbers and bool(session.collect(frame.select(find_signed_zeros(numbers))).item()):
        named = ", ".join(numbers)
        raise InputError(
            path,
            Said("Spark takes a zero with a sign for one without: write what has it as text ({named})", named=named),
        )
    names = name_columns(list_kinds(frame), row)
    return Source(files=files, names=names, rows=rows, csv=CsvForm(header=True, parquet=True))


def _list_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a folder that is seen from here; an address is left to Spark."""
    if not is_address(path):
        if path.exists() and not path.is_dir() and not is_parquet(path):
            raise _advise_parquet(path)
        files = list_parquet_files(path)
        read_shared_schema(files)
        return files
    if not is_parquet(path) and "." in path.name:
        raise _advise_parquet(path)
    return (path,)


def _advise_parquet(path: Path) -> InputError:
    """Return the refusal of a file that is no Parquet, with the line that makes it one."""
    source, target = (
        name_place(each) if is_address(each) else str(each) for each in (path, path.with_suffix(".parquet"))
    )
    names = f"{source!r}, infer_schema=False).sink_parquet({target!r}"
    line = f'python -c "import polars; polars.scan_csv({names})"'
    message = Said("Spark reads Parquet, a file or a folder of them; this writes a CSV so, once: {line}", line=line)
    return InputError(path, message)


def read_places(spark: SparkObject, places: Sequence[str]) -> SparkObject:
    """Return Parquet files of the same columns as a frame of Spark's own."""
    reader = spark.read.option("recursiveFileLookup", "true").option("mergeSchema", "false")
    return reader.parquet(*map(escape_pattern, places))


def check_shared_columns(spark: SparkObject, path: Path) -> None:
    """Refuse a folder at an address whose files do not all have the same columns, as a folder of this machine is.

    Spark would take a column that a file lacks for missing there. Only the files' footers are read.

    Raises:
        InputError: a file has other columns than the first, in the order of their names.
    """
    files = sorted(map(name_file, read_places(spark, [name_place(path)]).inputFiles()))
    with ThreadPoolExecutor(READERS) as pool:
        schemas = list(pool.map(partial(_list_columns, spark), files))
    for file, columns in zip(files, schemas, strict=True):
        if columns != schemas[0]:
            raise InputError(file, Said("has other columns than {name}", name=files[0].rpartition("/")[2]))


def _list_columns(spark: SparkObject, place: str) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in read_places(spark, [place]).schema]

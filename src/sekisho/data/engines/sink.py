"""Rows written to a file, Parquet or CSV, as they pass: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from sekisho.data.engines.arrow import Batch
from sekisho.data.engines.blocks import MappedScan
from sekisho.data.engines.scan import Scan
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.encodings import name_written
from sekisho.data.files.frames import is_parquet
from sekisho.data.files.separated_rows import check_separator
from sekisho.errors import InputError, say_failure
from sekisho.words import Said


def write_scan(scan: Scan, path: Path, *, separator: str = ",", header: bool = True, encoding: str = "utf-8") -> None:
    """Write rows to a file, in their order; a CSV has the bytes that the in-memory path would write.

    The file is completed among the temporary files, then moved to its place: open the scan beside it.

    Raises:
        InputError: the file cannot be written.
    """
    check_separator(separator)
    beside = scan.session.folder / f"out{path.suffix}"
    if not isinstance(scan, MappedScan) and scan.session.put_whole(scan.frame, path):
        return
    try:
        if not is_parquet(path):
            _write_csv(scan.batches(), beside, CsvForm(separator=separator, header=header, encoding=encoding))
        elif isinstance(scan, MappedScan):
            _write_parquet(scan.batches(), beside)
        else:
            scan.session.write_parquet(scan.frame, beside)
        put_in_place(beside, path)
    except OSError as error:
        raise InputError(
            path, Said("cannot be written: {reason}", reason=say_failure(error, Said("unknown reason")))
        ) from error


def put_in_place(beside: Path, path: Path) -> None:
    """Move a complete file to its place: nobody ever sees a part of it there."""
    with beside.open("rb") as stream:
        os.fsync(stream.fileno())
    beside.replace(path)


def _write_csv(blocks: Iterator[Batch], path: Path, form: CsvForm) -> None:
    with path.open("wb") as stream:
        for place, block in enumerate(blocks):
            text = pl.DataFrame(pl.from_arrow(block)).write_csv(
                separator=form.separator or ",", include_header=bool(form.header) and not place
            )
            stream.write(text.encode(name_written(form.encoding)))


def _write_parquet(blocks: Iterator[Batch], path: Path) -> None:
    first = next(blocks, None)
    if first is None:
        raise InputError(path, Said("there is nothing to write"))
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_batch(first)
        for block in blocks:
            writer.write_batch(block)

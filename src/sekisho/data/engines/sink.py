"""Rows written to a file, Parquet or CSV, as they pass: whole or not at all.

Frames written one after another to one file, Parquet or CSV, each as the in-memory path would write it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import polars as pl
import pyarrow.parquet as pq

from sekisho.data.engines.blocks import MappedScan
from sekisho.data.engines.names import Batch
from sekisho.data.engines.scan import Scan
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_files.form import OrdinaryForm
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.files.separated_rows import check_separator, name_written
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


class FrameSink:
    """A file that frames of the same columns are added to."""

    def __init__(self, path: Path, form: OrdinaryForm) -> None:
        self._path, self._form = path, form
        self._writer: Any = None
        self._stream: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in (self._writer, self._stream):
            if each is not None:
                each.close()

    def write(self, frame: pl.DataFrame) -> None:
        """Add a frame; of a CSV the first one brings the names of the columns.

        Raises:
            ParameterError: a cell holds what no text file can hold.
            EncodingError: a cell cannot be written in the encoding.
        """
        if is_parquet(self._path):
            table = frame.to_arrow()
            if self._writer is None:
                self._writer = pq.ParquetWriter(self._path, table.schema, compression="zstd")
            self._writer.write_table(table)
            return
        content = self._form.write(frame)
        if self._stream is None:
            self._stream = self._path.open("wb")
        else:  # names of columns hold no line ends
            content = content[content.index(b"\n") + 1 :]
        self._stream.write(content)

"""Frames written one after another to one file, Parquet or CSV, each as the in-memory path would write it."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import polars as pl
import pyarrow.parquet as pq

from sekisho.data.files.frames import is_parquet
from sekisho.data.files.plain_files.form import OrdinaryForm


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

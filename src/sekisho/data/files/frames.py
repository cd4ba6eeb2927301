"""Frames from files with a header: CSV whose separator is found, or Parquet; and frames as the bytes of either.

Of a CSV every column is text: what a value means is for the reader of the column to say, with the row named if it means
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm, read_csv
from sekisho.data.files.separated_rows import check_separator
from sekisho.data.files.whole_files import read_bytes
from sekisho.errors import InputError
from sekisho.words import Said

PARQUET = (".parquet", ".pq")


@dataclass(frozen=True, slots=True, eq=False)
class FrameFile:
    """A frame, and how its file was written (said to the user where it was found out)."""

    frame: pl.DataFrame
    form: str


def read_frame(path: Path, *, separator: str | None = None, encoding: str | None = None) -> FrameFile:
    """Return the frame of a CSV or Parquet file; an empty cell of a CSV file is null.

    Separator and encoding of a CSV are found out where they are not given.

    Raises:
        InputError: the file is missing, is no text, has no header, or a header with an empty or doubled name.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    if is_parquet(path):
        return FrameFile(_read_parquet(path), Said("Parquet"))
    frame, form = read_csv(path, CsvForm(separator=separator, header=True, encoding=encoding))
    return FrameFile(frame.rename(str.strip).with_columns(pl.all().replace("", None)), Said("CSV, {form}", form=form))


def is_parquet(path: Path | None) -> bool:
    """Tell whether the ending of a file says that it is Parquet."""
    return path is not None and path.suffix.lower() in PARQUET


def write_parquet(frame: pl.DataFrame) -> bytes:
    """Return a frame as the bytes of a Parquet file, the same for the same frame: no time, no name is in it."""
    stream = BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


def frame_bytes(frame: pl.DataFrame, path: Path, *, separator: str = ",") -> bytes:
    """Return a frame as the bytes of a file, Parquet or CSV by the path's suffix."""
    check_separator(separator)
    if is_parquet(path):
        return write_parquet(frame)
    return frame.write_csv(separator=separator).encode()


def _read_parquet(path: Path) -> pl.DataFrame:
    data = read_bytes(path)
    try:
        return pl.read_parquet(BytesIO(data))
    except pl.exceptions.PolarsError as error:
        raise InputError(path, Said("is no Parquet file")) from error

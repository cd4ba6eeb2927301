"""Frames from files with a header: CSV whose separator is found, or Parquet; and frames as the bytes of either.

Of a CSV every column is text: what a value means is for the reader of the column to say, with the row named if it means nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from sekisho.data.io import decode, read_bytes
from sekisho.errors import InputError, ParameterError

SEPARATORS = (",", ";", "\t", "|")
PARQUET = (".parquet", ".pq")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A frame, and how its file was written (said to the user where it was found out)."""

    frame: pl.DataFrame
    form: str


def read_frame(path: Path, *, separator: str | None = None, encoding: str = "utf-8") -> Found:
    """Return the frame of a CSV or Parquet file.

    Raises:
        InputError: the file is missing, is no text, has no header, or a header with an empty or doubled name.
    """
    if path.suffix.lower() in PARQUET:
        return Found(_parquet(path), "Parquet")
    text = decode(read_bytes(path), path, encoding=encoding)
    header = text.partition("\n")[0].strip()
    if not header:
        raise InputError(path, "has no header line")
    mark = separator or max(SEPARATORS, key=header.count)
    try:
        frame = pl.read_csv(text.encode(), separator=mark, infer_schema=False, truncate_ragged_lines=False)
    except pl.exceptions.PolarsError as error:
        raise InputError(
            path, f"cannot be read as CSV separated by {mark!r}: {str(error).partition(chr(10))[0]}"
        ) from error
    names = [name.strip() for name in header.removesuffix("\r").split(mark)]
    doubled = [name for name, times in Counter(names).items() if times > 1 or not name.strip('"')]
    if doubled:
        raise InputError(path, f"has a header in which {doubled[0]!r} is empty or stands twice")
    return Found(frame.rename(str.strip), f"CSV separated by {mark!r}, {encoding}")


def frame_bytes(frame: pl.DataFrame, path: Path, *, separator: str = ",") -> bytes:
    """Return a frame as the bytes of a file, Parquet or CSV by the path's suffix."""
    if len(separator) != 1:
        raise ParameterError("separator", "be one character", separator)
    if path.suffix.lower() in PARQUET:
        stream = BytesIO()
        frame.write_parquet(stream)
        return stream.getvalue()
    return frame.write_csv(separator=separator).encode()


def _parquet(path: Path) -> pl.DataFrame:
    data = read_bytes(path)
    try:
        return pl.read_parquet(BytesIO(data))
    except pl.exceptions.PolarsError as error:
        raise InputError(path, "is no Parquet file") from error

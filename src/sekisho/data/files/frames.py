"""Frames from files with a header: CSV whose separator is found, or Parquet; and frames as the bytes of either.

Of a CSV every column is text: what a value means is for the reader of the column to say, with the row named if it means
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_table import PARQUET, read_table
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.separated_rows import check_separator
from sekisho.words import Said


@dataclass(frozen=True, slots=True, eq=False)
class FrameFile:
    """A frame, how its file was written (said to the user where it was found out), and what was decided in reading."""

    frame: pl.DataFrame
    form: str
    notices: tuple[Said, ...] = ()


def read_frame(
    path: Path, *, separator: str | None = None, encoding: str | None = None, sheet: str | None = None
) -> FrameFile:
    """Return the frame of a file with a header; an empty cell of a CSV file or a workbook is null.

    Separator, encoding and sheet are found out where they are not given. Lines that are no line of the table are left
    out; totals and notes written as lines of it are kept, since the cells of a table may be such.

    Raises:
        InputError: the file is missing, is no text, has no header, or a header with an empty or doubled name.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    given = CsvForm(separator=separator, header=True, encoding=encoding, sheet=sheet, left_out=LeftOut.OUTSIDE)
    table = read_table(path, given)
    if table.form.parquet:
        return FrameFile(table.frame, str(table.form), table.notices)
    frame = table.frame.rename(str.strip).with_columns(pl.all().replace("", None))
    return FrameFile(
        frame, str(table.form) if table.form.program else Said("CSV, {form}", form=table.form), table.notices
    )


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

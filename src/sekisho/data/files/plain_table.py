"""The one reader: any file that people have becomes a plain table, and everything that was decided is said.

What a file is, its first bytes say, then its ending: Parquet and Arrow, workbooks, files of statistics programs, gzip
and archives of one table, else text. Lines that are no data are found in text and in workbooks alike.

Frames from files with a header: CSV whose separator is found, or Parquet; and frames as the bytes of either.

Of a CSV every column is text: what a value means is for the reader of the column to say, with the row named if it means
nothing.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TypeAlias

import numpy as np
import polars as pl

from sekisho.data.files.csv_form import CsvForm, PlainTable, name_columns, parse_cells, tidy_table
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.readers.foreign_files import (
    is_statistics_file,
    read_statistics_file,
    read_workbook,
    refuse_bomb,
)
from sekisho.data.files.separated_rows import check_separator
from sekisho.data.files.whole_files import MAX_BYTES, read_bytes
from sekisho.errors import InputError
from sekisho.provenance import digest_file
from sekisho.words import Said

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
OLE, ZIP, GZIP, ARROW_MARK, PARQUET_MARK = b"\xd0\xcf\x11\xe0", b"PK\x03\x04", b"\x1f\x8b", b"ARROW1", b"PAR1"
BINARY = (OLE, ZIP, GZIP, ARROW_MARK, PARQUET_MARK)
PIECE = 1 << 20
PAGE = (b"<html", b"<!doctype html", b"<table", b"<?xml")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameSource:
    """A frame of the caller's where a file could be: it is read like one of Parquet that holds it, and never written.

    Attributes:
        name: what it is called in messages.
        frame: its columns.
    """

    name: str
    frame: pl.DataFrame

    def __str__(self) -> str:
        return self.name

    def digest(self) -> str:
        """Return the SHA-256 of its columns, as Arrow writes them."""
        stream = BytesIO()
        self.frame.write_ipc(stream)
        return sha256(stream.getbuffer()).hexdigest()


TableSource: TypeAlias = Path | FrameSource
"""Where a table comes from."""


def digest_source(source: TableSource) -> dict[str, str]:
    """Return the SHA-256 of a table by its name."""
    return {source.name: source.digest() if isinstance(source, FrameSource) else digest_file(source)}


def read_table(path: TableSource, form: CsvForm) -> PlainTable:
    """Return a file as a plain table below the names of its columns.

    Raises:
        InputError: the file is missing, empty, no table, or its columns have no distinct names.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    table = read_cells(path, form)
    if table.form.parquet or isinstance(path, FrameSource):
        return table
    frame, settled = name_columns(table.frame, path, replace(table.form, header=form.header))
    return replace(table, frame=frame, form=settled)


def read_cells(path: TableSource, form: CsvForm) -> PlainTable:
    """Return a file as a plain table; of text and workbooks the first row names the columns, if any does.

    Raises:
        InputError: the file is missing, empty, or no table.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    if isinstance(path, FrameSource):
        return PlainTable(frame=path.frame, form=replace(form, header=True, parquet=True))
    suffix = path.suffix.lower()
    if is_statistics_file(path):
        file = read_statistics_file(path)
        settled = replace(form, header=True, parquet=True, program=file.program)
        return PlainTable(frame=file.frame, form=settled, notices=tuple(file.notices), labels=file.labels)
    content = read_bytes(path)
    if suffix in PARQUET or content.startswith(PARQUET_MARK):
        return PlainTable(frame=_read_parquet(content, path), form=replace(form, header=True, parquet=True))
    if content.startswith(ARROW_MARK):
        arrow = replace(form, header=True, parquet=True, program="Arrow")
        return PlainTable(frame=_read_arrow(content, path), form=arrow)
    return _read_content(content, path, suffix, form)


def is_text_file(path: Path) -> bool:
    """Tell whether a file is text, by its first bytes and its ending."""
    if is_statistics_file(path) or path.suffix.lower() in PARQUET:
        return False
    try:
        with path.open("rb") as stream:
            return not stream.read(8).startswith(BINARY)
    except OSError:
        return True  # whoever reads it says what is wrong


def _read_content(content: bytes, path: Path, suffix: str, form: CsvForm) -> PlainTable:
    if content.startswith(GZIP):
        inner = path.with_suffix("").suffix.lower() if suffix in {".gz", ".gzip"} else ".csv"
        return _read_content(_unpack_gzip(content, path), path, inner, form)
    if content.startswith(ZIP) and not _is_workbook(content):
        name, unpacked = _unpack_single(content, path)
        table = _read_content(unpacked, path, PurePosixPath(name).suffix.lower(), form)
        return replace(table, notices=(Said("the archive holds {name}", name=name), *table.notices))
    if content.startswith((OLE, ZIP)):
        return _read_workbook(content, path, form)
    if suffix in WORKBOOKS and content[:200].lstrip().lower().startswith(PAGE):
        raise InputError(path, Said("is a web page under the name of a workbook; save it as .xlsx or CSV"))
    return parse_cells(content, path, form)


def _read_workbook(content: bytes, path: Path, form: CsvForm) -> PlainTable:
    found = read_workbook(content, path, form.sheet)
    program = "OpenDocument" if path.suffix.lower() == ".ods" else "Excel"
    settled = replace(form, sheet=found.sheet, program=program)
    if found.others:
        said = Said("sheet {sheet} is read; the others are {others}", sheet=found.sheet, others=", ".join(found.others))
    else:
        said = Said("sheet {sheet} is read", sheet=found.sheet)
    filled = found.cells.select(pl.any_horizontal(pl.all().str.strip_chars() != "")).to_series()
    if not filled.any():
        raise InputError(path, Said("is empty"))
    lines = np.flatnonzero(filled.to_numpy()).astype(np.int64) + 1  # a sheet's empty lines are none
    return tidy_table(PlainTable(frame=found.cells.filter(filled), form=settled, notices=(said,)), lines)


def _is_workbook(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError):
        return True  # the reader of workbooks says what is wrong
    return "[Content_Types].xml" in names or {"mimetype", "content.xml"} <= names


def _unpack_gzip(content: bytes, path: Path) -> bytes:
    parts, size = list[bytes](), 0
    rest = content
    try:
        while rest:
            unpacker = zlib.decompressobj(wbits=31)
            part = unpacker.decompress(rest, MAX_BYTES - size + 1)
            size += len(part)
            if size > MAX_BYTES or unpacker.unconsumed_tail:
                raise InputError(path, Said("holds more than {limit:,} bytes when unpacked", limit=MAX_BYTES))
            if not unpacker.eof:
                raise InputError(path, Said("is a gzip file that is cut off"))
            parts.append(part)
            rest = unpacker.unused_data.lstrip(b"\x00")
    except zlib.error as error:
        raise InputError(path, Said("is a damaged gzip file")) from error
    return b"".join(parts)


def _unpack_single(content: bytes, path: Path) -> tuple[str, bytes]:
    refuse_bomb(content, path)
    with zipfile.ZipFile(BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
        if len(names) != 1:
            raise InputError(path, Said("is an archive of {count:,} files; unpack it and name one", count=len(names)))
        return names[0], archive.read(names[0])


def _read_parquet(content: bytes, path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise InputError(path, Said("is no Parquet file")) from error


def _read_arrow(content: bytes, path: Path) -> pl.DataFrame:
    try:
        return pl.read_ipc(BytesIO(content))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(path, Said("is no Arrow file that can be read")) from error


@dataclass(frozen=True, slots=True, eq=False)
class FrameFile:
    """A frame, how its file was written (said to the user where it was found out), and what was decided in reading."""

    frame: pl.DataFrame
    form: str
    notices: tuple[Said, ...] = ()


def read_frame(
    path: Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    left_out: LeftOut = LeftOut.NOTES,
) -> FrameFile:
    """Return the frame of a file with a header; an empty cell of a CSV file or a workbook is null.

    Separator, encoding and sheet are found out where they are not given. Titles and notes around the table are left
    out; totals are kept unless that is asked for, since the cells of a table may be such.

    Raises:
        InputError: the file is missing, is no text, has no header, or a header with an empty or doubled name.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    given = CsvForm(separator=separator, header=True, encoding=encoding, sheet=sheet, left_out=left_out)
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

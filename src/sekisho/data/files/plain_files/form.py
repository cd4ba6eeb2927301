"""Ordinary CSV: a header, cells quoted where needed, the separator and encoding of the data they were made from.

How the values of data of one's own are written in the files that are made of them: as their owner writes them.

Any text inside a generalised cell: the marks of the grammar are written in code where a value itself holds them.

A value may hold ``;``, ``{``, ``}`` or a control character, or be ``*``; as in an address on the web these are written
``%3B``, ``%7B``, ``%7D``, ``%0A`` … and ``%2A``. A per cent sign is written ``%25`` only where it would be read as the
beginning of such a code, so that ordinary texts (``50% off``) stay as they are. Reading undoes exactly what writing
did.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.fault_notes import FaultNotes
from sekisho.data.files.plain_files.date_forms import read_days, write_days
from sekisho.data.files.plain_files.numbers import POINT, read_numbers, write_numbers
from sekisho.data.files.plain_table import read_table
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.sheet import Sheet, count_checked_rows, note_surplus
from sekisho.data.frame.cells import MISSING_TEXT, find_gaps
from sekisho.data.frame.dataset import Kind
from sekisho.errors import EncodingError, Fault, FaultsError, ParameterError
from sekisho.words import Said

NUL = b"\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinaryForm:
    """How files made from data of one's own are written.

    What is not said is found out when reading, comma and UTF-8 when writing.
    """

    separator: str | None = None
    encoding: str | None = None

    def read(self, path: Path, columns: tuple[str, ...], *, expected: int | None = None) -> Sheet:
        """Read a file whose header names exactly these columns, in any order.

        Raises:
            FaultsError: the header names others.
        """
        given = CsvForm(separator=self.separator, header=True, encoding=self.encoding, left_out=LeftOut.NOTHING)
        table = read_table(path, given)
        frame, form_read = table.frame, table.form
        if sorted(frame.columns) != sorted(columns):
            header = ", ".join(frame.columns)
            message = Said(
                "the first line must name the columns {columns}, not {header}",
                columns=", ".join(columns),
                header=header,
            )
            raise FaultsError(path, [Fault(row=0, column="", rule="header", value=header, message=message)])
        form = replace(self, separator=form_read.separator, encoding=form_read.encoding)
        notes, total = FaultNotes(str(path), count_checked_rows(frame.height, expected)), frame.height
        note_surplus(notes, total, expected)
        return Sheet(frame.select(columns).head(notes.rows), notes, form, total)

    def write(self, cells: pl.DataFrame, *, shuffled: bool = False) -> bytes:
        """Return cells as CSV; ``shuffled`` sorts the rows by their cells.

        Raises:
            ParameterError: a cell holds what no text file can hold.
            EncodingError: a cell cannot be written in the encoding.
        """
        return self.write_parts([cells.sort(cells.columns) if shuffled else cells])

    def write_parts(self, parts: Iterable[pl.DataFrame]) -> bytes:
        """Return cells that come in parts, one below another, as CSV with one header.

        Raises:
            ParameterError: a cell holds what no text file can hold.
            EncodingError: a cell cannot be written in the encoding.
        """
        stream = BytesIO()
        for number, cells in enumerate(parts):
            start = stream.tell()
            cells.write_csv(stream, separator=self.separator or ",", include_header=number == 0)
            with stream.getbuffer() as written:
                if NUL in bytes(written[start:]):
                    _refuse_nul(cells)
        data = stream.getvalue()
        encoding = self.encoding or "utf-8"
        try:
            return data if encoding == "utf-8" else data.decode().encode(encoding)
        except UnicodeEncodeError as error:
            raise EncodingError(
                "the file to be written",
                Said("{object!r} cannot be written in {encoding}", object=error.object[error.start], encoding=encoding),
            ) from error


def _refuse_nul(cells: pl.DataFrame) -> None:
    """Refuse a cell that holds what no text file can hold."""
    for column in cells:
        if bool(column.str.contains(NUL.decode(), literal=True).any()):
            raise ParameterError(Said("column {name}", name=column.name), Said("hold no NUL"), "a value with one")


STAR = "*"
ANYWHERE = (*(chr(code) for code in range(32)), ";", "{", "}", "\x7f")
CODES = {mark: f"%{ord(mark):02X}" for mark in (*ANYWHERE, STAR, "%")}
BEFORE = "%(" + "|".join(code[1:] for code in CODES.values()) + ")"


def escape_marks(text: pl.Series) -> pl.Series:
    """Return values as they stand inside generalised cells."""
    marks = list(ANYWHERE)
    cell = pl.col("cell")
    coded = cell.str.replace_all(BEFORE, "%25${1}").str.replace_many(marks, [CODES[mark] for mark in marks])
    whole = pl.when(cell == STAR).then(pl.lit(CODES[STAR])).otherwise(coded)
    return text.to_frame("cell").select(whole.alias(text.name)).to_series()


def restore_marks(text: pl.Series) -> pl.Series:
    """Return the values that stand inside generalised cells."""
    return text.str.replace_many(list(CODES.values()), list(CODES))


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinaryWriting:
    """Dates in the owner's format, numbers with his decimal mark, any text.

    Attributes:
        date_format: of ``strftime``; empty for ISO.
        decimal: point or comma; undecided where no number has any.
        carries_missing: a cell may be missing, and is then written as the empty text.
    """

    date_format: str = ""
    decimal: str = POINT
    carries_missing: ClassVar[bool] = True

    def read(self, text: pl.Series, kind: Kind, decimals: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what each text means."""
        return read_days(text, self.date_format) if kind is Kind.DATE else read_numbers(text, decimals, self.decimal)

    def write(self, values: NDArray[np.int64], kind: Kind, decimals: int) -> pl.Series:
        """Return grid values as text, missing ones as the empty text."""
        gaps = find_gaps(values)
        if gaps.any():
            return self.write(np.where(gaps, 0, values), kind, decimals).set(pl.Series(gaps), MISSING_TEXT)
        if kind is Kind.DATE:
            return write_days(values, self.date_format)
        return write_numbers(values, decimals, self.decimal or POINT)

    def escape(self, text: pl.Series) -> pl.Series:
        """Return values whose marks are written in code."""
        return escape_marks(text)

    def restore(self, text: pl.Series) -> pl.Series:
        """Return values whose marks were written in code."""
        return restore_marks(text)

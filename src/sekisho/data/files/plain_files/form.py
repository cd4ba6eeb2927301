"""Ordinary CSV: a header, cells quoted where needed, the separator and encoding of the data they were made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.fault_notes import FaultNotes
from sekisho.data.files.plain_table import read_table
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.sheet import Sheet, count_checked_rows, note_surplus
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

"""A file of separated cells without a header, read strictly: every line that breaks the form is noted, none is repaired.

For files of contests, where the rules fix separator, number of columns and the length of a line. Lines end in LF or CRLF.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.io import decode, read_bytes
from sekisho.data.notes import Notes
from sekisho.data.separated import check_separator
from sekisho.errors import EncodingError, ParameterError

NEWLINE, SPACE, DELETE = 10, 32, b"\x7f"
BLOCK = 1 << 17  # bytes scanned at a time, so that they stay in the cache
FULL_WIDTH = "[！-～\u3000]"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRules:
    """The form of a file: how cells are separated and how long a line or the file may be."""

    separator: str = ","
    max_line: int = 8000
    max_bytes: int = 1 << 28

    def __post_init__(self) -> None:
        check_separator(self.separator)
        for name, value in (("max_line", self.max_line), ("max_bytes", self.max_bytes)):
            if value < 1:
                raise ParameterError(name, "be at least 1", value)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The text of a file and its cells as text; a line that breaks the form has empty cells and a note."""

    text: bytes
    cells: pl.DataFrame
    notes: Notes

    def __len__(self) -> int:
        return self.cells.height

    def lines(self) -> list[str]:
        """Return the lines as they stand in the file."""
        return _lines(self.text.decode())


def read_sheet(path: Path, columns: tuple[str, ...], rules: SheetRules) -> Sheet:
    """Read a file of text into columns of text."""
    data = read_bytes(path, max_bytes=rules.max_bytes)
    if data.startswith(b"\xef\xbb\xbf"):
        raise EncodingError(path, "begins with a byte-order mark; save it as plain text (UTF-8 without BOM)")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    cells = _read_regular(data, columns, rules)
    if cells is None:
        return _read_irregular(data, path, columns, rules)
    return Sheet(data, cells, Notes(str(path), cells.height))


def _read_regular(data: bytes, columns: tuple[str, ...], rules: SheetRules) -> pl.DataFrame | None:
    """Return the cells if every line is printable ASCII, short enough and has as many cells as it should, else None."""
    lengths = _lengths(data)
    shaped = data.count(rules.separator.encode(), 0, int(lengths[0])) == len(columns) - 1 > 0
    if not shaped or np.any(lengths > rules.max_line) or not _printable(data, len(lengths)):
        return None
    cells = pl.read_csv(
        data,
        has_header=False,
        separator=rules.separator,
        quote_char=None,
        infer_schema=False,
        empty_string_is_null=False,
        truncate_ragged_lines=True,
        new_columns=list(columns),
    )
    if cells.height != len(lengths):
        return None
    # Cells missing from a line are read as empty, those too many are left out: then the lengths differ.
    read = cells.select(pl.sum_horizontal(pl.all().str.len_bytes())).to_series().to_numpy()
    return cells if np.array_equal(read + (len(columns) - 1), lengths) else None


def _blocks(data: bytes) -> list[NDArray[np.uint8]]:
    text = np.frombuffer(data, dtype=np.uint8)
    return [text[start : start + BLOCK] for start in range(0, len(text), BLOCK)]


def _lengths(data: bytes) -> NDArray[np.intp]:
    ends = [np.flatnonzero(block == NEWLINE) + number * BLOCK for number, block in enumerate(_blocks(data))]
    return np.diff(np.concatenate(ends), prepend=-1) - 1


def _printable(data: bytes, lines: int) -> bool:
    low = sum(int(np.count_nonzero(block <= SPACE)) for block in _blocks(data))
    return data.isascii() and DELETE not in data and low == lines


def _lines(text: str) -> list[str]:
    whole = text.removesuffix("\n")
    return whole.split("\n") if whole else []


def _read_irregular(data: bytes, path: Path, columns: tuple[str, ...], rules: SheetRules) -> Sheet:
    try:
        text = decode(data, path)
    except EncodingError as error:
        raise EncodingError(
            path, f"{error.reason.removesuffix(' to read it so')}; the file must hold ASCII only"
        ) from error
    lines = pl.Series("line", _lines(text), dtype=pl.String)
    notes = Notes(str(path), len(lines))
    _note_lines(lines, len(columns), rules, notes)
    fine = pl.Series(notes.fine(""))
    split = lines.zip_with(fine, pl.Series([rules.separator * (len(columns) - 1)])).str.split(rules.separator)
    cells = split.list.to_struct(fields=list(columns)).struct.unnest() if len(lines) else _no_cells(columns)
    for column in columns:
        notes.bad[column] = ~notes.fine("")
    return Sheet(data, cells, notes)


def _no_cells(columns: tuple[str, ...]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(columns, pl.String()))


def _note_lines(lines: pl.Series, columns: int, rules: SheetRules, notes: Notes) -> None:
    long = (lines.str.len_chars() > rules.max_line).to_numpy()
    notes.note(long, "", "line-length", lines, f"the line is longer than {rules.max_line:,} characters")
    wide = lines.str.contains(FULL_WIDTH).to_numpy()
    notes.note(wide, "", "full-width", lines, "the line has full-width characters: write digits and signs in ASCII")
    odd = lines.str.contains(r"[^\x21-\x7e]").to_numpy()
    notes.note(odd, "", "character", lines, "the line {value} has a space or a character outside printable ASCII")
    found = lines.str.count_matches(rules.separator, literal=True).to_numpy().astype(np.int64) + 1
    for count in np.unique(found[found != columns]).tolist():
        notes.note(found == count, "", "columns", lines, f"the line has {count} cells, not {columns}: {{value}}")

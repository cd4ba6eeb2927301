"""Files as columns of text: what a form of files reads and writes; and the strict form of contests.

A strict file has separated cells and no header; every line that breaks the form is noted, none is repaired. The rules
fix separator, number of columns and the length of a line. Lines end in LF or CRLF.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import CELL, COUNT, FaultNotes
from sekisho.data.files.separated_rows import check_separator
from sekisho.data.files.whole_files import cp932_hint, read_bytes
from sekisho.errors import EncodingError, ParameterError
from sekisho.words import Said

NO_TEXT = pl.Series([""])
NEWLINE, SPACE, DELETE = 10, 32, b"\x7f"
BLOCK = 1 << 17  # bytes scanned at a time, so that they stay in the cache
MARK = b"\xef\xbb\xbf"
FULL_WIDTH, ODD, ODD_SPACED, UNREADABLE = "[！-～\u3000]", r"[^\x21-\x7e]", r"[^\x20-\x7e]", "\ufffd"
BYTES_EACH = 4
"""At most so many bytes is a character."""
IRREGULAR = 1 << 23
"""Of a file with faults so many bytes are looked at, more where its lines are short."""
SHORT, SINGLE = 16, 64
SURPLUS = 1000
"""So many rows more than there can be are still looked at; what is beyond them is only counted."""


class FileForm(Protocol):
    """How the files of a contest, or of data of one's own, are written."""

    def read(self, path: Path, columns: tuple[str, ...], *, expected: int | None = None) -> Sheet:
        """Read a file that has these columns; many more rows than ``expected`` are only counted."""
        ...

    def write(self, cells: pl.DataFrame, *, shuffled: bool = False) -> bytes:
        """Return cells of text as the bytes of a file.

        ``shuffled`` puts the rows in an order that reveals nothing: they are sorted.
        """
        ...

    def write_parts(self, parts: Iterable[pl.DataFrame]) -> bytes:
        """Return cells of text that come in parts, one below another, as the bytes of a file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRules:
    """The strict form of a file: how cells are separated and how long a line or the file may be.

    Attributes:
        spaced: whether a cell may have spaces, as one that lists several things has.
    """

    separator: str = ","
    max_line: int = 8000
    max_bytes: int = 1 << 28
    spaced: bool = False

    def __post_init__(self) -> None:
        check_separator(self.separator)
        for name, value in (("max_line", self.max_line), ("max_bytes", self.max_bytes)):
            if value < 1:
                raise ParameterError(name, Said("be at least 1"), value)

    def read(self, path: Path, columns: tuple[str, ...], *, expected: int | None = None) -> Sheet:
        """Read a file that has these columns; many more rows than ``expected`` are only counted."""
        return read_sheet(path, columns, self, expected=expected)

    def write(self, cells: pl.DataFrame, *, shuffled: bool = False) -> bytes:
        """Return cells as lines; ``shuffled`` sorts the lines as strings, which is the contest's shuffle."""
        if not shuffled:
            return self.write_parts([cells])
        stream = BytesIO()
        _write_lines(self._join_cells(cells).sort(), stream)
        return _require_ascii(stream.getvalue())

    def write_parts(self, parts: Iterable[pl.DataFrame]) -> bytes:
        """Return cells that come in parts, one below another, as lines."""
        stream = BytesIO()
        for cells in parts:
            _write_lines(self._join_cells(cells), stream)
        return _require_ascii(stream.getvalue())

    def _join_cells(self, cells: pl.DataFrame) -> pl.Series:
        return cells.select(pl.concat_str(pl.all(), separator=self.separator)).to_series()


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The cells of a file as text, and the form they were found in; what breaks the form is empty and has a note.

    Attributes:
        cells: of the lines that are looked at.
        notes: what is wrong with them.
        form: how the file is written.
        total: how many lines the file has.
    """

    cells: pl.DataFrame
    notes: FaultNotes
    form: FileForm
    total: int

    def __len__(self) -> int:
        return self.cells.height

    @property
    def is_cut(self) -> bool:
        """Whether the file has many more rows than it can have, so that the rest was only counted; that is noted."""
        return self.total > len(self)


def _write_lines(lines: pl.Series, stream: BytesIO) -> None:
    """Write lines as they are; in one list they would be millions of Python's texts."""
    lines.to_frame().write_csv(stream, include_header=False, quote_style="never")


def _require_ascii(data: bytes) -> bytes:
    """Return what is written if it is ASCII, as the strict form asks.

    Raises:
        EncodingError: it is not.
    """
    if data.isascii():
        return data
    odd = next(character for character in data.decode() if not character.isascii())
    raise EncodingError("the file to be written", Said("{odd!r} cannot be written in ascii", odd=odd))


def count_checked_rows(total: int, expected: int | None) -> int:
    """Return how many of a file's rows are looked at: all, unless it has many more than it can have."""
    return total if expected is None else min(total, expected + SURPLUS)


def note_surplus(notes: FaultNotes, total: int, expected: int | None) -> None:
    """Note that a file has many more rows than it can have, where not all were looked at."""
    if notes.rows < total:
        message = Said(
            "the file has {total:,} rows, at most {expected:,} there can be; only the first {checked:,} were checked",
            total=total,
            expected=expected,
            checked=notes.rows,
        )
        notes.note_file("rows", total, message)


def read_sheet(path: Path, columns: tuple[str, ...], rules: SheetRules, *, expected: int | None = None) -> Sheet:
    """Read a file of text into columns of text.

    Args:
        path: the file.
        columns: their names.
        rules: its form.
        expected: how many rows the file can have at most; None if nobody knows.

    Raises:
        InputError: the file is missing, too large, or no text at all (UTF-16).
    """
    data = read_bytes(path, max_bytes=rules.max_bytes)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise EncodingError(path, Said("is UTF-16; save it as plain text (ASCII)"))
    marked = data.startswith(MARK)
    if marked:
        data = data.removeprefix(MARK)
    data, total = _cut_rows(data, expected)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    data = _cut_long_lines(data, _measure_lines(data), rules)
    lengths = _measure_lines(data)
    cells = _read_regular(data, lengths, columns, rules)
    notes = FaultNotes(str(path), len(lengths) if total else 0)
    if cells is None:
        data, rows = (data, len(lengths)) if rules.spaced else _cut_irregular(data, lengths, len(columns))
        notes = FaultNotes(str(path), rows if total else 0)
        cells = _read_irregular(data, columns, rules, notes)
    if marked:
        notes.note_file(
            "encoding", "", Said("the file begins with a byte-order mark; save it as plain text (UTF-8 without BOM)")
        )
    if notes.rows < count_checked_rows(total, expected):
        message = Said(
            "the file has {total:,} rows; it is not as it must be, and only the first {checked:,} rows were checked",
            total=total,
            checked=notes.rows,
        )
        notes.note_file("rows", total, message)
    else:
        note_surplus(notes, total, expected)
    return Sheet(cells, notes, rules, total)


def _cut_rows(data: bytes, expected: int | None) -> tuple[bytes, int]:
    """Return the rows that are looked at, and how many there are in all: the rest is counted, and never taken apart."""
    total = 0 if data in {b"", b"\n", b"\r\n"} else data.count(b"\n") + (not data.endswith(b"\n"))
    checked = count_checked_rows(total, expected)
    if checked == total:
        return data, total
    left = checked
    for number, block in enumerate(_split_blocks(data)):
        ends = np.flatnonzero(block == NEWLINE)
        if len(ends) >= left:
            return data[: number * BLOCK + int(ends[left - 1]) + 1], total
        left -= len(ends)
    return data, total


def _cut_long_lines(data: bytes, lengths: NDArray[np.intp], rules: SheetRules) -> bytes:
    """Return lines no longer than it takes to see that they are too long."""
    most = BYTES_EACH * rules.max_line + 1
    if not np.any(lengths > most):
        return data
    ends = np.cumsum(lengths + 1)
    starts = ends - lengths - 1
    stops = np.minimum(ends - 1, starts + most)
    return b"".join(data[start:stop] + b"\n" for start, stop in zip(starts.tolist(), stops.tolist(), strict=True))


def _cut_irregular(data: bytes, lengths: NDArray[np.intp], columns: int) -> tuple[bytes, int]:
    """Return the rows of a file with faults that are looked at, and how many: to tell faults takes much memory.

    A file of one column may be without any; its lines are short then.
    """
    most = max(IRREGULAR, (SHORT if columns > 1 else SINGLE) * len(lengths))
    if len(data) <= most:
        return data, len(lengths)
    ends = np.cumsum(lengths + 1)
    rows = max(1, int(np.searchsorted(ends, most, side="right")))
    return data[: int(ends[rows - 1])], rows


def _read_regular(
    data: bytes, lengths: NDArray[np.intp], columns: tuple[str, ...], rules: SheetRules
) -> pl.DataFrame | None:
    """Return the cells if every line is printable ASCII, short enough and has as many cells as it should, else None."""
    shaped = data.count(rules.separator.encode(), 0, int(lengths[0])) == len(columns) - 1 > 0
    if not shaped or np.any(lengths > rules.max_line) or not _is_printable(data, len(lengths)):
        return None
    cells = pl.read_csv(
        data,
        has_header=False,
        separator=rules.separator,
        quote_char=None,
        infer_schema=False,
        truncate_ragged_lines=True,
        new_columns=list(columns),
    ).fill_null("")
    if cells.height != len(lengths):
        return None
    # Cells missing from a line are read as empty, those too many are left out: then the lengths differ.
    lengths_read = cells.select(pl.sum_horizontal(pl.all().str.len_bytes())).to_series().to_numpy()
    return cells if np.array_equal(lengths_read + (len(columns) - 1), lengths) else None


def _split_blocks(data: bytes) -> list[NDArray[np.uint8]]:
    text = np.frombuffer(data, dtype=np.uint8)
    return [text[start : start + BLOCK] for start in range(0, len(text), BLOCK)]


def _measure_lines(data: bytes) -> NDArray[np.intp]:
    ends = [np.flatnonzero(block == NEWLINE) + number * BLOCK for number, block in enumerate(_split_blocks(data))]
    return np.diff(np.concatenate(ends), prepend=-1) - 1


def _is_printable(data: bytes, lines: int) -> bool:
    low = sum(int(np.count_nonzero(block <= SPACE)) for block in _split_blocks(data))
    return data.isascii() and DELETE not in data and low == lines


def _split_lines(text: str) -> pl.Series:
    whole = text.removesuffix("\n")
    return pl.Series("line", [whole] if whole else [], dtype=pl.String).str.split("\n").explode()


def _read_irregular(data: bytes, columns: tuple[str, ...], rules: SheetRules, notes: FaultNotes) -> pl.DataFrame:
    lines = _split_lines(data.decode(errors="replace"))
    hint = cp932_hint(data) if lines.str.contains(UNREADABLE, literal=True).any() else ""
    _note_lines(lines, len(columns), rules, notes)
    fine = pl.Series(notes.is_fine(""))
    split = lines.zip_with(fine, pl.Series([rules.separator * (len(columns) - 1)])).str.split(rules.separator)
    cells = split.list.to_struct(fields=list(columns)).struct.unnest() if len(lines) else _make_no_cells(columns)
    for column in columns:
        notes.bad[column] = ~notes.is_fine("")
        _note_cells(cells[column], column, hint, notes, odd=ODD_SPACED if rules.spaced else ODD)
    # by series, since polars takes the names * and ^…$ of columns for patterns
    return pl.DataFrame([cells[column].zip_with(pl.Series(notes.is_fine(column)), NO_TEXT) for column in columns])


def _make_no_cells(columns: tuple[str, ...]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(columns, pl.String()))


def _note_lines(lines: pl.Series, columns: int, rules: SheetRules, notes: FaultNotes) -> None:
    long = (lines.str.len_chars() > rules.max_line).to_numpy()
    notes.note(
        long, "", "line-length", lines, Said("the line is longer than {max_line:,} characters", max_line=rules.max_line)
    )
    cells = lines.str.count_matches(rules.separator, literal=True).to_numpy().astype(np.int64) + 1
    ragged = cells != columns
    wide = ragged & lines.str.contains(FULL_WIDTH).to_numpy()
    notes.note(
        wide, "", "full-width", lines, Said("the line has full-width characters: write digits and signs in ASCII")
    )
    odd = ragged & lines.str.contains(ODD).to_numpy()
    notes.note(
        odd,
        "",
        "character",
        lines,
        Said("the line {value} has a space or a character outside printable ASCII", value=CELL),
    )
    notes.note(
        ragged,
        "",
        "columns",
        lines,
        Said(
            "the line has {count} {count:cell|cells}, not {columns}: {value}", count=COUNT, columns=columns, value=CELL
        ),
        cells,
    )


def _note_cells(cells: pl.Series, column: str, hint: str, notes: FaultNotes, *, odd: str) -> None:
    lost = cells.str.contains(UNREADABLE, literal=True).to_numpy()
    notes.note(
        lost,
        column,
        "encoding",
        cells,
        Said(
            "{column} {value} is not ASCII: the file must hold ASCII only{hint}", column=column, value=CELL, hint=hint
        ),
    )
    wide = cells.str.contains(FULL_WIDTH).to_numpy()
    notes.note(
        wide,
        column,
        "full-width",
        cells,
        Said("{column} {value} has full-width characters: write them in ASCII", column=column, value=CELL),
    )
    strange = cells.str.contains(odd).to_numpy()
    notes.note(
        strange,
        column,
        "character",
        cells,
        Said("{column} {value} has a space or a character outside printable ASCII", column=column, value=CELL),
    )

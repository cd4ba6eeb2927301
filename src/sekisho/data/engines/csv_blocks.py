"""CSV files of any size, block by block: the same cells and the same refusals as if the file were read at once.

A block ends at the end of a line outside quotation marks. A quotation mark inside a cell that is not quoted, which
readers understand differently, is refused here.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm, find_separator, name_columns
from sekisho.data.files.plain_table import is_text_file, read_cells
from sekisho.data.files.readers.body_lines import find_body
from sekisho.data.files.readers.outer_lines import Inner, cut_lines
from sekisho.data.files.separated_rows import (
    QUOTE,
    find_encoding,
    name_readable,
    settle_quoted_ends,
    split_rows,
    stand_at_ends,
)
from sekisho.data.files.whole_files import MARK, check_encoding, say_encoding
from sekisho.errors import LISTED, EncodingError, Fault, FaultsError, InputError, MissingFileError, say_failure
from sekisho.words import Said

CHARACTERS = 1 << 24
"""So many characters are read at a time."""
LONGEST = 1 << 28
"""So many bytes may stand within quotation marks."""
PROBE = 1 << 22
SHORT = 1 << 16
WHOLE = 1 << 26
"""A file of so many bytes is read at once, as are all that are no text: there lines that are no data are found."""
Naming: TypeAlias = Callable[[pl.DataFrame, Path, CsvForm], tuple[pl.DataFrame, CsvForm]]
"""Gives the first cells of a file below their names, and its form."""


@dataclass(slots=True)
class CsvBlocks:
    """A CSV file that is read in blocks.

    Attributes:
        path: the file.
        form: how it is written; complete as soon as the first block was read.
        naming: finds the names of the columns.
        notices: what was decided in reading the blocks so far.
    """

    path: Path
    form: CsvForm
    naming: Naming = name_columns
    _lines: int = 0
    _width: int = 0
    _faults: list[Fault] = field(default_factory=list[Fault])
    _count: int = 0

    _first: pl.DataFrame | None = None
    _empty: tuple[int, ...] = ()
    _header: bool | None = None
    notices: tuple[Said, ...] = ()

    def __post_init__(self) -> None:
        self._header = self.form.header
        if not self._is_small:
            self.form = replace(self.form, encoding=find_file_encoding(self.path, self.form.encoding))

    @property
    def _is_small(self) -> bool:
        try:
            return not is_text_file(self.path) or self.path.stat().st_size <= WHOLE
        except OSError as error:
            raise MissingFileError(self.path) from error

    def _read_whole(self) -> Iterator[pl.DataFrame]:
        table = read_cells(self.path, self.form)
        self.notices = table.notices
        if table.form.parquet:
            self.form = table.form
            yield table.frame
            return
        form = replace(table.form, header=self.form.header)
        frame, self.form = self.naming(table.frame, self.path, form)
        yield frame

    def read(self) -> Iterator[pl.DataFrame]:
        """Give the cells, block by block: texts, an empty cell as an empty text.

        Raises:
            InputError: the file is empty, is no table, or its columns have no distinct names.
            FaultsError: a line has too few or too many cells; all such lines at once, or the first thousand of them.
        """
        if self._is_small:
            yield from self._read_whole()
            return
        names = list[str]()
        with _open_text(self.path, self.form.encoding or "utf-8") as stream:
            for data, is_last in _tell_last(_cut_blocks(stream, self.path)):
                inner = self._cut_outer(data, is_last=is_last)
                self._lines += inner.above
                start, separator = self._lines, inner.separator
                self._check_lengths(inner.data, separator)
                if self._count:  # of a file that is refused the other blocks are only counted
                    continue
                cells = _parse_block(inner.data, separator, self.path)
                frame = self._tidy(cells, start, is_last=is_last)
                if not names:
                    form = replace(self.form, header=self._header)
                    frame, self.form = self.naming(frame, self.path, form)
                    names = frame.columns
                    self._header = self.form.header
                frame.columns = names
                yield frame
        if self._count:
            raise FaultsError(self.path, self._faults, count=self._count)
        if not names:
            raise InputError(self.path, Said("is empty"))

    def _cut_outer(self, data: bytes, *, is_last: bool) -> Inner:
        rules = replace(self.form.body_rules, footer_lines=self.form.footer_lines if is_last else 0)
        rules = rules if not self._lines else replace(rules, header_line=1)
        inner = cut_lines(data, rules, self.form.separator, self._find_separator)
        self.form = replace(self.form, separator=inner.separator)
        self.notices += inner.notices
        return inner

    def _find_separator(self, data: bytes, given: str | None) -> str:
        # of later blocks, which may be of empty lines, it is known
        return given if self._lines and given else find_separator(data, given, path=self.path)

    def _tidy(self, cells: pl.DataFrame, start: int, *, is_last: bool) -> pl.DataFrame:
        """Return the lines of a block that are data, as they are found when the file is read at once."""
        rules = replace(self.form.body_rules, footer_lines=self.form.footer_lines if is_last else 0)
        if not rules.left_out:
            return cells
        cells.columns = [f"column_{place + 1}" for place in range(cells.width)]
        lines = np.arange(start + 1, start + 1 + cells.height, dtype=np.int64)
        if self._first is None:
            body = find_body(cells, lines, rules)
            self._first, self._empty = body.cells[:1], body.empty
            self.notices += body.notices
            return body.cells
        cells = self._drop_empty(cells)
        named = self._header is not False
        rules = replace(rules, header=named, header_line=0, header_lines=1)
        whole = pl.concat([self._first, cells]) if named else cells
        body = find_body(whole, np.concatenate([[start], lines]) if named else lines, rules)
        self.notices += body.notices
        return body.cells[1:] if named else body.cells

    def _drop_empty(self, cells: pl.DataFrame) -> pl.DataFrame:
        for place in self._empty:
            if bool((cells[:, place].str.strip_chars() != "").any()):
                raise InputError(self.path, Said("column {place} has values, but no name", place=place + 1))
        kept = cells.select([name for place, name in enumerate(cells.columns) if place not in self._empty])
        kept.columns = [f"column_{place + 1}" for place in range(kept.width)]
        return kept

    def _check_lengths(self, data: bytes, separator: str) -> None:
        whole = np.frombuffer(data, dtype=np.uint8)
        if QUOTE in data and not stand_at_ends(whole, ord(separator)):
            raise InputError(self.path, Said("a quotation mark stands inside a cell that is not quoted"))
        starts, cells = _count_cells(whole, ord(separator))
        self._width = self._width or int(cells[0])
        odd = np.flatnonzero(cells != self._width)
        self._count += len(odd)
        for line in odd[: LISTED - len(self._faults)].tolist():
            text = data[starts[line] : starts[line + 1]].decode().removesuffix("\n")
            cell = separator.join(split_rows(text, separator, self.path)[0]) if '"' in text else text
            message = Said(
                "the line has {cells} {cells:cell|cells}, the first line {width}", cells=cells[line], width=self._width
            )
            fault = Fault(row=self._lines + line + 1, column="", rule="columns", value=cell, message=message)
            self._faults.append(fault)
        self._lines += len(cells)


def _tell_last(blocks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Give blocks and whether each is the last; a short one goes with the one before, so that a table ends in it."""
    before = next(blocks, None)
    for block in blocks:
        if before is not None and len(block) < SHORT:
            before += block
            continue
        if before is not None:
            yield before, False
        before = block
    if before is not None:
        yield before, True


def _parse_block(data: bytes, separator: str, path: Path) -> pl.DataFrame:
    try:
        return pl.read_csv(data, separator=separator, has_header=False, infer_schema=False).fill_null("")
    except pl.exceptions.PolarsError as error:
        raise InputError(path, Said("is no table: {error}", error=str(error).splitlines()[0])) from error


def _count_cells(whole: NDArray[np.uint8], mark: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each line starts, with the end of the text, and how many cells each has."""
    ends, marks = whole == ord("\n"), whole == mark
    quotes = whole == ord(QUOTE)
    if quotes.any():
        outside = (np.cumsum(quotes, dtype=np.uint8) & np.uint8(1)) == 0
        ends, marks = ends & outside, marks & outside
    after = np.flatnonzero(ends) + 1
    starts = np.concatenate([[0], after, [] if len(after) and after[-1] == len(whole) else [len(whole)]])
    starts = starts.astype(np.int64)
    return starts, np.diff(np.searchsorted(np.flatnonzero(marks), starts)) + 1


def _cut_blocks(stream: TextIO, path: Path) -> Iterator[bytes]:
    """Give a text in parts that end where a line does."""
    rest = b""
    while text := stream.read(CHARACTERS):
        rest += text.encode()
        last = rest[-1:] if rest.endswith(b"\r") else b""  # of CRLF, perhaps
        rest = settle_quoted_ends(rest.removesuffix(last) if last else rest)
        cut = _find_last_end(rest)
        if cut:
            yield rest[:cut]
        rest = rest[cut:] + last
        if len(rest) > LONGEST:
            raise InputError(
                path,
                Said("more than {longest:,} bytes stand in one line; is a quotation mark left open?", longest=LONGEST),
            )
    if rest:
        yield settle_quoted_ends(rest)


def _find_last_end(data: bytes) -> int:
    """Return the place behind the last line end outside quotation marks; 0 if there is none."""
    if QUOTE not in data:
        return data.rfind(b"\n") + 1
    whole = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(whole == ord("\n"))
    outside = ends[np.searchsorted(np.flatnonzero(whole == ord(QUOTE)), ends) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def find_file_encoding(path: Path, encoding: str | None) -> str:
    """Return the encoding of a text: the given one, else the one that its first bytes beyond ASCII show.

    Raises:
        InputError: the file is missing, is no text, or is not in its encoding.
    """
    try:
        wanted = encoding or find_encoding(_read_telling_bytes(path))
        if not name_readable(wanted):
            check_encoding(wanted)
            with path.open("rb") as stream:
                if stream.read(2) in {b"\xff\xfe", b"\xfe\xff"}:
                    raise EncodingError(path, Said("is UTF-16; save it as UTF-8"))
            _refuse_nul(path)
        line = find_undecodable_line(path, wanted)
        if not line:
            return wanted
        is_japanese = wanted.lower() in {"cp932", "shift_jis"}
        reads_as_cp932 = not is_japanese and not find_undecodable_line(path, "cp932")
    except FileNotFoundError as error:
        raise MissingFileError(path) from error
    except OSError as error:
        raise InputError(path, say_failure(error, Said("cannot be read"))) from error
    raise _name_encoding(path, wanted, line, reads_as_cp932=reads_as_cp932)


def _read_telling_bytes(path: Path) -> bytes:
    """Return the first part of a file, whole lines of it, that is not all ASCII; a file that is ends with its first."""
    with path.open("rb") as stream:
        first = part = stream.read(PROBE)
        while part and part.isascii():
            part = stream.read(PROBE)
            rest = part[part.find(b"\n") + 1 :] if first else part
            part = rest or part
        chosen = part or first
        return chosen if len(chosen) < PROBE else chosen[: chosen.rfind(b"\n") + 1] or chosen


def _name_encoding(path: Path, encoding: str, line: int, *, reads_as_cp932: bool) -> EncodingError:
    return EncodingError(path, say_encoding(encoding, line, reads_as_cp932=reads_as_cp932))


def _refuse_nul(path: Path) -> None:
    lines = 0
    with path.open("rb") as stream:
        while part := stream.read(PROBE):
            place = part.find(b"\x00")
            lines += part.count(b"\n", 0, place if place >= 0 else None)
            if place >= 0:
                raise EncodingError(path, Said("has a NUL byte in line {line}: not a text file", line=lines + 1))


def find_undecodable_line(path: Path, encoding: str) -> int:
    """Return the first line, from 1, that is not in an encoding; 0 if all are."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as stream:
        _skip_mark(stream)
        try:
            while part := stream.read(PROBE):
                decoder.decode(part)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return _find_line_slowly(path, encoding)
    return 0


def _find_line_slowly(path: Path, encoding: str) -> int:
    decoder, line = codecs.getincrementaldecoder(encoding)(), 0
    with path.open("rb") as stream:
        _skip_mark(stream)
        for part in stream:
            line += 1
            try:
                decoder.decode(part)
            except UnicodeDecodeError:
                return line
    return line  # the last one is cut off


def _skip_mark(stream: BinaryIO) -> None:
    if stream.read(len(MARK)) != MARK:
        stream.seek(0)


def _open_text(path: Path, encoding: str) -> TextIO:
    stream = path.open("rb")
    _skip_mark(stream)
    return TextIOWrapper(stream, encoding=encoding, newline="")

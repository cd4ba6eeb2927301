"""CSV files of any make: separator, header and encoding are found out, or given; every cell is text as it stands.

What was found out is reported, so that a wrong guess is seen and can be overruled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.files.separated_rows import CHUNK, QUOTE, check_separator, settle_line_ends, split_rows, stand_at_ends
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.errors import Fault, FaultsError, InputError
from sekisho.words import Said

SEPARATORS = (",", ";", "\t", "|")
PROBED_LINES = 1000
NUL = b"\x00"
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvForm:
    """How a file is written; None is to be found out.

    Attributes:
        separator: between the cells.
        header: whether the first line names the columns.
        encoding: of the text.
        parquet: whether the file is Parquet, which says itself how it is written; the rest is for what is written
            like it.
    """

    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    parquet: bool = False

    def __post_init__(self) -> None:
        if self.separator is not None:
            check_separator(self.separator)

    def __str__(self) -> str:
        if self.parquet:
            return Said("Parquet")
        named = {",": Said("comma"), ";": Said("semicolon"), "\t": Said("tab"), "|": Said("bar")}
        separator = named.get(self.separator or "", repr(self.separator))
        if self.header:
            return Said(
                "separator {separator}, with header, encoding {encoding}", separator=separator, encoding=self.encoding
            )
        return Said(
            "separator {separator}, no header, encoding {encoding}", separator=separator, encoding=self.encoding
        )


def read_csv(path: Path, form: CsvForm) -> tuple[pl.DataFrame, CsvForm]:
    """Return the cells of a CSV file, an empty cell as empty text, and the form it was found in.

    Raises:
        InputError: the file is empty, is no table, or its columns have no distinct names.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    return parse_csv(read_bytes(path), path, form)


def parse_csv(content: bytes, path: Path, form: CsvForm) -> tuple[pl.DataFrame, CsvForm]:
    """Return the cells of the bytes of a CSV file, as ``read_csv`` does; the path is what faults name."""
    if form.encoding in {None, "utf-8"} and content.isascii() and NUL not in content:
        return _parse_cells(path, content, replace(form, encoding="utf-8"))
    text, encoding = detect_and_decode(content, path, encoding=form.encoding)
    return _parse_cells(path, text.encode(), replace(form, encoding=encoding))


def _parse_cells(path: Path, data: bytes, form: CsvForm) -> tuple[pl.DataFrame, CsvForm]:
    """Return the cells of a text, given as its bytes in UTF-8."""
    separator = find_separator(data, path, form)
    data = settle_line_ends(data, separator)
    if not _has_equal_total(data, separator):
        _check_lengths(path, data.decode(), separator)
    try:
        frame = pl.read_csv(data, separator=separator, has_header=False, infer_schema=False, empty_string_is_null=False)
    except pl.exceptions.PolarsError as error:
        _check_lengths(path, data.decode(), separator)
        raise InputError(path, Said("is no table: {error}", error=str(error).splitlines()[0])) from error
    return name_columns(frame, path, replace(form, separator=separator))


def name_columns(frame: pl.DataFrame, path: Path, form: CsvForm) -> tuple[pl.DataFrame, CsvForm]:
    """Return the first cells of a file below their names, which stand in its first row or are numbers, and its form.

    Raises:
        InputError: columns have no distinct names.
    """
    header = has_header(frame) if form.header is None else form.header
    names = list(frame.row(0)) if header else [f"column_{place + 1}" for place in range(frame.width)]
    if len(set(names)) < len(names) or "" in names:
        raise InputError(
            path, Said("needs a distinct name for every column, not {names}", names=", ".join(map(str, names)))
        )
    frame.columns = names
    return frame[1:] if header else frame, replace(form, header=header)


def find_separator(data: bytes, path: Path, form: CsvForm) -> str:
    """Return what stands between the cells of a text: as given, else as its first lines show.

    Raises:
        InputError: the text is empty.
    """
    bare = QUOTED.sub("", data[: 1 << 20].decode(errors="ignore"))
    probe = [line for line in bare.splitlines() if line.strip()][:PROBED_LINES]
    if not probe:
        raise InputError(path, Said("is empty"))
    return form.separator or _choose_separator(probe)


def _choose_separator(probe: Sequence[str]) -> str:
    # The separator that stands equally often, at least once, in the most lines; of several the most frequent.
    def merit(candidate: str) -> tuple[bool, float, int]:
        (often, lines), *_ = Counter(line.count(candidate) for line in probe).most_common(1)
        return often > 0, lines, often

    return max(SEPARATORS, key=merit)


def has_header(frame: pl.DataFrame) -> bool:
    """Tell whether the first row of some cells seems to name the columns."""
    # A name is no number, not doubled, and rarely a value of its own column.
    names = [str(cell) for cell in frame.row(0)]
    if len(set(names)) < len(names) or any(is_numeric(name) for name in names):
        return False
    below = frame[1 : PROBED_LINES + 1]
    repeated = sum(bool((below[:, place] == name).any()) for place, name in enumerate(names))
    return 2 * repeated < len(names)


def is_numeric(text: str) -> bool:
    """Tell whether a text is a number, or nothing at all."""
    try:
        float(text)
    except ValueError:
        return not text
    return True


def _has_equal_total(data: bytes, separator: str) -> bool:
    # Where the separators are as many as equal lines have, a line with too few cells means one with too many, which the
    # reader of the cells refuses.
    whole, mark, end = np.frombuffer(data, dtype=np.uint8), ord(separator), data.find(b"\n")
    first = data if end < 0 else data[:end]
    quoted = QUOTE in data
    if quoted and (QUOTE in first or not stand_at_ends(whole, mark)):
        return False
    lines, marks, opened = int(not data.endswith(b"\n")), 0, 0
    for start in range(0, len(whole), CHUNK):
        part = whole[start : start + CHUNK]
        ends, between = part == ord("\n"), part == mark
        if quoted:
            parity = (np.cumsum(part == ord(QUOTE), dtype=np.uint8) + np.uint8(opened)) & np.uint8(1)
            ends, between, opened = ends & (parity == 0), between & (parity == 0), int(parity[-1])
        lines += int(np.count_nonzero(ends))
        marks += int(np.count_nonzero(between))
    return marks == lines * first.count(separator.encode())


def _check_lengths(path: Path, text: str, separator: str) -> None:
    # Quotes may hold separators and line ends; only files that have any pay for reading them twice.
    if '"' in text:
        rows = split_rows(text, separator, path)
        lines = [separator.join(row) for row in rows]
        cells = np.array([max(1, len(row)) for row in rows])  # an empty line has one cell, as it has without quotes
    else:
        lines = text.removesuffix("\n").split("\n")
        cells = pl.Series(lines, dtype=pl.String).str.count_matches(separator, literal=True).to_numpy() + np.int64(1)
    odd = np.flatnonzero(cells != cells[0])
    if len(odd):
        raise FaultsError(
            path,
            [
                Fault(
                    row=int(row) + 1,
                    column="",
                    rule="columns",
                    value=lines[int(row)],
                    message=Said(
                        "the line has {cells} cells, the first line {width}", cells=cells[row], width=cells[0]
                    ),
                )
                for row in odd
            ],
        )

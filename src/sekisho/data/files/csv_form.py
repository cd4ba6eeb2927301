"""CSV files of any make: separator, header and encoding are found out, or given; every cell is text as it stands.

What was found out is reported, so that a wrong guess is seen and can be overruled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.readers.body_lines import BodyRules, LeftOut, find_body
from sekisho.data.files.readers.outer_lines import cut_lines, parse_irregular
from sekisho.data.files.separated_rows import CHUNK, QUOTE, check_separator, split_rows, stand_at_ends
from sekisho.data.files.whole_files import detect_and_decode
from sekisho.errors import InputError
from sekisho.words import Said

SEPARATORS = (",", ";", "\t", "|")
PROBED_LINES = 1000
NUL, ESCAPE = b"\x00", b"\x1b"
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvForm:
    """How a file is written; None is to be found out.

    Attributes:
        separator: between the cells.
        header: whether the first line names the columns.
        encoding: of the text.
        parquet: whether the file is Parquet, or of a statistics program, which says itself how it is written; the
            rest is for what is written like it.
        header_line: where the header stands, from 1; of a file without one, where the data begin. Of a file that was
            read None is the first line.
        header_lines: how many lines name the columns; None is one.
        footer_lines: how many lines below the data are none; None is none.
        sheet: of a workbook, which one is read.
        left_out: which lines may be left out that are no data.
        program: whose files these are; empty for CSV and Parquet.
    """

    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    parquet: bool = False
    header_line: int | None = None
    header_lines: int | None = None
    footer_lines: int | None = None
    sheet: str | None = None
    left_out: LeftOut = LeftOut.ALL
    program: str = ""

    def __post_init__(self) -> None:
        if self.separator is not None:
            check_separator(self.separator)

    @property
    def body_rules(self) -> BodyRules:
        """What is said of the lines."""
        return BodyRules(
            header=self.header,
            header_line=self.header_line,
            header_lines=self.header_lines,
            footer_lines=self.footer_lines,
            left_out=self.left_out,
        )

    def __str__(self) -> str:
        if self.sheet is not None:
            return Said("{program}, sheet {sheet}", program=self.program, sheet=self.sheet)
        if self.parquet:
            return self.program or Said("Parquet")
        named = {",": Said("comma"), ";": Said("semicolon"), "\t": Said("tab"), "|": Said("bar")}
        separator = named.get(self.separator or "", repr(self.separator))
        if self.header:
            return Said(
                "separator {separator}, with header, encoding {encoding}", separator=separator, encoding=self.encoding
            )
        return Said(
            "separator {separator}, no header, encoding {encoding}", separator=separator, encoding=self.encoding
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainTable:
    """A file as a plain table.

    Attributes:
        frame: its cells: texts, an empty cell as an empty text; of Parquet and files of statistics programs values.
        form: how it was found to be written.
        notices: what was decided in reading it, each a sentence.
        labels: of columns that have a description beside their name.
    """

    frame: pl.DataFrame
    form: CsvForm
    notices: tuple[Said, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


def parse_csv(content: bytes, path: Path, form: CsvForm) -> tuple[pl.DataFrame, CsvForm]:
    """Return the cells of the bytes of a CSV file that was written by us: every line is data or the header.

    Raises:
        InputError: the file is empty, is no table, or its columns have no distinct names.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    table = parse_cells(content, path, replace(form, left_out=LeftOut.NOTHING))
    return name_columns(table.frame, path, replace(table.form, header=form.header))


def parse_cells(content: bytes, path: Path, form: CsvForm) -> PlainTable:
    """Return the cells of the bytes of a CSV file, the first row being its names if it has any; faults name the path.

    Raises:
        InputError: the file is empty, or is no table.
        FaultsError: a line has too few or too many cells; all such lines at once.
    """
    if form.encoding in {None, "utf-8"} and content.isascii() and NUL not in content and ESCAPE not in content:
        return _parse_text(path, content, replace(form, encoding="utf-8"))
    text, encoding = detect_and_decode(content, path, encoding=form.encoding)
    table = _parse_text(path, text.encode(), replace(form, encoding=encoding))
    if form.encoding is None and encoding != "utf-8":
        return replace(table, notices=(Said("read as {encoding}", encoding=encoding), *table.notices))
    return table


def _parse_text(path: Path, data: bytes, form: CsvForm) -> PlainTable:
    """Return the cells of a text, given as its bytes in UTF-8."""
    rules = form.body_rules
    inner = cut_lines(data, rules, form.separator, partial(find_separator, path=path))
    form = replace(form, separator=inner.separator)
    cells = _parse_regular(path, inner.data, inner.separator) if inner.quote == QUOTE.decode() else None
    if cells is None:
        cells, lines, notices = parse_irregular(path, inner, rules)
    else:
        lines, notices = np.arange(inner.above + 1, inner.above + 1 + cells.height, dtype=np.int64), []
    return tidy_table(PlainTable(frame=cells, form=form, notices=(*inner.notices, *notices)), lines, inner.below)


def tidy_table(table: PlainTable, lines: NDArray[np.int64], below: int = 0) -> PlainTable:
    """Return the cells of a table without lines that are no data, as the form says or as they show.

    Args:
        table: all its cells.
        lines: of the file in which they stand.
        below: how many lines below are left out already.
    """
    form, rules = table.form, table.form.body_rules
    if rules.footer_lines is not None:
        rules = replace(rules, footer_lines=max(0, rules.footer_lines - below))
    body = find_body(table.frame, lines, rules)
    line, footers = int(body.lines[0]) if len(body.lines) else 1, body.footer_lines + below
    settled = replace(
        form,
        header_line=line if line > 1 else None,
        header_lines=body.header_lines if body.header_lines > 1 else None,
        footer_lines=footers or None,
    )
    return replace(table, frame=body.cells, form=settled, notices=(*table.notices, *body.notices))


def _parse_regular(path: Path, data: bytes, separator: str) -> pl.DataFrame | None:
    """Return the cells of a text whose lines have as many; None where they have not."""
    if not _has_equal_total(data, separator) and has_ragged_lines(data.decode(), separator, path):
        return None
    try:
        cells = pl.read_csv(data, separator=separator, has_header=False, infer_schema=False).fill_null("")
    except pl.exceptions.PolarsError as error:
        if has_ragged_lines(data.decode(), separator, path):
            return None
        raise InputError(path, Said("is no table: {error}", error=str(error).splitlines()[0])) from error
    cells.columns = [f"column_{place + 1}" for place in range(cells.width)]
    return cells


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


def find_separator(data: bytes, given: str | None, *, path: Path) -> str:
    """Return what stands between the cells of a text: as given, else as its first lines show.

    Raises:
        InputError: the text is empty.
    """
    bare = QUOTED.sub("", data[: 1 << 20].decode(errors="ignore"))
    probe = [line for line in bare.splitlines() if line.strip()][:PROBED_LINES]
    if not probe:
        raise InputError(path, Said("is empty"))
    return given or _choose_separator(probe)


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


def has_ragged_lines(text: str, separator: str, path: Path) -> bool:
    """Tell whether lines have more or fewer cells than the first."""
    # Quotes may hold separators and line ends; only files that have any pay for reading them twice.
    if '"' in text:
        widths = {max(1, len(row)) for row in split_rows(text, separator, path)}
        return len(widths) > 1
    lines = pl.Series(text.removesuffix("\n").split("\n"), dtype=pl.String)
    return lines.str.count_matches(separator, literal=True).n_unique() > 1

"""Lines of a CSV that have other cells than the table: a line that names the separator, titles, notes, empty lines.

They are cut off at the top and at the bottom before the cells are read, so that the table itself is read as fast as one
that stands alone. What is ragged between the data is left out only if it is empty or stands above a repeated header;
else it is a fault.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.readers.body_lines import (
    MOST_TITLES,
    TAIL,
    BodyRules,
    count_filled,
    is_unlike,
    is_value,
    is_worded,
    list_numbers,
    say_lines,
)
from sekisho.data.files.separated_rows import LONGEST, can_separate, settle_line_ends
from sekisho.errors import Fault, FaultsError, InputError
from sekisho.words import Said

SEPARATOR_LINE = re.compile(rb'^"?sep=(.)"?[^\S\n\r]*(?:\r\n|\r|\n)', re.IGNORECASE)
HEAD = 1 << 16
SHOWN = 400
MOST_COLUMNS = 20_000
RULING = re.compile(r"^[\s|+=_-]*[-=_]{3}[\s|+=_-]*$")
QUOTE, APOSTROPHE = '"', "'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """The lines of a text that are a table, and how its cells are separated and quoted.

    Attributes:
        data: the lines, each ending in LF.
        separator: between the cells.
        quote: the mark around cells that hold separators.
        above: how many lines stand above.
        below: how many stand below.
        notices: what is said of them.
    """

    data: bytes
    separator: str
    quote: str = QUOTE
    above: int = 0
    below: int = 0
    notices: tuple[Said, ...] = ()


def cut_lines(data: bytes, rules: BodyRules, separator: str | None, find: Callable[[bytes, str | None], str]) -> Inner:
    """Return the table of a text without the lines around it that have other cells.

    Args:
        data: in UTF-8.
        rules: what is said of its lines.
        separator: if it is said.
        find: finds it out from the text, unless it is given.
    """
    notices, above = list[Said](), 0
    match = SEPARATOR_LINE.match(data) if rules.left_out and rules.header_line != 1 else None
    if match is not None and can_separate(match[1].decode(errors="replace")):
        separator, data, above = separator or match[1].decode(), data[match.end() :], 1
        notices.append(Said("line 1 says what separates the cells: {separator!r}", separator=match[1].decode()))
    separator = find(data, separator)
    quote = _find_quote(data, separator) if rules.left_out else QUOTE
    data = settle_line_ends(data, separator)
    if not rules.left_out:
        return Inner(data=data, separator=separator, quote=quote)
    top = _find_top(data, separator, quote, rules, above)
    if top:
        head = data.split(b"\n", top)
        titles = [
            (above + place + 1, line.decode(errors="replace").strip(separator + " "))
            for place, line in enumerate(head[:top])
        ]
        notices.append(Said("lines left out above the table: {lines}", lines=say_lines(titles)))
        data, above = head[top] if len(head) > top else b"", above + top
    bottom = _find_bottom(data, separator, quote, rules)
    if bottom:
        data, notes = _cut_bottom(data, bottom)
        last = above + data.count(b"\n")
        lines = [(last + place + 1, note.strip(separator + " ")) for place, note in enumerate(notes)]
        if any(note for _, note in lines):
            notices.append(Said("lines left out below the table: {lines}", lines=say_lines(lines)))
    return Inner(data=data, separator=separator, quote=quote, above=above, below=bottom, notices=tuple(notices))


def _find_quote(data: bytes, separator: str) -> str:
    """Return the apostrophe where the first lines have cells between two of them and none between quotation marks."""
    head = data[:HEAD].decode(errors="ignore")
    if QUOTE in head or APOSTROPHE not in head:
        return QUOTE
    mark = re.escape(separator)
    quoted = len(re.findall(rf"(?:^|{mark})'(?:[^']|'')*'(?={mark}|\r|\n|$)", head, re.MULTILINE))
    single = len(re.findall(rf"(?:^|{mark})'", head, re.MULTILINE))
    return APOSTROPHE if quoted > 1 and 10 * quoted >= 9 * single else QUOTE


def _split(text: str, separator: str, quote: str) -> list[tuple[list[str], int]]:
    """Return the cells of the lines of a text, and the line in which each row ends."""
    reader = csv.reader(StringIO(text, newline="\n"), delimiter=separator, quotechar=quote)
    rows = list[tuple[list[str], int]]()
    try:
        for row in reader:
            rows.append((row, reader.line_num))
    except csv.Error:
        return rows
    return rows


def _find_top(data: bytes, separator: str, quote: str, rules: BodyRules, above: int) -> int:
    """Return how many lines above the table have other cells than it."""
    if rules.header_line is not None:
        return max(0, min(rules.header_line - 1 - above, data.count(b"\n")))
    head = data[:HEAD]
    rows = _split(head[: head.rfind(b"\n") + 1 or len(head)].decode(errors="replace"), separator, quote)
    width = find_width([row for row, _ in rows])
    place = 0
    while place < len(rows) and len(rows[place][0]) != width and _is_prose(rows[place][0], width):
        place += 1
    if not 0 < place <= MOST_TITLES or place >= len(rows) - 1 or width < 2:
        return 0
    names, under = rows[place][0], rows[place + 1][0]
    is_table = (len(under) == width or is_ruling(under)) and len(names) in {width - 1, width}
    empty = all(not count_filled(row) for row, _ in rows[:place])
    fits = empty or rules.header is False or not any(map(is_value, names))
    return rows[place - 1][1] if is_table and fits else 0


def _is_prose(row: Sequence[str], width: int) -> bool:
    """Tell whether a line is a title or a remark: few cells, a mark before it, or blanks after what separates."""
    if count_filled(row) <= max(1, width // 3):
        return True
    return row[0].startswith(("#", "//")) or any(cell.startswith(" ") and len(cell) > 1 for cell in row[1:])


def is_ruling(row: Sequence[str] | None) -> bool:
    """Tell whether a line is drawn between others, of dashes."""
    return row is not None and RULING.match("".join(row)) is not None


def find_width(rows: Sequence[Sequence[str]]) -> int:
    """Return how many cells most lines have, those of one cell aside."""
    widths = Counter(len(row) for row in rows if len(row) > 1)
    return widths.most_common(1)[0][0] if widths else 1


def _find_bottom(data: bytes, separator: str, quote: str, rules: BodyRules) -> int:
    """Return how many lines below the table have other cells than it."""
    if rules.footer_lines == 0:
        return 0
    tail = data[-HEAD:]
    texts = tail.decode(errors="replace").removesuffix("\n").split("\n")[1 if len(data) > HEAD else 0 :][-SHOWN:]
    rows = [_split(line, separator, quote)[0][0] if line and line.count(quote) % 2 == 0 else None for line in texts]
    width = find_width([row for row in rows if row is not None])
    if width < 2:
        return 0
    full = [row for row in rows if row is not None and len(row) == width][:SHOWN]
    count = 0
    for line, row in zip(reversed(texts[1:]), reversed(rows[1:]), strict=True):
        if count == TAIL or (line.strip() and not is_ruling(row) and not _is_note(row, full, width)):
            break
        count += 1
    return count if rules.footer_lines is None else min(count, rules.footer_lines)


def _is_note(row: Sequence[str] | None, full: Sequence[Sequence[str]], width: int) -> bool:
    """Tell whether a line has one cell that is written like none of the first column; a line cut short is no note."""
    if row is None or len(row) >= width or count_filled(row) != 1 or len(full) < 2:
        return False
    text = next(cell for cell in row if cell.strip())
    place = next(place for place, cell in enumerate(row) if cell.strip())
    return is_worded(text) and is_unlike(text, pl.Series([cells[place] for cells in full[1:]], dtype=pl.String))


def _cut_bottom(data: bytes, count: int) -> tuple[bytes, list[str]]:
    body = data.removesuffix(b"\n")
    parts = body.rsplit(b"\n", count)
    return parts[0] + b"\n", [part.decode(errors="replace") for part in parts[1:]]


def parse_irregular(path: Path, inner: Inner, rules: BodyRules) -> tuple[pl.DataFrame, NDArray[np.int64], list[Said]]:
    """Return the cells of lines that have not as many, the lines in which they stand, and what was left out.

    Raises:
        FaultsError: lines have too few or too many cells; all of them at once.
    """
    rows, ends = _split_all(path, inner)
    if not rows:
        raise InputError(path, Said("is empty"))
    width = len(rows[0]) if rows[0] else 1
    notices = list[Said]()
    kept = np.ones(len(rows), dtype=np.bool_)
    if rules.left_out:
        width = _trim_ends(rows, width, notices)
        kept = _drop_between(rows, ends, notices)
    _raise_ragged(path, rows, np.flatnonzero(kept), width, inner)
    chosen = [rows[place] for place in np.flatnonzero(kept)]
    cells = pl.DataFrame(chosen, schema={f"column_{place + 1}": pl.String() for place in range(width)}, orient="row")
    return cells, ends[kept], notices


def _split_all(path: Path, inner: Inner) -> tuple[list[list[str]], NDArray[np.int64]]:
    lines = csv.reader(StringIO(inner.data.decode(), newline="\n"), delimiter=inner.separator, quotechar=inner.quote)
    rows, ends = list[list[str]](), list[int]()
    try:
        for row in lines:
            rows.append(row)
            ends.append(lines.line_num)
    except csv.Error as error:
        message = Said("a cell has more than {longest:,} characters; is a quotation mark left open?", longest=LONGEST)
        fault = Fault(row=lines.line_num, column="", rule="length", value=str(LONGEST), message=message)
        raise FaultsError(path, [fault]) from error
    starts = np.array([0, *ends[:-1]], dtype=np.int64)[: len(ends)]
    return rows, starts + inner.above + 1


def _trim_ends(rows: list[list[str]], width: int, notices: list[Said]) -> int:
    """Take separators at the ends of lines away where the lines hold nothing behind them; return the width."""
    long = [place for place, row in enumerate(rows) if len(row) > width]
    if long and all(not any(cell.strip() for cell in rows[place][width:]) for place in long):
        for place in long:
            del rows[place][width:]
        notices.append(
            Said("{count:,} {count:line ends|lines end} in separators with nothing behind them", count=len(long))
        )
    return width


def _drop_between(rows: Sequence[list[str]], ends: NDArray[np.int64], notices: list[Said]) -> NDArray[np.bool_]:
    """Tell which lines are not empty, and no title of a page above a repeated header."""
    width = len(rows[0])
    kept = np.array(
        [len(row) == width > 1 or (count_filled(row) > 0 and not is_ruling(row)) for row in rows], dtype=np.bool_
    )
    for place in (place for place, row in enumerate(rows) if place and row == rows[0]):
        above = place - 1
        while above > 0 and len(rows[above]) < len(rows[0]) and count_filled(rows[above]) <= 1:
            kept[above] = False
            above -= 1
    if not kept.all():
        lines = list_numbers(ends[~kept].tolist())
        notices.append(Said("empty lines and titles of pages left out: {lines}", lines=lines))
    return kept


def _raise_ragged(
    path: Path, rows: Sequence[Sequence[str]], places: NDArray[np.intp], width: int, inner: Inner
) -> None:
    if width > MOST_COLUMNS:
        raise InputError(
            path, Said("has {columns:,} columns; the limit is {limit:,}", columns=width, limit=MOST_COLUMNS)
        )
    odd = [int(place) for place in places if max(1, len(rows[place])) != width]
    if odd:
        faults = [
            Fault(
                row=place + 1 + inner.above,
                column="",
                rule="columns",
                value=inner.separator.join(rows[place]),
                message=Said(
                    "the line has {cells} {cells:cell|cells}, the first line {width}",
                    cells=max(1, len(rows[place])),
                    width=width,
                ),
            )
            for place in odd
        ]
        raise FaultsError(path, faults)

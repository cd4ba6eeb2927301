"""Lines of separated cells in a text, quotes kept: what trees, groupings and the files of other programs are made of.

Lines end in LF, CRLF or CR; within quotation marks these are part of a cell and stay as they are. A separator is one
ASCII character that is neither a quotation mark nor a line end.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.words import Said

QUOTE = b'"'
CHUNK = 1 << 18
"""So many bytes are looked at together: they stay in the cache of a processor."""
LONGEST = csv.field_size_limit()
"""So many characters a cell may have: no code is longer, and an unclosed quote swallows the rest of a file."""


def check_separator(separator: str, name: str = "separator") -> None:
    """Refuse what cannot stand between cells."""
    if not can_separate(separator):
        raise ParameterError(
            name,
            Said("be one ASCII character, no quotation mark, line end or NUL"),
            separator,
            hint=Said("such as , ; or a tab"),
        )


def can_separate(separator: str) -> bool:
    """Tell whether a text can stand between cells."""
    return len(separator) == 1 and separator.isascii() and separator not in '"\r\n\0'


def settle_line_ends(data: bytes, separator: str, *, trim: bool = False) -> bytes:
    """Return a text whose lines end in LF; a cell in quotation marks keeps the line ends that it holds.

    Args:
        data: in an encoding in which ASCII is itself.
        separator: between the cells.
        trim: whether blanks may stand before the quotation mark that opens a cell.
    """
    settled = settle_quoted_ends(data)
    plain = b"\r" not in data or QUOTE not in data
    if plain or stand_at_ends(np.frombuffer(settled, dtype=np.uint8), ord(separator)):
        return settled
    # Some quotation mark is none that opens or closes a cell: then the cells must be followed one by one.
    around = re.escape(separator).encode() + rb"\r\n"
    opened = rb"(?:\A|(?<=[" + around + rb"]))" + (b" *" if trim else b"")
    return re.sub(opened + rb'"(?:[^"]|"")*"?|\r\n?', _keep_quoted, data)


def _keep_quoted(match: re.Match[bytes]) -> bytes:
    return match[0] if QUOTE in match[0] else b"\n"


def settle_quoted_ends(data: bytes) -> bytes:
    """Return a text whose lines end in LF, where every quotation mark opens a cell, closes it, or is doubled."""
    if b"\r" not in data:
        return data
    if QUOTE not in data:
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    whole = np.frombuffer(data, dtype=np.uint8)
    returns = find_bytes(whole, ord("\r"))
    returns = returns[np.searchsorted(find_bytes(whole, ord(QUOTE)), returns) % 2 == 0]
    followed = whole[np.minimum(returns + 1, len(whole) - 1)] == ord("\n")
    settled = whole.copy()
    settled[returns[~followed]] = ord("\n")
    return np.delete(settled, returns[followed]).tobytes()


def find_bytes(whole: NDArray[np.uint8], byte: int) -> NDArray[np.intp]:
    """Return where a byte stands; a part that fits the cache is looked at at a time."""
    parts = [np.flatnonzero(whole[start : start + CHUNK] == byte) + start for start in range(0, len(whole), CHUNK)]
    return np.concatenate([*parts, np.zeros(0, dtype=np.intp)])


def stand_at_ends(whole: NDArray[np.uint8], mark: int) -> bool:
    """Tell whether every quotation mark of a text opens a cell, closes it, or is one of two that mean one."""
    places = find_bytes(whole, ord(QUOTE))
    around = np.array([mark, ord("\n"), ord(QUOTE)], dtype=np.uint8)
    before, after = places[::2] - 1, places[1::2] + 1
    inner = after[after < len(whole)]
    return (
        len(before) == len(after)
        and bool(np.isin(whole[before[before >= 0]], around).all())
        and bool(np.isin(whole[inner], around).all())
    )


def split_rows(text: str, separator: str, source: object, *, trim: bool = False) -> Sequence[list[str]]:
    """Return the cells of each line; to ``trim`` is to drop what is blank before a cell, so that its quotes are seen.

    Raises:
        ParameterError: the separator is none.
        FaultsError: a cell is too long.
    """
    check_separator(separator)
    settled = settle_line_ends(text.encode(), separator, trim=trim).decode()
    lines = csv.reader(StringIO(settled, newline="\n"), delimiter=separator, skipinitialspace=trim)
    try:
        return list(lines)
    except csv.Error as error:
        message = Said("a cell has more than {longest:,} characters; is a quotation mark left open?", longest=LONGEST)
        raise FaultsError(
            source, [Fault(row=lines.line_num, column="", rule="length", value=str(LONGEST), message=message)]
        ) from error

"""Lines of separated cells in a text, quotes kept: what trees, groupings and the files of other programs are made of.

Lines end in LF, CRLF or CR. A separator is one ASCII character that is neither a quotation mark nor a line end.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO

from sekisho.errors import Fault, FaultsError, ParameterError

LONGEST = csv.field_size_limit()
"""So many characters a cell may have: no code is longer, and an unclosed quote swallows the rest of a file."""


def check_separator(separator: str, name: str = "separator") -> None:
    """Refuse what cannot stand between cells."""
    if not can_separate(separator):
        raise ParameterError(
            name, "be one ASCII character, no quotation mark, line end or NUL", separator, hint="such as , ; or a tab"
        )


def can_separate(separator: str) -> bool:
    """Tell whether a text can stand between cells."""
    return len(separator) == 1 and separator.isascii() and separator not in '"\r\n\0'


def normalise_line_ends(text: str) -> str:
    """Return a text whose lines end in LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_rows(text: str, separator: str, source: object, *, trim: bool = False) -> Sequence[list[str]]:
    """Return the cells of each line; to ``trim`` is to drop what is blank before a cell, so that its quotes are seen.

    Raises:
        ParameterError: the separator is none.
        FaultsError: a cell is too long.
    """
    check_separator(separator)
    lines = csv.reader(StringIO(normalise_line_ends(text)), delimiter=separator, skipinitialspace=trim)
    try:
        return list(lines)
    except csv.Error as error:
        message = f"a cell has more than {LONGEST:,} characters; is a quotation mark left open?"
        raise FaultsError(
            source, [Fault(row=lines.line_num, column="", rule="length", value=str(LONGEST), message=message)]
        ) from error

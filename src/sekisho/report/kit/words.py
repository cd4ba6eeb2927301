"""Words in two languages, how wide they stand in a terminal, and numbers written for people."""

from __future__ import annotations

import unicodedata
from typing import TypeAlias

from sekisho.words import Said

# Characters that may not open a line (the short list of JIS X 4051's line-breaking rules).
CLOSING = frozenset("、。，．・：；？！）」』】〕〉》ーっゃゅょァィゥェォッャュョ%,.;:!?)]")


Words: TypeAlias = str
"""Words to print: a sentence of ours (:class:`sekisho.words.Said`), or data (a name, a number), told as they are."""


def format_count(number: int) -> str:
    """Return a whole number with its thousands set off."""
    return f"{number:,}"


def format_percent(share: float) -> str:
    """Return a share as a percentage: one decimal below 10 %, none above.

    A share that is not 0 or 1 never reads as such.
    """
    value = 100.0 * share
    if 0.0 < value < 0.05:
        return "<0.1%"
    if 99.5 <= value < 100.0:
        return ">99%"
    return f"{value:.1f}%" if 0.0 < value < 9.95 else f"{value:.0f}%"


def format_out_of(part: int, whole: int) -> Said:
    """Return a count of a whole, the count first: ``412 of 1,000 (41%)``."""
    share = f" ({format_percent(part / whole)})" if whole else ""
    return Said("{part:,} of {whole:,}{share}", part=part, whole=whole, share=share)


def format_decimal(value: float, digits: int = 3) -> str:
    """Return a number with so many decimals, never ``-0.000``."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes: full-width characters two, combining marks none."""
    return sum(_character_columns(character) for character in text)


def _character_columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad_text(text: str, width: int, *, right: bool = False) -> str:
    """Return a text filled with spaces to a display width; ``right`` sets it flush right."""
    space = " " * max(0, width - display_width(text))
    return space + text if right else text + space


def wrap_text(text: str, width: int) -> list[str]:
    """Return a text broken into lines of at most a display width.

    Lines break at spaces and beside full-width characters, never before closing punctuation; a longer word stands over.
    """
    lines, line = [], ""
    for piece in _split_pieces(text):
        if line.strip() and display_width(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _split_pieces(text: str) -> list[str]:
    """Return the parts of a text that must not be broken."""
    pieces: list[str] = []
    for character in text:
        last = pieces[-1] if pieces else ""
        glued = last and (
            character in CLOSING
            or character.isspace()
            or (_character_columns(character) < 2 and _character_columns(last[-1]) < 2 and not last[-1].isspace())
        )
        if glued:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces

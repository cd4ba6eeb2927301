"""A-priori files (``.hst``): what is known of single cells before suppression begins.

Each line has the cell's codes and a letter: ``S`` safe, ``U`` unsafe, ``P`` protected (must be published), ``M``
suppressed already, ``C`` with a cost, ``PL`` with a lower and an upper protection level. A cell may have several lines.

Source: τ-ARGUS manual 4.1, section 5.6. The sliding level has no place in the format and is not written.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from math import inf

import numpy as np

from sekisho.data.files.separated_rows import split_rows
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.margins import is_margin
from sekisho.tables.model.table import Floats, Key, Status, Table
from sekisho.tables.rules.primary import usual_levels
from sekisho.words import Said

LETTERS = {"S": Status.SAFE, "U": Status.PRIMARY, "P": Status.PUBLISH, "M": Status.SECONDARY}
NUMBERS = {"C": (1, 1), "PL": (1, 2)}
REMARK = "//"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One line: a cell, a letter, and its numbers."""

    row: int
    key: Key
    letter: str
    numbers: tuple[float, ...]


def apply_hst(
    table: Table,
    text: str,
    *,
    separator: str | None = None,
    margin: Fraction | None = None,
    width: float | None = None,
    source: object = "a-priori file",
) -> Table:
    """Return the table changed as an a-priori file says.

    Args:
        table: the table.
        text: of the file.
        separator: between the fields; found if not told.
        margin: the protection level of a cell made unsafe without one (or with ``PL`` 0), in per cent of its value.
        width: the same as a width; if neither is said, counts need 10 and sums a margin of 20 % (τ-ARGUS' manual safety
            range).
        source: to be named in faults.

    Raises:
        FaultsError: unknown cells or letters, numbers that are none, a protected cell made unsafe or the reverse; all
            at once.
    """
    faults: list[Fault] = []
    mark = separator or next((mark for mark in ";\t," if mark in text), ",")
    notes = _notes(split_rows(text, mark, source), mark, table, faults)
    status, weight = table.status.copy(), table.weight.copy()
    lower, upper, sliding = table.lower_level.copy(), table.upper_level.copy(), table.sliding_level.copy()
    for note in notes:
        at = table.position[note.key]
        if note.letter == "C":
            weight[at] = note.numbers[0]
        elif note.letter == "PL":
            lower[at], upper[at] = note.numbers[0], note.numbers[-1]
        else:
            _change(status, at, note, faults)
    given = {note.key for note in notes if note.letter == "PL" and max(note.numbers) >= LEAST}
    usual = usual_levels(table, width=width, margin=margin)
    for note in notes:
        if note.letter == "U" and note.key not in given:
            at = table.position[note.key]
            lower[at] = max(lower[at], usual.lower[at])
            upper[at] = max(upper[at], usual.upper[at])
            sliding[at] = max(sliding[at], usual.sliding[at])
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda fault: fault.row))
    return replace(table, weight=weight).mark_cells(status, lower=lower, upper=upper, sliding=sliding)


def hst_text(table: Table, *, separator: str = ";") -> str:
    """Return what is special about a table's cells as an a-priori file.

    Statuses other than safe, costs other than 1, levels.

    Raises:
        ParameterError: a first code begins with ``//``, which is a remark in such a file.
    """
    remarks = [key[0] for key in table.keys if key[0].startswith(REMARK)]
    if remarks:
        raise ParameterError(
            "OUT", Said("be another file for codes that begin with {remark}, a remark there", remark=REMARK), remarks[0]
        )
    out = StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    letters = {status: letter for letter, status in LETTERS.items()}
    special = ((table.status != Status.SAFE) | (table.weight != 1)) & ~table.unpublished
    for at in np.flatnonzero(special):
        key, code = table.keys[at], Status(table.status[at])
        if code is not Status.SAFE:
            writer.writerow([*key, letters[code]])
        if code is Status.PRIMARY and max(table.lower_level[at], table.upper_level[at]) > 0:
            writer.writerow([*key, "PL", _plain(table.lower_level[at]), _plain(table.upper_level[at])])
        if table.weight[at] != 1:
            writer.writerow([*key, "C", _plain(table.weight[at])])
    return out.getvalue()


def _notes(rows: Iterable[list[str]], separator: str, table: Table, faults: list[Fault]) -> list[Note]:
    notes: list[Note] = []
    width = len(table.dims)
    known = [frozenset(column) for column in zip(*table.keys, strict=True)]
    for row, fields in enumerate(rows, start=1):
        parts = [part.strip() for part in fields]
        if not any(parts) or parts[0].startswith(REMARK):
            continue
        key = tuple(
            margin if is_margin(code, codes) else code
            for code, codes, margin in zip(parts[:width], known, table.margins, strict=False)
        )
        letter, said = parts[width].upper() if len(parts) > width else "", parts[width + 1 :]

        def wrong(rule: str, value: str, message: Said, row: int = row) -> None:
            faults.append(Fault(row=row, column="", rule=rule, value=value, message=message))

        if key not in table.position:
            wrong("cell", separator.join(parts), Said("there is no cell {key}", key=", ".join(key)))
        elif letter not in LETTERS and letter not in NUMBERS:
            wrong(
                "letter",
                letter,
                Said("{letter!r} is none of {letters}", letter=letter, letters=", ".join([*LETTERS, *NUMBERS])),
            )
        else:
            numbers = _numbers(said, NUMBERS.get(letter, (0, 0)), letter, wrong)
            if numbers is not None:
                notes.append(Note(row=row, key=key, letter=letter, numbers=numbers))
    return notes


def _numbers(
    said: list[str], few: tuple[int, int], letter: str, wrong: Callable[[str, str, Said], None]
) -> tuple[float, ...] | None:
    said = [part for part in said if part]
    try:
        numbers = tuple(float(part) for part in said)
    except ValueError:
        numbers = (-1.0,)
    if not few[0] <= len(said) <= few[1] or any(not 0 <= number < inf for number in numbers):
        wrong(
            "number",
            ",".join(said),
            Said("{letter} takes {few} to {many} numbers of at least 0", letter=letter, few=few[0], many=few[1]),
        )
        return None
    return numbers


def _change(status: np.ndarray[tuple[int], np.dtype[np.int8]], at: int, note: Note, faults: list[Fault]) -> None:
    """Change a cell's status; an unsafe cell cannot become protected, nor a protected one unsafe."""
    before, after = Status(status[at]), LETTERS[note.letter]
    if {before, after} == {Status.PRIMARY, Status.PUBLISH}:
        message = Said(
            "the cell {key} is {before_word} and cannot become {after_word}",
            key=", ".join(note.key),
            before_word=before.word,
            after_word=after.word,
        )
        faults.append(Fault(row=note.row, column="", rule="status", value=note.letter, message=message))
        return
    status[at] = after


def _plain(number: float | Floats) -> str:
    value = float(number)
    return str(int(value)) if value == int(value) else repr(value)

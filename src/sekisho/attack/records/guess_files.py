"""Files of attacks on records, checked and read.

A guess E has one line per record of the test set: three rows of D, or -1 throughout for "not a member".
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from sekisho.attack.guess import Guess
from sekisho.data.files.fault_notes import CELL
from sekisho.data.records.files import note_low, read_numbers
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said


def read_guess(path: Path, rules: RecordTerms, *, records: int, rows: int | None = None) -> Guess:
    """Return E.

    Args:
        path: the file.
        rules: the terms.
        records: how many records the test set has.
        rows: how many rows D has; None if nobody knows here.
    """
    names = tuple(f"answer {i}" for i in range(1, rules.test.answers + 1))
    sheet, numbers = read_numbers(path, names, rules.layout.sheet, expected=records)
    if len(sheet) != records and not sheet.is_cut:
        message = Said("the file has {sheet} rows, the test set {records}", sheet=len(sheet), records=records)
        sheet.notes.note_file("rows", len(sheet), message)
    for place, name in enumerate(names):
        note_low(sheet, numbers[:, place : place + 1], name, -1)
        if rows is not None:
            high = numbers[:, place] >= rows
            sheet.notes.note(
                high,
                name,
                "range",
                sheet.cells[name],
                Said("{value} is not a released row: there are {rows}", value=CELL, rows=rows),
            )
    out = numbers == -1
    mixed = (out.any(axis=1) != out.all(axis=1)) & np.logical_and.reduce([sheet.notes.is_fine(name) for name in names])
    sheet.notes.note(
        mixed,
        "",
        "mixture",
        sheet.cells.select(pl.concat_str(pl.all(), separator=rules.layout.sheet.separator)).to_series(),
        Said("{value} mixes -1 with rows: a non-member has -1 throughout", value=CELL),
    )
    sheet.notes.raise_faults()
    return Guess.of_rows(numbers)

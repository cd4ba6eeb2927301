"""One mistake is told once per row and column, wherever it was found first."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sekisho.data.files.fault_notes import CELL, COUNT, FaultNotes
from sekisho.errors import FaultsError
from sekisho.words import Said

ODD = Said("{value} is not a whole number", value=CELL)
CELLS = Said("the line has {count} {count:cell|cells}, not {columns}: {value}", count=COUNT, columns=7, value=CELL)


def test_what_is_told_of_a_text_is_told_of_each_row_that_holds_it_and_has_no_fault_yet() -> None:
    notes, told = FaultNotes("file", 4), FaultNotes("file", 2)
    notes.bad["a"] = np.array([True, False, False, False])
    told.note(np.array([False, True]), "a", "odd", pl.Series(["x", "y"]), ODD)
    notes.note_texts(told, "a", np.array([1, 0, 1, 1]))
    assert [(fault.row, fault.value, fault.message) for fault in notes.faults] == [
        (3, "y", "'y' is not a whole number"),
        (4, "y", "'y' is not a whole number"),
    ]
    assert notes.is_fine("a").tolist() == [False, True, False, False]


def test_an_empty_mask_notes_nothing() -> None:
    notes = FaultNotes("file", 2)
    notes.note(np.zeros(2, dtype=np.bool_), "a", "odd", pl.Series(["x", "y"]), ODD)
    assert notes.is_fine("a").all()
    assert not notes.faults


def test_faults_beyond_the_list_are_counted_and_the_first_rows_are_told() -> None:
    notes, rows = FaultNotes("file", 5000), np.arange(5000)
    text = pl.Series(rows.astype(str))
    notes.note(rows >= 100, "a", "late", text, ODD)
    notes.note(rows % 2 == 0, "b", "even", text, CELLS, rows + 1)
    notes.note_file("rows", 5000, Said("is empty"))
    with pytest.raises(FaultsError, match="and 7,396 more") as caught:
        notes.raise_faults()
    assert caught.value.count == 1 + 4900 + 2500
    told = caught.value.faults
    assert len(told) == 1000
    # the file's, 50 even rows below 100, then of each pair of rows three faults: 949 more are 316 pairs and one
    assert told[0].rule == "rows"
    assert told[1].message == "the line has 1 cell, not 7: '0'"
    assert (told[-1].row, told[-1].column) == (733, "a")
    assert [fault.row for fault in told] == sorted(fault.row for fault in told)


def test_what_is_spread_is_counted_too() -> None:
    notes, told = FaultNotes("file", 3000), FaultNotes("file", 3000)
    told.note(np.ones(3000, dtype=np.bool_), "a", "odd", pl.Series(map(str, range(3000))), ODD)
    notes.note_texts(told, "a", np.arange(3000)[::-1].copy())
    assert (notes.count, len(notes.faults)) == (3000, 1000)
    assert (notes.faults[0].row, notes.faults[0].value) == (1, "2999")

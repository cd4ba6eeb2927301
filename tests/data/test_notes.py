"""One mistake is told once per row and column, wherever it was found first."""

from __future__ import annotations

import numpy as np
import polars as pl

from sekisho.data.notes import Notes


def test_what_is_told_of_a_text_is_told_of_each_row_that_holds_it_and_has_no_fault_yet() -> None:
    notes, told = Notes("file", 4), Notes("file", 2)
    notes.bad["a"] = np.array([True, False, False, False])
    told.note(np.array([False, True]), "a", "odd", pl.Series(["x", "y"]), "{value} is odd")
    notes.spread(told, "a", np.array([1, 0, 1, 1]))
    assert [(fault.row, fault.value, fault.message) for fault in notes.faults] == [
        (3, "y", "'y' is odd"),
        (4, "y", "'y' is odd"),
    ]
    assert notes.fine("a").tolist() == [False, True, False, False]


def test_an_empty_mask_notes_nothing() -> None:
    notes = Notes("file", 2)
    notes.note(np.zeros(2, dtype=np.bool_), "a", "odd", pl.Series(["x", "y"]), "{value} is odd")
    assert notes.fine("a").all()
    assert not notes.faults

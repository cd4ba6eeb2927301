"""Notes of what is wrong with a file, taken column by column and reported row by row.

A note holds its rows as an array; messages are only written for the rows that are reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import LISTED, Fault, FaultsError
from sekisho.words import Said

SHOWN_CHARACTERS = 60
CELL: Final = "{value}"
"""In a note's message: the text of the cell that it is about."""
COUNT: Final = "{count}"
"""In a note's message: the row's number among the counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultNote:
    """One fault of many rows.

    Attributes:
        rows: the rows, from 0, ascending.
        places: where in the text each row's value stands.
        message: what is said; ``CELL`` among its figures is the text, ``COUNT`` the row's number in ``counts``.
        counts: a number by place, where the message has one.
    """

    rows: NDArray[np.intp]
    places: NDArray[np.intp]
    column: str
    rule: str
    text: pl.Series
    message: Said
    counts: NDArray[np.int64] | None = None

    def faults(self) -> Iterator[Fault]:
        """Yield the faults of the first rows."""
        places = self.places[:LISTED]
        for row, place, value in zip(
            self.rows.tolist(), places.tolist(), self.text.gather(places).to_list(), strict=False
        ):
            shown = value if len(value) <= SHOWN_CHARACTERS else value[:SHOWN_CHARACTERS] + "…"
            count = 0 if self.counts is None else int(self.counts[place])
            message = self._fill(repr(shown), count)
            yield Fault(row=row + 1, column=self.column, rule=self.rule, value=shown, message=message)

    def _fill(self, value: str, count: int) -> Said:
        figures = {CELL: value, COUNT: count}
        open_holes = {name: figures[mark] for name, mark in self.message.figures.items() if mark in (CELL, COUNT)}
        return self.message.fill(**open_holes) if open_holes else self.message


@dataclass(slots=True)
class FaultNotes:
    """Everything found wrong with one file so far.

    Attributes:
        source: the file, as messages name it.
        rows: how many rows are looked at.
        bad: by column, which rows already have a fault there, so that one mistake is reported once.
    """

    source: str
    rows: int
    bad: dict[str, NDArray[np.bool_]] = field(default_factory=dict[str, NDArray[np.bool_]])
    of_file: list[Fault] = field(default_factory=list[Fault])
    of_rows: list[FaultNote] = field(default_factory=list[FaultNote])

    def note(
        self,
        mask: NDArray[np.bool_],
        column: str,
        rule: str,
        text: pl.Series,
        message: Said,
        counts: NDArray[np.int64] | None = None,
    ) -> None:
        """Note one fault per row under the mask that has none in this column yet.

        ``CELL`` among the figures of the message is the cell's text.
        """
        rows = self._claim_rows(mask, column)
        if rows.size:
            self.of_rows.append(
                FaultNote(rows=rows, places=rows, column=column, rule=rule, text=text, message=message, counts=counts)
            )

    def note_texts(self, text_notes: FaultNotes, column: str, place: NDArray[np.intp]) -> None:
        """Note the faults of a column's distinct texts at each row that holds such a text.

        Row i holds text ``place[i]``.
        """
        for note in text_notes.of_rows:
            faulty = np.zeros(text_notes.rows, dtype=np.bool_)
            faulty[note.rows] = True
            rows = self._claim_rows(faulty[place], column)
            if rows.size:
                self.of_rows.append(
                    FaultNote(
                        rows=rows,
                        places=place[rows],
                        column=column,
                        rule=note.rule,
                        text=note.text,
                        message=note.message,
                        counts=note.counts,
                    )
                )

    def note_file(self, rule: str, value: object, message: Said) -> None:
        """Note a fault of the file as a whole."""
        self.of_file.append(Fault(row=0, column="", rule=rule, value=str(value), message=message))

    def is_fine(self, column: str) -> NDArray[np.bool_]:
        """Tell which rows have no fault in a column."""
        return ~self.bad.get(column, np.zeros(self.rows, dtype=np.bool_))

    @property
    def count(self) -> int:
        """How many faults there are."""
        return len(self.of_file) + sum(len(note.rows) for note in self.of_rows)

    @property
    def faults(self) -> list[Fault]:
        """The first faults in the file's order."""
        faults = [*self.of_file, *(fault for note in self.of_rows for fault in note.faults())]
        return sorted(faults, key=lambda fault: fault.row)[:LISTED]

    def raise_faults(self, *, hint: str = "") -> None:
        """Raise all faults at once, in the file's order, if there are any; the hint is the way out of all of them."""
        raise_faults(self.source, self, hint=hint)

    def _claim_rows(self, mask: NDArray[np.bool_], column: str) -> NDArray[np.intp]:
        """Return the rows under a mask that have no fault in a column yet; from now on they have one."""
        if not mask.any():
            return np.zeros(0, dtype=np.intp)
        faulty = self.bad.setdefault(column, np.zeros(self.rows, dtype=np.bool_))
        rows = np.flatnonzero(mask & ~faulty)
        faulty[rows] = True
        return rows


def raise_faults(source: str, *notes: FaultNotes, hint: str = "") -> None:
    """Raise all faults of files that belong together at once, if there are any."""
    if count := sum(each.count for each in notes):
        faults = sorted((fault for each in notes for fault in each.faults), key=lambda fault: fault.row)
        raise FaultsError(source, faults, count=count, hint=hint)

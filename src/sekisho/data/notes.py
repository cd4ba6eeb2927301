"""Notes of what is wrong with a file, taken column by column and told row by row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError

SHOWN_CHARACTERS = 60


@dataclass(slots=True)
class Notes:
    """Everything found wrong with one file so far.

    Attributes:
        source: the file, as messages name it.
        bad: by column, which rows already have a fault there, so that one mistake is told once.
    """

    source: str
    rows: int
    faults: list[Fault] = field(default_factory=list[Fault])
    bad: dict[str, NDArray[np.bool_]] = field(default_factory=dict[str, NDArray[np.bool_]])

    def note(self, mask: NDArray[np.bool_], column: str, rule: str, text: pl.Series, message: str) -> None:
        """Note one fault per row under the mask that has none in this column yet; ``{value}`` in the message is the cell's text."""
        if not mask.any():
            return
        known = self.bad.setdefault(column, np.zeros(self.rows, dtype=np.bool_))
        rows = np.flatnonzero(mask & ~known)
        known[rows] = True
        for row, value in zip(rows.tolist(), text.gather(rows).to_list(), strict=True):
            shown = value if len(value) <= SHOWN_CHARACTERS else value[:SHOWN_CHARACTERS] + "…"
            told = message.replace("{value}", repr(shown))
            self.faults.append(Fault(row=row + 1, column=column, rule=rule, value=shown, message=told))

    def spread(self, told: Notes, column: str, place: NDArray[np.intp]) -> None:
        """Note what was told of a column's distinct texts at each row that holds such a text; row i holds text ``place[i]``."""
        if not told.faults:
            return
        known = self.bad.setdefault(column, np.zeros(self.rows, dtype=np.bool_))
        rows = np.flatnonzero(~told.fine(column)[place] & ~known)
        known[rows] = True
        faults = {fault.row - 1: fault for fault in told.faults}
        for row, word in zip(rows.tolist(), place[rows].tolist(), strict=True):
            self.faults.append(replace(faults[word], row=row + 1))

    def note_file(self, rule: str, value: object, message: str) -> None:
        """Note a fault of the file as a whole."""
        self.faults.append(Fault(row=0, column="", rule=rule, value=str(value), message=message))

    def fine(self, column: str) -> NDArray[np.bool_]:
        """Tell which rows have no fault in a column."""
        return ~self.bad.get(column, np.zeros(self.rows, dtype=np.bool_))

    def settle(self) -> None:
        """Raise all faults at once, in the file's order, if there are any."""
        if self.faults:
            raise FaultsError(self.source, sorted(self.faults, key=lambda fault: fault.row))

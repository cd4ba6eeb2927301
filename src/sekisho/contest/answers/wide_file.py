"""One file with the answers about all releases side by side: so many columns for each target, in the teams' order.

One's own columns, and those of a team without a release, are left empty. What is wrong with the columns of one target
costs that target alone; a line with too few or too many cells costs the whole file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from sekisho.data.files.fault_notes import FaultNotes
from sekisho.data.files.part_table import PartTable
from sekisho.errors import FaultsError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class WideFile:
    """The form of such a file.

    Attributes:
        targets: the teams, in order.
        part: the form of the answer about one; its columns stand side by side for each target.
    """

    targets: tuple[str, ...]
    part: PartTable

    @property
    def form(self) -> PartTable:
        """The whole file."""
        names = tuple(f"{target} {name}" for target in self.targets for name in self.part.columns)
        rules = {name: replace(self.part.cells.get(name, self.part.others), empty=True) for name in self.part.columns}
        cells = {f"{target} {name}": rule for target in self.targets for name, rule in rules.items()}
        return PartTable(columns=names, rows=self.part.rows, header=False, cells=cells, form=self.part.form)

    def read(self, path: Path) -> dict[str, pl.DataFrame | FaultsError]:
        """Return for each target its answer or what is wrong with it; a target that is left empty is not there.

        Raises:
            InputError: the file cannot be read at all.
            FaultsError: it has other rows or columns than it must have.
        """
        sheet = self.form.note(path)
        whole = [fault for fault in sheet.notes.faults if not fault.column]
        if whole:
            raise FaultsError(path, whole)
        answers: dict[str, pl.DataFrame | FaultsError] = {}
        for target in self.targets:
            columns = {f"{target} {name}": name for name in self.part.columns}
            cells = sheet.cells.select(list(columns)).rename(columns)
            if cells.select(pl.all_horizontal((pl.all() == "").all())).item():
                continue
            answers[target] = self._settle(path, cells, sheet.notes, target)
        return answers

    def write(self, answers: dict[str, pl.DataFrame]) -> bytes:
        """Return answers as such a file; targets without one stay empty."""
        rows = next(iter(answers.values())).height if answers else self.part.rows or 0
        empty = pl.DataFrame({name: [""] * rows for name in self.part.columns})
        sides = [
            answers.get(target, empty).select(
                pl.col(name).cast(pl.String).alias(f"{target} {name}") for name in self.part.columns
            )
            for target in self.targets
        ]
        return self.form.write(pl.concat(sides, how="horizontal"))

    def _settle(self, path: Path, cells: pl.DataFrame, notes: FaultNotes, target: str) -> pl.DataFrame | FaultsError:
        columns = {f"{target} {name}" for name in self.part.columns}
        own = FaultNotes(notes.source, notes.rows)
        own.of_rows = [note for note in notes.of_rows if note.column in columns]
        for name in self.part.columns:  # what may be empty is the whole answer, not a cell of it
            mask = (cells[name] == "").to_numpy() & notes.is_fine(f"{target} {name}")
            if not self.part.cells.get(name, self.part.others).empty:
                own.note(mask, f"{target} {name}", "missing", cells[name], Said("the cell is empty"))
        return FaultsError(path, own.faults, count=own.count) if own.count else cells

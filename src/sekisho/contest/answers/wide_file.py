"""One file with the answers about all releases side by side: so many columns for each target, in the teams' order.

One's own columns, and those of a team without a release, are left empty. What is wrong with the columns of one target
costs that target alone; a line with too few or too many cells costs the whole file.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.files.fault_notes import FaultNotes
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.errors import Fault, FaultsError
from sekisho.words import Said

MOST_FAULTS = 1000


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


def split_answers(path: Path, *, width: int, targets: tuple[str, ...], wanted: Collection[str]) -> dict[str, bytes]:
    """Return by target the columns about it, each as a file of its own.

    A target that is left empty or is not wanted (one's own, one without a release) is left out. What is wrong with the
    columns of one target costs that target alone, and is told by whoever judges them.

    Raises:
        FaultsError: a line has too few or too many cells.
    """
    lines = decode_text(read_bytes(path), path).splitlines()
    columns = width * len(targets)
    counts = np.fromiter((line.count(",") + 1 for line in lines), dtype=np.int64, count=len(lines))
    wrong = np.flatnonzero(counts != columns)
    if len(wrong):
        faults = [_blame_width(int(row) + 1, int(counts[row]), columns) for row in wrong[:MOST_FAULTS]]
        raise FaultsError(path, faults, count=len(wrong))
    data = "".join(f"{line}\n" for line in lines).encode()
    signs = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero((signs == ord(",")) | (signs == ord("\n")))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    found: dict[str, bytes] = {}
    for place, target in enumerate(targets):
        first, last = starts[place * width :: columns], ends[(place + 1) * width - 1 :: columns]
        if target in wanted and (last - first != width - 1).any():  # empty cells are only the signs between them
            cells = (data[start:end] for start, end in zip(first.tolist(), last.tolist(), strict=True))
            found[target] = b"".join(line + b"\n" for line in cells)
    return found


def _blame_width(number: int, found: int, wanted: int) -> Fault:
    message = Said("the line has {found} cells, not {wanted}", found=found, wanted=wanted)
    return Fault(row=number, column="", rule="columns", value=str(found), message=message)


def split_matrix(path: Path, *, column: str, targets: tuple[str, ...], wanted: Collection[str]) -> dict[str, bytes]:
    """Return by target its column of a matrix, beside the first column, each as a file of its own.

    Args:
        path: a file whose first line names its columns: the first, and targets in any order.
        column: what a target's column is called in its own file.
        targets: all there are.
        wanted: those that are not left out.

    Raises:
        FaultsError: a column is no target's, or a line has too few or too many cells.
    """
    lines = _read_lines(path)
    names = lines[0][1:] if lines else []
    faults = [
        _blame_target(1, name, Said("{name!r} is no target, or comes twice", name=name))
        for place, name in enumerate(names)
        if name not in targets or name in names[:place]
    ]
    width = len(names) + 1
    faults += [_blame_width(row, len(cells), width) for row, cells in enumerate(lines, 1) if len(cells) != width]
    if faults or not lines:
        raise FaultsError(path, faults[:MOST_FAULTS] or [_blame_width(1, 0, len(targets))], count=max(1, len(faults)))
    found: dict[str, bytes] = {}
    for place, target in enumerate(names, 1):
        if target in wanted and any(line[place] for line in lines[1:]):
            pairs = [(lines[0][0], column), *((line[0], line[place]) for line in lines[1:])]
            found[target] = "".join(f"{one},{two}\n" for one, two in pairs).encode()
    return found


def split_long(path: Path, *, targets: tuple[str, ...], wanted: Collection[str]) -> dict[str, bytes]:
    """Return by target its lines of a long table, whose first column names the target, without that column.

    Raises:
        FaultsError: a line is of no target.
    """
    lines = _read_lines(path)
    faults = [
        _blame_target(row, cells[0], Said("{name!r} is no target", name=cells[0]))
        for row, cells in enumerate(lines[1:], 2)
        if cells[0] not in targets
    ]
    if faults:
        raise FaultsError(path, faults[:MOST_FAULTS], count=len(faults))
    found: dict[str, list[list[str]]] = {}
    for cells in lines[1:]:
        if cells[0] in wanted:
            found.setdefault(cells[0], [lines[0][1:]]).append(cells[1:])
    return {target: "".join(",".join(cells) + "\n" for cells in rows).encode() for target, rows in found.items()}


def _blame_target(row: int, name: str, message: Said) -> Fault:
    return Fault(row=row, column="", rule="target", value=name, message=message)


def _read_lines(path: Path) -> list[list[str]]:
    return [line.split(",") for line in decode_text(read_bytes(path), path).splitlines()]

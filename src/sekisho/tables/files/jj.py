"""The JJ format: a table as numbered cells and relations between them, as optimisers of cell suppression exchange it.

Line 1 is ``0``; then the number of cells and a line per cell, ``index value cost status lb ub LPL UPL SPL``; then the
number of relations and a line per relation, ``rhs k : index (coefficient) …``. Status: ``s`` safe, ``u`` primary, ``z``
must be published, ``x`` (or ``m``) secondary; cells that stand in no published table are written as secondary too. No
bound is written as 1e20. The format has no codes: the cells of a table that is read are named by their index. Nor does
it tell who contributes: what a cell holds is not taken for a number of people. A primary whose three levels are 0 is
read with the least width there is: its value must at least not be known.

Source: τ-ARGUS manual 4.1, section 5.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from sekisho.errors import Fault, FaultsError
from sekisho.tables.model.limits import HEAVIEST
from sekisho.tables.model.table import Floats, Status, Table
from sekisho.words import Said

LETTERS = {Status.SAFE: "s", Status.PRIMARY: "u", Status.PUBLISH: "z", Status.SECONDARY: "x"}
MEANT = {letter: status for status, letter in LETTERS.items()} | {"m": Status.SECONDARY}
WRITTEN = LETTERS | {Status.UNPUBLISHED: "x"}
FREE = 1e20
FIELDS = 9
TERM = re.compile(r"([0-9]+)\s*\(\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*\)")
NUMBER = re.compile("[0-9]{1,9}")


def jj_text(table: Table) -> str:
    """Return a table in the JJ format. It holds the suppressed values: it is for optimisers, not for publication."""
    lower, upper = np.clip(table.lower, -FREE, FREE), np.clip(table.upper, -FREE, FREE)
    numbers = np.column_stack(
        [table.value, table.weight, lower, upper, table.lower_level, table.upper_level, table.sliding_level]
    )
    lines = ["0", str(len(table))]
    for place, (row, code) in enumerate(zip(numbers.tolist(), table.status.tolist(), strict=True)):
        value, cost, *rest = map(_plain, row)
        lines.append(" ".join([str(place), value, cost, WRITTEN[Status(code)], *rest]))
    lines.append(str(len(table.equations)))
    matrix = table.matrix
    for begin, end in zip(matrix.indptr[:-1].tolist(), matrix.indptr[1:].tolist(), strict=True):
        pairs = zip(matrix.indices[begin:end].tolist(), matrix.data[begin:end].tolist(), strict=True)
        ordered = sorted(pairs, key=lambda pair: (pair[1] > 0, pair[0]))
        terms = " ".join(f"{cell} ({_plain(sign)})" for cell, sign in ordered)
        lines.append(f"0 {end - begin} : {terms}")
    return "\n".join(lines) + "\n"


def jj_table(text: str, *, source: object = "JJ file") -> Table:
    """Return the table of a JJ file; its one dimension is ``cell`` and its codes are the indices.

    Raises:
        FaultsError: lines that are no cells or relations, indices that are unknown or doubled, unknown statuses, counts
            that are not kept; all of them at once; then what :class:`Table` refuses.
    """
    lines = [(row, line.strip()) for row, line in enumerate(text.splitlines(), start=1) if line.strip()]
    reader = _Reader(lines)
    reader.expect_zero()
    cells = [reader.cell(row, line) for row, line in reader.block(Said("cells"))]
    place = reader.places(cells)
    relations = [reader.relation(row, line, place) for row, line in reader.block(Said("relations"))]
    reader.expect_end()
    if reader.faults:
        raise FaultsError(source, reader.faults)
    return _build([cell for cell in cells if cell is not None], relations, source)


class _Reader:
    """Reads blocks of lines and collects what is wrong with them."""

    def __init__(self, lines: Sequence[tuple[int, str]]) -> None:
        self._lines = lines
        self._at = 0
        self.faults: list[Fault] = []

    def fault(self, row: int, rule: str, value: str, message: Said) -> None:
        self.faults.append(Fault(row=row, column="", rule=rule, value=value, message=message))

    def expect_zero(self) -> None:
        if not self._lines or self._lines[0][1] != "0":
            self.fault(1, "head", self._lines[0][1] if self._lines else "", Said("the first line must be 0"))
        self._at = 1

    def expect_end(self) -> None:
        for row, line in self._lines[self._at :]:
            self.fault(row, "end", line, Said("stands after the last relation"))

    def block(self, what: str) -> Sequence[tuple[int, str]]:
        """Return the lines that follow their number; none if there is no number."""
        if self._at >= len(self._lines) or not NUMBER.fullmatch(self._lines[self._at][1]):
            row, line = self._lines[self._at] if self._at < len(self._lines) else (0, "")
            self.fault(row, "number", line, Said("the number of {what} is missing", what=what))
            self._at = len(self._lines)
            return ()
        row, line = self._lines[self._at]
        block = self._lines[self._at + 1 : self._at + 1 + int(line)]
        if len(block) < int(line):
            message = Said("says {line} {what}, but {lines} lines follow", line=line, what=what, lines=len(block))
            self.fault(row, "number", line, message)
        self._at += 1 + len(block)
        return block

    def cell(self, row: int, line: str) -> tuple[str, Status, Floats] | None:
        """Return a cell's index, status and numbers: value, cost, bounds, levels."""
        parts = line.split()
        if len(parts) != FIELDS:
            self.fault(
                row, "fields", line, Said("has {parts} fields instead of {fields}", parts=len(parts), fields=FIELDS)
            )
            return None
        index, value, cost, letter, *rest = parts
        try:
            numbers = np.array([float(part) for part in (value, cost, *rest)])
        except ValueError:
            self.fault(row, "number", line, Said("holds something that is no number"))
            return None
        if letter not in MEANT:
            self.fault(
                row,
                "status",
                letter,
                Said("{word!r} is no status; known are {words}", word=letter, words=", ".join(MEANT)),
            )
            return None
        return index, MEANT[letter], numbers

    def places(self, cells: Sequence[tuple[str, Status, Floats] | None]) -> dict[str, int]:
        place: dict[str, int] = {}
        for cell in cells:
            if cell is not None and cell[0] in place:
                self.fault(0, "duplicate", cell[0], Said("the cell {keys} is there twice", keys=cell[0]))
            elif cell is not None:
                place[cell[0]] = len(place)
        return place

    def relation(self, row: int, line: str, place: dict[str, int]) -> list[tuple[int, float]]:
        """Return a relation's cells and coefficients."""
        head, colon, tail = line.partition(":")
        terms: list[tuple[str, str]] = TERM.findall(tail)
        if not colon or len(head.split()) != 2 or TERM.sub("", tail).strip():
            self.fault(row, "relation", line, Said("is no relation: rhs k : index (coefficient) …"))
            return []
        right, size = head.split()
        if right.strip("-+0.") != "" or size != str(len(terms)):
            self.fault(
                row, "relation", head.strip(), Said("must say 0 and the number of its {terms} cells", terms=len(terms))
            )
        strange = [index for index, _ in terms if index not in place]
        for index in strange:
            self.fault(row, "unknown cell", index, Said("names the cell {index}, which is not there", index=index))
        odd = [sign for _, sign in terms if not (abs(float(sign)) < HEAVIEST and float(sign).is_integer())]
        for sign in odd:
            self.fault(
                row,
                "coefficient",
                sign,
                Said(
                    "has the coefficient {sign}, which is no whole number below {heaviest:,}",
                    sign=sign,
                    heaviest=HEAVIEST,
                ),
            )
        return [(place[index], float(sign)) for index, sign in terms if index in place and not odd]


def _build(
    cells: Sequence[tuple[str, Status, Floats]], relations: Sequence[Sequence[tuple[int, float]]], source: object
) -> Table:
    rows = [row for row, terms in enumerate(relations) for _ in terms]
    columns = [cell for terms in relations for cell, _ in terms]
    signs = np.array([sign for terms in relations for _, sign in terms], dtype=np.float64)
    numbers = np.array([given for _, _, given in cells]).reshape(len(cells), FIELDS - 2)
    value, cost, lower, upper, below, above, sliding = numbers.T
    try:
        table = Table.of(
            dims=("cell",),
            keys=[(index,) for index, _, _ in cells],
            value=value,
            matrix=csr_array((signs, (rows, columns)), shape=(len(relations), len(cells))),
            equations=[f"relation {row}" for row in range(1, len(relations) + 1)],
        )
        table = replace(
            table,
            frequency=np.zeros(len(table), dtype=np.int64),
            weight=cost,
            lower=np.where(lower <= -FREE, -np.inf, lower),
            upper=np.where(upper >= FREE, np.inf, upper),
        )
        statuses = np.array([status for _, status, _ in cells], dtype=np.int8)
        return table.mark_cells(statuses, lower=below, upper=above, sliding=sliding)
    except FaultsError as error:
        raise FaultsError(source, error.faults, count=error.count) from error


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)

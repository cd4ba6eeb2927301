"""A statistical table as it is published: cells coloured by their status, an attacker's interval below the mark.

Plain in the terminal. In the public edition every suppressed cell bears the same mark and no more.

A suppressed cell never shows its value, only the interval in which an attacker must place it: the page gives him
nothing new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from html import escape
from itertools import product
from math import isqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.report.kit.blocks import Medium, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import Html, frame_table, render_inline
from sekisho.report.kit.words import Words
from sekisho.tables.explain import LEAF, TOP, words_of_codes
from sekisho.tables.files.pattern import MARK
from sekisho.tables.model.table import Floats, Key, Status
from sekisho.tables.model.table import Table as Cells
from sekisho.words import Said, join_words

PRIMARY = Said("unsafe, suppressed")
SECONDARY = Said("suppressed to protect others")
SIDE = 60
"""So many rows and columns of a table are shown."""
PAPER_CODES = 8
"""A table with more columns is split on paper."""
MARKS = {Status.PRIMARY: "P", Status.SECONDARY: "S"}
NAMES = {Status.PRIMARY: PRIMARY, Status.SECONDARY: SECONDARY}


class Intervals(Protocol):
    """A table with a pattern, and the interval of every suppressed cell: what an audit gives."""

    @property
    def table(self) -> Cells:
        """The table."""
        ...

    @property
    def cells(self) -> NDArray[np.intp]:
        """The suppressed cells, ascending."""
        ...

    @property
    def low(self) -> Floats:
        """The least value that an attacker must think possible, per suppressed cell."""
        ...

    @property
    def high(self) -> Floats:
        """The greatest."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableGrid:
    """Two dimensions of a table, the others fixed; at most so many rows and columns, those with suppressed cells first.

    Attributes:
        audited: the table with its intervals.
        fixed: the code of every dimension; the first and the last one's do not count.
        most: how many rows and columns to show on a page.
        narrow: how many columns to show in a terminal.
        sums: the codes of the first and of the last dimension that are sums; worked out if None.
        edition: who may read it.
    """

    audited: Intervals
    fixed: Key
    most: tuple[int, int] = (SIDE, SIDE)
    narrow: int = 8
    sums: tuple[AbstractSet[str], AbstractSet[str]] | None = None
    edition: Edition = Edition.CONFIDENTIAL

    def render(self, medium: Medium) -> str:
        """Return the grid as the medium shows it."""
        return self._html() if isinstance(medium, Html) else self._plain(medium)

    @property
    def caption(self) -> Words:
        """Which part of the table it is, and what is left out."""
        dims = self.audited.table.dims
        across = " × ".join(dict.fromkeys((dims[0], dims[-1])))
        middle = [f"{dim}={code}" for dim, code in zip(dims[1:-1], self.fixed[1:-1], strict=True)]
        return ", ".join([across, *middle])

    def _html(self) -> str:
        rows, columns, left = self._choose_codes(self.most)
        caption = f"<caption><div>{render_inline(join_words((self.caption, left)))}</div></caption>"
        pieces = [
            self._table(rows, columns[start : start + PAPER_CODES], "" if start else caption)
            for start in range(0, len(columns), PAPER_CODES)
        ]
        return frame_table(self._table(rows, columns, caption), pieces)

    def _table(self, rows: Sequence[str], columns: Sequence[str], caption: str) -> str:
        down, across = self._sums
        head = "".join(
            f'<th scope="col" class="number{" sum" if code in across else ""}">{escape(code)}</th>' for code in columns
        )
        body = "\n".join(
            f'<tr{" class=sum" if row in down else ""}><th scope="row">{escape(row)}</th>'
            f"{''.join(self._cell(row, column) for column in columns)}</tr>"
            for row in rows
        )
        return f'<table class="grid">{caption}<thead><tr><td></td>{head}</tr></thead>\n<tbody>{body}</tbody></table>'

    def _plain(self, medium: Medium) -> str:
        rows, columns, left = self._choose_codes((self.most[0], self.narrow))
        lines = tuple((row, *(self._word(row, column) for column in columns)) for row in rows)
        return medium.table(
            TableBlock(
                head=("", *columns),
                rows=lines,
                caption=join_words((self.caption, left)),
                numeric=tuple(range(1, len(columns) + 1)),
            )
        )

    def _cell(self, row: str, column: str) -> str:
        at = self._at(row, column)
        if at is None:
            return "<td></td>"
        table = self.audited.table
        status = Status(int(table.status[at]))
        if status not in MARKS:
            return f'<td class="number">{format_value(float(table.value[at]))}</td>'
        if self.edition is Edition.PUBLIC:
            return f'<td class="number hidden">{MARK}</td>'
        return (
            f'<td class="number {status.word}">{MARKS[status]}<small>{format_interval(self.audited, at)}</small></td>'
        )

    def _word(self, row: str, column: str) -> str:
        at = self._at(row, column)
        if at is None:
            return ""
        status = Status(int(self.audited.table.status[at]))
        if status not in MARKS:
            return format_value(float(self.audited.table.value[at]))
        if self.edition is Edition.PUBLIC:
            return MARK
        return f"{MARKS[status]} {format_interval(self.audited, at)}"

    @property
    def _sums(self) -> tuple[AbstractSet[str], AbstractSet[str]]:
        """The codes of the rows and of the columns that are sums of others, the total apart."""
        return self.sums if self.sums is not None else find_sums(self.audited.table)

    def _at(self, row: str, column: str) -> int | None:
        return self.audited.table.position.get(self._key(row, column))

    def _key(self, row: str, column: str) -> Key:
        return (row,) if len(self.audited.table.dims) == 1 else (row, *self.fixed[1:-1], column)

    def _choose_codes(self, most: tuple[int, int]) -> tuple[list[str], list[str], Words]:
        """Return the codes of the rows and columns to show, and a word on those that are not."""
        table = self.audited.table
        inside = [key for key in table.keys if key[1:-1] == self.fixed[1:-1]]
        down, across = self._sums
        all_rows = order_codes(dict.fromkeys(key[0] for key in inside), table.margins[0], down)
        all_columns = [""]
        if len(table.dims) > 1:
            all_columns = order_codes(dict.fromkeys(key[-1] for key in inside), table.margins[-1], across)
        hidden = [key for key in inside if table.suppressed[table.position[key]]]
        first, last = (
            [margin, *sums] for margin, sums in zip((table.margins[0], table.margins[-1]), self._sums, strict=True)
        )
        rows = _choose_busiest(all_rows, [key[0] for key in hidden], most[0], first)
        columns = _choose_busiest(all_columns, [key[-1] for key in hidden], most[1], last)
        left = (len(all_rows) - len(rows), len(all_columns) - len(columns))
        if left == (0, 0):
            return rows, columns, ""
        note = Said(
            " (without {rows:,} {rows:row|rows} and {columns:,} {columns:column|columns} that have the "
            "fewest suppressed cells)",
            rows=left[0],
            columns=left[1],
        )
        return rows, columns, note


def choose_grids(
    audited: Intervals, *, most: int = 12, cells: int = 14_400, edition: Edition = Edition.CONFIDENTIAL
) -> tuple[list[TableGrid], int]:
    """Return the parts of a table that have suppressed cells, and how many are left out.

    At most so many parts, and together at most about so many cells.
    """
    table = audited.table
    middles = [dict.fromkeys(key[axis] for key in table.keys) for axis in range(1, len(table.dims) - 1)]
    busy = {table.keys[cell][1:-1] for cell in audited.cells.tolist()}
    parts = [middle for middle in product(*middles) if middle in busy] or [table.margins[1:-1]]
    sums = find_sums(table)
    side = min(SIDE, isqrt(cells))
    down, across = (min(side, len({key[axis] for key in table.keys})) for axis in (0, -1))
    shown = max(1, min(most, cells // (down * across)))
    chosen = [
        TableGrid(
            audited=audited,
            fixed=(table.margins[0], *middle, table.margins[-1]),
            most=(side, side),
            sums=sums,
            edition=edition,
        )
        for middle in parts[:shown]
    ]
    return chosen, len(parts) - len(chosen)


def order_codes(codes: Iterable[str], margin: str, sums: AbstractSet[str]) -> list[str]:
    """Return the codes of a dimension as people count, 5–9 before 10–19; those of a tree as the tree has them."""
    listed = list(codes)
    own = [code for code in listed if code != margin]
    if sums or own != sorted(own):
        return listed
    counted = sorted(own, key=_split_numbers)
    return [margin, *counted] if margin in listed else counted


def _split_numbers(code: str) -> list[tuple[int, int, str]]:
    """Return the pieces of a code, numbers by their size: first how many digits, then which (of any length)."""
    pieces = enumerate(re.split(r"0*([0-9]+)", code))  # words and numbers by turns
    return [(0, len(piece), piece) if place % 2 else (1, 0, piece) for place, piece in pieces if piece]


def find_sums(table: Cells) -> tuple[AbstractSet[str], AbstractSet[str]]:
    """Return the codes of the first and of the last dimension that are sums of others, the total apart."""
    words = words_of_codes(table)
    first, last = ({code for code, word in words[axis].items() if word not in (LEAF, TOP)} for axis in (0, -1))
    return first, last


def join_codes(table: Cells, cell: int) -> str:
    """Return a cell's codes, one per dimension."""
    return " × ".join(table.keys[cell])


def format_interval(audited: Intervals, cell: int) -> str:
    """Return a suppressed cell's interval in brackets."""
    at = int(np.searchsorted(audited.cells, cell))
    high = float(audited.high[at])
    return f"[{format_value(float(audited.low[at]))}, {format_value(high) if np.isfinite(high) else '∞'}]"


def format_value(number: float) -> str:
    """Return a value as a table shows it: whole numbers without a point, others with at most six digits behind it."""
    if not np.isfinite(number):
        return "−∞"
    whole = round(number)
    return f"{whole:,}" if abs(number - whole) < 1e-9 * max(1.0, abs(number)) else f"{number:,.6f}".rstrip("0")


def _choose_busiest(codes: Sequence[str], hidden: Sequence[str], most: int, sums: Sequence[str]) -> list[str]:
    """Return at most so many codes in their order.

    The total, which is the first of the sums, is preferred, then the other sums, then the busiest.
    """
    if len(codes) <= most:
        return list(codes)
    times = dict.fromkeys(codes, 0)
    for code in hidden:
        times[code] += 1
    best = sorted(
        range(len(codes)), key=lambda at: (codes[at] != sums[0], codes[at] not in sums, -times[codes[at]], at)
    )[:most]
    return [codes[at] for at in sorted(best)]

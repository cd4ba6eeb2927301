"""Coalitions: contributors of one cell who put together what they gave, and what they know of the cell by it.

A coalition of size N are N contributors of one cell. Where the cell has no others, or the others gave nothing, they
know its value; else they know that it holds at least what they gave, provided that nobody gives less than nothing. The
largest contributors know the most, so only they are asked; in a count everyone gives 1. They know no more of any other
cell than outsiders do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import room
from sekisho.tables.model.contributors import counted_of, told_of
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Coalition:
    """What the contributors of a cell know of it.

    Attributes:
        cell: their cell.
        down: how far below its value it can be, for all that they know; at most as far as outsiders think.
        up: how far above.
    """

    cell: int
    down: float
    up: float

    @property
    def knowing(self) -> bool:
        """Whether they know its value."""
        return self.down == self.up == 0.0

    def share(self, part: float, cap: float) -> Coalition:
        """Return what they know of a cell that is hidden in part only: the room for its moves is that part."""
        if part >= 1:
            return self
        return Coalition(cell=self.cell, down=min(self.down, cap) * part, up=min(self.up, cap) * part)


def known_cells(table: Table, size: int) -> Mask:
    """Return the cells with so many contributors or fewer: together they are all of the cell, and know its value."""
    return ~table.unpublished & (table.frequency <= size) & ((table.frequency > 0) | (table.value != 0))


def given_of(table: Table, size: int) -> Floats:
    """Return how much of each cell its largest contributors, so many of them, know to be there.

    Nothing where contributions may be negative, for others may take away what they gave; nor of an unpublished cell.
    """
    own = ~table.unpublished
    gave = table.largest[:, :size].sum(axis=1) if table.largest.shape[1] else np.zeros(len(table))
    if is_counted(table):
        gave = np.minimum(table.value, float(size))
    return np.where(own & (table.lower >= 0) & (table.frequency > 0), np.minimum(gave, table.value), 0.0)


def is_counted(table: Table) -> bool:
    """Tell whether a table's published cells count their contributors, so that everyone gives 1."""
    own = ~table.unpublished
    return not table.largest.shape[1] and bool(np.array_equal(table.value[own], table.frequency[own]))


def find_coalitions(table: Table, size: int) -> tuple[Coalition, ...]:
    """Return the coalitions of so many contributors, one a cell, that know more of their cell than outsiders.

    None for a size of 0.

    Raises:
        ParameterError: the size is negative, or it is not known how many contribute to a cell, or what the largest of
            them gave.
    """
    if size < 0:
        raise ParameterError("insiders", Said("be at least 0"), size)
    if not size:
        return ()
    counted_of(table, holdings=False)
    refuse_unknown(table, size)
    down, up = room(table)
    gave = given_of(table, size)
    known = known_cells(table, size) | ((gave > 0) & (gave >= table.value))
    their_down = np.where(known, 0.0, np.where(gave > 0, np.minimum(down, table.value - gave), down))
    their_up = np.where(known, 0.0, up)
    more = ~table.unpublished & ((their_down < down) | (their_up < up))
    return tuple(
        Coalition(cell=cell, down=float(their_down[cell]), up=float(their_up[cell]))
        for cell in np.flatnonzero(more).tolist()
    )


def describe_attackers(size: int) -> str:
    """Return who was considered, in words: outsiders always, and coalitions of so many contributors if any."""
    if not size:
        return Said("outsiders; insiders were not considered")
    if size == 1:
        return Said("outsiders, and each single contributor of a cell, who know what they gave")
    return Said("outsiders, and any {size} contributors together of a cell, who know what they gave", size=size)


def describe_coalition(table: Table, cell: int, insiders: int) -> str:
    """Return who the coalition of a cell is, in words."""
    many, name = int(table.frequency[cell]), table.named(cell)
    if many <= insiders:
        return (
            Said("the only contributor of {name}", name=name)
            if many == 1
            else Said("all {many} contributors of {name}", many=many, name=name)
        )
    return (
        Said("a contributor of {name}", name=name)
        if insiders == 1
        else Said("{insiders} contributors of {name}", insiders=insiders, name=name)
    )


def refuse_unknown(table: Table, size: int) -> None:
    """Refuse to ask what coalitions know of whom it is not known what they gave: nothing unknown counts as 0.

    Raises:
        ParameterError: a cell has more contributors than the coalition, and the largest contributions that are told of
            it are fewer than the coalition and do not make up the cell.
    """
    if not size or is_counted(table):
        return
    asked = ~table.unpublished & (table.frequency > size) & (table.lower >= 0) & (table.value > 0)
    lacking = np.flatnonzero(asked & ~told_of(table.largest, table.frequency, table.value, size))
    if lacking.size:
        raise ParameterError(
            "insiders",
            Said(
                "not exceed the number of largest contributions that are known of each cell (not of {lacking})",
                lacking=table.named(int(lacking[0])),
            ),
            size,
            hint=Said("name their columns after that of the number of contributors"),
        )

"""What a file format has no place for, told of every table written in it: nothing is dropped in silence.

====================  =========  ======  =====  ======
of a table            CSV        .tab    .jj    .hst
====================  =========  ======  =====  ======
values                yes        yes     yes    no
codes                 yes        yes     no     yes
equations             by codes   by codes yes   no
frequency, largest    yes        yes     no     no
cost, status          yes        yes     yes    yes
lower, upper level    yes        unsafe  yes    unsafe
sliding level         yes        no      yes    no
attacker's bounds     yes        no      yes    no
====================  =========  ======  =====  ======

"By codes" are the equations that margins, trees and groupings make; those of a table whose cells are only numbered (a
``.jj`` file) stand in a ``.jj`` file alone. "Unsafe" are the levels of unsafe cells: nobody else's are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sekisho.tables.files.cell_marks import LEVELS, unusual_bounds
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.words import Said


class Form(StrEnum):
    """A file format of tables."""

    CELLS = "CSV or Parquet"
    ARGUS = ".tab"
    JJ = ".jj"
    APRIORI = ".hst"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something of a table that a file does not hold.

    Attributes:
        what: it is.
        cells: those it is lost of; none where it belongs to no cell.
        why: a sentence.
    """

    what: str
    cells: tuple[int, ...]
    why: str


def find_losses(table: Table, form: Form) -> list[Loss]:
    """Return what of a table a format has no place for, each with the cells concerned."""
    return [
        Loss(what=what, cells=tuple(np.flatnonzero(lost).tolist()), why=why)
        for what, lost, why in _ask(table, form)
        if lost.any()
    ]


def _ask(table: Table, form: Form) -> Iterator[tuple[str, Mask, str]]:
    everywhere, nowhere = np.ones(len(table), dtype=np.bool_), np.zeros(len(table), dtype=np.bool_)
    if form is Form.APRIORI:
        yield (
            Said("loss|values"),
            everywhere,
            Said("an a-priori file tells statuses, costs and levels only: keep the table beside it"),
        )
    if form is Form.JJ:
        numbered = Said("its cells are numbered, in the order of the table")
        yield Said("codes"), nowhere if _numbered(table) else everywhere, numbered
        yield Said("status"), table.unpublished, Said("cells of no published table are written as secondary")
    elif _numbered(table) and table.equations and form is not Form.APRIORI:
        yield (
            Said("equations"),
            everywhere,
            Said("cells that are only numbered have no margins: only a .jj file holds their equations"),
        )
    if form in (Form.JJ, Form.APRIORI):
        yield Said("frequency"), table.frequency > 0, Said("it has no place for the number of contributors")
        yield (
            Said("loss|largest"),
            np.any(table.largest > 0, axis=1),
            Said("it has no place for the largest contributions"),
        )
    if form in (Form.ARGUS, Form.APRIORI):
        yield (
            Said("sliding_level"),
            _lost_widths(table, form),
            Said("it has no place for a width: give it again with --width"),
        )
        levels = np.max([getattr(table, name) for name in LEVELS], axis=0)
        yield Said("levels"), ~table.primary & (levels > 0), Said("only unsafe cells have levels there")
        yield Said("bounds"), unusual_bounds(table), Said("it has no place for what an attacker knows beforehand")


def _numbered(table: Table) -> bool:
    """Tell whether a table's cells are only numbered: it comes from a ``.jj`` file."""
    return table.dims == ("cell",) and table.margins not in table.position


def _lost_widths(table: Table, form: Form) -> Mask:
    """Return the unsafe cells whose width is lost.

    The least width is what a ``.tab`` file without levels is read as.
    """
    bare = (table.lower_level == 0) & (table.upper_level == 0) & (table.sliding_level == LEAST)
    return table.primary & (table.sliding_level > 0) & ~(bare & (form is Form.ARGUS))


def count_unlevelled(table: Table) -> int:
    """Return how many unsafe cells nobody gave a level: they have the least there is."""
    bare = (table.lower_level == 0) & (table.upper_level == 0) & (table.sliding_level <= LEAST)
    return int(((table.status == Status.PRIMARY) & bare).sum())

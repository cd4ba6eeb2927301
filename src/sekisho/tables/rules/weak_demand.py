"""Rules that hardly ask for anything: they would publish a cell of one contributor, or one of two.

Whoever is alone in a cell is told by it; of two, each subtracts what they gave and has the other's part. So rules are
tried on two made-up cells, one of a single contributor and one of two who gave alike. What they do not call unsafe,
they would publish: a minimum below 3, a rule that nothing can break, a dominance rule that looks at one contributor
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables import CellRule
from sekisho.tables.model.contributors import Contributors, Surveyed
from sekisho.tables.model.geometry import Dimension, from_cells
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.rules.primary import UnsafeZeros
from sekisho.words import Said

SMALL_CELLS = (1, 2)
"""How many contribute to the made-up cells."""
GAVE = 100.0
"""What each of them gave, where the table is of sums."""
PLACES = 10


def find_weak_demand(rules: Sequence[CellRule], *, counts: bool) -> Said | None:
    """Return what rules would publish that no rule should; None if they would not.

    Args:
        rules: the primary rules that hold for a table.
        counts: whether the table counts.
    """
    if not rules:
        return Said("no rule says which cells are unsafe")
    cells = _make_cells(counts=counts)
    flagged = np.zeros(len(cells), dtype=np.bool_)
    for rule in rules:
        flagged |= _flag(rule, cells)
    if not flagged[cells.position["one",]]:
        return Said("the rules would publish a cell of a single contributor")
    if not flagged[cells.position["two",]]:
        return Said("the rules would publish a cell of two contributors, each of whom knows the other's part")
    return None


def find_telling_zeros(table: Table, rules: Sequence[CellRule]) -> Mask:
    """Return the published cells whose zero tells what each contributor gave: nothing.

    Of counts a zero says that nobody is there, which is as with any published count; where contributions can be
    negative, zero is a sum like any other.
    """
    if any(isinstance(rule, UnsafeZeros) for rule in rules):
        return np.zeros(len(table), dtype=np.bool_)
    shown = ~table.suppressed & ~table.unpublished
    return shown & (table.value == 0) & (table.frequency > 0) & (table.lower >= 0)


def _flag(rule: CellRule, cells: Table) -> Mask:
    """Return which cells a rule calls unsafe; none where it asks of cells what these do not tell."""
    try:
        return rule.flag(cells)
    except ParameterError:
        return np.zeros(len(cells), dtype=np.bool_)


def _make_cells(*, counts: bool) -> Table:
    """Return a table of two cells, of one contributor and of two."""
    gave = 1.0 if counts else GAVE
    dimension = Dimension.flat("cell", ("one", "two"))
    plain = from_cells([dimension], [("one",), ("two",)], np.array([gave * size for size in SMALL_CELLS]))
    sizes = np.rint(plain.value / gave).astype(np.int64)
    largest = gave * (np.arange(PLACES)[None, :] < sizes[:, None]).astype(np.float64)
    table = replace(plain, frequency=sizes, largest=np.zeros((len(plain), 0)) if counts else largest)
    units = Contributors(
        total=table.value, count=sizes, largest=largest, target=largest[:, 0], asked=np.zeros(len(table))
    )
    return Surveyed.over(table, units=units, holdings=units)

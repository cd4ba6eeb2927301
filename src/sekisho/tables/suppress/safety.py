"""Who attacks the patterns of a table, and whether one is safe from all of them: outsiders, and coalitions of insiders.

A pattern is safe if every primary keeps its levels for whoever sees what is published, and for each coalition of
contributors of one cell as well, their own cell apart. Hiding more never makes a safe pattern unsafe: whoever newly
knows a hidden cell knows what he would have read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.coalitions import Coalition, describe_coalition, find_coalitions
from sekisho.tables.audit.insider import Leak, find_leaks
from sekisho.tables.audit.survey import Needs, find_exposed
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.suppress.repair import attacker_on
from sekisho.words import Said, join_words

NAMED = 5


class Safety:
    """The attackers of one table.

    Attributes:
        insiders: how many contributors of one cell may put their knowledge together; 0 for outsiders alone.
        needs: what every primary needs.
        coalitions: one for each cell that may be hidden and of which its contributors know more than outsiders.
    """

    def __init__(self, table: Table, insiders: int = 0) -> None:
        self.table, self.insiders = table, insiders
        self.needs = Needs.of(table)
        self.coalitions: tuple[Coalition, ...] = tuple(
            each for each in find_coalitions(table, insiders) if table.status[each.cell] != Status.PUBLISH
        )

    def holds(self, mask: Mask) -> bool:
        """Tell whether a pattern, these cells beside those that are hidden anyway, is safe from everyone."""
        attacker = attacker_on(self.table, mask | self.table.suppressed)
        return not find_exposed(attacker, self.needs).size and next(self._leaks(mask), None) is None

    def _leaks(self, mask: Mask) -> Iterator[Leak]:
        """Yield what insiders tell of a pattern that is safe from outsiders."""
        if not self.coalitions or not self.needs.cells.size:
            return
        status = np.where(mask & (self.table.status == Status.SAFE), np.int8(Status.SECONDARY), self.table.status)
        yield from find_leaks(replace(self.table, status=status), self.coalitions, self.needs)

    def describe(self, cell: int) -> str:
        """Return who the coalition of a cell is, in words."""
        return describe_coalition(self.table, cell, self.insiders)

    def refuse_hopeless(self) -> None:
        """Refuse a table some of whose primaries stay exposed even if every cell is suppressed that may be.

        Raises:
            InfeasibleError: with every such primary named, and the coalition to which it is exposed.
        """
        table = self.table
        every = table.status == Status.SAFE
        bad = find_exposed(attacker_on(table, every | table.suppressed), self.needs)
        if bad.size:
            names = _list_names([table.named(cell) for cell in self.needs.cells[bad]])
            raise InfeasibleError(
                Said(
                    "{size} unsafe cells cannot be protected even if every cell is suppressed that may be: {names}",
                    size=bad.size,
                    names=names,
                )
            )
        told = [
            Said("{cell} from {insider}", cell=table.named(cell), insider=self.describe(leak.insider))
            for leak in self._leaks(every)
            for cell in leak.exposed
        ]
        if told:
            raise InfeasibleError(
                Said(
                    "unsafe cells cannot be protected from insiders even if every cell is suppressed that "
                    "may be: {names}",
                    names=_list_names(told),
                )
            )


def _list_names(names: list[str]) -> str:
    listed = join_words(names[:NAMED], "; ", "; ")
    rest = len(names) - NAMED
    return Said("{names}; and {rest} more", names=listed, rest=rest) if rest > 0 else listed

"""Why no table of multiples adds up: equations that conflict, none of which can be left out, and how many steps help.

A set of equations conflicts if no multiples within their limits satisfy all of it. Equations are left out in halves,
then one by one, as long as the rest still conflicts: what is left is irreducible (the deletion filter, Chinneck and
Dravnieks 1991). The smallest conflict known is an odd cycle in three dimensions: base 2, ones at (1,2,2), (2,1,2),
(2,2,1); of each two of the three precisely one may go up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.table import Table
from sekisho.tables.round.choices import RoundingChoices
from sekisho.tables.round.programs import RoundingColumns
from sekisho.tables.solvers.highs import SolveStatus
from sekisho.words import Said

MOST_NAMED = 12
"""Of how many equations the words tell."""
MOST_STEPS = 8
"""More steps than these are not tried."""
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundingConflict:
    """Why no table of multiples adds up.

    Attributes:
        equations: those that conflict, by number.
        irreducible: whether it is certain that none of them can be left out.
        steps: the fewest steps with which a table adds up; None if none up to the most was found, or not in time.
    """

    equations: tuple[int, ...]
    irreducible: bool
    steps: int | None

    def tell(self, table: Table, error: str) -> Said:
        """Return it in words."""
        names = "; ".join(table.equations[row] for row in self.equations[:MOST_NAMED])
        more = "; …" if len(self.equations) > MOST_NAMED else ""
        told = Said("{error}: these equations conflict: {names}", error=error, names=names + more)
        if self.steps is None:
            return told
        return Said("{told}. With {steps} steps a table adds up", told=told, steps=self.steps)


def find_conflict(choices: RoundingChoices, *, seconds: float | None = None) -> tuple[tuple[int, ...], bool]:
    """Return equations that conflict, and whether it is certain that each of them is needed."""
    until = inf if seconds is None else monotonic() + seconds
    kept: Places = np.arange(choices.matrix.shape[0])
    size = max(1, len(kept) // 2)
    while True:
        before = len(kept)
        for begin in range(0, len(kept), size):
            # from the end of the list, so that what was left out does not shift what comes
            at = len(kept) - begin
            trial = np.concatenate([kept[: max(0, at - size)], kept[at:]])
            if monotonic() > until:
                return tuple(kept.tolist()), False
            if at > 0 and conflicts(choices, trial, until) is True:
                kept = trial
        if size == 1 and len(kept) == before:
            return tuple(kept.tolist()), True
        size = max(1, size // 2)


def conflicts(choices: RoundingChoices, rows: Places, until: float = inf) -> bool | None:
    """Tell whether no multiples satisfy these equations; None if that is not found out in time."""
    part = replace(choices, matrix=choices.matrix[rows], weight=np.zeros_like(choices.weight))
    columns = RoundingColumns.of(part)
    if not len(columns.cell):
        return columns.show(np.zeros(0)) is None
    program = columns.make_program(whole=True)
    if until < inf:
        program.limit(seconds=max(0.0, until - monotonic()))
    status = program.solve().status
    return None if status is SolveStatus.LIMIT else status is SolveStatus.INFEASIBLE

"""Branch and cut: one tree over the free cells, whose nodes are cut by the attackers, in place of a whole-number problem per round.

The tree is SCIP's (:mod:`sekisho.tables.scip`), the cuts are the separator's: of fractional points now and then, of whole points always, so
that SCIP keeps only patterns that are safe. Every cut goes into the pool as well: over whole patterns the pool alone proves the bound,
as the certificate needs it.

Source: Fischetti and Salazar (2001), section 5; Padberg and Rinaldi (1991) for branch and cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.sparse import csr_array

from sekisho.errors import BugError, ParameterError
from sekisho.tables.cuts import Cut
from sekisho.tables.master import Master
from sekisho.tables.repair import attacker_on
from sekisho.tables.separation import Separator
from sekisho.tables.solver import Verdict
from sekisho.tables.survey import exposed
from sekisho.tables.table import Floats, Mask, Table

if TYPE_CHECKING:
    from sekisho.tables.scip import Row, Tree

SOLVERS = ("highs", "scip")
SLICE = 50
"""Nodes between two steps that can be watched."""
FEW = 30
"""Cuts for a fractional point below the root."""
DEEP = 5
"""Below the root, fractional points are cut at every so many levels."""


def refuse_absent(solver: str) -> None:
    """Refuse a solver that there is not, or that is not installed.

    Raises:
        ParameterError: naming the extra that brings it.
    """
    if solver not in SOLVERS:
        raise ParameterError("solver", f"be one of {', '.join(SOLVERS)}", solver)
    if solver == "scip" and find_spec("pyscipopt") is None:
        raise ParameterError("solver", "be installed", solver, hint="its extra: pip install 'sekisho[scip]'")


class Branching:
    """One branch and cut.

    Attributes:
        bound: no safe pattern costs less.
        interrupted: whether somebody asked to stop.
    """

    def __init__(
        self,
        table: Table,
        *,
        separator: Separator,
        master: Master,
        mend: Callable[[Mask], Mask | None],
        batch: int,
        until: float,
    ) -> None:
        self.table, self.separator, self.master = table, separator, master
        self.bound, self.interrupted = 0.0, False
        self._mend, self._batch, self._until = mend, batch, until
        self._cells = np.flatnonzero(separator.cutter.free)
        self._column = np.full(len(table), -1, dtype=np.int64)
        self._column[self._cells] = np.arange(len(self._cells))
        self._known: dict[bytes, bool] = {}
        self._wait = self._waited = 1
        self._seen: tuple[int, csr_array] = (0, csr_array((0, len(table))))

    def slices(self, guide: Floats, best: Mask | None) -> Iterator[Mask | None]:
        """Search; after each slice of nodes yield the best pattern of the tree, which is safe."""
        tree = self._tree(guide, best)
        try:
            while True:
                now = tree.search(nodes=SLICE, seconds=self._until - monotonic())
                if now.verdict is Verdict.INFEASIBLE:
                    raise BugError("the tree has no pattern, yet there is a safe one")
                self.bound, self.interrupted = now.bound, now.interrupted
                yield None if now.best is None else self._pattern(now.best)
                if now.verdict is Verdict.OPTIMAL or now.interrupted or monotonic() > self._until:
                    return
        finally:
            tree.close()

    def _tree(self, guide: Floats, best: Mask | None) -> Tree:
        pool = self.master.pool
        door = cast("type[Tree]", import_module("sekisho.tables.scip").Tree)
        rows = csr_array(self.master.rows()[:, self._cells])
        return door(
            cost=self.table.weight[self._cells],
            rows=rows,
            initial=np.array([cut.value(guide) < 1 + 1e-6 for cut in pool], dtype=np.bool_),
            oracle=self,
            start=None if best is None else best[self._cells],
        )

    def _pattern(self, point: Mask) -> Mask:
        mask = np.zeros(len(self.table), dtype=np.bool_)
        mask[self._cells[point]] = True
        return mask

    def broken(self, point: Floats, *, depth: int, whole: bool) -> list[Row]:
        """Return rows that a point violates, as many as are worth the while."""
        if depth % DEEP and not whole:
            return []
        y = np.zeros(len(self.table))
        y[self._cells] = point
        found = self.separator.cuts(y, limit=self._batch if whole or not depth else FEW, until=self._until)
        self.master.add(found)
        return [self._row(cut) for cut in found]

    def _row(self, cut: Cut) -> Row:
        return self._column[cut.cells], cut.coefficients

    def keeps(self, point: Mask) -> bool:
        """Tell whether a pattern is safe: the attackers are asked unless a cut of the pool says no."""
        mark = np.packbits(point).tobytes()
        if mark not in self._known:
            mask = self._pattern(point)
            self._known[mark] = not self._cut_off(mask) and not (
                exposed(attacker_on(self.table, mask | self.table.suppressed), self.separator.needs).size
            )
        return self._known[mark]

    def _cut_off(self, mask: Mask) -> bool:
        count = len(self.master.pool)
        if self._seen[0] < count:
            self._seen = count, self.master.rows()
        return bool(np.any(self._seen[1] @ mask.astype(np.float64) < 1 - 1e-6))

    def better(self, point: Floats, below: float) -> Mask | None:
        """Return a safe pattern near a point that costs less; after each failure it waits twice as long."""
        self._waited += 1
        if self._waited < self._wait:
            return None
        self._waited = 0
        best = self._mend(self._pattern(point > 0.5))
        if best is not None and float(self.table.weight[best].sum()) < below - 1e-9:
            self._wait = 1
            return best[self._cells]
        self._wait *= 2
        return None

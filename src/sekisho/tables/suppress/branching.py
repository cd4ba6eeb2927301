"""Branch and cut: one tree over the free cells, whose nodes are cut by the attackers.

It stands in place of a whole-number problem per round. The tree is SCIP's (:mod:`sekisho.tables.solvers.scip`), the
cuts are the separator's: of fractional points now and then, of whole points always, so that SCIP keeps only patterns
that are safe. Every cut goes into the pool as well: over whole patterns the pool alone proves the bound, as the
certificate needs it.

Source: Fischetti and Salazar (2001), section 5; Padberg and Rinaldi (1991) for branch and cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from sekisho.errors import BugError, ParameterError
from sekisho.extras import has_extra, require_extra
from sekisho.tables.model.heights import measure_heights
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.solvers.highs import SolveStatus
from sekisho.tables.suppress.cuts import Cut
from sekisho.tables.suppress.master import Master
from sekisho.tables.suppress.repair import PatternSafety
from sekisho.tables.suppress.separation import Separator
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.tables.solvers.scip import BranchAndCut, Row

AUTO, HIGHS, SCIP = "auto", "highs", "scip"
SOLVERS = (AUTO, HIGHS, SCIP)
FLAT_HEIGHT = 2
"""How high the totals of a flat table of two dimensions stand above its cells: such tables need no tree of cases."""
SLICE = 20
"""Nodes between two steps that can be watched."""
FEW = 5
"""Cuts for a fractional point below the root, and for a pattern that is refused."""
DEEP = 10
"""Fractional points are cut at the root and at every so many levels of the tree."""
PATIENT = 16
"""Nodes between two attempts at a better pattern, at most; twice as many each time that one proves hard."""
ROUNDS, NODES = 10, 1
"""Small whole-number problems in one attempt, and the nodes of each."""
MANY = 200
"""Cuts after which the pool's matrix is made anew."""
CLOSE = 1e-6


def refuse_absent(solver: str) -> None:
    """Refuse a solver that there is not, or that is not installed.

    Raises:
        ParameterError: naming the extra that brings it.
    """
    if solver not in SOLVERS:
        raise ParameterError("solver", Said("be one of {choices}", choices=", ".join(SOLVERS)), solver)
    if solver == SCIP:
        require_extra("scip", "solver", solver)


def choose_solver(table: Table, solver: str, *, large: bool) -> str:
    """Return who solves a table's whole-number problem where that is left open: SCIP where it is installed and pays.

    It pays on three dimensions and on trees, unless the table is so large that the time goes into the root of the tree.
    Of linked tables nobody has measured it.
    """
    if solver != AUTO:
        return solver
    deep = not table.linked and bool(measure_heights(table).max(initial=0) > FLAT_HEIGHT)
    return SCIP if deep and not large and has_extra("scip") else HIGHS


class Branching:
    """One branch and cut: the oracle of the tree's rows.

    ``best`` tells the best safe pattern known, ``repair`` makes a pattern safe and lean and tells the same after it.

    Attributes:
        bound: no safe pattern costs less.
        interrupted: whether somebody asked to stop.
    """

    def __init__(
        self,
        table: Table,
        *,
        safety: PatternSafety,
        separator: Separator,
        master: Master,
        best: Callable[[], Mask | None],
        repair: Callable[[Mask], Mask | None],
        batch: int,
        until: float,
    ) -> None:
        self.table, self.safety, self.separator, self.master = table, safety, separator, master
        self.bound, self.interrupted = 0.0, False
        from sekisho.tables.solvers.scip import VERSION, BranchAndCut

        self._tree_class, self._version = BranchAndCut, VERSION
        self._best, self._repair, self._batch, self._until = best, repair, batch, until
        self._cells = np.flatnonzero(separator.cutter.free)
        self._column = np.full(len(table), -1, dtype=np.int64)
        self._column[self._cells] = np.arange(len(self._cells))
        self._known: dict[bytes, bool] = {}
        self._wait, self._waited, self._most = 1, 0, PATIENT
        self._taught: list[Cut] = []
        self._rowed = 0
        self._rows: csr_array = csr_array((0, len(table)))

    @property
    def version(self) -> str:
        """The tree's solver."""
        return self._version

    def slices(self, guide: Floats, best: Mask | None) -> Iterator[Mask | None]:
        """Search; after each slice of nodes yield the best pattern of the tree, which is safe."""
        tree = self._tree(guide, best)
        try:
            while True:
                now = tree.search(nodes=SLICE, seconds=self._until - monotonic())
                if now.status is SolveStatus.INFEASIBLE:
                    raise BugError("the tree has no pattern, yet there is a safe one")
                self.bound, self.interrupted = now.bound, now.interrupted
                yield None if now.best is None else self._pattern(now.best)
                if now.status is SolveStatus.OPTIMAL or now.interrupted or monotonic() > self._until:
                    return
        finally:
            tree.close()

    def _tree(self, guide: Floats, best: Mask | None) -> BranchAndCut:
        pool = self.master.pool
        rows = csr_array(self.master.rows()[:, self._cells])
        return self._tree_class(
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
        """Return rows that refused patterns taught, and such as this point violates.

        Those are sought always if the point is whole, else now and then.
        """
        found, self._taught = self._taught, []
        if whole or depth % DEEP == 0:
            y = np.zeros(len(self.table))
            y[self._cells] = point
            found = found + self._cuts(y, FEW if depth and not whole else self._batch)
        return [self._row(cut) for cut in found]

    def _cuts(self, y: Floats, limit: int) -> list[Cut]:
        found = self.separator.cuts(y, limit=limit, until=self._until)
        self.master.add(found)
        return found

    def _row(self, cut: Cut) -> Row:
        return self._column[cut.cells], cut.coefficients

    def keeps(self, point: Mask) -> bool:
        """Tell whether a pattern is safe: the attackers are asked unless a cut of the pool says no."""
        mark = np.packbits(point).tobytes()
        if mark not in self._known:
            self._known[mark] = self._safe(self._pattern(point))
        return self._known[mark]

    def _safe(self, mask: Mask) -> bool:
        y = mask.astype(np.float64)
        if not self._cut_off(y):
            taught = self._cuts(y, FEW)
            if not taught:
                return self.safety.holds(mask)
            self._taught += taught
        return False

    def _cut_off(self, y: Floats) -> bool:
        """Tell whether a cut of the pool excludes a pattern."""
        pool = self.master.pool
        if len(pool) > self._rowed + MANY:
            self._rowed, self._rows = len(pool), self.master.rows()
        values: Floats = self._rows @ y
        return bool((values < 1 - CLOSE).any()) or any(cut.value(y) < 1 - CLOSE for cut in pool[self._rowed :])

    def better(self, point: Floats, below: float) -> Mask | None:
        """Return a safe pattern that costs less, found between the best one and this point.

        After each failure it waits longer.
        """
        self._waited += 1
        if self._waited < self._wait:
            return None
        best = self._between(point)
        gained = best is not None and self._cost(best) < below - CLOSE
        self._wait, self._waited = 1 if gained else min(2 * self._wait, self._most), 0
        return best[self._cells] if best is not None and gained else None

    def _between(self, point: Floats) -> Mask | None:
        """Solve small whole-number problems over what the best pattern and a point leave open, cut after cut.

        Repair the last.

        First what both hide stays hidden; if that gives nothing better, all that either hides is open.

        Source: Danna, Rothberg and Le Pape (2005), relaxation induced neighbourhood search.
        """
        y = np.zeros(len(self.table))
        y[self._cells] = point
        best = self._best()
        if best is None:
            return self._repair(y > 0.5)
        held, among = (y > 1 - CLOSE) & best, (y > CLOSE) | best
        for _ in range(ROUNDS):
            whole = self.master.whole(
                seconds=self._until - monotonic(), start=best, nodes=NODES, among=among, held=held
            )
            if whole.y is None or self._cost(whole.y > 0.5) > self._cost(best) - CLOSE:
                if held is None:
                    return None
                held = None
                continue
            y = whole.y
            taught = self._cuts(y, self._batch)
            self._taught += taught
            if not whole.proven:
                self._most *= 2
            if not (taught and whole.proven):
                break
        return self._repair(y > 0.5)

    def _cost(self, mask: Mask) -> float:
        return float(self.table.weight[mask].sum())

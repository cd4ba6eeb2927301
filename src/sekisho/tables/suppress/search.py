"""The search for the cheapest safe pattern, step by step.

Stages: a pattern of boxes, on large tables thinned; cuts at fractional points until the relaxation satisfies all, in
turns with thinning once that gains little, so that pattern and bound improve side by side; a pattern by rounding,
repair and clean-up; then, in turns, a look between the best pattern and the relaxation's point,
and the whole-number problem over the pool of cuts, until its optimum is safe, and so optimal for all cuts. A turn has
so many nodes, and the next twice as many if they were too few: one problem never takes all the time.

Source: Fischetti and Salazar (2001); the loop of the master and the attackers is Benders' decomposition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, isfinite
from time import monotonic

import numpy as np

from sekisho.errors import BugError
from sekisho.tables.audit.witness import Evidence
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.model.whole_numbers import WholeNumbers
from sekisho.tables.solvers.highs import VERSION, SolveStatus
from sekisho.tables.suppress.branching import Branching
from sekisho.tables.suppress.cuts import Cut
from sekisho.tables.suppress.master import Master, clean_pattern, search_between
from sekisho.tables.suppress.opening import Deadline, OpeningSearch
from sekisho.tables.suppress.repair import PatternSafety, Repairer, near_primaries
from sekisho.tables.suppress.separation import Separator
from sekisho.words import Said

FAR = 1e9
SMALL = 1_000
"""Up to so many cells a table needs no pattern of boxes: the cuts are there as soon."""
LARGE, LARGE_FLAT = 2_000, 20_000
"""From how many cells on the boxes of a table of three or more dimensions, or of fewer, are thinned as well."""
TURN = 100
"""Nodes of the first whole-number problem."""
BOXES, FIRST = 0.05, 0.45
"""The parts of the time after which boxes are no longer improved, and after which no first pattern is looked for."""
SHARED = 0.9
"""The part of the time after which thinning and the cuts beside it end."""
LITTLE, TWICE = 0.05, 2
"""A turn of thinning that gains no more than this part gains little; after so many in a row cuts have every other turn.

Turns are counted, not timed: the same table has the same turns however fast the machine is.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchStep:
    """Where the optimiser stands: the best safe pattern so far and what no pattern can beat.

    Attributes:
        stage: what was done last.
        seconds: since the start.
        cost: of the best pattern; infinity while there is none.
        bound: no safe pattern costs less.
        secondary: the best pattern's secondary cells; None while there is none.
        cuts: the pool that proves the bound.
        proven: whether the best pattern is optimal.
        solvers: which have been at work, with their versions.
        shown: the margins that were to stay shown; None if none were. The bound is that of patterns that show them.
        earlier: the safe patterns that were the best before, the first one first.
        rushed: whether the time was too short to find out which margins can stay shown: more of it may show more.
        whole: what is known of attackers who know that cells are whole numbers.
        added: how many cells the pattern hides because of them alone; the bound speaks of real numbers.
        evidence: whole tables that no attacker can exclude, where these were looked for and found.
    """

    stage: str
    seconds: float
    cost: float
    bound: float
    secondary: Mask | None
    cuts: tuple[Cut, ...]
    proven: bool
    solvers: tuple[str, ...] = (VERSION,)
    shown: Mask | None = None
    earlier: tuple[Mask, ...] = ()
    rushed: bool = False
    whole: WholeNumbers = WholeNumbers.NOT_CONSIDERED
    added: int = 0
    evidence: Evidence | None = None

    @property
    def gap(self) -> float:
        """How far the best cost may lie above the optimum, as a part of itself."""
        if self.proven:
            return 0.0
        return inf if self.secondary is None else max(0.0, self.cost - self.bound) / max(self.cost, 1e-12)


class Search:
    """One run: the pool of cuts, the bound and the best pattern so far."""

    def __init__(
        self,
        table: Table,
        *,
        seconds: float | None = None,
        batch: int = 300,
        root: float = 0.4,
        solver: str = "highs",
        insiders: int = 0,
        patterns: Iterator[Mask] | None = None,
        thinned: Deadline | None = None,
    ) -> None:
        self.table, self.batch, self.root, self.solver = table, batch, root, solver
        self._patterns = patterns
        self.begun = monotonic()
        limit = FAR if seconds is None else seconds
        self.limit, self.until = limit, self.begun + limit
        self._thinned_by = Deadline() if thinned is None else thinned
        self._thinned_by.at = self._shared_until
        self.safety = PatternSafety(table, insiders)
        self.separator = Separator(table, self.safety.coalitions, lean=solver != "scip")  # a tree asks too often
        self.free = self.separator.cutter.free
        self.master = Master(table.weight, self.free)
        self.steady = bool(np.all(table.weight == np.rint(table.weight)))
        self.cost, self.bound = inf, 0.0
        self.best: Mask | None = None
        self.earlier: tuple[Mask, ...] = ()
        self.thinned, self.nodes = False, TURN
        self.guide: Floats = np.zeros(len(table))
        self.solvers: tuple[str, ...] = (VERSION,)

    @property
    def _shared_until(self) -> float:
        """When thinning, and cuts beside it, end."""
        return self.begun + SHARED * self.limit

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self.until

    @property
    def proven(self) -> bool:
        """Whether the best pattern costs no more than the bound."""
        return self.best is not None and self.bound >= self.cost - 1e-6 * max(1.0, self.cost)

    def steps(self) -> Iterator[SearchStep]:
        """Work step by step; every step holds the best so far, the last one is the answer."""
        yield from self._find_and_prove()
        if self.best is None or not self.late:
            self._try(self.guide > 0.5)
        if self.best is None:
            self._all()
        yield self._step(Said("first pattern"))
        if self.solver == "scip" and not (self.proven or self.late):
            yield from self._tree()
        while not (self.proven or self.late):
            before = self._state
            self._look_between()
            yield self._step(Said("between"))
            if self.cost < before[2]:
                continue  # what gains once often gains again
            if self.proven or self.late:
                break
            self._round()
            yield self._step(Said("whole numbers"))
            if self._state == before:
                break  # the same question would have the same answer

    @property
    def _state(self) -> tuple[int, float, float, int]:
        return len(self.master.pool), self.bound, self.cost, self.nodes

    def _look_between(self) -> None:
        """Look for a better pattern between the best one and the relaxation's point."""
        if self.best is not None:
            near = search_between(
                self.master, self.separator, self.best, self.guide, batch=self.batch, until=self.until
            )
            if near is not None:
                self._try(near)

    def extend(self, seconds: float) -> None:
        """Let a search that is under way take so many seconds in all."""
        self.limit, self.until = seconds, self.begun + seconds
        self._thinned_by.at = self._shared_until

    def _find_and_prove(self) -> Iterator[SearchStep]:
        """Thin while that gains much; then thin and cut in turns until both have ended, or their time has."""
        opening, root = self._open(), self._root()
        little, before = 0, inf
        for step in opening:
            yield step
            little = little + 1 if step.cost > (1 - LITTLE) * before else 0
            before = step.cost
            if little == TWICE:
                break
        for step in take_turns(root, opening):
            yield step
            if self.proven:
                return

    def _open(self) -> Iterator[SearchStep]:
        """Offer the patterns of the opening, one after the other."""
        if not (needs_opening(self.table) or self._patterns is not None):
            return
        self.thinned = is_thinned(self.table)
        planned = plan_opening(self.table, self.begun, self.limit, end=self._thinned_by).patterns(self.table)
        offered, last = inf, None
        for pattern in planned if self._patterns is None else self._patterns:
            stage = Said("boxes") if self.best is None else Said("thinned boxes")
            last, cost = pattern, self._cost(pattern)
            if cost < (1 - LITTLE if self.safety.coalitions else 1.0) * offered:  # a shield from insiders takes long
                self._offer(self._shield(pattern))
                offered = cost
            yield self._step(stage)
        if last is not None and self._cost(last) < offered:
            self._offer(self._shield(last))
            yield self._step(Said("thinned boxes"))

    def _cost(self, mask: Mask) -> float:
        return float(self.table.weight[mask].sum())

    def _all(self) -> None:
        """Suppress every cell that may be: the last resort when the time is over."""
        self._offer(self.free)
        if self.best is None:
            self.safety.refuse_hopeless()

    def _step(self, stage: str) -> SearchStep:
        return SearchStep(
            stage=stage,
            seconds=monotonic() - self.begun,
            cost=self.cost,
            bound=min(self.bound, self.cost),
            secondary=self.best,
            cuts=tuple(self.master.pool),
            proven=self.proven,
            solvers=self.solvers,
            earlier=self.earlier,
        )

    def _root(self) -> Iterator[SearchStep]:
        """Cut fractional points until none is violated or the time for it is over; the last cuts count as well."""
        self.master.add(self.separator.start())
        begun = monotonic()
        lean = self.thinned and self.best is not None  # then the bound is what is lacking
        while True:
            until = self._shared_until if lean else begun + self.root * max(0.0, self.until - begun)
            if not self._relax(until if monotonic() < until else self.until):
                break
            yield self._step(Said("cuts"))
            if monotonic() > until:
                break
            if not self.master.add(self.separator.cuts(self.guide, limit=self.batch, until=until)):
                break

    def _relax(self, until: float) -> bool:
        """Solve the relaxation for a guide and a bound; return whether there was time for it."""
        solution = self.master.relaxed(seconds=until - monotonic())
        if solution.status is SolveStatus.LIMIT:
            return False
        if solution.status is SolveStatus.INFEASIBLE:
            self.safety.refuse_hopeless()
        if solution.status is not SolveStatus.OPTIMAL:
            raise BugError(f"the relaxation is {solution.status.value}, yet every cell suppressed is safe")
        self.guide = solution.x
        self._raise(solution.objective)
        return True

    def _raise(self, bound: float) -> None:
        """Take a better bound; with whole costs the next whole number is one."""
        self.bound = max(self.bound, ceil(bound - 1e-6) if self.steady else bound)

    def _round(self) -> None:
        """Solve the whole-number problem over the pool, as far as its nodes go.

        Its optimum is optimal if safe; any pattern of it gives cuts and a start else.
        """
        whole = self.master.whole(seconds=self.until - monotonic(), start=self.best, nodes=self.nodes)
        if not whole.proven:
            self.nodes *= 2
        if isfinite(whole.bound):  # else the solver finds the pool too fine: the best pattern satisfies it
            self._raise(whole.bound)
        if whole.y is None:
            return
        if self.master.add(self.separator.cuts(whole.y, limit=len(self.table), until=self.until)):
            self._try(whole.y > 0.5)
        else:
            self._offer(whole.y > 0.5)

    def _tree(self) -> Iterator[SearchStep]:
        """Search one tree of SCIP's, cut by the attackers; every slice of it is a step."""
        tree = Branching(
            self.table,
            safety=self.safety,
            separator=self.separator,
            master=self.master,
            best=lambda: self.best,
            repair=self._repair,
            batch=self.batch,
            until=self.until,
        )
        self.solvers = (VERSION, tree.version)
        for best in tree.slices(self.guide, self.best):
            self._offer(best)
            self._raise(tree.bound)
            yield self._step(Said("stage|tree"))
            if tree.interrupted:
                raise KeyboardInterrupt

    def _repair(self, mask: Mask) -> Mask | None:
        self._try(mask)
        return self.best

    def _try(self, mask: Mask) -> None:
        """Make a pattern safe and lean, and keep it if it is the best."""
        near = mask | (self.guide > 1e-6) | near_primaries(self.table)
        repairer = Repairer(self.table, near if self.best is None else near | self.best)
        safe = self._shield(repairer.repair(mask & self.free, self.guide, until=self.until), repairer)
        if safe is not None:
            self._offer(self._clean(safe, self.until))

    def _shield(self, mask: Mask | None, repairer: Repairer | None = None) -> Mask | None:
        """Make a pattern that is safe from outsiders safe from insiders, if there are any."""
        if mask is None or not self.safety.coalitions:
            return mask
        shield = Repairer(self.table, mask | near_primaries(self.table)) if repairer is None else repairer
        return shield.shield(mask, self.guide, self.safety.coalitions, until=self.until)

    def _clean(self, safe: Mask, until: float) -> Mask:
        return clean_pattern(
            self.table, safe, separator=self.separator, master=self.master, guide=self.guide, until=until
        )

    def _offer(self, mask: Mask | None) -> None:
        if mask is None:
            return
        cost = self._cost(mask)
        if cost < self.cost and self.safety.holds(mask):
            if self.best is not None:
                self.earlier = (*self.earlier, self.best)
            self.cost, self.best = cost, mask


def needs_opening(table: Table) -> bool:
    """Tell whether a table is large enough for a pattern of boxes to be of use."""
    return len(table) > SMALL and bool(table.primary.any())


def is_thinned(table: Table) -> bool:
    """Tell whether a table is large enough for its boxes to be thinned."""
    return len(table) >= (LARGE if len(table.dims) > 2 else LARGE_FLAT)


def take_turns(*works: Iterator[SearchStep]) -> Iterator[SearchStep]:
    """Yield the steps of several works, one of each in turn, until all have ended."""
    waiting = list(works)
    while waiting:
        for work in tuple(waiting):
            step = next(work, None)
            if step is None:
                waiting.remove(work)
            else:
                yield step


def plan_opening(table: Table, begun: float, limit: float, *, end: Deadline, first: float = FIRST) -> OpeningSearch:
    """Return the opening of a search that began then and may take so long; ``first`` is the first pattern's part."""
    return OpeningSearch(boxes=begun + BOXES * limit, first=begun + first * limit, end=end, thin=is_thinned(table))

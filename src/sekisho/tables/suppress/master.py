"""The master problem: the cheapest pattern that satisfies all cuts found so far, relaxed or whole.

Its value is a lower bound for every safe pattern, since every safe pattern satisfies every cut.

A better pattern between the best one and a point of the relaxation: small whole-number problems, cut after cut.

Source: Danna, Rothberg and Le Pape (2005), relaxation induced neighbourhood search.

Clean-up: publish again every secondary cell that the protection does not need.

A cell may go if no cut of the pool forbids it, and if every primary whose witness moved it finds another. Each refusal
leaves a new cut in the pool, so that later attempts fail without any program, and the bound gains as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic

import numpy as np
from scipy.sparse import csr_array

from sekisho.tables.audit.attacker import Attacker
from sekisho.tables.audit.survey import AuditSurvey, settle_primary
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.solvers.highs import Program, Solution, SolveStatus
from sekisho.tables.suppress.cuts import Cut
from sekisho.tables.suppress.repair import attacker_on
from sekisho.tables.suppress.separation import Separator

STALE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A whole-number pattern that satisfies the pool (None if none was found in time), and a bound for all of them."""

    y: Floats | None
    bound: float
    proven: bool


class Master:
    """The pool of cuts and its linear program over the free cells.

    The program forgets a cut that has been slack for some rounds; the pool keeps it, for the whole-number problem and
    the certificate.

    Attributes:
        pool: every cut found, in order, none twice.
    """

    def __init__(self, weight: Floats, free: Mask) -> None:
        self._weight, self._free = weight, free
        self._cells = len(weight)
        self.pool: list[Cut] = []
        self._marks: set[bytes] = set()
        self._loaded: list[int] = []
        self._slack: list[int] = []
        none = np.zeros(0)
        self._program = Program(
            cost=np.where(free, weight, 0.0),
            lower=np.zeros(self._cells),
            upper=free.astype(np.float64),
            rows=csr_array((0, self._cells)),
            row_lower=none,
            row_upper=none,
        )

    def add(self, cuts: Iterable[Cut]) -> int:
        """Take cuts into the pool and the program; return how many were new."""
        fresh: list[int] = []
        for cut in cuts:
            if cut.mark not in self._marks:
                self._marks.add(cut.mark)
                fresh.append(len(self.pool))
                self.pool.append(cut)
        self._load(fresh)
        return len(fresh)

    def _load(self, places: list[int]) -> None:
        if places:
            rows = self._rows(places)
            self._program.add(rows, np.ones(len(places)), np.full(len(places), np.inf))
            self._loaded += places
            self._slack += [0] * len(places)

    def _rows(self, places: list[int]) -> csr_array:
        cuts = [self.pool[place] for place in places]
        starts = np.cumsum([0, *(len(cut.cells) for cut in cuts)])
        data = np.concatenate([cut.coefficients for cut in cuts])
        return csr_array((data, np.concatenate([cut.cells for cut in cuts]), starts), shape=(len(cuts), self._cells))

    def rows(self) -> csr_array:
        """Return the whole pool, a cut per row."""
        return self._rows(list(range(len(self.pool)))) if self.pool else csr_array((0, self._cells))

    def relaxed(self, *, seconds: float | None = None) -> Solution:
        """Solve the linear program, with every pooled cut in force; drop what has long been slack."""
        while True:
            self._program.limit(seconds=seconds)
            solution = self._program.solve()
            if solution.status is not SolveStatus.OPTIMAL:
                return solution
            if not self._recall(solution.x):
                break
        self._forget(solution)
        return solution

    def _recall(self, y: Floats) -> bool:
        """Load pooled cuts again that the program forgot and ``y`` violates."""
        loaded = set(self._loaded)
        away = [place for place in range(len(self.pool)) if place not in loaded]
        if not away:
            return False
        broken = np.flatnonzero(self._rows(away) @ y < 1 - 1e-6)
        self._load([away[at] for at in broken.tolist()])
        return bool(broken.size)

    def _forget(self, solution: Solution) -> None:
        idle = np.abs(solution.dual) < 1e-9
        self._slack = [age + 1 if still else 0 for age, still in zip(self._slack, idle.tolist(), strict=True)]
        old = [at for at, age in enumerate(self._slack) if age > STALE]
        if len(old) > len(self._loaded) // 3:
            self._program.drop(old)
            gone = set(old)
            self._loaded = [place for at, place in enumerate(self._loaded) if at not in gone]
            self._slack = [age for at, age in enumerate(self._slack) if at not in gone]

    def whole(
        self,
        *,
        seconds: float,
        start: Mask | None,
        nodes: int | None = None,
        among: Mask | None = None,
        held: Mask | None = None,
    ) -> Whole:
        """Solve the whole-number problem over the pool.

        If so asked, among some cells only and with others held in the pattern.
        """
        rows = self._rows(list(range(len(self.pool))))
        used = np.unique(rows.indices)
        program = Program(
            cost=self._weight[used],
            lower=np.zeros(len(used)) if held is None else held[used].astype(np.float64),
            upper=np.ones(len(used)) if among is None else among[used].astype(np.float64),
            rows=csr_array(rows[:, used]),
            row_lower=np.ones(len(self.pool)),
            row_upper=np.full(len(self.pool), np.inf),
            whole=np.ones(len(used), dtype=np.bool_),
        )
        program.limit(seconds=seconds, nodes=nodes, gap=0.0)
        if start is not None:
            program.start(start[used].astype(np.float64))
        solution = program.solve()
        y = None
        if solution.x.size:
            y = np.zeros(self._cells)
            y[used] = np.rint(solution.x)
        return Whole(y=y, bound=solution.bound, proven=solution.status is SolveStatus.OPTIMAL)

    def needed(self, mask: Mask) -> Mask:
        """Return the cells of a pattern that some cut of the pool cannot do without: known without any program."""
        if not self.pool:
            return np.zeros(self._cells, dtype=np.bool_)
        rows = self._rows(list(range(len(self.pool)))).tocoo()
        spare = np.bincount(rows.row, weights=rows.data * mask[rows.col], minlength=len(self.pool)) - 1.0
        out = np.zeros(self._cells, dtype=np.bool_)
        out[rows.col[rows.data > spare[rows.row] + 1e-6]] = True
        return out & mask


CLOSE = 1e-6
ROUNDS, NODES = 10, 1
"""Small whole-number problems in one attempt, and the nodes of each."""


def search_between(
    master: Master, separator: Separator, best: Mask, point: Floats, *, batch: int, until: float
) -> Mask | None:
    """Return a pattern that satisfies the pool, costs less than the best and is safe or nearly so; None if none is met.

    First what both hide stays hidden; if that gives nothing better, all that either hides is open. What a problem
    answers need not be its optimum: each cheaper pattern is cut until one is safe, or the attempts are used up.
    """
    weight = separator.table.weight
    cost = float(weight[best].sum())
    held: Mask | None = (point > 1 - CLOSE) & best
    among = (point > CLOSE) | best
    near: Mask | None = None
    for _ in range(ROUNDS):
        whole = master.whole(seconds=until - monotonic(), start=best, nodes=NODES, among=among, held=held)
        if whole.y is None or float(weight @ whole.y) > cost - CLOSE:
            if held is None:
                break
            held = None
            continue
        near = whole.y > 0.5
        if not master.add(separator.cuts(np.rint(whole.y), limit=batch, until=until)) or monotonic() > until:
            break
    return near


NONE = np.zeros(1)
MANY = 8
"""How many open primaries are worth programs that move all of them at once."""


def clean_pattern(
    table: Table, mask: Mask, *, separator: Separator, master: Master, guide: Floats, until: float
) -> Mask:
    """Return the safe pattern ``mask`` with as many cells as possible published again, the dearest first."""
    attacker = attacker_on(table, mask | table.suppressed)
    survey = AuditSurvey(separator.needs)
    survey.spread(attacker, until=until)
    for place in survey.open().tolist():
        if monotonic() > until:
            return mask
        settle_primary(attacker, survey, place)
    moved = survey.moved(len(table))
    if separator.coalitions:
        moved |= separator.moved_inside(attacker, mask.astype(np.float64), until=until)
    kept = mask & moved
    gone = np.flatnonzero(mask & ~kept)
    attacker.hold(gone, np.zeros(len(gone)), np.zeros(len(gone)))
    tried = np.flatnonzero(kept)
    needed = master.needed(kept)
    for cell in tried[np.lexsort((tried, guide[tried], -table.weight[tried]))].tolist():
        if monotonic() > until:
            break
        if needed[cell]:
            continue
        outcome = _without(attacker, survey, separator, kept, cell, until)
        if isinstance(outcome, AuditSurvey):
            kept[cell] = False
            refusal = separator.inside_cuts(attacker, kept.astype(np.float64), limit=1, until=until)
            if refusal or monotonic() > until:
                kept[cell] = True
                attacker.release(np.array([cell]))
                needed = master.needed(kept) if master.add(refusal) else needed
                continue
            survey = outcome
            needed = master.needed(kept)
        elif master.add(outcome):
            needed = master.needed(kept)
    return kept


def _without(
    attacker: Attacker, survey: AuditSurvey, separator: Separator, kept: Mask, cell: int, until: float
) -> AuditSurvey | list[Cut]:
    """Return what is known once a cell stays still, or the cuts that say it must not.

    None if the time is over first.
    """
    one = np.array([cell])
    attacker.hold(one, NONE, NONE)
    trial = survey.without(one)
    y = kept.astype(np.float64)
    y[cell] = 0.0
    if len(trial.open()) > MANY:
        trial.spread(attacker)
    for place in trial.open().tolist():
        if monotonic() > until:
            return []
        if trial.needs.met(trial.down, trial.up)[place]:
            continue
        if not settle_primary(attacker, trial, place):
            cuts = separator.of_primary(attacker, trial, place, y)
            attacker.release(one)
            return cuts
    return trial

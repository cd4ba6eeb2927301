"""Secondary suppression: the cheapest set of further cells whose suppression protects every primary cell.

The adversary sees the published cells, all equations and his bounds, and computes the interval in which each hidden
cell must lie; if so asked, he is also any coalition of contributors of one cell, who know what they gave. A pattern is
safe if every primary's interval reaches its levels below, above and in width. The optimiser proves how good its pattern
is; what it returns has always passed the audit, whatever ended the run.

Source: Fischetti and Salazar (2001); the loop of the master and the attackers is Benders' decomposition.

Among which patterns one is the cheapest: "optimal" says nothing without it.

Margins that stay shown: a total of totals is not hidden wherever the table can be protected without it.

The number of cells alone decides badly here: in a table of three dimensions one hidden grand total helps hundreds of
unsafe cells at once, so the fewest cells hide it, and with it what every reader looks for first. From the highest level
down, a level's totals are therefore kept if every unsafe cell can still be protected by hiding others; of a level that
cannot be kept whole, as many as halving it finds. The lowest level, the totals of inner cells, is left to the costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import BugError, InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.tables.model.heights import measure_heights
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.model.whole_numbers import WholeNumbers, judge_whole_numbers
from sekisho.tables.suppress.branching import choose_solver, refuse_absent
from sekisho.tables.suppress.opening import Deadline
from sekisho.tables.suppress.repair import PatternSafety
from sekisho.tables.suppress.search import Search, SearchStep, is_thinned, needs_opening, plan_opening
from sekisho.tables.suppress.whole_tables import WholePattern, is_out_of_reach, protect_whole
from sekisho.words import Said, join_words


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternChoice:
    """What every pattern that was compared has in common.

    Attributes:
        kept: how many totals of totals they all show, because these were to be kept.
        shown: how many other cells they all show, because these must be published.
        frozen: how many cells they all hide, because an earlier publication did.
    """

    kept: int = 0
    shown: int = 0
    frozen: int = 0

    def describe(self) -> Said:
        """Return it in words."""
        parts = (
            (self.kept, Said("show the kept totals of totals ({cells})", cells=self.kept)),
            (self.shown, Said("show the cells that must be published ({cells})", cells=self.shown)),
            (self.frozen, Said("hide the cells that were hidden before ({cells})", cells=self.frozen)),
        )
        demands = [words for count, words in parts if count]
        if not demands:
            return Said("all safe patterns")
        return Said("the safe patterns that {demands}", demands=join_words(demands, " and ", "、"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginCount:
    """How many cells of a height there are, and how many of them are hidden."""

    height: int
    cells: int
    hidden: int


def count_margins(table: Table) -> list[MarginCount]:
    """Return how many margins of each height a pattern hides, the highest first; cells of no published table aside."""
    heights = measure_heights(table)
    own, hidden = ~table.unpublished, table.suppressed
    top = int(heights[own].max(initial=0))
    return [
        MarginCount(
            height=height,
            cells=int((own & (heights == height)).sum()),
            hidden=int((own & hidden & (heights == height)).sum()),
        )
        for height in range(top, 0, -1)
    ]


Places = NDArray[np.intp]
LOWEST = 2
"""The lowest height that is kept: totals of totals."""
TRIALS = 8
"""How many parts of a level are tried after the whole of it has failed."""


def keep_margins(table: Table, *, insiders: int = 0, seconds: float | None = None) -> Mask:
    """Return the margins that are to stay shown; with a time limit, those found by then."""
    shown: Mask = np.zeros(len(table), dtype=np.bool_)
    if not table.primary.any():
        return shown
    heights, until = measure_heights(table), inf if seconds is None else monotonic() + seconds
    for height in range(int(heights.max(initial=0)), LOWEST - 1, -1):
        cells = np.flatnonzero((heights == height) & (table.status == Status.SAFE))
        shown |= _show_most(show_cells(table, shown), cells, insiders, until)
    return shown


def _show_most(table: Table, cells: Places, insiders: int, until: float) -> Mask:
    """Return as many of some cells as can be shown: all of them, or halves of what cannot be shown whole."""
    waiting, trials = [cells], 0
    shown: Mask = np.zeros(len(table), dtype=np.bool_)
    while waiting and trials <= TRIALS and monotonic() < until:
        some = waiting.pop(0)
        trial = shown.copy()
        trial[some] = True
        trials += 1
        if some.size and _can_protect(show_cells(table, trial), insiders):
            shown = trial
        elif len(some) > 1:
            waiting += [some[: len(some) // 2], some[len(some) // 2 :]]
    return shown


def show_cells(table: Table, mask: Mask | None) -> Table:
    """Return the table with some of its safe cells marked to be published."""
    if mask is None or not mask.any():
        return table
    return replace(table, status=np.where(mask & (table.status == Status.SAFE), np.int8(Status.PUBLISH), table.status))


def _can_protect(table: Table, insiders: int) -> bool:
    """Tell whether every unsafe cell is protected if all is hidden that may be."""
    return PatternSafety(table, insiders).holds(table.status == Status.SAFE)


FIRST = 0.6
"""The part of the time that a first pattern that shows all margins may take."""
FEWER = 0.2
"""The part that first patterns that show fewer of them may take, together."""
CLOSE = 1e-6
KEEPING = 0.1
"""The part of the time that it may take to find out which margins can stay."""
WHOLE = 0.25
"""The part of the time that is left for whole tables, where these may tell more than tables of real numbers."""
PROBED = 0.6
"""The part of the search's time after which it is asked whether whole tables are within reach at all."""
LEAST = 0.01
"""So many seconds a search has however long it took before: a first pattern is found whatever the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """What the optimiser answers.

    Attributes:
        table: with the secondary cells marked.
        last: the last step: cost, bound, gap, cuts.
        optimal: whether the cost is proven to be the least among the patterns of ``choice``.
        insiders: how many contributors of one cell the pattern is safe from together; 0 for outsiders only.
    """

    table: Table
    last: SearchStep
    optimal: bool
    insiders: int = 0

    @property
    def cut_short(self) -> tuple[Said, ...]:
        """What the time, or whoever interrupted it, left open: more of it may give a pattern of another kind."""
        gap, last = Said("the gap is {gap:.1f} %", gap=100 * self.last.gap), self.last
        parts = (
            (
                last.added > 0,
                Said(
                    "{cells} more {cells:cell is|cells are} hidden because attackers may know that cells are whole "
                    "numbers. The pattern is safe from them too, but not proven the cheapest ({gap}).",
                    cells=last.added,
                    gap=gap,
                ),
            ),
            (
                not self.optimal and not last.added,
                Said("The search was cut short: the pattern is safe, but not proven the cheapest ({gap}).", gap=gap),
            ),
            (
                last.rushed,
                Said(
                    "The time was too short to find out which totals of totals can stay shown: more time may keep more "
                    "of them, and compare other patterns."
                ),
            ),
        )
        return tuple(words for holds, words in parts if holds)

    @property
    def frozen(self) -> Mask:
        """The cells that were suppressed before and had to stay so: they count as given, not as chosen."""
        secondary, chosen = self.table.status == Status.SECONDARY, self.last.secondary
        return secondary if chosen is None else secondary & ~chosen

    @property
    def kept(self) -> Mask:
        """The totals of totals that were to stay shown."""
        published = self.table.status == Status.PUBLISH
        return published & (np.zeros(len(self.table), dtype=np.bool_) if self.last.shown is None else self.last.shown)

    @property
    def choice(self) -> PatternChoice:
        """Among which patterns this one was chosen, and what its bound speaks of."""
        kept, published = int(self.kept.sum()), int((self.table.status == Status.PUBLISH).sum())
        return PatternChoice(kept=kept, shown=published - kept, frozen=int(self.frozen.sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Optimiser:
    """How long to look, and how hard.

    Attributes:
        seconds: the time after which the best pattern so far is returned; None for no limit.
        batch: about how many cuts a round may add.
        root: the part of the time that the cuts at fractional points may take.
        solver: of the whole-number problem: ``highs``, ``scip`` for branch and cut (the extra ``sekisho[scip]``), or
            ``auto`` for what suits the table and is installed.
        insiders: how many contributors of one cell may put together what they know; 0 protects against outsiders only.
        keep: whether totals of totals stay shown wherever the table can be protected without hiding them
            (:mod:`sekisho.tables.suppress.optimiser`); the bound is then that of patterns that show them.
        whole: whether patterns are to be safe also from who knows that cells are whole numbers, where they are and it
            matters; if the time is too short for that, the step says so.
    """

    seconds: float | None = None
    batch: int = 300
    root: float = 0.4
    solver: str = "highs"
    insiders: int = 0
    keep: bool = False
    whole: bool = True

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise ParameterError("seconds", Said("be above 0"), self.seconds)
        if self.batch < 1:
            raise ParameterError("batch", Said("be at least 1"), self.batch)
        if not 0 < self.root < 1:
            raise ParameterError("root", Said("lie strictly between 0 and 1"), self.root)
        if self.insiders < 0:
            raise ParameterError("insiders", Said("be at least 0"), self.insiders)
        refuse_absent(self.solver)

    def suppress(self, table: Table) -> Suppression:
        """Return the best safe pattern found, with its proven bound.

        Raises:
            InfeasibleError: some primaries cannot be protected, named with the reason.
        """
        *_, last = self.steps(table)
        return finish_search(table, last, insiders=self.insiders)

    def steps(self, table: Table) -> Iterator[SearchStep]:
        """Work step by step; every step holds the best so far, the last one is the answer."""
        begun, judged = monotonic(), judge_whole_numbers(table)
        weighed = bool(np.any(np.abs(table.matrix.data) != 1))  # such equations may have no other whole table at all
        asks = self.whole and judged is WholeNumbers.NOT_CONSIDERED and not weighed
        limit = None if self.seconds is None else (1 - WHOLE if asks else 1.0) * self.seconds
        thinned = Deadline(at=inf if limit is None else begun + limit)
        shown, patterns, rushed = self._keep(table, begun, limit, thinned)
        seconds = None if limit is None else max(LEAST, limit - (monotonic() - begun))
        search = Search(
            show_cells(table, shown),
            seconds=seconds,
            batch=self.batch,
            root=self.root,
            solver=choose_solver(table, self.solver, large=is_thinned(table)),
            insiders=self.insiders,
            patterns=patterns,
            thinned=thinned,
        )
        last, awaits_probe = None, asks
        for step in search.steps():
            last = replace(step, shown=shown, seconds=monotonic() - begun, rushed=rushed, whole=judged)
            yield last
            if awaits_probe and last.seconds > PROBED * (limit or inf) and last.secondary is not None:
                awaits_probe = False
                if is_out_of_reach(search.table, last.secondary, seconds=WHOLE * (self.seconds or inf)):
                    search.extend((self.seconds or inf) - (search.begun - begun))
        if asks and last is not None and last.secondary is not None:
            yield replace(self._ask_whole(table, last, begun), seconds=monotonic() - begun)

    def _ask_whole(self, table: Table, last: SearchStep, begun: float) -> SearchStep:
        """Return a step whose pattern is safe also from who knows that cells are whole; the last one for lack of time.

        Totals of totals that were to stay shown are hidden where the table cannot be protected otherwise; the bound of
        patterns that show them is then none.

        Raises:
            InfeasibleError: no pattern protects the table from them.
        """
        until = inf if self.seconds is None else begun + self.seconds
        try:
            found = self._protect_whole(show_cells(table, last.shown), last, until)
        except InfeasibleError:
            if last.shown is None:
                raise
            last = replace(last, shown=None, bound=0.0, cuts=(), proven=False)
            found = self._protect_whole(table, last, until)
        return last if found is None else _take_whole(table, last, found)

    def _protect_whole(self, table: Table, last: SearchStep, until: float) -> WholePattern | None:
        coalitions = PatternSafety(table, self.insiders).coalitions if self.insiders else ()
        return None if last.secondary is None else protect_whole(table, last.secondary, coalitions, until=until)

    def _keep(
        self, table: Table, begun: float, limit: float | None, thinned: Deadline
    ) -> tuple[Mask | None, Iterator[Mask] | None, bool]:
        """Return the margins that are to stay shown, and patterns that show them if those were asked for already.

        And whether the time was too short to find out all that can stay.

        With a time limit a large table keeps the more margins the sooner it has a first pattern: if none is found that
        shows all that can be, the lowest level of them is given up, and so on.
        """
        if not self.keep:
            return None, None, False
        shown = keep_margins(table, insiders=self.insiders, seconds=None if limit is None else KEEPING * limit)
        rushed = limit is not None and monotonic() - begun >= KEEPING * limit
        if limit is None or not needs_opening(table):
            return (shown if shown.any() else None), None, rushed
        heights = measure_heights(table)
        lowest = range(LOWEST, int(heights.max()) + 1)
        for at, height in enumerate(lowest):
            kept = shown & (heights >= height)
            part = FIRST + (1 - 0.5**at) * FEWER
            planned = plan_opening(table, begun, limit, first=part, end=thinned)
            patterns = planned.patterns(show_cells(table, kept))
            first = next(patterns, None)
            if first is not None:
                return kept, chain([first], patterns), rushed or at > 0
        return None, None, True


def _take_whole(table: Table, last: SearchStep, found: WholePattern) -> SearchStep:
    """Return a step with a pattern that is safe also from who knows that cells are whole."""
    before = np.zeros(len(table), dtype=np.bool_) if last.secondary is None else last.secondary
    added = int((found.secondary & ~before).sum())
    cost = float(table.weight[found.secondary].sum())
    proven = last.proven and cost <= last.bound + CLOSE * max(1.0, cost)
    return replace(
        last,
        stage=Said("whole tables"),
        secondary=found.secondary,
        cost=cost,
        proven=proven,
        whole=WholeNumbers.PROVEN,
        added=0 if proven else added,
        evidence=found.evidence,
        earlier=() if added else last.earlier,
    )


def finish_search(table: Table, last: SearchStep, *, insiders: int = 0) -> Suppression:
    """Return the answer that a step holds, audited once more on its own; ``insiders`` as the optimiser was told."""
    if last.secondary is None:
        raise ParameterError("last", Said("hold a pattern, as the last step of a search does"), None)
    done = show_cells(table, last.shown).suppress_cells(last.secondary | (table.status == Status.SECONDARY))
    if not PatternSafety(done, insiders).holds(done.suppressed):
        raise BugError("the optimiser's pattern does not pass the audit")
    return Suppression(table=done, last=last, optimal=last.proven, insiders=insiders)


def take_pattern(answer: Suppression, pattern: Mask) -> Suppression:
    """Return an answer with another of its search's safe patterns instead, audited once more; the bound stays."""
    cost = float(answer.table.weight[pattern].sum())
    whole = WholeNumbers.NOT_CONSIDERED if answer.last.whole is WholeNumbers.PROVEN else answer.last.whole
    last = replace(
        answer.last, secondary=pattern, cost=cost, proven=False, earlier=(), whole=whole, added=0, evidence=None
    )
    before = answer.last.secondary
    frozen = (answer.table.status == Status.SECONDARY) & ~(pattern if before is None else before)
    return finish_search(answer.table.suppress_cells(frozen), last, insiders=answer.insiders)

"""Controlled rounding of a table of counts: what is asked, and the table that is shown.

The adversary sees multiples of a base that add up, and knows the base and the steps (``rule``). With all cells rounded
alike he learns of each cell what its own number says and no more (docs/proofs/rounding.md)::

    shown x:  max(0, x - (K + 1) b + 1) .. x + (K + 1) b - 1

Whoever also knows that the change was made least (``least``), or how ties are broken (``tie``), may learn more: a least
rounding is promised against ``rule`` only. An unbiased one follows from chance and is promised against all three.

Sources: Causey, Cox and Ernst, JASA 80 (1985); Cox, JASA 82 (1987); Salazar, Mathematical Programming 105 (2006).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import inf
from time import monotonic

import numpy as np

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.tables.audit.statements import ReaderKnowledge, Statements
from sekisho.tables.model.heights import measure_heights
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.round.choices import BoundMultipliers, RoundingChoices, Wholes, round_up
from sekisho.tables.round.conflict import MOST_STEPS, RoundingConflict, conflicts, find_conflict
from sekisho.tables.round.refusals import refuse_exact, refuse_others, refuse_wide
from sekisho.tables.round.search import RoundingStep, search_steps
from sekisho.tables.round.small_counts import Norm, choose_small, find_greatest, limit_change
from sekisho.tables.round.unbiased import RecordedDraws, round_unbiased
from sekisho.words import Said

USUAL_SECONDS = 60.0
"""How long a search takes at most if nobody says otherwise."""


class Objective(StrEnum):
    """What the rounding is to be."""

    LEAST = "least"
    UNBIASED = "unbiased"
    SMALL = "small"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Rounder:
    """How a table of counts is rounded.

    Attributes:
        base: of which cells are shown as multiples; at least 2.
        steps: how many multiples further than its two neighbours a cell may go; 0 is zero-restricted.
        objective: ``least`` change; ``unbiased``: up with chance rest over base; ``small``: only inner counts below the
            base are rounded.
        norm: what of a ``small`` rounding is made least: the sum over all cells, over margins, or the greatest change
            of a margin.
        seconds: after which the best so far is taken; None for no limit.
    """

    base: int = 5
    steps: int = 0
    objective: Objective = Objective.LEAST
    norm: Norm = Norm.ALL
    seconds: float | None = USUAL_SECONDS

    def __post_init__(self) -> None:
        if self.base < 2:
            hint = Said("rounded to 1, a count is what it was")
            raise ParameterError("base", Said("be at least {least}", least=2), self.base, hint=hint)
        if not 0 <= self.steps <= MOST_STEPS:
            raise ParameterError("steps", Said("lie from {least} to {most}", least=0, most=MOST_STEPS), self.steps)
        if self.steps and self.objective is not Objective.LEAST:
            raise ParameterError("steps", Said("be given with the objective least only"), self.steps)
        if self.norm is not Norm.ALL and self.objective is not Objective.SMALL:
            raise ParameterError("norm", Said("be given with the objective small only"), self.norm.value)
        if self.seconds is not None and not 0 < self.seconds < inf:
            raise ParameterError("time", Said("be a number of seconds above 0"), self.seconds)

    @property
    def reach(self) -> int:
        """How far the truth may be from what is shown."""
        return (self.steps + 1) * self.base - 1

    @property
    def against(self) -> tuple[ReaderKnowledge, ...]:
        """Whose knowledge the promise holds against."""
        everybody = (ReaderKnowledge.RULE, ReaderKnowledge.LEAST, ReaderKnowledge.TIE)
        return everybody if self.objective is Objective.UNBIASED else (ReaderKnowledge.RULE,)

    def check(self, table: Table) -> None:
        """Refuse a table that cannot be rounded so, or whose unsafe cells no such rounding protects.

        Raises:
            ParameterError: it is not of counts; a width that no cell can have; unsafe cells that small-count rounding
                leaves as they are.
        """
        refuse_others(table)
        refuse_wide(table, base=self.base, steps=self.steps)
        if self.objective is Objective.SMALL:
            refuse_exact(table, base=self.base)

    def choose(self, table: Table, *, steps: int | None = None) -> RoundingChoices:
        """Return the tables that may be shown; cells of no published table may hold any multiple."""
        value = np.rint(table.value).astype(np.int64)
        if self.objective is Objective.SMALL:
            return choose_small(table, value, self.base, self.norm)
        further = self.steps if steps is None else steps
        below, rest = np.divmod(value, self.base)
        hidden = table.unpublished
        top = int(below.max(initial=0)) + further + 1
        return RoundingChoices(
            matrix=table.matrix,
            value=value,
            unit=np.full(len(value), self.base, dtype=np.int64),
            low=np.where(hidden, 0, np.maximum(0, below - further)),
            high=np.where(hidden, top, below + further + (rest > 0)),
            weight=(~hidden).astype(np.int64),
        )

    def search(self, table: Table, *, rng: np.random.Generator) -> Iterator[RoundedTable]:
        """Yield ever better tables, the best last; ``rng`` draws what an unbiased rounding shows, and nothing else.

        Raises:
            ParameterError: the table cannot be rounded so (:meth:`check`).
            InfeasibleError: no table of such multiples adds up (:meth:`explain_conflict` says why).
        """
        self.check(table)
        begun = monotonic()
        choices = self.choose(table)
        steps = search_steps(table, choices, seconds=self.seconds)
        if self.objective is Objective.UNBIASED:
            draws = RecordedDraws(rng)
            shown = round_unbiased(table, choices.value, self.base, rng=draws)
            drawn = replace(next(steps), shown=shown, cost=choices.cost(shown))
            yield RoundedTable(
                table=table,
                rounder=self,
                choices=choices,
                step=drawn,
                seconds=monotonic() - begun,
                commitment=draws.digest(),
            )
            return
        last = None
        for step in steps:
            last = step
            if step.shown is not None:
                yield RoundedTable(table=table, rounder=self, choices=choices, step=step, seconds=monotonic() - begun)
        if last is None or last.shown is None:
            raise InfeasibleError(Said("no table of multiples was found in {seconds:g} s", seconds=self.seconds or 0))
        if self.norm is Norm.GREATEST:
            step = self._lower_greatest(table, choices, last)
            yield RoundedTable(table=table, rounder=self, choices=choices, step=step, seconds=monotonic() - begun)

    def round(self, table: Table, *, rng: np.random.Generator) -> RoundedTable:
        """Return the best table that is found in time.

        Raises:
            ParameterError: the table cannot be rounded so (:meth:`check`).
            InfeasibleError: no table of such multiples adds up (:meth:`explain_conflict` says why).
        """
        *_, last = self.search(table, rng=rng)
        return last

    def _lower_greatest(self, table: Table, choices: RoundingChoices, step: RoundingStep) -> RoundingStep:
        """Return the table whose greatest change of a margin is least, of the least sum among those."""
        shown = choices.value if step.shown is None else step.shown
        low, high, proven = 0, find_greatest(choices, shown), 0
        while low < high:
            middle = (low + high) // 2
            tried = self._try_limit(table, limit_change(choices, middle))
            if isinstance(tried, bool):
                low, proven = middle + 1, middle + 1 if tried and proven == low else proven
            else:
                shown, high = tried, find_greatest(choices, tried)
        return replace(step, shown=shown, cost=high, bound=proven)

    def _try_limit(self, table: Table, choices: RoundingChoices) -> Wholes | bool:
        """Return the cheapest table; else whether it is certain that there is none."""
        try:
            *_, last = search_steps(table, choices, seconds=self.seconds)
        except InfeasibleError:
            return True
        return False if last.shown is None else last.shown

    def explain_conflict(self, table: Table) -> RoundingConflict:
        """Return equations that conflict and the fewest steps with which a table adds up."""
        choices = self.choose(table)
        rows, irreducible = find_conflict(choices, seconds=self.seconds)
        everything = np.arange(choices.matrix.shape[0])
        wider = range(self.steps + 1, MOST_STEPS + 1) if self.objective is Objective.LEAST else range(0)
        until = inf if self.seconds is None else monotonic() + self.seconds
        enough = (each for each in wider if conflicts(self.choose(table, steps=each), everything, until) is False)
        return RoundingConflict(equations=rows, irreducible=irreducible, steps=next(enough, None))


@dataclass(frozen=True, kw_only=True, eq=False)
class RoundedTable:
    """A table as it is shown beside the true one.

    Attributes:
        table: the true one, its unsafe cells flagged.
        rounder: how it was rounded.
        choices: what could have been shown.
        step: what is shown, its cost and bound.
        seconds: how long it took.
        commitment: the digest of what was drawn; empty where no chance plays a part.
    """

    table: Table
    rounder: Rounder
    choices: RoundingChoices
    step: RoundingStep
    seconds: float
    commitment: str = ""

    @cached_property
    def shown(self) -> Wholes:
        """What each cell is shown as."""
        return self.choices.value if self.step.shown is None else self.step.shown

    @cached_property
    def change(self) -> Wholes:
        """How far each cell of a published table was moved."""
        return np.where(self.table.unpublished, 0, self.shown - self.choices.value)

    @property
    def changed(self) -> int:
        """How many cells were moved."""
        return int(np.count_nonzero(self.change))

    @property
    def deviation(self) -> int:
        """The sum of all changes."""
        return int(np.abs(self.change).sum())

    @property
    def largest_change(self) -> int:
        """The greatest change of a cell."""
        return int(np.abs(self.change).max(initial=0))

    @property
    def status(self) -> str:
        """``optimal`` if nothing changes less, ``feasible`` if that is not proven; ``unbiased`` if chance decided."""
        if self.rounder.objective is Objective.UNBIASED:
            return "unbiased"
        return "optimal" if self.step.optimal else "feasible"

    @property
    def proof(self) -> BoundMultipliers:
        """The multipliers that prove the certified bound."""
        return self.step.proof

    @property
    def certified(self) -> int:
        """What no table costs less than, as the multipliers prove it; a greatest change is at least the mean one."""
        if self.rounder.norm is Norm.GREATEST:
            return round_up(self.proof.bound / max(1, int(self.choices.weight.sum())))
        return round_up(self.proof.bound)

    @property
    def additive(self) -> bool:
        """Whether it may be shown: multiples that add up."""
        return self.choices.admits(self.shown)

    @cached_property
    def statements(self) -> Statements:
        """What each cell shown says of the truth to whoever knows the rule."""
        if self.rounder.objective is Objective.SMALL:
            inner = measure_heights(self.table) == 0
            return Statements.small_rounded(self.shown, base=self.rounder.base, inner=inner)
        return self._state_rounded()

    def _state_rounded(self) -> Statements:
        said = Statements.rounded(self.shown, base=self.rounder.base, steps=self.rounder.steps)
        hidden: Mask = self.table.unpublished
        return said.replace_cells(hidden, Statements.suppressed(self.table.lower, self.table.upper))

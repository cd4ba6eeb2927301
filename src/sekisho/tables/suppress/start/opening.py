"""Opening: a safe and lean pattern for a large table, before any cut: boxes first, then thinned region by region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import inf
from time import monotonic

import numpy as np

from sekisho.seeds import Seed
from sekisho.tables.audit.survey import Needs, Survey, settle_primary
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.suppress.repair import Repairer, attacker_on, near_primaries
from sekisho.tables.suppress.start.boxes import Boxer
from sekisho.tables.suppress.start.regions import regions
from sekisho.tables.suppress.start.thinning import Thinner

ROUNDS = 5
REGION = 2_500
"""How many hidden cells a region may have."""
SHARE = 0.3
"""What part of a region's secondary cells is given up in a turn, after the first, which gives up all."""
SWEEP = 4
"""Turns between two patterns that are shown."""
IDLE = 12
"""After how many turns without gain a region rests."""
WHOLE = 20_000
"""Up to how many cells that may be hidden one program holds all of them."""
CROWD = 100
"""How many primaries are moved at once where the first pattern is lacking."""
SEED = Seed(0)
"""Of the choices by chance: fixed, so that the same table always has the same pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How long an opening may take.

    Attributes:
        boxes: the time at which boxes are no longer improved.
        first: the time until which primaries without a box are given other cells.
        until: the time at which all ends but the boxes themselves: a first pattern is worth waiting for.
        thin: whether to thin the boxes.
    """

    boxes: float = inf
    first: float = inf
    until: float = inf
    thin: bool = True

    def patterns(self, table: Table) -> Iterator[Mask]:
        """Yield patterns (secondary cells), each cheaper than the last; none for a table without axes.

        They are safe by the boxes' and the programs' account.
        """
        axes = Axes.of(table)
        if axes is None:
            return
        boxer = Boxer(table, axes)
        boxer.begin(until=inf)
        if self.thin:
            boxer.improve(rounds=ROUNDS, until=self.boxes)
        secondary, survey = boxer.secondary, boxer.survey()
        if not boxer.complete:
            refilled = self._refill(table) or self._repair(table, secondary, survey)
            if refilled is None:
                return
            secondary, survey = refilled
        yield secondary
        if self.thin:
            yield from self._thin(table, axes, secondary, survey)

    def _refill(self, table: Table) -> tuple[Mask, Survey] | None:
        """Return what is needed of all cells that may be hidden, many primaries at a time: the boxes were too few."""
        every: Mask = table.status == Status.SAFE
        if int(every.sum()) > WHOLE:
            return None
        thinner = Thinner(table, every, Survey(Needs.of(table)), rng=SEED.rng())
        cheaper = thinner.turn(np.ones(len(table), dtype=np.bool_), share=1.0, until=self.first, together=CROWD)
        return (thinner.secondary, thinner.survey) if cheaper else None

    def _repair(self, table: Table, secondary: Mask, survey: Survey) -> tuple[Mask, Survey] | None:
        """Return the boxes and what primaries without a box need, one after the other."""
        whole = Repairer(table, secondary).repair(secondary, np.zeros(len(table)), until=self.first)
        if whole is None:
            return None
        _complete(table, whole, survey)
        return whole, survey

    def _thin(self, table: Table, axes: Axes, secondary: Mask, survey: Survey) -> Iterator[Mask]:
        """Thin a pattern of boxes together with the cells whose equations hold the most primaries.

        Boxes alone are too few to choose from.
        """
        parts = regions(axes, secondary | table.suppressed, REGION)
        shown = float(table.weight[secondary].sum())
        wider = secondary | (near_primaries(table) & (table.status == Status.SAFE))
        thinner = Thinner(table, wider, survey, rng=SEED.rng())
        idle = np.zeros(len(parts), dtype=np.int64)
        for turn in count():
            awake = np.flatnonzero(idle < IDLE)
            if not awake.size or monotonic() > self.until:
                break
            at = int(awake[turn % len(awake)])
            share = 1.0 if turn < len(parts) else SHARE
            gained = thinner.turn(parts[at], share=share, until=self.until)
            idle[at] = 0 if gained else idle[at] + 1
            if turn % SWEEP == SWEEP - 1 and thinner.cost < shown:
                shown = thinner.cost
                yield thinner.secondary
        if thinner.cost < shown:
            yield thinner.secondary


def _complete(table: Table, secondary: Mask, survey: Survey) -> None:
    """Let the survey see every primary that a safe pattern protects."""
    attacker = attacker_on(table, secondary | table.suppressed)
    for place in survey.open().tolist():
        settle_primary(attacker, survey, place)

"""Opening: a safe and lean pattern for a large table, before any cut: boxes first, then thinned region by region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import inf
from time import monotonic

import numpy as np

from sekisho.seeds import Seed
from sekisho.tables.audit.survey import Survey, settle_primary
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.suppress.boxes import Boxer
from sekisho.tables.suppress.regions import regions
from sekisho.tables.suppress.repair import Repairer, attacker_on, near_primaries
from sekisho.tables.suppress.thinning import Thinner

ROUNDS = 5
REGION = 2_500
"""How many hidden cells a region may have."""
SHARE = 0.3
"""What part of a region's secondary cells is given up in a turn, after the first, which gives up all."""
SWEEP = 4
"""Turns between two patterns that are shown."""
IDLE = 12
"""After how many turns without gain a region rests."""
SEED = Seed(0)
"""Of the choices by chance: fixed, so that the same table always has the same pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How long an opening may take.

    Attributes:
        boxes: the time at which boxes are no longer improved.
        until: the time at which all ends.
    """

    boxes: float = inf
    until: float = inf

    def patterns(self, table: Table) -> Iterator[Mask]:
        """Yield patterns (secondary cells), each cheaper than the last; none for a table without axes.

        They are safe by the boxes' and the programs' account.
        """
        axes = Axes.of(table)
        if axes is None:
            return
        boxer = Boxer(table, axes)
        boxer.begin(until=self.until)
        boxer.improve(rounds=ROUNDS, until=self.boxes)
        secondary, survey = boxer.secondary, boxer.survey()
        if not boxer.complete:
            whole = Repairer(table, secondary).repair(secondary, np.zeros(len(table)), until=self.until)
            if whole is None:
                return
            secondary = whole
            _complete(table, secondary, survey)
        yield secondary
        yield from self._thin(table, axes, secondary, survey)

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

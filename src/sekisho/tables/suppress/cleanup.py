"""Clean-up: publish again every secondary cell that the protection does not need.

A cell may go if no cut of the pool forbids it, and if every primary whose witness moved it finds another. Each refusal
leaves a new cut in the pool, so that later attempts fail without any program, and the bound gains as well.
"""

from __future__ import annotations

from time import monotonic

import numpy as np

from sekisho.tables.audit.attacker import Attacker
from sekisho.tables.audit.survey import Survey, settle_primary
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.suppress.cuts import Cut
from sekisho.tables.suppress.master import Master
from sekisho.tables.suppress.repair import attacker_on
from sekisho.tables.suppress.separation import Separator

NONE = np.zeros(1)
MANY = 8
"""How many open primaries are worth programs that move all of them at once."""


def clean_pattern(
    table: Table, mask: Mask, *, separator: Separator, master: Master, guide: Floats, until: float
) -> Mask:
    """Return the safe pattern ``mask`` with as many cells as possible published again, the dearest first."""
    attacker = attacker_on(table, mask | table.suppressed)
    survey = Survey(separator.needs)
    survey.spread(attacker)
    for place in survey.open().tolist():
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
        if isinstance(outcome, Survey):
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
    attacker: Attacker, survey: Survey, separator: Separator, kept: Mask, cell: int, until: float
) -> Survey | list[Cut]:
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

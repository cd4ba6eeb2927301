"""Insiders: contributors who know what they gave, and so more than what is published.

The adversary is a coalition of contributors to one suppressed cell. If the cell has no other contributors, they know its value, and for
them it is as good as published; else they know that it holds at least what they gave. What they learn of other primaries is asked here
(what they learn of their own cell is for the primary rule to prevent). A point of the outsider's attack that does not move the
insiders' cell holds for them too, so few programs remain to be solved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables.attacker import attacker_of
from sekisho.tables.contributors import counted_of
from sekisho.tables.survey import Needs, Survey, settled
from sekisho.tables.table import Floats, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A cell whose contributors can place other primaries too narrowly.

    Attributes:
        insider: their cell.
        exposed: the primaries that they narrow, ascending.
    """

    insider: int
    exposed: tuple[int, ...]


def known_to(table: Table, coalition: int) -> Floats:
    """Return how much of each cell its largest contributors, so many of them, know together."""
    gave = table.largest[:, :coalition].sum(axis=1) if table.largest.shape[1] else np.zeros(len(table))
    if not table.largest.shape[1] and np.array_equal(table.value, table.frequency):
        gave = np.minimum(table.value, float(coalition))  # in a count everyone gives 1
    return np.where(table.frequency <= coalition, table.value, gave)


def leaks(table: Table, *, coalition: int = 1) -> list[Leak]:
    """Return every suppressed cell whose contributors, ``coalition`` of them together, break the protection of another primary.

    A primary that is exposed to outsiders already is exposed to all insiders too.
    """
    if coalition < 1:
        raise ParameterError("coalition", "be at least 1", coalition)
    counted_of(table, holdings=False)
    attacker, survey = attacker_of(table), Survey(Needs.of(table))
    survey.spread(attacker)
    for place in survey.open().tolist():
        settled(attacker, survey, place)
    known = known_to(table, coalition)
    found: list[Leak] = []
    for cell in np.flatnonzero(table.suppressed & (known > 0)).tolist():
        fixed = bool(known[cell] >= table.value[cell])
        left = table.value[cell] - known[cell]
        one = np.array([cell])
        attacker.hold(one, np.array([0.0 if fixed else left]), np.array([0.0 if fixed else np.inf]))
        trial = survey.without(cell)
        bad = [
            int(trial.needs.cells[place])
            for place in trial.open().tolist()
            if trial.needs.cells[place] != cell and not settled(attacker, trial, place)
        ]
        attacker.release(one)
        if bad:
            found.append(Leak(insider=cell, exposed=tuple(bad)))
    return found

"""How the table commands are told which cells are unsafe and how far an attacker must stay from each, and what they say about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import say
from sekisho.tables import CellRule
from sekisho.tables.model.table import Table
from sekisho.tables.rules.levels import bare_primaries, choose_rules, guard_primaries, switched_off
from sekisho.tables.rules.reach import MARGIN
from sekisho.tables.rules.words import rule

MinCount = Annotated[
    int | None,
    typer.Option(
        "--min-count",
        min=0,
        help="Fewest contributors; 5 for counts, whatever other rules there are; 0 switches it off.",
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option("--rule", help="p%:15, nk:2,85, pq:10,50, min:3, request:70, zeros; may be repeated."),
]
Width = Annotated[
    float | None,
    typer.Option("--width", min=0, help="How wide an attacker's interval of each unsafe cell must be; 10 for counts."),
]


def asked_rules(
    words: Iterable[str], min_count: int | None, width: float | None, *, counts: bool, flagged: bool = False
) -> list[CellRule]:
    """Return the primary rules that hold, saying so where the minimum frequency of counts is switched off."""
    chosen = choose_rules(map(rule, words), counts=counts, min_count=min_count, width=width, flagged=flagged)
    if counts and min_count is not None and switched_off(min_count):
        say(f"the minimum frequency is switched off (--min-count {min_count}): counts of 1 may be published")
    return chosen


def guarded(table: Table, width: float | None) -> Table:
    """Return the table with no unsafe cell left without a level that somebody chose, saying which were."""
    bare = np.flatnonzero(bare_primaries(table))
    if bare.size and width is None:
        smallest = ", of 0 that of the smallest other value" if np.any(table.value[bare] == 0) else ""
        say(
            f"{bare.size} unsafe cells come without a protection level: {MARGIN} % of their value is taken{smallest} (or say --width)"
        )
    return guard_primaries(table, width=width)

"""Which cells the table commands take for unsafe, and how far an attacker must stay from each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.answer import say
from sekisho.errors import ParameterError
from sekisho.tables import CellRule
from sekisho.tables.primary import MinimumFrequency
from sekisho.tables.reach import two_sided
from sekisho.tables.rulewords import rule
from sekisho.tables.table import Mask, Table

MinCount = Annotated[int | None, typer.Option("--min-count", min=1, help="Fewest contributors; 5 for counts.")]
Rules = Annotated[
    list[str] | None,
    typer.Option("--rule", help="p%:15, nk:2,85, pq:10,50, min:3, request:70, zeros; may be repeated."),
]
Width = Annotated[
    float | None,
    typer.Option("--width", min=0, help="How wide an attacker's interval of each unsafe cell must be; 10 for counts."),
]

COUNTS = 10.0
"""The width of the intervals of counts, if none is asked for: the seed's t."""
LEAST = 1e-3
"""How wide an interval must be to be none of one value."""
MARGIN = Fraction(20)
"""How many per cent of a sum its interval must reach on either side where no rule says: the manual safety range of τ-ARGUS."""


def asked_rules(
    words: Iterable[str], min_count: int | None, width: float | None, *, counts: bool, flagged: bool = False
) -> list[CellRule]:
    """Return the primary rules asked for; a table of counts has the minimum frequency unless other rules are named.

    A minimum frequency says by itself nothing of how far an attacker must stay: the width does, or for sums the margin. A table whose
    file flags its unsafe cells needs no rule.
    """
    asked = [rule(word) for word in words]
    if min_count is not None or (counts and not asked):
        asked.append(MinimumFrequency(count=min_count or 5))
    if not asked and not flagged:
        raise ParameterError("rule", "be given for a table of sums", "none", hint="for example --rule p%:15")
    return [_levelled(each, width, counts=counts) for each in asked]


def _levelled(asked: CellRule, width: float | None, *, counts: bool) -> CellRule:
    if not isinstance(asked, MinimumFrequency) or asked.margin > 0:
        return asked
    if width is None and not counts:
        return replace(asked, margin=MARGIN)
    return replace(asked, width=COUNTS if width is None else width)


def guarded(table: Table, width: float | None) -> Table:
    """Return the table with no unsafe cell left without a level: the width asked for counts for all, else the margin for those that have none.

    Without a level a cell is hidden but not protected: its value could be worked out.
    """
    if width is not None:
        table = table.flagged(table.primary, sliding=width)
    bare = unlevelled(table)
    if bare.any():
        levels = two_sided(table, np.abs(table.value) * float(MARGIN / 100))
        table = table.flagged(bare, lower=levels.lower, upper=levels.upper)
        say(
            f"{int(bare.sum())} unsafe cells come without a protection level: {MARGIN} % of their value is taken (or say --width)"
        )
    bare = unlevelled(table)
    if bare.any():
        names = "; ".join(map(table.named, np.flatnonzero(bare)[:3].tolist()))
        say(f"{int(bare.sum())} unsafe cells are hidden but not protected, for 20 % of 0 is 0: {names} (say --width)")
    return table


def unlevelled(table: Table) -> Mask:
    """Return the unsafe cells that ask for no protection."""
    return table.primary & (np.maximum(np.maximum(table.lower_level, table.upper_level), table.sliding_level) == 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """A pattern beside the rules: its unsafe cells with their levels, and the cells that a rule forbids and the pattern shows."""

    table: Table
    shown: tuple[int, ...]


def judged(table: Table, rules: Sequence[CellRule], width: float | None, *, counts: bool) -> Judged:
    """Return a pattern with the levels that the rules ask of its hidden cells, and the width that is asked of its primaries."""
    unsafe = np.zeros(len(table), dtype=np.bool_)
    for each in rules:
        mask, levels = each.flag(table), each.levels(table)
        unsafe |= mask
        table = table.flagged(mask & table.suppressed, lower=levels.lower, upper=levels.upper, sliding=levels.sliding)
    if width is not None:
        table = table.flagged(table.primary, sliding=width)
    # what nobody gave a level to must at least not be known
    table = table.flagged(unlevelled(table), sliding=COUNTS if counts and not rules else LEAST)
    return Judged(table=table, shown=tuple(np.flatnonzero(unsafe & ~table.suppressed).tolist()))

"""Which rules hold for a table, and that no unsafe cell goes without a protection level.

In a table of counts a minimum frequency always holds, 5 unless another is asked for; further rules add to it. An unsafe
cell of a count needs an interval 10 wide, that of a sum a margin of 20 % on either side, where its rule or the file
that flags it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables import CellRule
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.rules.primary import MinimumFrequency, UnsafeZeros
from sekisho.tables.rules.reach import COUNT_WIDTH, MARGIN, at_least, refuse_narrow, usual_levels
from sekisho.words import Said

MIN_COUNT = 5
"""The fewest people a published count may have, if nobody says otherwise."""


def choose_rules(
    rules: Iterable[CellRule],
    *,
    counts: bool,
    min_count: int | None = None,
    width: float | None = None,
    flagged: bool = False,
) -> list[CellRule]:
    """Return the primary rules that hold, each with a protection level.

    Args:
        rules: those asked for.
        counts: whether the table counts: then a minimum frequency holds beside them.
        min_count: the minimum frequency; 0 and 1 switch it off.
        width: of the intervals of cells whose rule says no level; 10 for counts, and for sums a margin instead.
        flagged: whether the table comes with its unsafe cells flagged, and needs no rule.

    Raises:
        ParameterError: a table of sums without a rule, or a width that protects nothing.
    """
    if width is not None:
        refuse_narrow(width)
    fewest = MIN_COUNT if min_count is None and counts else min_count or 0
    at_least("min_count", fewest, 0)
    chosen = list(rules)
    if not switched_off(fewest):
        chosen.append(MinimumFrequency(count=fewest))
    if not (chosen or counts or flagged):
        raise ParameterError(
            "rule", Said("be given for a table of sums"), "none", hint=Said("for example --rule p%:15")
        )
    return [_add_level(rule, width, counts=counts) for rule in chosen]


def switched_off(min_count: int) -> bool:
    """Tell whether a minimum frequency forbids nothing.

    There are no cells with fewer than one contributor but those without any.
    """
    return min_count <= 1


def _add_level(rule: CellRule, width: float | None, *, counts: bool) -> CellRule:
    usual = COUNT_WIDTH if width is None else width
    if isinstance(rule, MinimumFrequency) and rule.width is None and rule.margin is None:
        return replace(rule, margin=MARGIN) if width is None and not counts else replace(rule, width=usual)
    if isinstance(rule, UnsafeZeros) and counts:
        return replace(rule, empty=True, width=usual if rule.width is None else rule.width)
    return rule


def bare_primaries(table: Table) -> Mask:
    """Return the unsafe cells for which nobody says a level: their file gives none, and the least stands in for it."""
    return table.primary & (table.lower_level == 0) & (table.upper_level == 0) & (table.sliding_level <= LEAST)


def guard_primaries(table: Table, *, width: float | None = None) -> Table:
    """Return the table with every unsafe cell protected by the width.

    Without one, those that nobody gives a level by the margin.
    """
    if width is not None:
        refuse_narrow(width)
        return table.flag_cells(table.primary, sliding=width)
    usual, bare = usual_levels(table, margin=MARGIN), bare_primaries(table)
    return replace(
        table,
        lower_level=np.where(bare, usual.lower, table.lower_level),
        upper_level=np.where(bare, usual.upper, table.upper_level),
        sliding_level=np.where(bare, usual.sliding, table.sliding_level),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedPattern:
    """A pattern beside the rules.

    Attributes:
        table: its unsafe cells with their levels.
        shown: the cells that a rule forbids to publish and the pattern shows.
    """

    table: Table
    shown: tuple[int, ...]


def judge_pattern(
    table: Table, rules: Sequence[CellRule], *, counts: bool, width: float | None = None
) -> JudgedPattern:
    """Return a pattern with the levels that the rules ask of its hidden cells.

    Its primaries get the width that is asked of them, too. What the pattern calls primary and no rule judges needs an
    interval 10 wide if it is a count; else it must at least not be known.
    """
    unsafe = np.zeros(len(table), dtype=np.bool_)
    bare = bare_primaries(table)
    for rule in rules:
        mask, levels = rule.flag(table), rule.levels(table)
        unsafe |= mask
        table = table.flag_cells(
            mask & table.suppressed, lower=levels.lower, upper=levels.upper, sliding=levels.sliding
        )
    if width is not None:
        refuse_narrow(width)
        table = table.flag_cells(table.primary, sliding=width)
    elif counts:
        table = table.flag_cells(bare & ~unsafe, sliding=COUNT_WIDTH)
    return JudgedPattern(table=table, shown=tuple(np.flatnonzero(unsafe & ~table.suppressed).tolist()))

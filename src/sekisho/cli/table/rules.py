"""Which cells are unsafe, as the options say, and what is said aloud of cells that would be less safe than usual."""

from __future__ import annotations

import numpy as np

from sekisho.cli.kit.answer import say
from sekisho.cli.table.options import RuleOptions
from sekisho.tables.model.table import Table
from sekisho.tables.rules.costs import Price
from sekisho.tables.rules.levels import bare_primaries, guard_primaries, switched_off
from sekisho.tables.rules.reach import MARGIN
from sekisho.tables.rules.table_rules import TableRules
from sekisho.tables.rules.words import rule
from sekisho.words import Said


def read_rules(options: RuleOptions, *, cost: Price = Price.ONE) -> TableRules:
    """Return the rules that options ask for."""
    return TableRules(
        rules=tuple(map(rule, options.rules or [])), min_count=options.min_count, width=options.width, cost=cost
    )


def read_rules_aloud(options: RuleOptions, *, counts: bool, cost: Price = Price.ONE) -> TableRules:
    """Return the rules that options ask for, saying so where the minimum frequency of counts is switched off."""
    say_switched_off(options.min_count, counts=counts)
    return read_rules(options, cost=cost)


def say_switched_off(min_count: int | None, *, counts: bool) -> None:
    """Say so where the minimum frequency of counts is switched off."""
    if counts and min_count is not None and switched_off(min_count):
        say(
            Said(
                "the minimum frequency is switched off (--min-count {min_count}): counts of 1 may be published",
                min_count=min_count,
            )
        )


def guard_aloud(table: Table, width: float | None) -> Table:
    """Return the table with no unsafe cell left without a level that somebody chose, saying which were."""
    bare = np.flatnonzero(bare_primaries(table))
    if bare.size and width is None:
        say(
            Said(
                "{bare} unsafe cells come without a protection level: {margin} % of "
                "their value is taken, of 0 that of the smallest other value (or say "
                "--width)",
                bare=bare.size,
                margin=MARGIN,
            )
            if np.any(table.value[bare] == 0)
            else Said(
                "{bare} unsafe cells come without a protection level: {margin} % of "
                "their value is taken (or say --width)",
                bare=bare.size,
                margin=MARGIN,
            )
        )
    return guard_primaries(table, width=width)

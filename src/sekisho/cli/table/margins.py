"""What a pattern hides of the totals, in words and by level: a hidden grand total is never silent."""

from __future__ import annotations

from collections.abc import Iterator

from sekisho.tables.model.heights import MarginCount, count_margins
from sekisho.tables.model.table import Mask, Table
from sekisho.words import Said


def describe_margins(table: Table, kept: Mask | None) -> dict[str, object]:
    """Return what a pattern hides of the margins, from the grand total down, and how many had to stay."""
    levels = count_margins(table)
    return {
        "grand_total": "hidden" if any(each.hidden for each in levels[:1]) else "shown",
        "hidden_totals": sum(each.hidden for each in levels),
        "hidden_by_level": [{"level": each.height, "cells": each.cells, "hidden": each.hidden} for each in levels],
        "kept_totals": 0 if kept is None else int(kept.sum()),
    }


def say_hidden_totals(table: Table) -> Iterator[str]:
    """Yield what must not be overlooked of the totals that a pattern hides."""
    levels = count_margins(table)
    if levels and levels[0].hidden:
        yield (
            Said("the grand total is hidden")
            if levels[0].cells == 1
            else Said("{hidden} grand totals are hidden", hidden=levels[0].hidden)
        )
    higher = [_describe_level(each) for each in levels[1:] if each.height > 1 and each.hidden]
    if higher:
        yield Said("totals of totals are hidden: {higher} (inner cells are level 0)", higher=", ".join(higher))


def _describe_level(level: MarginCount) -> str:
    return Said("{hidden} of {cells} at level {height}", hidden=level.hidden, cells=level.cells, height=level.height)

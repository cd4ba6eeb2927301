"""Small-count rounding: inner counts below the base become 0 or the base, all else stays, margins are added up anew.

So every table of the same people adds up and fits every other. What is protected are counts below the base; a count of
the base or more stands there exactly as it is, unless a margin hides which. The package SmallCountRounding does this
heuristically; here the change is least, in a norm that is named: the sum over all cells, over the margins, or the
greatest change of a margin (and of those the least sum).

Source: Langsrud and Heldal, "An algorithm for small count rounding of tabular data", Privacy in Statistical Databases
(2018).
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np

from sekisho.tables.model.heights import measure_heights, sum_inner
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.round.choices import RoundingChoices, Wholes


class Norm(StrEnum):
    """What of a small-count rounding is made least."""

    ALL = "all"
    MARGINS = "margins"
    GREATEST = "greatest"


def list_small(table: Table, value: Wholes, base: int) -> Mask:
    """Return the inner cells that are rounded."""
    return (measure_heights(table) == 0) & (value > 0) & (value < base)


def choose_small(table: Table, value: Wholes, base: int, norm: Norm) -> RoundingChoices:
    """Return the tables that small-count rounding may show."""
    inner = measure_heights(table) == 0
    small = list_small(table, value, base)
    most_down = sum_inner(table, np.where(small, value, 0))
    most_up = sum_inner(table, np.where(small, base - value, 0))
    counted = np.ones(len(value), dtype=np.int64) if norm is Norm.ALL else (~inner).astype(np.int64)
    return RoundingChoices(
        matrix=table.matrix,
        value=value,
        unit=np.where(small, base, 1),
        low=np.where(small, 0, np.where(inner, value, value - most_down)),
        high=np.where(small, 1, np.where(inner, value, value + most_up)),
        weight=counted * ~table.unpublished,
    )


def limit_change(choices: RoundingChoices, most: int) -> RoundingChoices:
    """Return the tables among them whose margins (all cells in units of 1) change by at most so much."""
    margin = choices.unit == 1
    return replace(
        choices,
        low=np.where(margin, np.maximum(choices.low, choices.value - most), choices.low),
        high=np.where(margin, np.minimum(choices.high, choices.value + most), choices.high),
    )


def find_greatest(choices: RoundingChoices, shown: Wholes) -> int:
    """Return the greatest change of a margin."""
    return int(np.abs(shown - choices.value)[choices.weight > 0].max(initial=0))

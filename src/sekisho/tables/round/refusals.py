"""What is not rounded: tables of anything but counts, widths that no cell can have, unsafe cells left as they are."""

from __future__ import annotations

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables.model.heights import measure_heights
from sekisho.tables.model.table import Table
from sekisho.words import Said

LARGEST = 2**40
"""Counts beyond this are not rounded: bounds are computed in whole numbers of 64 binary digits."""


def refuse_others(table: Table) -> None:
    """Refuse a table that does not hold whole numbers from 0 on."""
    odd = np.flatnonzero((table.value % 1 != 0) | (table.value < 0) | (table.value > LARGEST))
    if odd.size:
        rule = Said("be whole numbers from 0 on: only counts are rounded")
        raise ParameterError("count", rule, f"{table.value[odd[0]]:g}")


def refuse_wide(table: Table, *, base: int, steps: int) -> None:
    """Refuse a width that no cell can have: a truth is never further than this from what is shown."""
    widest, most = float(table.sliding_level[table.primary].max(initial=0.0)), 2 * ((steps + 1) * base - 1)
    if widest > most:
        raise ParameterError(
            "width",
            Said(
                "be at most {most}: a cell rounded to base {base} in {steps} steps is never less certain",
                most=most,
                base=base,
                steps=steps,
            ),
            widest,
            hint=Said("a larger base or more steps leave more open"),
        )


def refuse_exact(table: Table, *, base: int) -> None:
    """Refuse small-count rounding where an unsafe cell is not below the base, or a joint table is not published."""
    if table.unpublished.any():
        raise ParameterError("objective", Said("not be small where a joint table is not published"), "small")
    exact = table.primary & (measure_heights(table) == 0) & (table.value >= base)
    if exact.any():
        first = int(np.flatnonzero(exact)[0])
        raise ParameterError(
            "base",
            Said(
                "be larger: {count} unsafe cells of at least the base would be shown as they are, {first} among them",
                count=int(exact.sum()),
                first=table.named(first),
            ),
            base,
        )

"""What the suppression of a cell costs: 1, its value, or its number of contributors."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np

from sekisho.tables.model.contributors import counted_of
from sekisho.tables.model.table import Table


class Price(StrEnum):
    """What the suppression of a cell costs."""

    ONE = "1"
    VALUE = "value"
    FREQUENCY = "frequency"


def charge_costs(table: Table, price: Price) -> Table:
    """Return the table with the costs asked for; a cell of 0 costs as much as the least other one, but at most 1.

    What costs nothing would be suppressed for nothing.

    Raises:
        ParameterError: costs by frequency are asked of a table whose frequencies are not known.
    """
    if price is Price.ONE:
        return table
    if price is Price.FREQUENCY:
        weight = counted_of(table, holdings=False).count.astype(np.float64)
    else:
        weight = np.abs(table.value)
    return replace(table, weight=np.maximum(weight, min(1.0, float(weight[weight > 0].min(initial=1.0)))))

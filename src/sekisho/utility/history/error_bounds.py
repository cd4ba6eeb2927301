"""What the cell errors of a release promise of its statistics, before anything is drawn from it.

A cell's error is the expected distance of a drawn value from the true one, over the column's standard deviation. So for
every statistic that moves no faster than the cells do, the expected error of data drawn from a release is bounded: the
mean of a numeric column moves by at most the mean distance of its cells, and by what the deleted rows take with them.
No such bound holds for a use case that one changed cell can turn over, and none of them says that errors rise and fall
with U: docs/proofs/utility-bound.md has both, and an example against the correlation.

The report gives "no theoretical guarantee of the correlation" (PWS Cup 2018 report, section 6.5).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.distance import range_error
from sekisho.data.frame.release import Release
from sekisho.data.frame.spread import Spread, measure_spread
from sekisho.data.history.purchases import NUMBERS, PurchaseColumns


def bound_errors(original: Dataset, release: Release) -> dict[str, float]:
    """Return by statistic what its expected error is at most: the rows, and the means of date, price and quantity."""
    kept, names = ~release.deleted, PurchaseColumns.of(original.schema)
    bounds = {"rows": float(release.deleted.sum())}
    for name in NUMBERS:
        grid = original.grid(getattr(names, name))
        values = np.where(find_gaps(grid), 0, grid)  # what is missing counts 0, as in the sums themselves
        cells = release.table.numbers(getattr(names, name))
        if not kept.any():
            bounds[f"{name}_mean"] = abs(float(values.mean())) if len(values) else 0.0
            continue
        apart = _measure_distances(values, cells, measure_spread(grid))[kept].mean()
        bounds[f"{name}_mean"] = float(apart + abs(values[kept].mean() - values.mean()))
    return bounds


def _measure_distances(values: NDArray[np.int64], cells: RangeCells, spread: Spread) -> NDArray[np.float64]:
    """Return the expected distance of each cell's draw from the truth; ``*`` is drawn from least to largest."""
    lower, upper = (np.where(find_gaps(ends), 0, ends) for ends in (cells.lower, cells.upper))
    drawn = RangeCells(
        lower=np.where(cells.suppressed, spread.low, lower),
        upper=np.where(cells.suppressed, spread.high, upper),
        suppressed=np.zeros(len(values), dtype=np.bool_),
    )
    return range_error(values, drawn, 1.0)

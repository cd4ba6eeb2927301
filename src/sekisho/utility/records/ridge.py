"""Ridge regression on columns whose cells repeat, without ever filling in a matrix of all rows.

With penalty a on centred features X and targets y the slopes are (X'X + aI)^-1 X'y. Features stand in columns of
distinct cells (``spread``): of two columns S and T, of whose cells C counts how often they meet, the block of X'X is
S'CT - n c d', with c and d the means. So what is multiplied grows with the distinct cells and not with the people.

Source: Hoerl, Kennard, "Ridge regression", Technometrics 12 (1970).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from sekisho.utility.records.spread import BLOCK, Floats, SpreadColumn, count_pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RidgeModel:
    """A linear function of columns, or several of them side by side.

    Attributes:
        intercept: of each target.
        slopes: of each column, its features by targets.
    """

    intercept: Floats
    slopes: tuple[Floats, ...]

    def predict(self, columns: Sequence[SpreadColumn]) -> Iterator[Floats]:
        """Give the values of all rows, some rows at a time."""
        parts = [column.shares @ slopes for column, slopes in zip(columns, self.slopes, strict=True)]
        for start in range(0, len(columns[0].place), BLOCK):
            values = np.broadcast_to(
                self.intercept, (len(columns[0].place[start : start + BLOCK]), len(self.intercept))
            )
            for column, part in zip(columns, parts, strict=True):
                values = values + part[column.place[start : start + BLOCK]]
            yield values


def fit_ridge(columns: Sequence[SpreadColumn], targets: SpreadColumn, *, penalty: float) -> RidgeModel:
    """Return the ridge regression of targets, with an intercept that is free.

    Args:
        columns: the features, at least one column.
        targets: one, or several side by side.
        penalty: on each squared slope.
    """
    rows = len(targets.place)
    centre, middle = np.concatenate([_find_mean(column) for column in columns]), _find_mean(targets)
    ends = np.cumsum([0, *(column.shares.shape[1] for column in columns)]).tolist()
    places = [slice(*pair) for pair in pairwise(ends)]
    gram, against = np.empty((ends[-1], ends[-1])), np.empty((ends[-1], len(middle)))
    for index, (column, place) in enumerate(zip(columns, places, strict=True)):
        against[place] = count_pairs(column, targets)
        for other, beside in zip(columns[: index + 1], places, strict=False):
            gram[place, beside] = count_pairs(column, other)
            gram[beside, place] = gram[place, beside].T
    gram -= rows * np.outer(centre, centre)
    against -= rows * np.outer(centre, middle)
    gram[np.diag_indices_from(gram)] += penalty
    slopes: NDArray[np.float64] = np.asarray(cho_solve(cho_factor(gram), against), dtype=np.float64)
    return RidgeModel(intercept=middle - centre @ slopes, slopes=tuple(slopes[place] for place in places))


def _find_mean(column: SpreadColumn) -> Floats:
    """Return the mean of each feature over all rows."""
    records = np.bincount(column.place, minlength=len(column.shares)).astype(np.float64)
    return records @ column.shares / len(column.place)

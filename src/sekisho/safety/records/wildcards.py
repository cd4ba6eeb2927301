"""Missing cells that match everything: how many records a record cannot be told from.

By default a missing cell is a value of its own: who knows a person's keys sees that one is not there. Where missing
cells are suppressed ones, somebody else's gap may hide the person, so sdcMicro counts a missing cell as equal to every
value. That is no equivalence: a may match b and b match c while a does not match c, so there are no classes, only for
each record how many match it.

Records that lack the same keys are counted together: those of two such patterns match where they agree in the keys
that both have.

Source: Templ, Kowarik, Meindl, "Statistical disclosure control for micro-data using the R package sdcMicro", Journal of
Statistical Software 67 (4), 2015, section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sekisho.safety.records.classes import ColumnCodes, pack_codes, rank_dense


def count_matches(
    columns: Sequence[ColumnCodes], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for each record how many match it, itself included, and the sum of their weights."""
    lacking = np.stack([column.missing for column in columns])
    patterns, place = np.unique(lacking, axis=1, return_inverse=True)
    members = [np.flatnonzero(place.reshape(-1) == pattern) for pattern in range(patterns.shape[1])]
    count, total = np.zeros(len(weights), dtype=np.int64), np.zeros(len(weights))
    for one, rows in enumerate(members):
        for other, others in enumerate(members):
            shared = [column for key, column in enumerate(columns) if not (patterns[key, one] or patterns[key, other])]
            both = np.concatenate([rows, others])
            number = rank_dense(pack_codes([(column.codes[both], len(column.values)) for column in shared], len(both)))
            theirs = number[len(rows) :]
            count[rows] += np.bincount(theirs, minlength=len(both))[number[: len(rows)]]
            total[rows] += np.bincount(theirs, weights=weights[others], minlength=len(both))[number[: len(rows)]]
    return count, total

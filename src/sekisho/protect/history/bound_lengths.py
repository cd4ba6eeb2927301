"""What no release can cost less than, from the lengths of the histories alone: cheap for any number of people.

A group publishes at most as many slots as its shortest member has rows; all other rows are deleted. What that costs at
least over all groupings is a table over the people sorted by length, since groups of neighbours do best
(docs/proofs/history-groups.md, section 6).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit


def bound_by_lengths(lengths: NDArray[np.int64], k: int) -> int:
    """Return how many rows every release in groups of k or more deletes, at least."""
    return int(_count_deleted(np.sort(lengths), k))


@njit(cache=True, nogil=True)
def _count_deleted(lengths: NDArray[np.int64], k: int) -> int:
    """Return the fewest deleted rows of people sorted by length, alone (all rows) or in groups of k to 2k - 1."""
    people = len(lengths)
    ends = np.zeros(people + 1, dtype=np.int64)
    ends[1:] = np.cumsum(lengths)
    fewest = np.zeros(people + 1, dtype=np.int64)
    for end in range(1, people + 1):
        fewest[end] = fewest[end - 1] + lengths[end - 1]
        for size in range(k, min(end, 2 * k - 1) + 1):
            first = end - size
            surplus = ends[end] - ends[first] - size * lengths[first]
            fewest[end] = min(fewest[end], fewest[first] + surplus)
    return int(fewest[people])

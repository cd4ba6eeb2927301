"""Which row of the release each record became: what the referee alone may know."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GONE = -1


def find_released_rows(deleted: NDArray[np.bool_], order: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return for each row of the original its row in the release, -1 if it was deleted.

    Args:
        deleted: which rows of the original are deleted.
        order: where the release was published in another order, the published row of each kept row.
    """
    place = np.cumsum(~deleted) - 1
    if order is not None:
        place = np.append(order, GONE)[place]
    return np.where(deleted, GONE, place).astype(np.int64)

"""The two rows of a positive matrix that lie farthest apart in Hilbert's projective metric.

The distance of rows u and v is log(max q / min q) over the entries of q = row v / row u. Every pair of rows must be
looked at, so a matrix of 1,000 values costs half a billion products; they are compiled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit

SMALL = 64


def find_widest_pair(table: NDArray[np.object_] | NDArray[np.float64]) -> tuple[int, int]:
    """Return the two rows with the least min q / max q; exact where the entries are Fractions."""
    if table.dtype != object and len(table) > SMALL:
        floats = np.ascontiguousarray(table, dtype=np.float64)
        return _find_widest(floats, 1 / floats)
    best, pair = None, (0, 0)
    for u in range(len(table) - 1):
        ratio = table[u + 1 :] / table[u]
        shrink = ratio.min(axis=1) / ratio.max(axis=1)
        v = int(np.argmin(shrink))
        if best is None or shrink[v] < best:
            best, pair = shrink[v], (u, u + 1 + v)
    return pair


@njit(cache=True, error_model="numpy", fastmath={"nnan", "ninf", "nsz"})
def _find_widest(table: NDArray[np.float64], inverse: NDArray[np.float64]) -> tuple[int, int]:
    best, first, second = 2.0, 0, 0
    for u in range(len(table) - 1):
        for v in range(u + 1, len(table)):
            low = table[v, 0] * inverse[u, 0]
            high = low
            for column in range(1, table.shape[1]):
                ratio = table[v, column] * inverse[u, column]
                low = min(low, ratio)
                high = max(high, ratio)
            if low < best * high:
                best, first, second = low / high, u, v
    return first, second

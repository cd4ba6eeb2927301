"""The best ends of a range that several values share: the smallest range need not be the cheapest in sum.

A range [a; b] costs its n values together N / D with N = sum of (x - a)^2 + (b - x)^2 + (b - a) w, D = 2 (b - a + w),
where w is one grid step. Let u = b - a + w. With b held and a moved outwards that is (n u + Q + R / u) / 2, R = 2 * sum
of (b - x)(b - x + w), Q free of u; least over whole steps m = u / w at the smallest m with m (m + 1) >= R / (n w^2).
The other end likewise. At most one end ever wants to move, and then the other is at its best too
(docs/proofs/history-groups.md, section 2a). Ends stay within the column's values: nobody bought a negative number of
things.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit


@njit(cache=True, fastmath=True)
def gain(low: float, high: float, count: float, total: float, squares: float, grain: float, top: float) -> float:
    """Return by how much the best range between 0 and ``top`` undercuts the smallest, from count, sum and squares."""
    below = squares - 2.0 * high * total + count * high * high + grain * (count * high - total)
    above = squares - 2.0 * low * total + count * low * low + grain * (total - count * low)
    moment = 2.0 * max(below, above)
    least = high - low + grain
    if moment <= count * least * least:
        return 0.0
    limit = high + grain if below > above else top - low + grain
    steps = np.ceil(0.5 * np.sqrt(1.0 + 4.0 * moment / (count * grain * grain)) - 0.5 - 1e-9)
    wide = max(least, min(limit, steps * grain))
    return max(0.0, 0.5 * (count * (least - wide) + moment / least - moment / wide))


def widen_ranges(
    values: NDArray[np.int64],
    place: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    *,
    within: tuple[int, int],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best ends, not beyond ``within``, for values in places whose smallest ranges are given."""
    count = np.bincount(place, minlength=len(low)).astype(np.float64)
    down, up = (high[place] - values).astype(np.float64), (values - low[place]).astype(np.float64)
    below = 2.0 * np.bincount(place, weights=down * (down + 1.0), minlength=len(low))
    above = 2.0 * np.bincount(place, weights=up * (up + 1.0), minlength=len(low))
    ratio = np.divide(np.maximum(below, above), count, out=np.zeros_like(count), where=count > 0)
    steps = np.ceil(0.5 * np.sqrt(1.0 + 4.0 * ratio) - 0.5 - 1e-9).astype(np.int64)
    first = np.where(below > above, np.maximum(within[0], high + 1 - steps), low)
    last = np.where(below > above, high, np.minimum(within[1], low + steps - 1))
    return np.minimum(low, first), np.maximum(high, last)

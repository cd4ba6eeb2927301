"""Thresholds in floating point, for searches that need thousands of them; where rounding could decide, the exact ones.

With logarithms of binomial coefficients from the log-gamma function:

union   log u(n, s) = log C(n, s) + s log p + log sum over k >= s of prod over s <= j < k of p (n - j)/(j + 1)
exact   log q(n, s) = log C(n, k) + k log p - log C(s, k) at k = floor((s - p n) / (1 - p)) + 1, held between 0 and s

Both fall as s grows, and neither is below alpha where s <= p n (docs/methods/claim-planner.md), so the threshold is
found by halving; above p n the terms of the sum fall, so a few of them are enough. A bound within 1e-6 of alpha, in
logarithms, is left to :class:`RejectionRule`. Source: as :mod:`sekisho.safety.rejection`.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, log

from sekisho.kernels import njit
from sekisho.safety.rejection import Bound, RejectionRule

FEW = 64
"""Up to so many claims the exact threshold is quick enough."""

CLOSE = 1e-6


TINY = 1e-18
"""Terms below this share of their sum are left out."""


@lru_cache(maxsize=1 << 18)
def compute_quick_threshold(rule: RejectionRule, claimed: int) -> int:
    """Return the rule's threshold."""
    if claimed <= FEW:
        return rule.threshold(claimed)
    fewest, nearest = _find_threshold(claimed, float(rule.p), log(rule.alpha), int(rule.bound is Bound.UNION))
    return rule.threshold(claimed) if nearest < CLOSE else fewest


@njit(cache=True, nogil=True)
def _find_threshold(claimed: int, p: float, level: float, union: int) -> tuple[int, float]:
    """Return the fewest hits whose bound lies below the level, and how near a bound came to it beside."""
    low, high, nearest = int(p * claimed), claimed + 1, 1.0
    while low < high:
        middle = (low + high) // 2
        bound = _compute_union_bound(claimed, middle, p) if union else _compute_exact_bound(claimed, middle, p)
        nearest = min(nearest, abs(bound - level))
        if bound < level:
            high = middle
        else:
            low = middle + 1
    return low, nearest


@njit(cache=True, nogil=True)
def _compute_union_bound(claimed: int, hits: int, p: float) -> float:
    total, term, k = 1.0, 1.0, hits
    while k < claimed and term > TINY * total:
        term *= p * (claimed - k) / (k + 1)
        total += term
        k += 1
    return _log_choose(claimed, hits) + hits * log(p) + log(total)


@njit(cache=True, nogil=True)
def _compute_exact_bound(claimed: int, hits: int, p: float) -> float:
    k = min(hits, max(0, int((hits - p * claimed) // (1 - p)) + 1))
    return _log_choose(claimed, k) + k * log(p) - _log_choose(hits, k)


@njit(cache=True, nogil=True)
def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)

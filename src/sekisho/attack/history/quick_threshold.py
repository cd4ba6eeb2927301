"""Thresholds in floating point, for searches that need thousands of them; where rounding could decide, the exact ones.

With logarithms of binomial coefficients from the log-gamma function:

union   log u(n, s) = log sum over k >= s of exp(log C(n, k) + k log p)
exact   log q(n, s) = log C(n, k) + k log p - log C(s, k) at k = floor((s - p n) / (1 - p)) + 1, held between 0 and s

A bound within 1e-6 of alpha, in logarithms, is left to :class:`RejectionRule`. Source: as
:mod:`sekisho.safety.rejection`.
"""

from __future__ import annotations

from functools import lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from sekisho.safety.rejection import Bound, RejectionRule

FEW = 64
"""Up to so many claims the exact threshold is quick enough."""

CLOSE = 1e-6


@lru_cache(maxsize=1 << 16)
def compute_quick_threshold(rule: RejectionRule, claimed: int) -> int:
    """Return the rule's threshold."""
    if claimed <= FEW:
        return rule.threshold(claimed)
    level = log(rule.alpha)
    bounds = _compute_union_bounds(rule, claimed) if rule.bound is Bound.UNION else _compute_exact_bounds(rule, claimed)
    if bool(np.any(np.abs(bounds - level) < CLOSE)):
        return rule.threshold(claimed)
    below = np.flatnonzero(bounds < level)
    return int(below[0]) if len(below) else claimed + 1


def _compute_union_bounds(rule: RejectionRule, claimed: int) -> NDArray[np.float64]:
    k = np.arange(claimed + 1)
    terms = _log_choose(claimed, k) + k * log(rule.p)
    return np.logaddexp.accumulate(terms[::-1])[::-1]


def _compute_exact_bounds(rule: RejectionRule, claimed: int) -> NDArray[np.float64]:
    hits = np.arange(claimed + 1)
    p = float(rule.p)
    k = np.clip(np.floor((hits - p * claimed) / (1 - p)) + 1, 0, hits)
    return _log_choose(claimed, k) + k * log(p) - _log_choose(hits, k)


def _log_choose(
    n: NDArray[np.floating] | NDArray[np.integer] | int, k: NDArray[np.floating] | NDArray[np.integer]
) -> NDArray[np.float64]:
    return np.asarray(gammaln(np.asarray(n) + 1.0) - gammaln(k + 1.0) - gammaln(np.asarray(n) - k + 1.0))

"""Pearson's correlation, and how large it must be to be significant.

Two normal samples of length n without correlation have ``t = r sqrt((n - 2) / (1 - r^2))`` distributed as Student's t
with n - 2 degrees of freedom, so ``|r|`` is called significant at level a from ``t* / sqrt(n - 2 + t*^2)`` on, ``t*``
being the 1 - a/2 quantile. For n = 13 and 5 % that is 0.5529. Source: PWS Cup 2018, report, section 6.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from sekisho.errors import ParameterError
from sekisho.words import Said


def compute_correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """Return Pearson's r; None where one of the two never changes, or there are fewer than two values."""
    if len(x) != len(y):
        raise ParameterError("y", Said("have the {count} values of x", count=len(x)), len(y))
    if len(x) < 2 or bool(np.all(x == x[0])) or bool(np.all(y == y[0])):
        return None
    a, b = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / scale, -1.0, 1.0)) if scale > 0 else None


def compute_critical_value(size: int, level: float = 0.05) -> float | None:
    """Return the least ``|r|`` that is significant (two-sided); None where no r is: fewer than three pairs."""
    if not 0 < level < 1:
        raise ParameterError("level", Said("lie strictly between 0 and 1"), level)
    if size < 3:
        return None
    quantile = float(student.ppf(1 - level / 2, size - 2))
    return quantile / float(np.sqrt(size - 2 + quantile**2))

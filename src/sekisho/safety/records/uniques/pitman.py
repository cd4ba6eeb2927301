"""Pitman's sampling formula fitted to class sizes; apart from the other models, for it loads an optimiser.

The likelihood of classes of sizes j, s_j of each, u in all, n records:

    L = sum over l = 1 … u - 1 of ln(theta + l alpha) - ln (theta + 1)^[n - 1] + sum of s_j ln (1 - alpha)^[j - 1]

for 0 <= alpha < 1, theta > -alpha; x^[m] is the rising factorial.

Source: Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official
Statistics 17 (4), 2001, section 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, gammaln

LEAST = 1e-4
"""The least alpha tried: from here on down the formula is Ewens'."""
STARTS = ((-2.0, 0.0), (0.0, 2.0), (2.0, 0.0), (-4.0, 6.0))


def estimate_pitman_uniques(values: NDArray[np.int64], count: NDArray[np.int64], people: int) -> float:
    """Return the expected number of uniques among so many people, by the likeliest theta and alpha.

    Args:
        values: the sizes of classes, each once.
        count: how many classes have each size.
        people: how many there are.
    """
    if values.max() == 1:  # all are unique: the likelihood is largest where everybody always is
        return float(people)
    theta, alpha = fit_pitman(values, count)
    return expect_uniques(theta, alpha, people)


def fit_pitman(values: NDArray[np.int64], count: NDArray[np.int64]) -> tuple[float, float]:
    """Return theta and alpha of the largest likelihood; ``count`` classes have each size of ``values``."""
    rows, classes = float((values * count).sum()), float(count.sum())

    def loss(point: NDArray[np.float64]) -> float:
        theta, alpha = _unfold(point)
        rest = theta / alpha
        rises = (classes - 1) * np.log(alpha) + gammaln(rest + classes) - gammaln(rest + 1)
        falls = gammaln(theta + rows) - gammaln(theta + 1)
        within = float((count * (gammaln(values - alpha) - gammaln(1 - alpha))).sum())
        return float(falls - rises - within)

    fits = [
        minimize(
            loss,
            np.array(start),
            method="Nelder-Mead",
            options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 2000},
        )
        for start in STARTS
    ]
    best = min(fits, key=lambda fit: float(fit.fun))
    return _unfold(best.x)


def _unfold(point: NDArray[np.float64]) -> tuple[float, float]:
    alpha = LEAST + (1 - 2 * LEAST) * float(expit(point[0]))
    return float(np.exp(np.clip(point[1], -30.0, 60.0))) - alpha, alpha


def expect_uniques(theta: float, alpha: float, people: int) -> float:
    """Return N (theta + alpha)^[N - 1] / (theta + 1)^[N - 1]."""
    rise = gammaln(theta + alpha + people - 1) - gammaln(theta + alpha)
    return float(people * np.exp(rise - gammaln(theta + people) + gammaln(theta + 1)))

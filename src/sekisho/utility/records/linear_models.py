"""Logistic regression without penalty, by Newton's method.

The likelihood is concave, so Newton's steps X'WX d = X'(y - p), halved where they overshoot, lead to its maximum
wherever there is one. Where columns depend on each other the step of least length is taken, which leaves the
coefficients of least length among those that fit equally well.

Source: McCullagh, Nelder, "Generalized Linear Models", second edition (1989), section 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, pinvh
from scipy.special import expit

_Floats = NDArray[np.float64]

STEPS, HALVINGS = 200, 30
FLAT = 1e-10
"""The mean gradient at which a maximum is taken to be reached, in standard deviations of the columns."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearModel:
    """A linear function of features."""

    intercept: _Floats
    slopes: _Floats

    def predict(self, features: _Floats) -> _Floats:
        """Return its values."""
        return features @ self.slopes + self.intercept


def fit_logit(columns: _Floats, answer: NDArray[np.bool_]) -> LinearModel | None:
    """Return the log-odds of greatest likelihood, or None where Newton's steps come to no maximum.

    Args:
        columns: centred and scaled, without a column of ones.
        answer: which rows have the outcome; neither all nor none.
    """
    design = np.column_stack([np.ones(len(columns)), columns])
    signs = np.where(answer, -1.0, 1.0)
    weights = np.zeros(design.shape[1])
    odds = np.zeros(len(design))
    for _ in range(STEPS):
        chances = np.asarray(expit(odds))
        gradient = design.T @ (chances - answer) / len(design)
        if float(np.abs(gradient).max()) <= FLAT:
            return LinearModel(intercept=weights[0], slopes=weights[1:])
        step = _find_step(design, chances, gradient)
        moved = _go_down(design @ step, odds, signs)
        if moved is None:
            return None
        weights, odds = weights - moved * step, odds - moved * (design @ step)
    return None


def _find_step(design: _Floats, chances: _Floats, gradient: _Floats) -> _Floats:
    curvature = (design.T * (chances * (1 - chances))) @ design / len(design)
    try:
        factor = cho_factor(curvature)
        if float(np.diag(factor[0]).min()) > 1e-7 * float(np.diag(factor[0]).max()):
            return np.asarray(cho_solve(factor, gradient), dtype=np.float64)
    except LinAlgError:
        pass
    return np.asarray(pinvh(curvature, rtol=1e-12) @ gradient, dtype=np.float64)


def _go_down(change: _Floats, odds: _Floats, signs: _Floats) -> float | None:
    """Return how much of a step makes the answers likelier, or None if nothing of it does."""
    loss = float(np.logaddexp(0.0, signs * odds).mean())
    part = 1.0
    for _ in range(HALVINGS):
        if float(np.logaddexp(0.0, signs * (odds - part * change)).mean()) <= loss * (1 + 1e-14):
            return part
        part /= 2
    return None

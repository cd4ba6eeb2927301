"""Two linear models in closed form or by Newton's method: ridge regression, and logistic regression without penalty.

Ridge regression with penalty a on centred features X and targets y has the slopes (X'X + aI)^-1 X'y. The logistic
likelihood is concave, so Newton's steps X'WX d = X'(y - p), halved where they overshoot, lead to its maximum wherever
there is one. Where columns depend on each other the step of least length is taken, which leaves the coefficients of
least length among those that fit equally well.

Source: Hoerl, Kennard, "Ridge regression", Technometrics 12 (1970); McCullagh, Nelder, "Generalized Linear Models",
second edition (1989), section 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, pinvh
from scipy.sparse import csr_array
from scipy.special import expit

_Floats = NDArray[np.float64]

MANY, MOST_FILLED = 1_000_000, 0.25
"""Features are multiplied without their zeros where there are so many, and at most such a share is not 0."""
STEPS, HALVINGS = 200, 30
FLAT = 1e-10
"""The mean gradient at which a maximum is taken to be reached, in standard deviations of the columns."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearModel:
    """A linear function of features, or several of them side by side."""

    intercept: _Floats
    slopes: _Floats

    def predict(self, features: _Floats) -> _Floats:
        """Return its values."""
        return features @ self.slopes + self.intercept


def fit_ridge(features: _Floats, targets: _Floats, *, penalty: float) -> LinearModel:
    """Return the ridge regression of one target, or of each column of targets, with an intercept that is free."""
    centre, middle = features.mean(axis=0), targets.mean(axis=0)
    multiply = multiply_sparse if is_sparse(features) else multiply_dense
    gram, against = multiply(features, centre, targets - middle)
    gram[np.diag_indices_from(gram)] += penalty
    slopes = np.asarray(cho_solve(cho_factor(gram), against), dtype=np.float64)
    return LinearModel(intercept=np.asarray(middle - centre @ slopes), slopes=slopes)


def is_sparse(features: _Floats) -> bool:
    """Tell whether features are so many and so often 0, as those of categories are, that zeros are left out."""
    return bool(features.size >= MANY and np.count_nonzero(features) <= MOST_FILLED * features.size)


def multiply_dense(features: _Floats, centre: _Floats, targets: _Floats) -> tuple[_Floats, _Floats]:
    """Return X'X and X'y of features less their centre, and of targets whose mean is 0."""
    moved = features - centre
    return moved.T @ moved, moved.T @ targets


def multiply_sparse(features: _Floats, centre: _Floats, targets: _Floats) -> tuple[_Floats, _Floats]:
    """Return the same without ever filling in zeros: X'X = F'F - n c c', for X = F - 1c'."""
    rows = csr_array(features)
    gram = (rows.T @ rows).toarray() - len(features) * np.outer(centre, centre)
    shift = np.multiply.outer(centre, targets.sum(axis=0))
    return np.asarray(gram, dtype=np.float64), np.asarray(rows.T @ targets - shift, dtype=np.float64)


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

"""Individual risk from sampling weights: how surely a record of a sample is the person who has its keys.

Against whom: one who does not know whether his target is in the sample, and matches the keys with a register of the
population. A class of f records stands for F people, whom nobody counted; given f, F is taken as negative binomial
(f successes, each with chance p), and the risk of a record is

    r = E(1 / F | f) = p * integral from 0 to 1 of u^(f - 1) / (p + (1 - p) u) du,      p = f / sum of the weights.

For f = 1 that is p / (1 - p) ln(1 / p); for f = 2, p / (1 - p) - (p / (1 - p))^2 ln(1 / p). The figure rests on the
model and on weights that say how many people a record stands for; it is no bound.

Computed without approximation: by I(f + 1) = (1 / f - p I(f)) / (1 - p) where p <= 1/2 and f is small, else by the
series p sum over j of (1 - p)^j j! (f - 1)! / (f + j)!, whose terms are positive and fall fast. (sdcMicro and μ-ARGUS
take p / (f - (1 - p)) from f = 3 on, the first terms of the same.)

Source: Benedetti, Franconi, "Statistical and technological solutions for controlled data dissemination", NTTS 1998;
Franconi, Polettini, "Individual risk estimation in μ-Argus: a review", PSD 2004, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import LISTED, Fault, FaultsError
from sekisho.words import Said

SMALL = 30
TERMS = 64


def compute_individual_risk(sizes: NDArray[np.int64], people: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the risk of a record of each class.

    Args:
        sizes: f, the number of records of each class.
        people: the sum of their weights, how many people they are estimated to stand for; at least f counts.
    """
    size = sizes.astype(np.float64)
    p = np.minimum(1.0, size / people)
    risk = np.empty(len(sizes))
    stepwise = (sizes < SMALL) & (p <= 0.5)
    risk[stepwise] = _step_up(sizes[stepwise], p[stepwise])
    risk[~stepwise] = _sum_series(size[~stepwise], p[~stepwise])
    return risk


def _step_up(sizes: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    q = 1.0 - p
    integral = -np.log(p) / q
    for size in range(1, int(sizes.max(initial=1))):
        integral = np.where(sizes > size, (1.0 / size - p * integral) / q, integral)
    return p * integral


def _sum_series(size: NDArray[np.float64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    term = p / size
    total = term.copy()
    for j in range(1, TERMS):
        term = term * (1.0 - p) * j / (size + j)
        total += term
    return total


def check_weights(
    weights: NDArray[np.float64], texts: Sequence[str], rows: NDArray[np.int64], *, name: str, source: str
) -> None:
    """Refuse weights that are no positive numbers, by row.

    Args:
        weights: as numbers, not a number where the text is none.
        texts: as they stand in the file.
        rows: where each stands in the file, from 0.
        name: the column's.
        source: the file's.

    Raises:
        FaultsError: all of them at once.
    """
    bad: list[int] = np.flatnonzero(~(np.isfinite(weights) & (weights > 0))).tolist()
    if bad:
        first = bad[:LISTED]
        raise refuse_weights(
            [texts[place] for place in first], rows[first].tolist(), name=name, source=source, count=len(bad)
        )


def refuse_weights(texts: Sequence[str], rows: Sequence[int], *, name: str, source: str, count: int) -> FaultsError:
    """Return the refusal of weights that are no positive numbers.

    Args:
        texts: the first of them, as they stand in the file.
        rows: where these stand, from 0.
        name: the column's.
        source: the file's.
        count: how many there are.
    """
    faults = [
        Fault(
            row=row + 1,
            column=name,
            rule="weight",
            value=text,
            message=Said("the weight {text!r} is no positive number", text=text),
        )
        for text, row in zip(texts, rows, strict=True)
    ]
    return FaultsError(source, faults, count=count)

"""The scores of special uniques (SUDA2, DIS): formulas that need only counts; sources are in ``special_uniques``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.words import Said

STAND_OUTS = 20
"""So many records that stand out are told of one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandOut:
    """A record that stands out.

    Attributes:
        row: in the file, from 0.
        score: how much.
        minimal: how many sets of keys single it out, none of them a part of another.
        columns: the smallest of these sets.
        values: what the record has there; None is missing.
    """

    row: int
    score: float
    minimal: int
    columns: tuple[str, ...]
    values: tuple[str | None, ...]


def list_weights(keys: int, largest: int) -> NDArray[np.float64]:
    """Return by the size of a set, from 0, what a minimal sample unique on it adds to its record's score."""
    last = min(largest, keys - 1)
    factors = [np.prod([keys - i for i in range(size, last + 1)], dtype=np.float64) for size in range(keys + 1)]
    return np.array(factors)


def share_scores(keys: int, largest: int, sets: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each key the share of all scores that comes from sets with it.

    Args:
        keys: how many there are.
        largest: the largest set that was looked at.
        sets: as bits.
        count: how many minimal sample uniques stand on each set.
    """
    weights = list_weights(keys, largest)[np.bitwise_count(sets)] * count
    parts = [weights[(sets >> key) & 1 == 1].sum() for key in range(keys)]
    return np.array(parts) / max(float(weights.sum()), 1e-300)


def compute_dis(alone: int, pairs: int, fraction: float) -> float:
    """Return the chance that a match with a sample unique is right, at a sampling fraction.

    Args:
        alone: how many records are unique.
        pairs: how many classes of two there are.
        fraction: of the population that is in the sample.
    """
    if not 0 < fraction <= 1:
        raise ParameterError("fraction", Said("be above 0 and at most 1"), fraction)
    sampled = fraction * alone
    return sampled / (sampled + (1 - fraction) * 2 * pairs) if sampled else 0.0


def compute_dis_scores(
    scores: NDArray[np.float64], count: NDArray[np.float64], keys: int, dis: float
) -> NDArray[np.float64]:
    """Return the DIS-SUDA score of each score; 0 where no set of those looked at singles a record out.

    Args:
        scores: of unique records.
        count: how many records have each of them.
        keys: how many there are.
        dis: the chance that a match with a unique is right.
    """
    power = np.where(scores > 0, scores, 1.0) ** (1.0 + (8.0 - keys) / 20.0)
    adjust = float((count / power)[scores > 0].sum())
    if not adjust:
        return np.zeros(len(scores))
    alone = float(count.sum())
    return np.where(scores > 0, 1.0 / (1.0 + (alone / dis - alone) / (power * adjust)), 0.0)

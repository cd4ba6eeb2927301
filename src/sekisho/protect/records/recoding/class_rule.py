"""What a class must keep, on the counts of its sensitive values: a predicate that compiled code asks of every class.

- k: at least k records;
- distinct l: at least l distinct sensitive values;
- entropy l: their entropy is at least log l;
- recursive (c, l): the largest count is below c times the sum of the l-th largest and those after it;
- t: the distribution lies within t of the whole file's; half the sum of absolute differences, or for ordered values the
  earth mover's distance with steps of 1 / (values - 1).

Sources: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "l-diversity", ICDE 2006; Li, Li, Venkatasubramanian,
"t-closeness", ICDE 2007, section 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit

HAIR = 1e-12
"""Rounding that a comparison of sums of logarithms or shares forgives."""


class ClassRule(NamedTuple):
    """What a class must keep; a part that is not asked for is 0 (t: 1).

    Attributes:
        k: the least number of records.
        distinct: the least number of distinct sensitive values.
        entropy: the l of entropy l-diversity.
        recursive_c: the c of recursive (c, l)-diversity.
        recursive_l: its l.
        t: the largest distance from the whole file's distribution.
        ordered: whether the sensitive values have an order, which t then heeds.
        shares: of the sensitive values in the whole file.
    """

    k: int
    distinct: int
    entropy: float
    recursive_c: float
    recursive_l: int
    t: float
    ordered: bool
    shares: NDArray[np.float64]


@njit(cache=True, nogil=True)
def keeps_rule(rule: ClassRule, counts: NDArray[np.int64], total: int) -> bool:
    """Tell whether a class with these counts of sensitive values keeps the rule."""
    if total < rule.k:
        return False
    if len(counts) == 1:
        return True
    if rule.distinct > 1 and _count_distinct(counts) < rule.distinct:
        return False
    if rule.entropy > 1.0 and _measure_entropy(counts, total) < np.log(rule.entropy) - HAIR:
        return False
    if rule.recursive_l > 0 and not _is_recursive(rule, counts):
        return False
    return rule.t >= 1.0 or _measure_distance(rule, counts, total) <= rule.t + HAIR


@njit(cache=True, nogil=True)
def _count_distinct(counts: NDArray[np.int64]) -> int:
    distinct = 0
    for count in counts:
        if count > 0:
            distinct += 1
    return distinct


@njit(cache=True, nogil=True)
def _measure_entropy(counts: NDArray[np.int64], total: int) -> float:
    entropy = 0.0
    for count in counts:
        if count > 0:
            share = count / total
            entropy -= share * np.log(share)
    return entropy


@njit(cache=True, nogil=True)
def _is_recursive(rule: ClassRule, counts: NDArray[np.int64]) -> bool:
    ordered = np.sort(counts)
    kept = len(ordered) - rule.recursive_l + 1
    tail = 0
    for place in range(kept):
        tail += ordered[place]
    return ordered[-1] < rule.recursive_c * tail


@njit(cache=True, nogil=True)
def _measure_distance(rule: ClassRule, counts: NDArray[np.int64], total: int) -> float:
    distance, carried = 0.0, 0.0
    for value in range(len(counts)):
        moved = counts[value] / total - rule.shares[value]
        carried += moved
        distance += abs(carried) if rule.ordered else abs(moved)
    return distance / (len(counts) - 1) if rule.ordered else distance / 2.0

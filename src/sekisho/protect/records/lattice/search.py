"""The best of all vectors of levels, without looking at most of them.

The loss of a vector is that of its labels for all records plus what the records add that are left out. The first part,
a sum over the keys, is a lower bound that is known beforehand and grows with every level. The number of records in
classes of fewer than k only falls when a level rises (classes are joined, never parted), and so does that of records in
classes with too few distinct sensitive values. So

- a vector whose bound is not below the best loss so far cannot be better, nor can any above it;
- a vector with more such records than may be left out is not allowed, nor is any below it.

What remains is looked at. Entropy, recursive diversity and closeness may break by joining a class that keeps them with
one that was left out, so they rule out only the vector itself.

Source: LeFevre, DeWitt, Ramakrishnan, "Incognito", SIGMOD 2005; El Emam et al., "A globally optimal k-anonymity
method", JAMIA 16(5), 2009 (predictive tagging); Kohlmayer, Prasser, Eckert, Kemper, Kuhn, "Flash", PASSAT 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.records.lattice.survey import Rungs, survey_vector
from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.words import Said

MOST_VECTORS = 4_000_000
"""Larger lattices are refused."""
FINE = 1e-12
"""Losses that differ by less are equal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatticeProblem:
    """Which vectors there are, what each costs at least, and what its classes must keep.

    Attributes:
        costs: of each key, the mean cost of its levels over all records, divided by the number of keys.
        room: how many records may be left out.
        scale: what the costs of single cells are divided by.
    """

    rungs: Rungs
    rule: ClassRule
    costs: tuple[NDArray[np.float64], ...]
    room: int
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BestVector:
    """The vector of least loss.

    Attributes:
        vectors: how many there are.
        looked_at: how many had to be looked at.
    """

    vector: tuple[int, ...]
    loss: float
    vectors: int
    looked_at: int


def find_best_vector(problem: LatticeProblem) -> BestVector:
    """Return the vector of least loss.

    Raises:
        ParameterError: there are too many vectors.
        InfeasibleError: no vector keeps the rule.
    """
    shape = tuple(len(costs) for costs in problem.costs)
    vectors = float(np.prod(np.array(shape, dtype=np.float64)))
    if vectors > MOST_VECTORS:
        rule = Said(
            "have at most {most_vectors:,} vectors of levels: fewer keys, or trees of fewer levels",
            most_vectors=MOST_VECTORS,
        )
        raise ParameterError("keys", rule, f"{vectors:,.0f}")
    bound = np.zeros(1)
    for costs in problem.costs:
        bound = np.add.outer(bound, costs).reshape(-1)
    open_vectors = np.ones(shape, dtype=np.bool_)
    best, best_place, looked_at = np.inf, -1, 0
    order = np.argsort(bound, kind="stable")
    while True:
        order = order[open_vectors.reshape(-1)[order] & (bound[order] < best - FINE)]
        if not len(order):
            break
        place = int(order[_choose(len(order), found=best_place >= 0)])
        vector = np.array(np.unravel_index(place, shape), dtype=np.int64)
        left_out, small, added = survey_vector(problem.rungs, problem.rule, vector)
        looked_at += 1
        open_vectors.reshape(-1)[place] = False
        if small > problem.room:
            open_vectors[tuple(slice(0, level + 1) for level in vector.tolist())] = False
        elif left_out <= problem.room:
            loss = float(bound[place]) + added / problem.scale
            if loss < best:
                best, best_place = loss, place
    if best_place < 0:
        raise InfeasibleError(Said("no vector of levels keeps the rule, not even the coarsest"))
    found = tuple(int(level) for level in np.unravel_index(best_place, shape))
    return BestVector(vector=found, loss=best, vectors=open_vectors.size, looked_at=looked_at)


def _choose(left: int, *, found: bool) -> int:
    """Return which of the open vectors, in the order of their bounds, is looked at next.

    In the middle until there is a loss to beat, then high up, where a vector that is not allowed rules out many.
    """
    return left // 2 if not found else left * 4 // 5

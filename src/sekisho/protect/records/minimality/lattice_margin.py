"""How far a vector of levels is from being another one: how many people's records would have to change.

Let S(L) be the records in classes below k at the vector L, f(L) the loss in records (one that is left out counts 1),
``limit`` how many may be left out, and L* the vector that is published. Whoever replaces one record changes S(L) by k
at most, and f(L) by k at most; of originals that give the same published file f(L*) is the same. So L is not chosen
instead of L*, whatever g records are, as long as S(L) > limit + g k or f(L) > f(L*) + g k. Nor is it as long as its
labels alone cost f(L*) + g d or more, d being the widest spread of what a record's labels cost at L: 0 where all labels
of a level are as wide (docs/proofs/downcoding.md).

It holds for k alone, for losses whose cells cost 0 to 1 by their label alone (ncp, precision), and for levels that do
not come from the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.records.lattice_search import BestVector, LatticeProblem, survey_vector

FINE = 1e-9
"""Losses in records that differ by less are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """How far every other vector is from being chosen.

    Attributes:
        excess: of the vectors whose labels cost less and that leave out too many, the fewest records beyond the limit;
            None where there is none.
        dearer: of the other allowed vectors, the least loss beyond the best, in records; None where there is none.
        people: so many people's records together may be anything that their cells admit.
        surveyed: how many vectors were looked at.
    """

    excess: int | None
    dearer: float | None
    people: int
    surveyed: int

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "excess": self.excess,
            "dearer": self.dearer,
            "people": self.people,
            "surveyed": self.surveyed,
        }


def list_bounds(problem: LatticeProblem) -> NDArray[np.float64]:
    """Return what the labels of each vector cost, in the order of the vectors."""
    bound = np.zeros(1)
    for costs in problem.costs:
        bound = np.add.outer(bound, costs).reshape(-1)
    return bound


def measure_margin(problem: LatticeProblem, best: BestVector, k: int) -> Margin:
    """Return how far every other vector is from being chosen instead of the best.

    A vector whose labels alone cost more than the next allowed one needs no look; where a vector leaves out so many
    that it takes as many people to choose it, the same is so of all below it.
    """
    reach = _Reach(problem, best, k)
    labels = reach.dearer_labels
    cheap, rest = np.flatnonzero(labels < -FINE), np.flatnonzero(labels >= -FINE)
    for place in cheap[np.argsort(-labels[cheap], kind="stable")].tolist():
        reach.look(place)
    for place in rest[np.argsort(labels[rest], kind="stable")].tolist():
        if labels[place] >= max(reach.dearer, reach.people + 1):
            break
        reach.look(place)
    return Margin(
        excess=reach.excess,
        dearer=None if np.isinf(reach.dearer) else reach.dearer,
        people=min(reach.people, reach.records),
        surveyed=reach.surveyed,
    )


def list_near_vectors(problem: LatticeProblem, best: BestVector, k: int) -> list[NDArray[np.int64]]:
    """Return the other vectors that one replaced record could make the chosen one; all others are too far."""
    reach, near = _Reach(problem, best, k, asked=1), list[NDArray[np.int64]]()
    for place in np.argsort(-reach.dearer_labels, kind="stable").tolist():
        if reach.dearer_labels[place] <= k and reach.look(place) < 1:
            near.append(reach.unravel(place))
    return near


class _Reach:
    """Looks at vectors: how many people's records must change for each to be chosen."""

    def __init__(self, problem: LatticeProblem, best: BestVector, k: int, *, asked: int | None = None) -> None:
        self.problem, self.k, self.asked = problem, k, asked
        self.records = int(problem.rungs.copies.sum())
        self.shape = tuple(len(costs) for costs in problem.costs)
        self.own = int(np.ravel_multi_index(best.vector, self.shape))
        self.dearer_labels = (list_bounds(problem) - best.loss) * self.records
        self.open = np.ones(self.shape, dtype=np.bool_)
        self.excess: int | None = None
        self.dearer = np.inf
        self.people = self.records
        self.surveyed = 0

    def unravel(self, place: int) -> NDArray[np.int64]:
        """Return a vector by its place."""
        return np.array(np.unravel_index(place, self.shape), dtype=np.int64)

    def look(self, place: int) -> int:
        """Look at a vector, unless one above says that it matters less; return how many people matter to it at most."""
        if place == self.own or not self.open.reshape(-1)[place]:
            return self.records
        vector = self.unravel(place)
        left_out, _, added = survey_vector(self.problem.rungs, self.problem.rule, vector)
        self.surveyed += 1
        beyond = left_out - self.problem.room
        labels = float(self.dearer_labels[place])
        dearer = labels + added / self.problem.scale * self.records
        by_number, by_loss = (max(0, ceil((far - FINE) / self.k) - 1) for far in (beyond, dearer))
        spread = self._spread(vector)
        by_labels = 0 if labels < -FINE else self.records if spread < FINE else int((labels + FINE) / spread)
        people = max(by_number, by_loss, by_labels)
        self.people = min(self.people, people)
        if beyond <= 0:
            self.dearer = min(self.dearer, max(dearer, 0.0))
        elif labels < 0:
            self.excess = beyond if self.excess is None else min(self.excess, beyond)
            # all below leave out as many or more
            if by_number >= (self.people if self.asked is None else self.asked):
                self.open[tuple(slice(0, level + 1) for level in vector.tolist())] = False
        return people

    def _spread(self, vector: NDArray[np.int64]) -> float:
        """Return how far apart what the labels of two records cost can be at a vector."""
        spreads = [float(np.ptp(self.problem.relief_of(key, int(level)))) for key, level in enumerate(vector.tolist())]
        return sum(spreads) / len(spreads)

"""The linear program of pairs: people are paired, deleted, or put three together, each exactly once, at the least cost.

A pair may be used in part; every *odd set* of people that is asked for must have, in whole, one pair that leads out of
it, or one of its people deleted, or a group of three with one or three members in it: what is left of an odd set inside
pairs alone is odd.

Sources: Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", J. Res. NBS 69B (1965); Grötschel, Holland,
"Solving matching problems with linear programming", Math. Programming 33 (1985). Proofs: docs/proofs/history-groups.md,
section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, OptimizeResult, linprog, milp
from scipy.sparse import csr_array, eye_array, hstack

from sekisho.errors import BugError
from sekisho.protect.history.grouping.costs import bound_pairs, compute_pairs
from sekisho.protect.history.grouping.rows import HistoryRows

NEVER = 1e9
NEAR = 20
"""How many nearest people a person may join in the search; their costs are always computed."""
NODES = 200
"""Branches after which the best grouping found is taken."""


@dataclass(slots=True, eq=False)
class PairCosts:
    """What is known of the costs of all pairs: exact where ``known``, else a lower bound; ``NEVER`` on the diagonal."""

    rows: HistoryRows
    people: NDArray[np.int64]
    cost: NDArray[np.float64]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: HistoryRows) -> PairCosts:
        """Start from the cheap bounds."""
        cost = bound_pairs(rows).astype(np.float64)
        np.fill_diagonal(cost, NEVER)
        return cls(rows, np.arange(len(cost)), cost, np.eye(len(cost), dtype=np.bool_))

    @property
    def own(self) -> NDArray[np.float64]:
        """What it costs to delete each of the people."""
        return self.rows.deletion[self.people]

    def among(self, some: NDArray[np.int64]) -> PairCosts:
        """Return what is known of some people only."""
        return PairCosts(self.rows, self.people[some], self.cost[np.ix_(some, some)], self.known[np.ix_(some, some)])

    def compute(self, wanted: NDArray[np.bool_], limit: NDArray[np.float64] | None = None) -> int:
        """Compute the wanted pairs that are not known, each only as far as its limit; return how many."""
        first, second = np.nonzero(np.triu((wanted | wanted.T) & ~self.known, 1))
        most = np.full(len(first), np.inf) if limit is None else limit[first, second]
        found = compute_pairs(self.rows, self.people[first], self.people[second], most)
        better = np.maximum(found, self.cost[first, second])
        self.cost[first, second] = self.cost[second, first] = better
        self.known[first, second] = self.known[second, first] = found <= most
        return len(first)


def find_near(costs: PairCosts) -> NDArray[np.int64]:
    """Return each person's nearest, one line each, by what is known of the pairs' costs."""
    return np.argsort(costs.cost, axis=1, kind="stable")[:, : max(1, min(NEAR, len(costs.cost) - 1))]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Triples:
    """Groups of three, one line each, and what they cost at least."""

    people: NDArray[np.int64]
    cost: NDArray[np.float64]

    @classmethod
    def none(cls) -> Triples:
        """Return no groups."""
        return cls(people=np.zeros((0, 3), dtype=np.int64), cost=np.zeros(0))

    def __or__(self, other: Triples) -> Triples:
        return Triples(people=np.vstack([self.people, other.people]), cost=np.append(self.cost, other.cost))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prices:
    """The program's solution.

    Attributes:
        value: the least cost, the sum of all prices.
        people: the price of each person.
        sets: the odd sets, one line each.
        weights: the price of each odd set, 0 or more.
        slack: of each pair, known or not, its cost (or bound) less the prices it must pay for.
        alone: how much of each person is deleted.
        used: how much of each pair is used.
    """

    value: float
    people: NDArray[np.float64]
    sets: NDArray[np.bool_]
    weights: NDArray[np.float64]
    slack: NDArray[np.float64]
    alone: NDArray[np.float64]
    used: csr_array

    def find_least_slack(self, own: NDArray[np.float64]) -> float:
        """Return by how much a price stands above what it must pay for, at worst, as a number that is 0 or less."""
        deletion = own - self.people - self.weights @ self.sets
        return min(0.0, float(self.slack.min()), float(deletion.min()))

    def charge_triples(self, triples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the prices that groups of three must pay for."""
        priced = self.weights > 0
        odd = self.sets[priced][:, triples].sum(axis=2) % 2
        return self.people[triples].sum(axis=1) + self.weights[priced] @ odd


def solve_pairs(costs: PairCosts, sets: list[NDArray[np.bool_]], triples: Triples) -> Prices:
    """Solve the program over the known pairs, all deletions and some groups of three, with some odd sets."""
    people = len(costs.cost)
    held = np.array(sets, dtype=np.bool_).reshape(len(sets), people)
    first, second = np.nonzero(np.triu(costs.known, 1))
    solved = _run_program(
        np.concatenate([costs.cost[first, second], costs.own, triples.cost]),
        _list_uses(np.stack([first, second], axis=1), triples, people),
        hstack(
            [
                csr_array((held[:, first] != held[:, second]).astype(np.float64)),
                csr_array(held.astype(np.float64)),
                csr_array((held[:, triples.people].sum(axis=2) % 2).astype(np.float64)),
            ]
        ).tocsr(),
    )
    y = np.asarray(solved.eqlin.marginals)
    z = np.maximum(0.0, -np.asarray(solved.ineqlin.marginals)) if sets else np.zeros(0)
    slack = costs.cost - y[:, None] - y[None, :]
    for line, weight in zip(held, z, strict=True):
        if weight > 0:
            slack -= weight * (line[:, None] != line[None, :])
    pairs = len(first)
    return Prices(
        value=float(y.sum() + z.sum()),
        people=y,
        sets=held,
        weights=z,
        slack=slack,
        alone=solved.x[pairs : pairs + people],
        used=csr_array((solved.x[:pairs], (first, second)), shape=(people, people)),
    )


def choose_groups(costs: PairCosts, triples: Triples) -> list[NDArray[np.int64]]:
    """Return the best of the known pairs, of some groups of three and of deletions that branch and bound finds.

    Who is in no group is deleted.
    """
    people = len(costs.cost)
    first, second = np.nonzero(np.triu(costs.known, 1))
    pairs = np.stack([first, second], axis=1)
    once = _list_uses(pairs, triples, people)
    cost = np.concatenate([costs.cost[first, second], costs.own, triples.cost])
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., OptimizeResult]", milp)(
        cost,
        integrality=np.ones(len(cost)),
        bounds=(0, 1),
        constraints=LinearConstraint(once, 1, 1),
        options={"node_limit": NODES},
    )
    if solved.x is None:
        return []
    chosen = np.asarray(solved.x) > 0.5
    return [*pairs[chosen[: len(pairs)]], *triples.people[chosen[len(pairs) + people :]]]


def _list_uses(pairs: NDArray[np.int64], triples: Triples, people: int) -> csr_array:
    """Return who is in each pair, deleted by each deletion, and in each group of three."""
    parts = [_mark_members(pairs, people), csr_array(eye_array(people)), _mark_members(triples.people, people)]
    return csr_array(hstack(parts))


def _mark_members(groups: NDArray[np.int64], people: int) -> csr_array:
    """Return one column per group with a 1 for each of its people."""
    count, size = groups.shape
    return csr_array(
        (np.ones(count * size), (groups.ravel(), np.repeat(np.arange(count), size))), shape=(people, count)
    )


def _run_program(cost: NDArray[np.float64], once: csr_array, leaving: csr_array) -> OptimizeResult:
    sets = leaving.shape[0]
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., OptimizeResult]", linprog)(
        cost,
        A_eq=once,
        b_eq=np.ones(once.shape[0]),
        A_ub=-leaving if sets else None,
        b_ub=-np.ones(sets) if sets else None,
        method="highs",
    )
    if solved.status != 0:
        raise BugError(f"the linear program of pairs: {solved.message}")
    return solved

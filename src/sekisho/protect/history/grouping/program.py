"""The linear program of pairs: people are paired, deleted, or put three together, each exactly once, at the least cost.

A pair may be used in part; every *odd set* of people that is asked for must have, in whole, one pair that leads out of
it, or one of its people deleted, or a group of three with one or three members in it: what is left of an odd set inside
pairs alone is odd.

Sources: Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", J. Res. NBS 69B (1965); Grötschel, Holland,
"Solving matching problems with linear programming", Math. Programming 33 (1985). Proofs: docs/proofs/history-groups.md,
section 3.

The best pairing of people: minimum-weight matching over all pairs, of which only the promising are ever computed.

Every pair starts with a cheap lower bound of its cost. The linear program of pairs
(:mod:`~sekisho.protect.history.grouping.program`) is solved over the costs known so far, its prices are held against
every pair, computed or not, and a pair whose bound does not pay for them is computed; this repeats until none is left.
Then no pair that was skipped can be part of a cheaper pairing:

    sum(y) + sum(z) = cost of the pairing,
    y_i + y_j + sum of z_B over odd sets B that hold exactly one of i, j <= bound_ij for all i, j.

An odd number of people leaves one over, who is deleted: at the cost of his cells, so the program chooses whom.

Sources: Edmonds 1965; Grötschel, Holland 1985 (pricing and cutting). The proof is in docs/proofs/history-groups.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
import rustworkx as rx
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, hstack

from sekisho.errors import BugError
from sekisho.protect.history.grouping.assignment import bound_pairs, compute_pairs, solve_assignment
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
    solved = cast("Callable[..., scipy.optimize.OptimizeResult]", scipy.optimize.milp)(
        cost,
        integrality=np.ones(len(cost)),
        bounds=(0, 1),
        constraints=scipy.optimize.LinearConstraint(once, 1, 1),
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


def _run_program(cost: NDArray[np.float64], once: csr_array, leaving: csr_array) -> scipy.optimize.OptimizeResult:
    sets = leaving.shape[0]
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., scipy.optimize.OptimizeResult]", scipy.optimize.linprog)(
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


CLOSE = 0.1
"""First rounds compute every pair within this share of its dual price, so that few rounds are needed."""
NEAR_PARTNERS = 0.01
FINE = 1e-6
ROUNDS = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """Pairs of least cost.

    Attributes:
        pairs: one line each; with an odd number of people one is in none, and deleted.
        cost: of the pairs and of the deletion.
        sets: the odd sets that prove it.
    """

    pairs: NDArray[np.int64]
    cost: float
    sets: list[NDArray[np.bool_]]


def find_best_pairing(costs: PairCosts) -> Pairing:
    """Return the cheapest pairing, computing further costs where they might matter.

    If the odd sets that are found do not close the gap between the program and the pairing, every pair whose slack is
    within the gap is computed too: a pairing that uses any other costs more than the one at hand.
    """
    _settle_roughly(costs)
    sets: dict[bytes, NDArray[np.bool_]] = {}
    prices = solve_pairs(costs, [], Triples.none())
    for _ in range(ROUNDS):
        odd = _find_violated(prices)
        short = bool(np.any((prices.slack < -FINE) & ~costs.known))
        if not short and not odd.keys() - sets.keys():
            break
        price = costs.cost - prices.slack
        costs.compute(prices.slack < NEAR_PARTNERS * price, (1 + CLOSE) * np.abs(price))
        sets |= odd
        prices = solve_pairs(costs, list(sets.values()), Triples.none())
    pairs, total = match_known_pairs(costs)
    # What little a dual price may stand above a bound, times the people, is taken off.
    gap = total - (prices.value + len(costs.own) * prices.find_least_slack(costs.own))
    if costs.compute(prices.slack <= gap, costs.cost - prices.slack + gap):
        pairs, total = match_known_pairs(costs)
    return Pairing(pairs=pairs, cost=total, sets=list(sets.values()))


def _settle_roughly(costs: PairCosts) -> None:
    """Solve the relaxation without odd sets, an assignment problem, until every pair it leans on is known.

    Neighbours by length are computed in any case: the pairing they make keeps a matching possible.
    """
    by_length = np.argsort(np.diff(costs.rows.starts)[costs.people], kind="stable")
    by_length = by_length[len(by_length) % 2 :]
    wanted = np.zeros_like(costs.known)
    wanted[by_length[::2], by_length[1::2]] = True
    costs.compute(wanted)
    for _ in range(ROUNDS):
        square = costs.cost.copy()
        np.fill_diagonal(square, 2.0 * costs.own)
        _, u, v, _ = solve_assignment(square, np.inf)
        price = ((u + v)[:, None] + (u + v)[None, :]) / 2
        slack = costs.cost - price
        if not np.any((slack <= FINE) & ~costs.known):
            return
        costs.compute(slack <= CLOSE * price, (1 + 1.5 * CLOSE) * price)


def _find_violated(prices: Prices) -> dict[bytes, NDArray[np.bool_]]:
    """Return odd sets that the program's solution leaves with less than one pair leading out or person deleted."""
    found: dict[bytes, NDArray[np.bool_]] = {}
    dense = prices.used.toarray()
    dense += dense.T
    for least in (1e-6, 0.2, 0.4, 0.6):
        count, part = scipy.sparse.csgraph.connected_components(csr_array(dense * (dense > least)), directed=False)
        for one in range(count):
            held = part == one
            if held.sum() % 2 == 0 or held.sum() == 1:
                continue
            if dense[held][:, ~held].sum() + prices.alone[held].sum() < 1 - 1e-4:
                found[held.tobytes()] = held
    return found


def match_known_pairs(costs: PairCosts) -> tuple[NDArray[np.int64], float]:
    """Return the best matching over the known pairs, and its cost.

    It is weighed by what it saves against deletion, in whole millionths of a cell.
    """
    first, second = np.nonzero(np.triu(costs.known, 1))
    own = costs.own
    saved = np.round((own[first] + own[second] - costs.cost[first, second]) * 1e6).astype(np.int64)
    graph: rx.PyGraph[int, int] = rx.PyGraph()
    graph.add_nodes_from(range(len(own)))
    graph.add_edges_from(list(zip(first.tolist(), second.tolist(), saved.tolist(), strict=True)))
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if len(found) != len(own) // 2:
        raise BugError(f"only {len(found)} pairs among {len(own)} people")
    pairs = np.array(sorted((min(pair), max(pair)) for pair in found), dtype=np.int64).reshape(-1, 2)
    alone = np.setdiff1d(np.arange(len(own)), pairs)
    return pairs, float(costs.cost[pairs[:, 0], pairs[:, 1]].sum() + own[alone].sum())

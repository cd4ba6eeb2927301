"""The best pairing of people: minimum-weight perfect matching over all pairs, of which only the promising are ever computed.

Every pair starts with a cheap lower bound of its cost. The matching's linear program is solved over the costs known so far, its dual
prices every pair, computed or not, and a pair whose bound does not pay for its dual price is computed; this repeats until none is
left. Then no pair that was skipped can be part of a cheaper pairing:

    sum(y) + sum(z) = cost of the pairing,   y_i + y_j + sum of z_B over odd sets B that hold exactly one of i, j <= bound_ij for all i, j.

Sources: Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", J. Res. NBS 69B (1965) (the program: degree equations and
blossom inequalities); Grötschel, Holland, "Solving matching problems with linear programming", Math. Programming 33 (1985) (pricing
and cutting). The proof is in docs/proofs/history-groups.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
import rustworkx as rx
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sekisho.errors import BugError
from sekisho.protect.assignment import assigned
from sekisho.protect.group_costs import bounds, exact
from sekisho.protect.group_rows import Rows

NEVER = 1e9
CLOSE = 0.1
"""First rounds compute every pair within this share of its dual price, so that few rounds are needed."""
NEAR = 0.01
FINE = 1e-6
ROUNDS = 200


@dataclass(slots=True, eq=False)
class PairCosts:
    """What is known of the costs of all pairs: exact where ``known``, else a lower bound; ``NEVER`` on the diagonal."""

    rows: Rows
    people: NDArray[np.int64]
    cost: NDArray[np.float64]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Rows) -> PairCosts:
        """Start from the cheap bounds."""
        cost = bounds(rows).astype(np.float64)
        np.fill_diagonal(cost, NEVER)
        return cls(rows, np.arange(len(cost)), cost, np.eye(len(cost), dtype=np.bool_))

    def among(self, some: NDArray[np.int64]) -> PairCosts:
        """Return what is known of some people only."""
        return PairCosts(self.rows, self.people[some], self.cost[np.ix_(some, some)], self.known[np.ix_(some, some)])

    def compute(self, wanted: NDArray[np.bool_], limit: NDArray[np.float64] | None = None) -> int:
        """Compute the wanted pairs that are not known, each only as far as its limit; return how many."""
        first, second = np.nonzero(np.triu((wanted | wanted.T) & ~self.known, 1))
        most = np.full(len(first), np.inf) if limit is None else limit[first, second]
        found = exact(self.rows, self.people[first], self.people[second], most)
        better = np.maximum(found, self.cost[first, second])
        self.cost[first, second] = self.cost[second, first] = better
        self.known[first, second] = self.known[second, first] = found <= most
        return len(first)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """A perfect matching of least cost."""

    pairs: NDArray[np.int64]
    cost: float


def best_pairing(costs: PairCosts) -> Pairing:
    """Return the cheapest pairing of an even number of people, computing further costs where they might matter.

    If the odd sets that are found do not close the gap between the program and the pairing, every pair whose slack is within the gap is
    computed too: a pairing that uses any other costs more than the one at hand.
    """
    _settle_roughly(costs)
    sets: dict[bytes, NDArray[np.bool_]] = {}
    value, slack = 0.0, np.zeros_like(costs.cost)
    for _ in range(ROUNDS):
        value, slack, support = _priced(costs, list(sets.values()))
        price = costs.cost - slack
        short = bool(np.any((slack < -FINE) & ~costs.known))
        odd = _violated(support)
        if not short and not odd.keys() - sets.keys():
            break
        costs.compute(slack < NEAR * price, (1 + CLOSE) * np.abs(price))
        sets |= odd
    pairs, total = _matched(costs)
    # What little a dual price may stand above a bound, times the pairs of a pairing, is taken off.
    sound = value + len(pairs) * min(0.0, float(slack.min()))
    if costs.compute(slack <= total - sound, costs.cost - slack + (total - sound)):
        pairs, total = _matched(costs)
    return Pairing(pairs=pairs, cost=total)


def _settle_roughly(costs: PairCosts) -> None:
    """Solve the relaxation without odd sets, an assignment problem, until every pair it leans on is known.

    Neighbours by length are computed in any case: the pairing they make keeps every later program feasible.
    """
    by_length = np.argsort(np.diff(costs.rows.starts)[costs.people], kind="stable")
    wanted = np.zeros_like(costs.known)
    wanted[by_length[::2], by_length[1::2]] = True
    costs.compute(wanted)
    for _ in range(ROUNDS):
        _, u, v, _ = assigned(costs.cost, np.inf)
        price = ((u + v)[:, None] + (u + v)[None, :]) / 2
        slack = costs.cost - price
        if not np.any((slack <= FINE) & ~costs.known):
            return
        costs.compute(slack <= CLOSE * price, (1 + 1.5 * CLOSE) * price)


def _priced(costs: PairCosts, sets: list[NDArray[np.bool_]]) -> tuple[float, NDArray[np.float64], csr_array]:
    """Solve the program over the known pairs; return its value, all pairs' slack, and the pairs it uses with their weights."""
    people = len(costs.cost)
    first, second = np.nonzero(np.triu(costs.known, 1))
    pairs = np.arange(len(first))
    degree = csr_array(
        (np.ones(2 * len(first)), (np.concatenate([first, second]), np.tile(pairs, 2))), shape=(people, len(first))
    )
    crossing = csr_array(
        np.array([-1.0 * (held[first] != held[second]) for held in sets]).reshape(len(sets), len(first))
    )
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., OptimizeResult]", linprog)(
        costs.cost[first, second],
        A_eq=degree,
        b_eq=np.ones(people),
        A_ub=crossing if sets else None,
        b_ub=-np.ones(len(sets)) if sets else None,
        method="highs",
    )
    if solved.status != 0:
        raise BugError(f"the pairing's linear program: {solved.message}")
    y = np.asarray(solved.eqlin.marginals)
    z = -np.asarray(solved.ineqlin.marginals) if sets else np.zeros(0)
    slack = costs.cost - y[:, None] - y[None, :]
    for held, weight in zip(sets, z, strict=True):
        if weight > 0:
            slack -= weight * (held[:, None] != held[None, :])
    used = np.asarray(solved.x)
    return float(y.sum() + z.sum()), slack, csr_array((used, (first, second)), shape=(people, people))


def _violated(support: csr_array) -> dict[bytes, NDArray[np.bool_]]:
    """Return odd sets of people that the program's solution leaves with less than one whole pair leading out."""
    found: dict[bytes, NDArray[np.bool_]] = {}
    dense = support.toarray()
    dense += dense.T
    for least in (1e-6, 0.2, 0.4, 0.6):
        count, part = connected_components(csr_array(dense * (dense > least)), directed=False)
        for one in range(count):
            held = part == one
            if held.sum() % 2 and held.sum() > 1 and dense[held][:, ~held].sum() < 1 - 1e-4:
                found[held.tobytes()] = held
    return found


def _matched(costs: PairCosts) -> tuple[NDArray[np.int64], float]:
    """Return the minimum-weight perfect matching over the known pairs, weighed in whole millionths of a cell, and its cost."""
    first, second = np.nonzero(np.triu(costs.known, 1))
    weight = np.round(costs.cost[first, second] * 1e6).astype(np.int64)
    graph: rx.PyGraph[int, int] = rx.PyGraph()
    graph.add_nodes_from(range(len(costs.cost)))
    most = int(weight.max()) + 1
    graph.add_edges_from(list(zip(first.tolist(), second.tolist(), (most - weight).tolist(), strict=True)))
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(found) != len(costs.cost):
        raise BugError(f"only {len(found)} pairs among {len(costs.cost)} people")
    pairs = np.array(sorted((min(pair), max(pair)) for pair in found), dtype=np.int64)
    return pairs, float(costs.cost[pairs[:, 0], pairs[:, 1]].sum())

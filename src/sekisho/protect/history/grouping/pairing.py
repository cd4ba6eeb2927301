"""The best pairing of people: minimum-weight matching over all pairs, of which only the promising are ever computed.

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

from dataclasses import dataclass

import numpy as np
import rustworkx as rx
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sekisho.errors import BugError
from sekisho.protect.history.grouping.assignment import solve_assignment
from sekisho.protect.history.grouping.program import PairCosts, Prices, Triples, solve_pairs

CLOSE = 0.1
"""First rounds compute every pair within this share of its dual price, so that few rounds are needed."""
NEAR = 0.01
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
        costs.compute(prices.slack < NEAR * price, (1 + CLOSE) * np.abs(price))
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
        count, part = connected_components(csr_array(dense * (dense > least)), directed=False)
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

"""What no k-anonymous release can cost less than, whatever its groups, alignments, ranges and deletions.

For every k, cheaply: a group of k or more pays at least the sum of its pairs' *stretched* costs w over k - 1, so k - 1
partners of each person's own choice cost no more than the group. For any prices y_i that do not exceed the cost of
deleting i

    sum(y) - sum over all pairs of max(0, y_i + y_j - w_ij) / (k - 1)

is a lower bound; a linear program over near pairs chooses good prices.

For k = 2, closely: every larger group falls apart into pairs and threes, so the program of pairs with the best
pairing's odd sets is a bound once its prices are paid for by every group of three as well. Half the stretched costs of
its three pairs bound a three's cost; a three that does not pay joins the program. Proofs:
docs/proofs/history-groups.md, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, hstack

from sekisho.errors import BugError
from sekisho.protect.history.grouping.assignment import compute_pairs
from sekisho.protect.history.grouping.bound_triples import CLOSE as CLOSE_ENOUGH
from sekisho.protect.history.grouping.bound_triples import bound_by_triples
from sekisho.protect.history.grouping.partial import PartialCosts
from sekisho.protect.history.grouping.program import (
    CLOSE,
    FINE,
    NEAR_PARTNERS,
    PairCosts,
    Prices,
    Triples,
    find_near,
    solve_pairs,
)
from sekisho.protect.history.grouping.rows import HistoryRows, stretch_rows

ROUNDS, FEWER_ROUNDS = 60, 4
"""How often the prices of k - 1 partners are chosen anew, at most; where the bound may fall a little short."""
EARLY = 5e-3
"""Which share of the program of threes the bound may miss where it may fall a little short."""
MANY = 50_000
"""With more threes in doubt than this the odd sets are given up: without them every three pays."""
MORE = 10
"""Pairs beyond 3 (k - 1) for each person among which the prices are chosen."""


def bound_release(rows: HistoryRows, k: int, cells: float, *, ends_early: bool = False) -> tuple[float, PairCosts]:
    """Return what no release in groups of k or more, k >= 3, costs less than, and what it told of the pairs' costs.

    Args:
        rows: the history.
        k: least people of a group.
        cells: pairs of more row pairs than this keep their cheap bounds.
        ends_early: whether the bound may fall a little short of what further rounds would prove.
    """
    enough = EARLY if ends_early else CLOSE_ENOUGH
    costs = PairCosts.of(stretch_rows(rows, k))
    partial = PartialCosts(costs, rows)
    near = find_near(costs)
    lengths = partial.tables.lengths
    wanted = np.zeros_like(costs.known)
    wanted[np.arange(len(near))[:, None], near] = True
    partial.compute(wanted & (np.outer(lengths, lengths) <= cells))
    bound = bound_by_triples(partial, find_near(costs), cells, enough)
    if k > 3:
        bound = max(bound, bound_groups(partial, k, cells, rounds=FEWER_ROUNDS if ends_early else ROUNDS))
    return bound, PairCosts(rows, costs.people, partial.plain, costs.known)


def bound_groups(partial: PartialCosts, k: int, cells: float, *, rounds: int = ROUNDS) -> float:
    """Return a lower bound of every release from prices for k - 1 different partners of everybody's own choice.

    Pairs that do not pay for their prices, and are not known, are computed.
    """
    costs, best = partial.costs, 0.0
    pair, own = costs.cost, costs.own
    people, lengths = len(own), partial.tables.lengths
    for _ in range(rounds):
        near = np.argsort(pair, axis=1, kind="stable")[:, : min(people - 1, 3 * (k - 1) + MORE)]
        mine = np.repeat(np.arange(people), near.shape[1])
        edges = np.unique(np.sort(np.stack([mine, near.ravel()], axis=1), axis=1), axis=0)
        price = np.minimum(_price_partners(pair[edges[:, 0], edges[:, 1]], edges, own, k), own)
        short = price[:, None] + price[None, :] - pair
        above = float(np.maximum(0.0, short).sum()) / 2
        best = max(best, float(price.sum()) - above / (k - 1))
        if not partial.compute((short > 0) & (np.outer(lengths, lengths) <= cells)):
            break
    return best


def _price_partners(
    cost: NDArray[np.float64], edges: NDArray[np.int64], own: NDArray[np.float64], k: int
) -> NDArray[np.float64]:
    """Return each person's price where all choose k - 1 different partners, or deletion, at the least cost."""
    people, count = len(own), len(edges)
    joined = csr_array((np.ones(2 * count), (edges.ravel(), np.repeat(np.arange(count), 2))), shape=(people, count))
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., scipy.optimize.OptimizeResult]", scipy.optimize.linprog)(
        np.append(cost / (k - 1), own),
        A_eq=hstack([joined / (k - 1), eye_array(people)]).tocsr(),
        b_eq=np.ones(people),
        bounds=[(0, 1)] * count + [(0, None)] * people,
        method="highs",
    )
    if solved.status != 0:
        raise BugError(f"the linear program of partners: {solved.message}")
    return np.asarray(solved.eqlin.marginals)


def bound_pairs_and_threes(costs: PairCosts, sets: list[NDArray[np.bool_]]) -> tuple[float, NDArray[np.int64]]:
    """Return a lower bound of every release in groups of two or more, and the threes that stood in its way."""
    kept, threes, triples = sets, _Threes(costs), Triples.none()
    for _ in range(ROUNDS):
        prices = solve_pairs(costs, kept, triples)
        if np.any((prices.slack < -FINE) & ~costs.known):
            price = costs.cost - prices.slack
            costs.compute(prices.slack < NEAR_PARTNERS * price, (1 + CLOSE) * np.abs(price))
            continue
        doubtful = _find_doubtful(prices)
        if doubtful is None:
            kept, triples = [], Triples.none()
            continue
        short = threes.find_unpaid(doubtful, prices)
        if not len(short.cost):
            loss = len(costs.own) * (FINE - prices.find_least_slack(costs.own))
            return max(0.0, prices.value - loss), triples.people
        triples |= short
    return bound_pairs_and_threes(costs, []) if kept else (0.0, triples.people)


def _find_doubtful(prices: Prices) -> NDArray[np.int64] | None:
    """Return the threes that may not pay for the odd sets that hold them whole, one line each.

    None where there are too many.

    A three pays half its pairs' slack more than the prices of the sets that hold one or two of it; it can fall short
    only by what sets that hold all of it cost, which is at most what sets that hold two of it cost, for any two.
    """
    held = prices.sets[prices.weights > 0].astype(np.float64)
    shared = (held.T * prices.weights[prices.weights > 0]) @ held
    near = np.triu((prices.slack / 2 < shared) & (shared > 0), 1)
    found: list[NDArray[np.int64]] = []
    count = 0
    for one in np.flatnonzero(near.any(axis=1)).tolist():
        others = np.flatnonzero(near[one])
        two, three = np.nonzero(near[np.ix_(others, others)])
        found.append(np.stack([np.full(len(two), one), others[two], others[three]], axis=1))
        count += len(two)
        if count > MANY:
            return None
    return np.concatenate(found) if found else np.zeros((0, 3), dtype=np.int64)


class _Threes:
    """What groups of three cost at least, each pair's stretched cost computed once."""

    def __init__(self, costs: PairCosts) -> None:
        self._costs = costs
        self._rows = stretch_rows(costs.rows, 3)
        self._pair = np.zeros_like(costs.cost)

    def find_unpaid(self, triples: NDArray[np.int64], prices: Prices) -> Triples:
        """Return those that do not pay for their prices, with what they cost at least."""
        charged = prices.charge_triples(triples)
        doubtful = charged > self._least(self._costs.cost, triples) + FINE
        triples, charged = triples[doubtful], charged[doubtful]
        for one, two in ((0, 1), (0, 2), (1, 2)):
            self._compute(np.unique(triples[:, [one, two]], axis=0))
        least = self._least(np.maximum(self._pair, self._costs.cost), triples)
        short = charged > least + FINE
        return Triples(people=triples[short], cost=least[short])

    def _least(self, pair: NDArray[np.float64], triples: NDArray[np.int64]) -> NDArray[np.float64]:
        one, two, three = triples.T
        return (pair[one, two] + pair[one, three] + pair[two, three]) / 2

    def _compute(self, pairs: NDArray[np.int64]) -> None:
        pairs = pairs[self._pair[pairs[:, 0], pairs[:, 1]] == 0]
        first, second = pairs.T
        found = compute_pairs(
            self._rows, self._costs.people[first], self._costs.people[second], np.full(len(first), np.inf)
        )
        self._pair[first, second] = self._pair[second, first] = found

"""What no k-anonymous release can cost less than, k >= 3: prices that every three people together can pay.

If the prices y of any three people are at most half the sum of their pairs' *stretched* costs, each with no more slots
than the shortest of the three has rows, then every group of k or more pays for its members' prices, and no release
costs less than sum(y). With k = 3 this is the linear program that puts everybody into threes, in part if it likes.

The program is solved by columns: over some threes, then its prices are held against all threes, and those that cannot
pay join it. Pair costs are cheap bounds at first; a pair that stands in the way of higher prices is computed. Whatever
the program does, its prices are lowered until every three can pay, so the bound never hangs on a solver's word.

Proof: docs/proofs/history-groups.md, section 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, hstack

from sekisho.errors import BugError
from sekisho.kernels import njit
from sekisho.protect.history.grouping.partial import PartialCosts, Tables, charge_shortest

FINE = 1e-6
"""Threes that fall short by less are not looked for; as much is taken off everybody's price."""
NEAREST = 8
"""The program starts with every person and two of so many nearest ones."""
EACH = 6
"""Threes around one person that join the program in one round."""
CLOSE = 1e-5
"""Which share of the program's value the bound may miss: the last threes take many rounds and change little."""
ROUNDS = 80


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shortfall:
    """Where prices are too high.

    Attributes:
        triples: those that fall short the most around each person, one line each.
        lowering: by how much each person's price must fall so that every three can pay.
    """

    triples: NDArray[np.int64]
    lowering: NDArray[np.float64]


def bound_by_triples(partial: PartialCosts, near: NDArray[np.int64], cells: float, miss: float = CLOSE) -> float:
    """Return a lower bound of every release.

    Args:
        partial: what is known of the pairs.
        near: each person's nearest.
        cells: pairs of more row pairs than this keep their cheap bounds.
        miss: which share of the program's value the bound may miss; one that misses more than the usual share does not
            wait for further pairs.
    """
    costs = partial.costs
    lengths, own, best = partial.tables.lengths, costs.own, 0.0
    if len(own) < 3:
        return best
    triples = _start_triples(near[:, :NEAREST])
    for _ in range(ROUNDS):
        price, used = _solve_triples(triples, cost_triples(partial, triples), own)
        price = np.minimum(price, own)
        short = find_shortfall(partial, price)
        best = max(best, float((price - short.lowering).sum()))
        close = best >= (1 - miss) * float(price.sum())
        if close and miss > CLOSE:
            break
        doubtful = np.concatenate([short.triples, triples[used]])
        wanted = np.zeros_like(costs.known)
        for one, two in ((0, 1), (0, 2), (1, 2)):
            wanted[doubtful[:, one], doubtful[:, two]] = True
        wanted &= np.outer(lengths, lengths) <= cells
        if not partial.compute(wanted) and (close or not len(short.triples)):
            break
        triples = np.unique(np.concatenate([triples, short.triples]), axis=0)
    return best


def cost_triples(partial: PartialCosts, triples: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return half the sum of the pairs' costs, each with no more slots than the shortest has rows."""
    pair = partial.costs.cost
    one, two, three = triples.T
    return (pair[one, two] + pair[one, three] + pair[two, three] + _charge_all(partial.tables, triples)) / 2


def find_shortfall(partial: PartialCosts, price: NDArray[np.float64]) -> Shortfall:
    """Hold prices against all threes."""
    triples, lowering = _find_short(partial.costs.cost, partial.tables, price, FINE, EACH)
    triples = np.unique(np.sort(triples[triples[:, 0] >= 0], axis=1), axis=0)
    return Shortfall(triples=triples, lowering=lowering)


def _start_triples(near: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return everybody with any two of the near, or with the next two where there are no two."""
    people = len(near)
    first, second = np.triu_indices(near.shape[1], 1)
    around = np.stack(
        [np.repeat(np.arange(people), len(first)), near[:, first].ravel(), near[:, second].ravel()], axis=1
    )
    return np.unique(np.sort(around, axis=1), axis=0)


def _solve_triples(
    triples: NDArray[np.int64], cost: NDArray[np.float64], own: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return each person's price where all are in threes, in part, or deleted at the least cost; and which are used."""
    people, count = len(own), len(triples)
    joined = csr_array((np.ones(3 * count), (triples.ravel(), np.repeat(np.arange(count), 3))), shape=(people, count))
    # scipy's types ask for dense matrices here, scipy itself does not.
    solved = cast("Callable[..., scipy.optimize.OptimizeResult]", scipy.optimize.linprog)(
        np.append(cost, own),
        A_eq=hstack([joined, eye_array(people)]).tocsr(),
        b_eq=np.ones(people),
        method="highs",
    )
    if solved.status != 0:
        raise BugError(f"the linear program of threes: {solved.message}")
    return np.asarray(solved.eqlin.marginals), np.asarray(solved.x)[:count] > FINE


@njit(cache=True, nogil=True)
def _charge_all(tables: Tables, triples: NDArray[np.int64]) -> NDArray[np.float64]:
    charge = np.empty(len(triples))
    for place in range(len(triples)):
        charge[place] = charge_shortest(tables, triples[place, 0], triples[place, 1], triples[place, 2])
    return charge


@njit(cache=True, nogil=True)
def _find_short(
    pair: NDArray[np.float64], tables: Tables, price: NDArray[np.float64], fine: float, each: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for each person the threes that fall short the most (-1 where there are no more), and all lowerings.

    The slack of a three is the sum of its pairs' slacks, w/2 - (y_i + y_j) / 2. If it is negative, so is the sum of the
    two least of them; these share a person, around whom only pairs need a look whose slack and his least one are
    negative together.
    """
    people = len(price)
    lowering = np.full(people, fine / 3)
    worst = np.full((people * each, 3), -1, dtype=np.int64)
    slack = np.empty(people)
    for one in range(people):
        for two in range(people):
            slack[two] = (pair[one, two] - price[one] - price[two]) / 2
        others = np.flatnonzero(slack < -slack.min())
        held = np.full(each, -fine)
        for place in range(len(others)):
            two = others[place]
            for three in others[:place]:
                both = slack[two] + slack[three]
                if both >= 0 or both + (pair[two, three] - price[two] - price[three]) / 2 >= -fine:
                    continue
                total = both + (pair[two, three] - price[two] - price[three]) / 2
                total += charge_shortest(tables, one, two, three) / 2
                for who in (one, two, three):
                    lowering[who] = max(lowering[who], -total / 3)
                last = held.argmax()
                if total < held[last]:
                    held[last] = total
                    worst[one * each + last] = (one, two, three)
    return worst, lowering

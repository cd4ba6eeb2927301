"""Everybody has one pseudonym at most: what that rules out, the likeliest assignment, and how sure each part of it is.

1. A candidate pair that occurs in no assignment of as many pseudonyms as possible is dropped. With one such assignment
   at hand, draw an arrow from each pseudonym to its other candidates and from each assigned customer back to his
   pseudonym, and close the paths that end in somebody left over through one more node: the pairs to keep are those of
   the assignment and those inside a strongly connected component. Source: Dulmage and Mendelsohn, "Coverings of
   bipartite graphs", Canadian Journal of Mathematics 10 (1958); the arrows are those of Régin, "A filtering algorithm
   for constraints of difference in CSPs", AAAI 1994.
2. The assignment of greatest likelihood is a minimum-weight full matching.
3. How sure a pair is, is its share in all assignments, each weighed by its likelihood. That is a ratio of permanents;
   we take the matrix with the right row and column sums that is nearest to the likelihoods in relative entropy (rows
   and columns rescaled in turn), which is right where the candidates of a class of twins are just as many as the twins,
   and errs towards less sure elsewhere. Source: Sinkhorn and Knopp, "Concerning nonnegative matrices and doubly
   stochastic matrices", Pacific Journal of Mathematics 21 (1967).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching, min_weight_full_bipartite_matching

from sekisho.attack.history.candidates import Candidates

NOBODY = -1
ROUNDS = 500
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assignment:
    """The likeliest one-to-one explanation of a release.

    Attributes:
        customer: for each pseudonym the customer assigned, as a position; NOBODY where there is none to spare.
        share: for each pseudonym how likely its class of twins holds that customer, between 0 and 1.
    """

    customer: NDArray[np.int64]
    share: NDArray[np.float64]


def assign_customers(candidates: Candidates, likelihood: NDArray[np.float64]) -> Assignment:
    """Return the likeliest assignment of customers to pseudonyms."""
    kept, some = find_consistent_pairs(candidates.possible[candidates.twin])
    rows = np.flatnonzero(some != NOBODY)
    customer = np.full(len(candidates.twin), NOBODY)
    share = np.zeros(len(candidates.twin))
    if not len(rows):
        return Assignment(customer=customer, share=share)
    cost = _build_costs(kept[rows], likelihood[candidates.twin[rows]])
    left, right = min_weight_full_bipartite_matching(cost)
    customer[rows[left]] = right
    shares = compute_class_shares(candidates.twin[rows], kept[rows], likelihood)
    share[rows] = shares[candidates.twin[rows], customer[rows]]
    return Assignment(customer=customer, share=share)


def find_consistent_pairs(possible: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which pairs of pseudonym and customer occur in some largest assignment, and one such assignment."""
    people, customers = possible.shape
    matching = maximum_bipartite_matching(csr_array(possible), perm_type="column").astype(np.int64)
    left, right = possible.nonzero()
    matched = matching[left] == right
    left, right = left[~matched], right[~matched]
    held = np.flatnonzero(matching != NOBODY)
    hub = people + customers
    free = np.setdiff1d(np.arange(customers), matching[held])
    lone = np.flatnonzero(matching == NOBODY)
    tail = [left, people + matching[held], people + free, np.full(len(held), hub), held, np.full(len(lone), hub + 1)]
    head = [people + right, held, np.full(len(free), hub), people + matching[held], np.full(len(held), hub + 1), lone]
    arrows = coo_array(
        (np.ones(sum(map(len, tail))), (np.concatenate(tail), np.concatenate(head))), shape=(hub + 2, hub + 2)
    )
    part = connected_components(arrows, directed=True, connection="strong")[1]
    kept = np.zeros_like(possible)
    inside = part[left] == part[people + right]
    kept[left[inside], right[inside]] = True
    kept[held, matching[held]] = True
    return kept, matching


def compute_class_shares(
    twin: NDArray[np.int64], kept: NDArray[np.bool_], likelihood: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return classes of twins by customers: how likely the class holds the customer.

    The rows sum to the classes' sizes.
    """
    size = np.bincount(twin, minlength=len(likelihood)).astype(np.float64)
    possible = np.zeros(likelihood.shape, np.bool_)
    np.logical_or.at(possible, twin, kept)
    logs = np.where(possible, likelihood, -np.inf)
    top = np.max(logs, axis=1, initial=-1e300, keepdims=True)
    weight = np.exp(np.maximum(logs - top, -600)) * possible
    spare = float(kept.shape[1] - len(twin))
    row, column, rest = np.ones(len(size)), np.ones(kept.shape[1]), 1.0
    for _ in range(ROUNDS):
        column = 1 / np.maximum(row @ weight + (rest if spare else 0.0), 1e-300)
        rest = spare / max(column.sum(), 1e-300)
        reach = weight @ column
        fresh = np.divide(size, reach, out=np.zeros_like(size), where=reach > 0)
        change, row = np.max(np.abs(fresh * reach - row * reach), initial=0.0), fresh
        if change < CLOSE:
            break
    return np.clip(weight * np.outer(row, column), 0.0, 1.0)


def _build_costs(kept: NDArray[np.bool_], likelihood: NDArray[np.float64]) -> csr_array:
    """Return the pairs' costs; above 0, since a sparse matrix takes 0 for no pair."""
    left, right = kept.nonzero()
    logs = likelihood[left, right]
    return csr_array((logs.max(initial=0.0) - logs + 1.0, (left, right)), shape=kept.shape)

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
import scipy
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from sekisho.attack.history.candidate_search import CandidatePairs, list_pairs
from sekisho.errors import InfeasibleError
from sekisho.words import Said

NOBODY = -1
ROUNDS = 500
CLOSE = 1e-9
MOST = 50_000_000
"""Pairs of pseudonym and customer; some 2 GB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assignment:
    """The likeliest one-to-one explanation of a release.

    Attributes:
        customer: for each pseudonym the customer assigned, as a position; NOBODY where there is none to spare.
        share: for each pseudonym how likely its class of twins holds that customer, between 0 and 1.
    """

    customer: NDArray[np.int64]
    share: NDArray[np.float64]


def assign_customers(candidates: CandidatePairs, likelihood: NDArray[np.float64]) -> Assignment:
    """Return the likeliest assignment of customers to pseudonyms; a log likelihood for each entry of ``possible``."""
    kept, some = find_consistent_pairs(spread_classes(candidates))
    rows = np.flatnonzero(some != NOBODY)
    customer = np.full(len(candidates.twin), NOBODY)
    share = np.zeros(len(candidates.twin))
    if not len(rows):
        return Assignment(customer=customer, share=share)
    kept, twin = kept[rows], candidates.twin[rows]
    left, right = list_pairs(kept)
    customer[rows] = _match_parts(kept, _find_values(candidates.possible, likelihood, twin[left], right))
    merged = merge_twins(kept, twin, len(candidates.example))
    shares = compute_class_shares(
        np.bincount(twin, minlength=len(candidates.example)),
        merged,
        _find_values(candidates.possible, likelihood, *list_pairs(merged)),
    )
    share[rows] = _find_values(merged, shares, twin, customer[rows])
    return Assignment(customer=customer, share=share)


def spread_classes(candidates: CandidatePairs) -> csr_array:
    """Return pseudonyms by customers: who each could be.

    Raises:
        InfeasibleError: more pairs are possible than memory should hold.
    """
    pairs = int(candidates.counts().sum())
    if pairs > MOST:
        raise InfeasibleError(
            Said(
                "{pairs:,} pairs of pseudonym and customer are possible, more than the {most:,} that "
                "this attack weighs",
                pairs=pairs,
                most=MOST,
            )
        )
    return csr_array(candidates.possible[candidates.twin])


def merge_twins(kept: csr_array, twin: NDArray[np.int64], classes: int) -> csr_array:
    """Return classes of twins by customers: who some twin of each could be."""
    left, right = list_pairs(kept)
    keys = np.unique(twin[left] * kept.shape[1] + right)
    lines, columns = keys // max(1, kept.shape[1]), keys % max(1, kept.shape[1])
    starts = np.searchsorted(lines, np.arange(classes + 1))
    return csr_array((np.ones(len(keys), dtype=np.bool_), columns, starts), shape=(classes, kept.shape[1]))


def find_consistent_pairs(possible: csr_array) -> tuple[csr_array, NDArray[np.int64]]:
    """Return which pairs of pseudonym and customer occur in some largest assignment, and one such assignment."""
    people, customers = possible.shape
    matching = scipy.sparse.csgraph.maximum_bipartite_matching(possible, perm_type="column").astype(np.int64)
    left, right = list_pairs(possible)
    matched = matching[left] == right
    held = np.flatnonzero(matching != NOBODY)
    hub = people + customers
    free = np.setdiff1d(np.arange(customers), matching[held])
    lone = np.flatnonzero(matching == NOBODY)
    tail = [left[~matched], people + matching[held], people + free, np.full(len(held), hub), held]
    head = [
        people + right[~matched],
        held,
        np.full(len(free), hub),
        people + matching[held],
        np.full(len(held), hub + 1),
    ]
    tail, head = np.concatenate([*tail, np.full(len(lone), hub + 1)]), np.concatenate([*head, lone])
    arrows = coo_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(hub + 2, hub + 2))
    part = scipy.sparse.csgraph.connected_components(arrows, directed=True, connection="strong")[1]
    inside = matched | (part[left] == part[people + right])
    starts = np.concatenate([[0], np.cumsum(np.bincount(left[inside], minlength=people))])
    kept = csr_array((np.ones(int(inside.sum()), dtype=np.bool_), right[inside], starts), shape=possible.shape)
    return kept, matching


def compute_class_shares(
    size: NDArray[np.integer], possible: csr_array, likelihood: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return for each entry of classes of twins by customers how likely the class holds the customer.

    The entries of a line sum to its class's size.
    """
    line, column = list_pairs(possible)
    top = np.full(len(size), -1e300)
    np.maximum.at(top, line, likelihood)
    weight = csr_array(
        (np.exp(np.maximum(likelihood - top[line], -600)), column, possible.indptr), shape=possible.shape
    )
    across = csr_array(weight.T)
    spare = float(possible.shape[1] - size.sum())
    row, each, rest = np.ones(len(size)), np.ones(possible.shape[1]), 1.0
    for _ in range(ROUNDS):
        each = 1 / np.maximum(np.asarray(across @ row) + (rest if spare else 0.0), 1e-300)
        rest = spare / max(each.sum(), 1e-300)
        reach = np.asarray(weight @ each)
        fresh = np.divide(size, reach, out=np.zeros(len(size)), where=reach > 0)
        change, row = np.max(np.abs(fresh * reach - row * reach), initial=0.0), fresh
        if change < CLOSE:
            break
    return np.clip(weight.data * row[line] * each[column], 0.0, 1.0)


def _match_parts(kept: csr_array, logs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return each pseudonym's customer in the likeliest full assignment.

    Costs are above 0, since a sparse matrix takes 0 for no pair.
    """
    cost = csr_array((logs.max(initial=0.0) - logs + 1.0, kept.indices, kept.indptr), shape=kept.shape)
    customer = np.full(kept.shape[0], NOBODY)
    left, right = scipy.sparse.csgraph.min_weight_full_bipartite_matching(cost)
    customer[left] = right
    return customer


def _find_values(
    table: csr_array, values: NDArray[np.float64], lines: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the values, given for each entry of a table, of some of its entries."""
    line, column = list_pairs(table)
    width = table.shape[1]
    return values[np.searchsorted(line * width + column, lines * width + columns)]

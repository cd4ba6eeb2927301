"""Who a pseudonym could be: every customer whose rows explain the published ones.

The adversary holds the whole original. In a truthful release each published row stems from a row of its customer, no
two from the same, and every cell admits the true value. So a customer stays a candidate exactly if all published rows
of the pseudonym can be given distinct rows of his that they fit. Cheap filters go first (enough rows; for every
published row at least one row that fits, found through an index by item), bipartite matching decides. Pseudonyms whose
published rows are the same are twins: they have the same candidates, found once.

Source: PWS Cup 2018, details of the safety evaluation, 2.1 (an attacker with maximum knowledge).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sekisho.attack.history.histories import KnownHistories, PublishedHistories
from sekisho.attack.history.row_fit import Sides, build_edges, gather_sides, matches_every_row, row_fits
from sekisho.attack.history.twins import number_twins


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Who each pseudonym could be.

    Attributes:
        twin: for each pseudonym the number of its class of twins.
        example: for each class one of its pseudonyms, as a position.
        possible: classes by customers, whether the customer is a candidate.
    """

    twin: NDArray[np.int64]
    example: NDArray[np.int64]
    possible: NDArray[np.bool_]

    def counts(self) -> NDArray[np.int64]:
        """Return how many candidates each pseudonym has."""
        return self.possible.sum(axis=1)[self.twin]

    def sizes(self) -> NDArray[np.int64]:
        """Return how many pseudonyms each class of twins has."""
        return np.bincount(self.twin, minlength=len(self.example))


def find_candidates(rows: PublishedHistories, facts: KnownHistories) -> Candidates:
    """Return every customer that each pseudonym could be."""
    twin = number_twins(rows)
    example = np.unique(twin, return_index=True)[1]
    both = gather_sides(rows, facts)
    order = np.argsort(both.lead, kind="stable")
    index = np.searchsorted(both.lead[order], np.arange(facts.width + 1))
    possible = _find_possible(both, example, order, index, facts.owners())
    return Candidates(twin=twin, example=example, possible=possible)


@njit(cache=True, nogil=True)
def _find_possible(
    both: Sides,
    example: NDArray[np.int64],
    order: NDArray[np.int64],
    index: NDArray[np.int64],
    owners: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return classes by customers, whether a customer explains the class; the index gives the known rows of an item."""
    people = len(both.bounds) - 1
    possible = np.zeros((len(example), people), np.bool_)
    stamp = np.full(people, -1)
    lengths = np.diff(both.bounds)
    for group, person in enumerate(example):
        alive = lengths >= both.offsets[person + 1] - both.offsets[person]
        for row in _sort_rarest_first(both, person, index):
            if not alive.any():
                break
            _stamp_customers(both, row, order, index, owners, stamp)
            alive &= stamp == row
        for customer in np.flatnonzero(alive):
            offsets, targets = build_edges(both, person, int(customer))
            possible[group, customer] = matches_every_row(offsets, targets, lengths[customer])
    return possible


@njit(cache=True, nogil=True)
def _sort_rarest_first(both: Sides, person: int, index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a pseudonym's rows whose first set is not suppressed, those with the rarest items first."""
    rows = np.arange(both.offsets[person], both.offsets[person + 1])
    if both.starts.shape[1] == 0:
        return rows[:0]
    known_rows = np.zeros(len(rows), np.int64)
    for at, row in enumerate(rows):
        for place in range(both.starts[row, 0], both.ends[row, 0]):
            if both.values[place] >= 0:
                known_rows[at] += index[both.values[place] + 1] - index[both.values[place]]
    visible = both.ends[rows, 0] > both.starts[rows, 0]
    # Compiled code kept on disk must not name quicksort for sort and argsort alike: see tests/test_compiled.py.
    return rows[visible][np.argsort(known_rows[visible], kind="mergesort")]


@njit(cache=True, nogil=True)
def _stamp_customers(
    both: Sides,
    row: int,
    order: NDArray[np.int64],
    index: NDArray[np.int64],
    owners: NDArray[np.int64],
    stamp: NDArray[np.int64],
) -> None:
    """Mark with the row's number every customer who has a row that it fits."""
    for place in range(both.starts[row, 0], both.ends[row, 0]):
        code = both.values[place]
        if code < 0:
            continue
        for fact in order[index[code] : index[code + 1]]:
            if stamp[owners[fact]] != row and row_fits(both, row, fact):
                stamp[owners[fact]] = row

"""Compare what was bought with what was published, row counts first.

The adversary holds the original but looks at items and row counts only. A customer with fewer rows than the pseudonym
cannot be meant. Of the rest he takes those whose items account for most of the published rows (a row is accounted for
if its item set holds an item that the customer bought; a suppressed cell always is), names the one with the fewest
rows, and breaks ties at random. The chance of the claim is one over the number of customers who account for as many
rows. Source: the organisers' third sample attack of PWS Cup 2018 (item containment with row-count pruning), in our
words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.histories import gather_known, gather_published
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Containment:
    """An adversary who compares items and row counts."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the customer whose items account best for each pseudonym that has a customer of enough rows."""
        facts, rows = gather_known(knowledge), gather_published(release, knowledge)
        bought = np.zeros((facts.width, len(facts.customers)), dtype=np.bool_)
        bought[facts.codes, facts.owners()[:, None]] = True
        best, tied = _choose_customers(
            rows.offsets,
            rows.starts,
            rows.ends,
            rows.values,
            bought,
            facts.lengths(),
            rng.permutation(len(facts.customers)),
        )
        claimed = np.flatnonzero(tied)
        return Guess(
            published=rows.pseudonyms[claimed],
            person=tuple(facts.customers[place] for place in best[claimed]),
            chance=1.0 / tied[claimed],
        )


@njit(cache=True, nogil=True)
def _choose_customers(
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    values: NDArray[np.int32],
    bought: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    lot: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each pseudonym the chosen customer and how many account for as many rows (0: none is long enough)."""
    people, customers = len(offsets) - 1, len(lengths)
    chosen, tied = np.zeros(people, np.int64), np.zeros(people, np.int64)
    score = np.empty(customers, np.int64)
    for person in range(people):
        score[:] = 0
        for row in range(offsets[person], offsets[person + 1]):
            score += _find_buyers(row, starts, ends, values, bought)
        top = -1
        for customer in range(customers):
            if lengths[customer] < offsets[person + 1] - offsets[person] or score[customer] < top:
                continue
            if score[customer] > top:
                top, tied[person], chosen[person] = score[customer], 0, customer
            tied[person] += 1
            rival = chosen[person]
            if (lengths[customer], lot[customer]) < (lengths[rival], lot[rival]):
                chosen[person] = customer
    return chosen, tied


@njit(cache=True, nogil=True)
def _find_buyers(
    row: int, starts: NDArray[np.int64], ends: NDArray[np.int64], values: NDArray[np.int32], bought: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which customers bought, in every category column, something that the row's cell admits."""
    fits = np.ones(bought.shape[1], np.bool_)
    for column in range(starts.shape[1]):
        if starts[row, column] == ends[row, column]:
            continue
        some = np.zeros(bought.shape[1], np.bool_)
        for place in range(starts[row, column], ends[row, column]):
            if values[place] >= 0:
                some |= bought[values[place]]
        fits &= some
    return fits

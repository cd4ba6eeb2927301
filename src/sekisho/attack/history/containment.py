"""Compare what was bought with what was published, row counts first.

The adversary holds the original but looks at items and row counts only. A customer with fewer rows than the pseudonym
cannot be meant. Of the rest he takes those whose items account for most of the published rows (a row is accounted for
if its item set holds an item that the customer bought; a suppressed cell always is), names the one with the fewest
rows, and breaks ties at random. The chance of the claim is one over the number of customers who account for as many
rows.

Of a truthful release somebody accounts for every row. So buyers of the rarest row's items are looked up in an index
first, and whoever does not account for the next rarest is dropped, and so on; only if nobody is left, the rows that
each customer accounts for are counted. Source: the organisers' third sample attack of PWS Cup 2018 (item containment
with row-count pruning), in our words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.histories import KnownHistories, gather_known, sort_published
from sekisho.attack.history.row_fit import ROWS, Sides, cut_by_length, gather_sides
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Shape
from sekisho.kernels import njit


@dataclass(frozen=True, slots=True, kw_only=True)
class Containment:
    """An adversary who compares items and row counts."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the customer whose items account best for each pseudonym that has a customer of enough rows."""
        facts, rows = gather_known(knowledge), sort_published(release, knowledge)
        bought = Bought.of(facts)
        lot = rng.permutation(len(facts.customers))
        best, tied = np.zeros(len(rows.pseudonyms), np.int64), np.zeros(len(rows.pseudonyms), np.int64)
        for people in cut_by_length(rows.lengths(), ROWS):
            best[people], tied[people] = _choose_customers(gather_sides(rows.take(people), facts), bought, lot)
        claimed = np.flatnonzero(tied)
        return Guess(
            published=rows.pseudonyms[claimed],
            person=tuple(facts.customers[place] for place in best[claimed]),
            chance=1.0 / tied[claimed],
        )


class Bought(NamedTuple):
    """Who bought what, looked up from either side.

    Attributes:
        ends: where each code's buyers begin; one more entry marks the end.
        buyers: the customers, code by code.
        bounds: where each customer's codes begin.
        codes: sorted within a customer.
    """

    ends: NDArray[np.int64]
    buyers: NDArray[np.int32]
    bounds: NDArray[np.int64]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, facts: KnownHistories) -> Bought:
        """Return the index of what is known."""
        width, people = max(1, facts.width), len(facts.customers)
        pairs = np.unique((facts.owners()[:, None] * width + facts.codes).ravel())
        owner, code = np.divmod(pairs, width)
        by_code = np.argsort(code, kind="stable")
        return cls(
            ends=np.searchsorted(code[by_code], np.arange(width + 1)).astype(np.int64),
            buyers=owner[by_code].astype(np.int32),
            bounds=np.searchsorted(owner, np.arange(people + 1)).astype(np.int64),
            codes=code.astype(np.int32),
        )


@njit(cache=True, nogil=True)
def _choose_customers(
    both: Sides, bought: Bought, lot: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each pseudonym the chosen customer and how many account for as many rows (0: none is long enough)."""
    people, lengths = len(both.offsets) - 1, np.diff(both.bounds)
    chosen, tied = np.zeros(people, np.int64), np.zeros(people, np.int64)
    for person in range(people):
        best = _find_accounting(both, bought, person, lengths)
        if not len(best):
            best = _find_most_accounting(both, bought, person, lengths)
        tied[person] = len(best)
        for place, customer in enumerate(best):
            rival = chosen[person]
            if place == 0 or (lengths[customer], lot[customer]) < (lengths[rival], lot[rival]):
                chosen[person] = customer
    return chosen, tied


@njit(cache=True, nogil=True)
def _find_accounting(both: Sides, bought: Bought, person: int, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the customers of enough rows whose items account for all rows of a pseudonym."""
    first, last = both.offsets[person], both.offsets[person + 1]
    count = np.empty(last - first, np.int64)
    for row in range(first, last):
        count[row - first] = _count_buyers(both, bought, row)
    order = np.argsort(count, kind="mergesort")
    pool = np.flatnonzero(_find_buyers(both, bought, int(first + order[0]), len(lengths)) & (lengths >= last - first))
    for place in order[1:]:
        kept = 0
        for customer in pool:
            if _accounts_for(both, bought, int(first + place), int(customer)):
                pool[kept] = customer
                kept += 1
        pool = pool[:kept]
    return pool


@njit(cache=True, nogil=True)
def _find_most_accounting(both: Sides, bought: Bought, person: int, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the customers of enough rows whose items account for most rows of a pseudonym."""
    score = np.zeros(len(lengths), np.int64)
    for row in range(both.offsets[person], both.offsets[person + 1]):
        score += _find_buyers(both, bought, row, len(lengths))
    score[lengths < both.offsets[person + 1] - both.offsets[person]] = -1
    return np.flatnonzero((score == score.max()) & (score >= 0))


@njit(cache=True, nogil=True)
def _count_buyers(both: Sides, bought: Bought, row: int) -> int:
    """Return how many customers account for a row at most, by one of its cells."""
    fewest = len(bought.bounds) - 1
    for column in range(both.starts.shape[1]):
        if both.starts[row, column] == both.ends[row, column]:
            continue
        count = 0
        for code in both.values[both.starts[row, column] : both.ends[row, column]]:
            count += int(bought.ends[code + 1] - bought.ends[code]) if code >= 0 else 0
        fewest = min(fewest, count)
    return fewest


@njit(cache=True, nogil=True)
def _find_buyers(both: Sides, bought: Bought, row: int, customers: int) -> NDArray[np.bool_]:
    """Tell which customers bought, in every category column, something that the row's cell admits."""
    fits = np.ones(customers, np.bool_)
    for column in range(both.starts.shape[1]):
        if both.starts[row, column] == both.ends[row, column]:
            continue
        some = np.zeros(customers, np.bool_)
        for code in both.values[both.starts[row, column] : both.ends[row, column]]:
            if code >= 0:
                some[bought.buyers[bought.ends[code] : bought.ends[code + 1]]] = True
        fits &= some
    return fits


@njit(cache=True, nogil=True)
def _accounts_for(both: Sides, bought: Bought, row: int, customer: int) -> bool:
    """Tell whether a customer bought, in every category column, something that the row's cell admits."""
    codes = bought.codes[bought.bounds[customer] : bought.bounds[customer + 1]]
    for column in range(both.starts.shape[1]):
        admitted = both.starts[row, column] == both.ends[row, column]
        place = both.starts[row, column]
        while not admitted and place < both.ends[row, column]:
            at = np.searchsorted(codes, both.values[place])
            admitted = at < len(codes) and codes[at] == both.values[place]
            place += 1
        if not admitted:
            return False
    return True

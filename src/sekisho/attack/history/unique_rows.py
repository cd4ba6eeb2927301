"""Find the rows that only one customer has.

The adversary holds the original. A published row all of whose cells are exact, and which in the original occurs with
one customer only, gives that customer away; a pseudonym is named the customer whom most of its rows give away. The
chance of a claim is the share of those rows that agree with it, 1 in every truthful release; pseudonyms without such a
row are not claimed. Source: the organisers' second sample attack of PWS Cup 2018, in our words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.histories import (
    KnownHistories,
    PublishedHistories,
    gather_known,
    gather_published,
)
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.history.arrays import number_rows
from sekisho.data.shape import Shape

NOBODY = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueRows:
    """An adversary who looks for exact rows that one customer alone has."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the customer given away by most rows, for each pseudonym with such a row; ties fall at random."""
        facts, rows = gather_known(knowledge), gather_published(release, knowledge)
        holder = _find_only_holders(facts, rows)
        unique = np.flatnonzero(holder != NOBODY)
        pairs, votes = np.unique(rows.owners()[unique] * len(facts.customers) + holder[unique], return_counts=True)
        name, customer = np.divmod(pairs, len(facts.customers))
        order = np.lexsort((rng.permutation(len(pairs)), -votes, name))
        claimed, first = np.unique(name[order], return_index=True)
        best = order[first]
        return Guess(
            published=rows.pseudonyms[claimed],
            person=tuple(facts.customers[place] for place in customer[best]),
            chance=votes[best] / np.bincount(name, weights=votes, minlength=1)[claimed],
        )


def _find_only_holders(facts: KnownHistories, rows: PublishedHistories) -> NDArray[np.int64]:
    """Return for each published row the only customer who has it exactly, or NOBODY."""
    exact = ((rows.lower == rows.upper).all(axis=1) & (rows.ends - rows.starts == 1).all(axis=1)).nonzero()[0]
    numbers = np.concatenate([facts.numbers, rows.lower[exact]])
    codes = np.concatenate([facts.codes, rows.values[rows.starts[exact]]])
    ids = number_rows(*numbers.T, *codes.T)
    holders = np.unique(np.column_stack([ids[: len(facts.numbers)], facts.owners()]), axis=0)
    row, first, times = np.unique(holders[:, 0], return_index=True, return_counts=True)
    owner = np.full(int(ids.max(initial=-1)) + 1, NOBODY)
    owner[row[times == 1]] = holders[first[times == 1], 1]
    holder = np.full(len(rows.lower), NOBODY)
    holder[exact] = owner[ids[len(facts.numbers) :]]
    return holder

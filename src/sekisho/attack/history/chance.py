"""Guess blindly: the baseline beside which every attack is read.

The adversary knows who took part and nothing else: he names every pseudonym, each a different customer, at random. Each
claim is right with chance 1/n, n the number of customers, so he expects m/n hits for m pseudonyms, at most one. Source:
the organisers' first sample attack of PWS Cup 2018, in our words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.attack.guess import Guess
from sekisho.attack.history.histories import gather_known, gather_published
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Abilities, Shape
from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """An adversary who names everybody at random, nobody twice."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})
    abilities: ClassVar[Abilities] = Abilities(by_lot=True)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return one random customer for each pseudonym."""
        customers = gather_known(knowledge).customers
        names = gather_published(release, knowledge).pseudonyms
        if len(names) > len(customers):
            raise ParameterError(
                "release",
                Said("have at most {customers} pseudonyms, one per customer", customers=len(customers)),
                len(names),
            )
        places = rng.permutation(len(customers))[: len(names)]
        return Guess(
            published=names,
            person=tuple(customers[place] for place in places),
            chance=np.full(len(names), 1.0 / max(1, len(customers))),
        )

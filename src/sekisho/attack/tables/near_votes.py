"""Ask all rows like his: secret cells by a vote of the published rows that agree in most known columns.

The adversary knows some columns of everybody. Of a person he counts, for each distance d from 0 to the largest, how
often each secret value stands in published rows whose known columns differ from his in exactly d places, weighs the
counts by ``weights[d]``, and takes the value with most weight. With all weight at 0 this is matching; against a release
in which rows have exchanged known columns with rows nearby, the weight lies on the distance of the exchange.

Rows at a distance are counted through the sets of columns in which they agree: with m known columns, V(k) the sum over
all sets of k columns of the rows that agree there, and N(d) the rows at distance d,

    V(k) = sum over d of C(m - d, k) N(d)

which is solved from d = 0 upwards.

Source: the nearest neighbours' vote of Fix, Hodges (1951), with distances by agreement patterns as in Fellegi, Sunter,
"A theory for record linkage", JASA 64 (1969).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NearVotes:
    """The attack.

    Attributes:
        values: what a secret cell may be.
        weights: of a vote at each distance from 0 on.
    """

    values: tuple[str, ...] = tuple("0123456789")
    weights: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        if not self.weights:
            raise ParameterError("weights", Said("have one number or more"), self.weights)

    def guess(self, public: pl.DataFrame, published: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the secret columns of everybody, in the order of the public rows; ties are drawn.

        Args:
            public: the columns that everybody knows, in order.
            published: rows in any order; its first columns are the public ones, changed, the rest the secret ones.
            rng: for ties.
        """
        votes = self.count_votes(public, published)
        return self.decide(votes, published.columns[public.width :], self.weights, rng=rng)

    def count_votes(self, public: pl.DataFrame, published: pl.DataFrame) -> list[Floats]:
        """Return for each distance the votes: people by secret columns by values."""
        width, people = public.width, public.height
        known = np.stack([_code_together(public[:, place], published[:, place]) for place in range(width)], axis=1)
        secret = np.stack([_place_values(published[:, place], self.values) for place in range(width, published.width)])
        sums: list[Floats] = []
        for agree in range(width, width - len(self.weights), -1):
            total = np.zeros((people, len(secret), len(self.values)), dtype=np.float32)
            for columns in combinations(range(width), max(agree, 0)):
                total += self._count(known[:, list(columns)], secret, people)
            sums.append(total.astype(np.float64))
        votes: list[Floats] = []
        for distance, total in enumerate(sums):
            nearer = sum((comb(width - near, width - distance) * votes[near] for near in range(distance)), 0.0)
            votes.append(np.rint(total - nearer))
        return votes

    def decide(
        self, votes: list[Floats], columns: list[str], weights: tuple[float, ...], *, rng: np.random.Generator
    ) -> pl.DataFrame:
        """Return the value of most weight for each person and column."""
        total = sum((weight * each for weight, each in zip(weights, votes, strict=True)), 0.0) + 1e-6 * rng.random(
            votes[0].shape
        )
        picks = np.array(self.values)[np.asarray(total).argmax(axis=2)]
        return pl.DataFrame({name: picks[:, place] for place, name in enumerate(columns)})

    def _count(self, known: Ints, secret: Ints, people: int) -> NDArray[np.float32]:
        """Return how often each value stands in published rows that agree with each person in some columns."""
        key = np.zeros(len(known), dtype=np.int64)
        for place in range(known.shape[1]):
            key = key * (int(known[:, place].max()) + 1) + known[:, place]
        found, key = np.unique(key, return_inverse=True)
        size = len(self.values)
        parts: list[NDArray[np.float32]] = []
        for column in secret:
            told = column >= 0
            counts = np.bincount(key[people:][told] * size + column[told], minlength=len(found) * size)
            parts.append(counts.reshape(-1, size)[key[:people]].astype(np.float32))
        return np.stack(parts, axis=1)


def _code_together(one: pl.Series, two: pl.Series) -> Ints:
    return pl.concat([one.cast(pl.String), two.cast(pl.String)]).rank("dense").to_numpy().astype(np.int64)


def _place_values(column: pl.Series, values: tuple[str, ...]) -> Ints:
    places = dict(zip(values, range(len(values)), strict=True))
    return column.cast(pl.String).replace_strict(places, default=-1).to_numpy().astype(np.int64)

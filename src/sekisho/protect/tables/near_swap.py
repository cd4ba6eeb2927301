"""Give everybody the known columns of somebody like him: what links a person to the rest is gone, most cells stay.

The adversary knows some columns of everybody (the public ones) and looks for the row that has them. Here rows exchange
their known columns as a whole, each with a row that agrees with it in all but a few of them. Whoever finds his man's
known columns in the release finds another man's secrets beside them.

In rounds, a set of columns is drawn, as many as must agree; rows not yet served that agree in all of them form groups,
and within a group the known columns go round in a random circle. Sets become smaller where rows are left over, which
are then the rare ones; whoever still has no partner stays as he is.

Nothing is promised: an adversary who knows the method looks at all rows that agree in as many columns, and takes the
most frequent secret (:class:`sekisho.attack.tables.near_votes.NearVotes`). The fewer columns must agree, the more
candidates he has, and the more cells change.

Source: an exchange within classes as in Dalenius, Reiss, "Data-swapping", J. Statistical Planning and Inference 6
(1982), with classes drawn anew for each round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NearSwap:
    """Exchange the known columns between rows that agree in so many of them.

    Attributes:
        known: the columns that are exchanged together.
        agree: in how many of them two rows must agree.
        rounds: how many sets of columns are drawn for each number.
    """

    known: tuple[str, ...]
    agree: int
    rounds: int = 20

    def __post_init__(self) -> None:
        if not 0 <= self.agree < len(self.known):
            raise ParameterError("agree", Said("be fewer than the known columns, at least 0"), self.agree)

    def apply(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the table with the known columns exchanged."""
        return table.with_columns(table.select(self.known)[self.draw_sources(table, rng=rng)])

    def draw_sources(self, table: pl.DataFrame, *, rng: np.random.Generator) -> Ints:
        """Return whose known columns each row takes."""
        codes = np.stack([table[name].rank("dense").to_numpy().astype(np.int64) for name in self.known], axis=1)
        source = np.arange(table.height)
        left = np.arange(table.height)
        for agree in range(self.agree, -1, -1):
            for _ in range(self.rounds):
                if len(left) < 2:
                    return source
                same = rng.choice(len(self.known), size=agree, replace=False)
                left = _turn_groups(codes[:, same], left, source, rng)
        return source


def _turn_groups(codes: Ints, left: Ints, source: Ints, rng: np.random.Generator) -> Ints:
    """Let groups of equal codes exchange in a random circle; return the rows that were alone."""
    order = rng.permutation(left)
    if codes.shape[1]:
        order = order[np.lexsort(codes[order].T)]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (codes[order[1:]] != codes[order[:-1]]).any(axis=1)
    group = np.cumsum(new) - 1
    first, size = np.flatnonzero(new), np.bincount(group)
    place = np.arange(len(order))
    following = np.where(place + 1 < (first + size)[group], place + 1, first[group])
    source[order] = order[following]
    return order[(size == 1)[group]]

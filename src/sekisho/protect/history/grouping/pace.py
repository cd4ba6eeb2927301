"""How long a search for groups goes on: as long as was asked for, or as the rows are many and while the cost falls.

Most of what a search gains it gains at once: the annealing on the guess comes within a hundredth of what ten times the
work finds. So where no effort is asked for, moves and work follow the number of rows, and the search ends when its
last legs have hardly won anything. All of it is counted in moves and in work, never in seconds: the same seed takes the
same way on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.history.grouping.program import NEAR

MILLION = 1e6
WHOLE = 4e9
"""Row-to-slot costs of a whole search; one above it has as many more moves, so that it cools more slowly."""
PER_ROW = 10_000.0
"""Row-to-slot costs for each row of the file where the search follows the rows; never more than a whole search."""
FEW_WORK = 4e8
"""Work that trying all groups of a few people may take where no effort is asked for: some seconds."""
GUESSES, LEAST_GUESSES, MOST_GUESSES = 20, 600, 10_000
"""Moves on the guess per person and row of theirs, and within which limits: long histories are worth more of them."""
LOOK_BACK = 3
"""Legs that must together have won the gain that a pace asks for."""


class Pace(NamedTuple):
    """How a search spends its effort.

    Attributes:
        guesses: moves per person on the guess.
        legs: how often the search is looked at; it cools from one to the next.
        threes: of the legs, those that move three groups at once, if k is 3.
        near: how many nearest people of each have their pair costs computed.
        memory: places in the table of known costs, a power of two.
        moves: moves per person and leg, at most: a small history runs out of moves before it runs out of effort.
        gain: the share of the cost that the last legs must have won for another to follow; 0 goes on to the end.
    """

    guesses: int = 10_000
    legs: int = 40
    threes: int = 30
    near: int = NEAR
    memory: int = 1 << 20
    moves: int = 500
    gain: float = 0.0

    def follow_rows(self, lengths: NDArray[np.int64]) -> Pace:
        """Return the pace for histories of some lengths that ends where the cost stands still."""
        return self._replace(
            guesses=count_guesses(lengths),
            legs=min(self.legs, STEADY.legs),
            threes=min(self.threes, STEADY.threes),
            moves=STEADY.moves,
            gain=STEADY.gain,
        )


UNHURRIED = Pace()
STEADY = Pace(legs=10, threes=7, moves=100, gain=1e-3)


class Effort(NamedTuple):
    """How long a search may be.

    Attributes:
        work: row-to-slot costs at most.
        follows: whether its moves follow the rows and it ends where the cost stands still; else it goes its whole way.
    """

    work: float
    follows: bool = False

    @classmethod
    def choose(cls, asked: float | None, rows: int) -> Effort:
        """Return the effort that was asked for, in millions, or the one that follows so many rows."""
        if asked is not None:
            return cls(MILLION * asked)
        return cls(min(WHOLE, PER_ROW * rows), follows=True)

    @property
    def of_few(self) -> float:
        """How much work trying all groups of a few people may be."""
        return max(self.work, FEW_WORK) if self.follows else self.work


def count_guesses(lengths: NDArray[np.int64]) -> int:
    """Return how many moves on the guess each person is worth."""
    return int(np.clip(GUESSES * lengths.mean(), LEAST_GUESSES, MOST_GUESSES))


def stands_still(costs: Sequence[float], gain: float) -> bool:
    """Tell whether the last legs won less than a share of the cost.

    Args:
        costs: the least cost before the first leg and after every one.
        gain: the share; 0 never stands still.
    """
    return gain > 0 and len(costs) > LOOK_BACK and costs[-1 - LOOK_BACK] - costs[-1] < gain * costs[-1]

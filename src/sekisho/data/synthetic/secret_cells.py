"""Public and secret cells of the contest of 2023: the secret ones follow from a number alone.

A team chooses a seed S; its secret table R = G(S) has so many rows and columns of values 0..9. The generator is the
Mersenne twister MT19937 (:func:`sekisho.seeds.start_twister`). A draw below m takes a 32-bit output, keeps as many of
its lowest bits as m - 1 has, and draws again while the value exceeds m - 1.

G draws a matrix row by row below 10; then, for i = rows - 1 down to 1, one number below i + 1 which is thrown away (the
program shuffles a copy that nobody looks at); then a second matrix and its throw-aways. R is the sum of both modulo 10.

Public cells are the smaller of two uniform draws, so that small values are frequent.

Source: PWS Cup 2023, manual, sections on data and the generator G; Matsumoto, Nishimura, "Mersenne Twister", ACM
Transactions on Modeling and Computer Simulation 8 (1998), with the seeding routines of their program of 2002.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked_call
from sekisho.seeds import start_twister
from sekisho.words import Said

Codes = NDArray[np.int64]
Raw = NDArray[np.uint32]

WORD = 1 << 32
SPARE = 1.02
"""More outputs than a matrix is expected to take, so that it seldom needs a second helping."""


@checked_call
def draw_secret_cells(seed: int, *, rows: int, columns: int = 10, values: int = 10) -> Codes:
    """Return R = G(seed), rows by columns of 0 to values - 1.

    Raises:
        ParameterError: the seed is negative or enormous, or there is nothing to draw.
    """
    for name, value, least in (("rows", rows, 1), ("columns", columns, 1), ("values", values, 2)):
        if not least <= value <= 10**8:
            raise ParameterError(name, Said("lie from {least} to {most:,}", least=least, most=10**8), value)
    twister = Twister(seed)
    parts: list[Codes] = []
    for _ in range(2):
        parts.append(twister.draw_below(values, count=rows * columns))
        twister.skip_shuffle(rows)
    return ((parts[0] + parts[1]) % values).reshape(rows, columns)


@checked_call
def draw_public_cells(*, rows: int, columns: int, values: int = 10, rng: np.random.Generator) -> Codes:
    """Return public cells: of two uniform draws the smaller."""
    return rng.integers(values, size=(2, rows, columns)).min(axis=0)


class Twister:
    """The outputs of MT19937, taken from the front as draws need them."""

    def __init__(self, seed: int) -> None:
        self._source = start_twister(seed)
        self._left: Raw = np.zeros(0, dtype=np.uint32)

    def draw_below(self, limit: int, *, count: int) -> Codes:
        """Return so many numbers below a limit."""
        most = limit - 1
        mask = np.uint32((1 << most.bit_length()) - 1)
        drawn = np.zeros(0, dtype=np.uint32)
        wanted = count
        while wanted:
            outputs = self._peek(int(wanted * (int(mask) + 1) / limit * SPARE) + 64)
            low = outputs & mask
            fine = np.flatnonzero(low <= most)[:wanted]
            self._take(int(fine[-1]) + 1 if len(fine) == wanted else len(outputs))
            drawn = np.concatenate([drawn, low[fine]])
            wanted = count - len(drawn)
        return drawn.astype(np.int64)

    def skip_shuffle(self, rows: int) -> None:
        """Draw below rows, rows - 1, ..., 2, and throw the numbers away."""
        left = rows - 1
        while left:
            outputs = self._peek(2 * left + 64)
            used, left = _skip_draws(outputs, left)
            self._take(int(used))

    def _peek(self, count: int) -> Raw:
        """Return the next outputs, at least so many, without taking them."""
        if len(self._left) < count:
            more = self._source.randint(0, WORD, size=count - len(self._left), dtype=np.uint32)
            self._left = np.concatenate([self._left, more])
        return self._left

    def _take(self, count: int) -> None:
        self._left = self._left[count:]


@njit(cache=True)
def _skip_draws(outputs: Raw, first: int) -> tuple[int, int]:
    """Return how many outputs draws of at most first, first - 1, ..., 1 take, and at which draw they run out."""
    left = first
    mask = np.uint32(1)
    while mask < left:
        mask = np.uint32(2 * mask + 1)
    used = 0
    for output in outputs:
        if left == 0:
            break
        used += 1
        if output & mask <= left:
            left -= 1
            if left <= mask >> 1:
                mask >>= 1
    return used, left

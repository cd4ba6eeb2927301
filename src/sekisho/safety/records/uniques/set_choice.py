"""Which sets of keys are looked at for special uniques: all up to a size, so that they are not too many."""

from __future__ import annotations

from math import comb

from sekisho.errors import ParameterError
from sekisho.words import Said

MOST_KEYS = 30
MOST_SETS = 5000
"""So many sets of keys are looked at where nothing else is asked for."""


def choose_largest(keys: int) -> int:
    """Return the largest size of sets such that not too many are looked at."""
    total, size = 0, 0
    while size < keys and (size < 1 or total + comb(keys, size + 1) <= MOST_SETS):
        size += 1
        total += comb(keys, size)
    return size


def settle_largest(keys: int, largest: int | None) -> int:
    """Return the largest size of sets that are looked at: as asked for, else such that they are not too many.

    Raises:
        ParameterError: there is no key, or more than 30, or a set is to have more keys than there are.
    """
    if not 1 <= keys <= MOST_KEYS:
        raise ParameterError("keys", Said("be 1 to {most_keys}", most_keys=MOST_KEYS), keys)
    most = choose_largest(keys) if largest is None else largest
    if not 1 <= most <= keys:
        raise ParameterError(Said("largest set"), Said("have 1 to {keys} keys", keys=keys), most)
    return most

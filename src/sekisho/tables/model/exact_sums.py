"""Sums in the unit of the data: as many whole cents, not as a float that is nearly so.

The last digits of a float sum depend on every part, hidden ones too: of the values that a hidden cell could have, few
give just 6.879999999999999. So numbers are counted in the last decimal that any of them has, added up as whole numbers
and written as decimals again: what is published has no digit that the data do not have, and is the sum itself.

A float stands for the shortest decimal that reads as it, of at most 15 digits: those are told apart by floats. Numbers
that need more are sums that a program made before (0.1 + 0.2): they count as the decimal they miss by a rounding error.
Data that have no unit (thirds) are added as units of 15 digits and what is left of each, so that a sum is the nearest
float to the true one and its last digits do not tell in which order it was made. Weighted rows whose sums need more
than 15 digits are estimates: each is rounded, before it is added, to the decimals with which all sums have 15.
"""

from __future__ import annotations

from math import isfinite
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError
from sekisho.tables.model.limits import LARGEST
from sekisho.words import Said

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
USUAL = 6
"""So many decimals are looked for, also behind rounding errors."""
DIGITS = 15
"""Decimals of so many digits are told apart by floats."""
NOISE = 1e-12
"""By what part of itself a sum of floats may miss its decimal."""
CROWD = 1e-15
"""By what part of the largest number it may miss it besides, where numbers of both signs were added."""
CLEAR, DIM = 0.01, 0.1
"""And by what part of the unit: a hundredth, or, where a float's own steps are wider, at most a tenth."""
OVERFLOW = 2.0**62
Number = TypeVar("Number", np.float64, np.int64, np.uint64)


class Adder(Protocol):
    """A way to add up figures of numbers: by places, along dimensions."""

    def __call__(self, figures: NDArray[Number], /) -> NDArray[Number]:
        """Return the sums."""
        ...


def count_decimals(values: Floats) -> int | None:
    """Return how many decimals numbers have, rounding errors apart; None if they have no unit.

    What is infinite or no number is left out.
    """
    waiting = values = values[np.isfinite(values)]
    least = 0
    for decimals in range(USUAL + 1):
        written = is_written(waiting, decimals)
        least = decimals if written.any() else least
        waiting = waiting[~written]
        if not waiting.size:
            return least
    largest = float(np.abs(values).max(initial=0.0))
    for decimals in range(least, USUAL + 1):
        if bool(np.all(np.abs(waiting - np.round(waiting, decimals)) <= _noise(waiting, largest, decimals))):
            return decimals
    return next((more for more in range(USUAL + 1, DIGITS + 1) if bool(is_written(values, more).all())), None)


def is_written(values: Floats, decimals: int) -> NDArray[np.bool_]:
    """Tell which numbers are what a decimal of so many places, and of no more than 15 digits, reads as."""
    units = np.rint(values * 10.0**decimals)
    return (units / 10.0**decimals == values) & (np.abs(units) < most_units(decimals))


def most_units(decimals: int) -> float:
    """Return from how many units on sums are not exact: whole numbers are up to 2 ** 53."""
    return 10.0**DIGITS if decimals else float(LARGEST)


def _noise(values: Floats, largest: float, decimals: int) -> Floats:
    size, unit = np.abs(values), 10.0**-decimals
    clear = np.minimum(np.maximum(CLEAR * unit, CROWD * size), DIM * unit)
    return np.minimum(NOISE * size + CROWD * largest, clear)


def settle_unit(values: Floats, decimals: int | None = None) -> Floats:
    """Return numbers without their rounding errors: as many decimals as the data have, or as are said."""
    places = count_decimals(values) if decimals is None else decimals
    return values if places is None or places > USUAL else np.round(values, places) + 0.0  # no negative zero


def settle_shown(values: Floats, shown: NDArray[np.bool_]) -> Floats:
    """Return values without the rounding errors of sums; those of cells that nobody publishes are left alone."""
    settled = settle_unit(values[shown])
    if np.array_equal(settled, values[shown]):
        return values
    whole = values.copy()
    whole[shown] = settled
    return whole


def count_as_people(values: Floats) -> NDArray[np.int64]:
    """Return values as numbers of contributors: nobody is behind 0 alone."""
    size = np.clip(np.abs(np.nan_to_num(values)), 0, LARGEST)
    return np.where(size > 0, np.maximum(np.rint(size), 1.0), 0.0).astype(np.int64)


def choose_decimals(parts: Floats, weights: Floats | None = None) -> int | None:
    """Return with how many decimals numbers, each times its weight if there are weights, are to be added up.

    None for whole numbers too large to be exact.
    """
    if weights is None:
        finite = parts[np.isfinite(parts)]
        return fit_decimals(count_decimals(finite), float(np.abs(finite).sum()))
    both = join_decimals(count_decimals(parts), count_decimals(weights))
    return fit_decimals(both, float(np.abs(parts * weights).sum()), estimated=True)


def join_decimals(one: int | None, other: int | None) -> int | None:
    """Return how many decimals products have."""
    return None if one is None or other is None else one + other


def fit_decimals(decimals: int | None, size: float, *, estimated: bool = False) -> int | None:
    """Return with how many decimals numbers are to be added up; None for whole numbers too large to be exact.

    Args:
        decimals: how many they have; None if they have no unit.
        size: the sum of their sizes.
        estimated: whether they are estimates, as weighted numbers are: then they may be rounded to fit.

    Raises:
        FaultsError: their sums need more than 15 digits, with no more decimals than usual.
    """
    room = next((more for more in range(DIGITS, 0, -1) if size * 10.0**more < 10.0**DIGITS), 0)
    if decimals is None or (decimals > room and (estimated or decimals > USUAL)):
        decimals = room
    if decimals > room:
        message = Said(
            "the numbers have {decimals} decimals and sum up to {size:.3g}: sums of more than "
            "{digits} digits are not exact; round the numbers to {room} decimals",
            decimals=decimals,
            size=size,
            digits=DIGITS,
            room=room,
        )
        raise FaultsError("numbers", [Fault(row=0, column="", rule="size", value=f"{size:.3g}", message=message)])
    return decimals if isfinite(size) and size * 10.0**decimals < OVERFLOW else None


def count_units(values: Floats, decimals: int) -> Ints:
    """Return numbers as so many units of the last decimal."""
    return np.rint(values * 10.0**decimals).astype(np.int64)


def write_units(units: Ints, decimals: int) -> Floats:
    """Return units as numbers again, each the float that its decimal reads as."""
    return units / 10.0**decimals


def add_exactly(parts: Floats, add: Adder, weights: Floats | None = None) -> Floats:
    """Return sums of numbers, each times its weight if there are weights.

    Args:
        parts: the numbers.
        add: adds up some figures of the numbers, whole or not, in the way that is asked.
        weights: of the numbers.
    """
    decimals = choose_decimals(parts, weights)
    grossed = parts if weights is None else parts * weights
    if decimals is None:
        return add(grossed)
    units = count_units(grossed, decimals)
    sums = write_units(add(units), decimals)
    own = count_decimals(parts)
    if weights is not None or (own is not None and own <= decimals):
        return sums
    return sums + add(grossed - write_units(units, decimals))


def subtract_exactly(whole: Floats, parts: Floats) -> Floats:
    """Return what is left of each number of a whole beside its parts, one row of them each."""
    rows = np.vstack([whole, -parts])
    return add_exactly(rows.ravel(), lambda figures: figures.reshape(rows.shape).sum(axis=0))

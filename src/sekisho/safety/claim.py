"""The safety claim itself: does H0 hold of a release, for everybody, whatever he knows?

H0: for every set S of pseudonyms, the chance that somebody names all of S rightly is at most ``p ** len(S)``.
Pseudonyms that publish the same rows are twins. If the pseudonyms were drawn at random, swapping those of twins changes
nothing that is published, so every dealing of a class's people among its g twins is equally likely to everybody, also
to one who knows who belongs to the class: a class is named whole with a chance of ``1 / g!`` at most, and s of its
members with ``(g - s)! / g!``. Against ``p ** s`` the worst is the whole class (s = g). So

- H0 holds if ``1 / g! <= p ** g`` for every class: a proof, by exchangeability, against everybody;
- H0 is refuted by a class of g with ``1 / g! > p ** g`` that is closed, its candidates being its own members: one who
  holds the original deals them out at random and is right with exactly that chance;
- otherwise it is not proven: such a class hides among further candidates, and what it takes to name it is not known.

At p = 1/3 a class of 7 holds (1/5040 against 1/2187) and one of 6 does not (1/720 against 1/729). The proof is in
docs/proofs/claim.md.

Source: PWS Cup 2018, details of the safety evaluation, 2.2 (the claim) and 2.4 (its examples).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import factorial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.safety.pseudonyms import PseudonymPattern
from sekisho.words import Said

LARGEST_K = 1000
"""From this many twins on, no smaller p than about 1/368 is asked for: 1000! ** (1/1000) is 369.5."""


class Standing(StrEnum):
    """How a claim stands, best first."""

    HOLDS = "holds"
    NOT_PROVEN = "not proven"
    REFUTED = "refuted"

    @property
    def words(self) -> Said:
        """It in words."""
        words = {
            Standing.HOLDS: Said("holds"),
            Standing.NOT_PROVEN: Said("not proven"),
            Standing.REFUTED: Said("refuted"),
        }
        return words[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinClasses:
    """All classes of twins of one size.

    Attributes:
        size: how many pseudonyms each has.
        classes: how many such classes there are.
        closed: of how many the candidates are their own members.
        p: the chance a person that H0 allows.
    """

    size: int
    classes: int
    closed: int
    p: Fraction

    @property
    def chance(self) -> Fraction:
        """The chance of naming such a class whole, where it is closed; elsewhere the chance is at most this."""
        return Fraction(1, factorial(self.size))

    @property
    def allowed(self) -> Fraction:
        """The chance that H0 allows."""
        return self.p**self.size

    @property
    def standing(self) -> Standing:
        """Whether H0 holds of these classes."""
        if self.chance <= self.allowed:
            return Standing.HOLDS
        return Standing.REFUTED if self.closed else Standing.NOT_PROVEN


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFinding:
    """Whether H0 holds, class by class.

    Attributes:
        by_size: the classes of twins, the smallest first.
        pattern: how the pseudonyms tell the people's names, so that they were hardly drawn at random; None where
            nothing shows that they do.
    """

    by_size: tuple[TwinClasses, ...]
    pattern: PseudonymPattern | None = None

    assumption: ClassVar[str] = Said("the pseudonyms were drawn at random, and nothing but the release tells of them")

    @property
    def standing(self) -> Standing:
        """How the claim stands: as its worst class does, and not proven where the assumption is doubtful."""
        order = list(Standing)
        doubt = Standing.HOLDS if self.pattern is None else Standing.NOT_PROVEN
        return max((doubt, *(each.standing for each in self.by_size)), key=order.index)

    @property
    def worst(self) -> TwinClasses | None:
        """The classes of the worst standing whose chance exceeds what is allowed most; None where there is nobody."""
        order = list(Standing)
        return max(
            self.by_size,
            key=lambda each: (order.index(each.standing), each.chance / each.allowed, -each.size),
            default=None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyClaim:
    """The claim H0: nobody names all of a set S of people with a chance above ``p ** len(S)``."""

    p: Fraction = Fraction(1, 3)

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise ParameterError("p", Said("lie strictly between 0 and 1"), str(self.p))

    def check_classes(self, sizes: NDArray[np.int64], closed: NDArray[np.bool_]) -> ClaimFinding:
        """Return whether the claim holds.

        Args:
            sizes: of each class of twins how many pseudonyms it has.
            closed: of each whether its candidates are its own members.
        """
        if len(sizes) != len(closed):
            raise ParameterError("closed", Said("tell of each of the {sizes} classes", sizes=len(sizes)), len(closed))
        if len(sizes) and sizes.min() < 1:
            raise ParameterError("sizes", Said("be at least 1 each"), int(sizes.min()))
        values, place, counts = np.unique(sizes, return_inverse=True, return_counts=True)
        shut = np.bincount(place, weights=closed, minlength=len(values)).astype(np.int64)
        return ClaimFinding(
            by_size=tuple(
                TwinClasses(size=size, classes=classes, closed=known, p=self.p)
                for size, classes, known in zip(values.tolist(), counts.tolist(), shut.tolist(), strict=True)
            )
        )

    def least_size(self) -> int:
        """Return the least class size from which on the claim holds.

        ``g! p ** g`` falls while ``g p < 1`` and rises after, from 1 at g = 0: once it is back at 1, it stays above.

        Raises:
            ParameterError: p asks for classes beyond any that a release has.
        """
        product = Fraction(1)
        for size in range(1, LARGEST_K + 1):
            product *= size * self.p
            if product >= 1:
                return size
        raise ParameterError(
            "p", Said("allow classes of at most {largest_k:,} twins", largest_k=LARGEST_K), str(self.p)
        )

"""How many hits a guess on twins brings, exactly.

A block is ``size`` twins whose customers the adversary knows as a set but not who is who; the set is right with chance
``sure``. Naming ``claimed`` of the twins distinct customers of the set at random, he has as many hits as a random
permutation of ``size`` things has fixed points among ``claimed`` places:

    P(h) = sum over i >= h of (-1)^(i-h) C(i, h) C(claimed, i) (size - i)! / size!

So a pair guessed whole gives two hits or none, an even chance. He may also name one customer for all twins: for a whole
block one hit, no luck needed (``steady``). Blocks are independent: the hits of several follow the convolution of their
laws.

Source: PWS Cup 2018, details of the safety evaluation, footnote 1 (pairs); de Montmort, "Essay d'analyse sur les jeux
de hazard", 1713 (coincidences of permutations).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, lcm

from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinBlock:
    """Twins whose customers are known as a set; ``sure`` is the chance that the set is right."""

    size: int
    sure: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ParameterError("size", Said("be at least 1"), self.size)
        if not 0 <= self.sure <= 1:
            raise ParameterError("sure", Said("lie between 0 and 1"), str(self.sure))

    def law(self, claimed: int, *, steady: bool = False) -> tuple[Fraction, ...]:
        """Return the chances of 0, 1, … hits when ``claimed`` twins are named."""
        right = compute_hit_law(self.size, claimed, steady=steady)
        return (1 - self.sure + self.sure * right[0], *(self.sure * chance for chance in right[1:]))


@lru_cache(maxsize=1024)
def compute_hit_law(size: int, claimed: int, *, steady: bool = False) -> tuple[Fraction, ...]:
    """Return the chances of 0, 1, … hits when ``claimed`` of ``size`` twins are named from the right set."""
    if not 0 <= claimed <= size:
        raise ParameterError("claimed", Said("lie between 0 and size ({size})", size=size), claimed)
    if steady:
        return (1 - Fraction(claimed, size), Fraction(claimed, size))
    return tuple(Fraction(_count_permutations(size, claimed, hits), factorial(size)) for hits in range(claimed + 1))


def _count_permutations(size: int, claimed: int, hits: int) -> int:
    """Return how many permutations of ``size`` things fix exactly ``hits`` of the first ``claimed``."""
    return sum(
        (-1) ** (i - hits) * comb(i, hits) * comb(claimed, i) * factorial(size - i) for i in range(hits, claimed + 1)
    )


def convolve_laws(laws: Iterable[tuple[Fraction, ...]]) -> list[Fraction]:
    """Return the law of a sum of independent counts.

    Convolved in whole numbers over one common denominator; fractions would be reduced at every step.
    """
    total, bottom = [1], 1
    for law in laws:
        unit = lcm(*(chance.denominator for chance in law))
        parts = [(shift, chance.numerator * (unit // chance.denominator)) for shift, chance in enumerate(law) if chance]
        longer = [0] * (len(total) + len(law) - 1)
        for shift, part in parts:
            for place, value in enumerate(total):
                longer[place + shift] += value * part
        total, bottom = longer, bottom * unit
    return [Fraction(value, bottom) for value in total]

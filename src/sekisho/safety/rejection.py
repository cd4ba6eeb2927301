"""How many hits it takes to reject a release's claim to be safe.

The adversary holds the whole original and the published release, names the owners of as many pseudonyms as he likes,
and may be any algorithm. The claim, H0: for every set S of pseudonyms, no adversary names all of S rightly with
probability above ``p ** len(S)``. Two bounds on the chance of at least ``s`` hits among ``n`` guesses under H0:

``union``   u(n, s) = sum over k = s..n of C(n, k) p^k, the contest's;
``exact``   q(n, s) = min(1, min over 1 <= k <= s of C(n, k) p^k / C(s, k)), attained by some law that obeys H0.

An attack is effective if its hits reach the least s whose bound lies below alpha. Both bounds are proven in
``docs/proofs/rejection.md``. Source: PWS Cup 2018, details of the safety evaluation, 2.2 to 2.4; the exact bound
answers the call for a tighter analysis in section 5.3 of the contest's report.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import comb

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

MOST_CLAIMED = 100_000
FINEST = 1_000_000
"""So many people may be named, and so fine p may be: thresholds need whole numbers of about their product in digits."""


class Bound(StrEnum):
    """Which bound on the chance of many hits decides."""

    UNION = "union"
    EXACT = "exact"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RejectionRule:
    """How many hits it takes to reject H0."""

    p: Fraction = Fraction(1, 3)
    alpha: Fraction = Fraction(1, 2000)
    bound: Bound = Bound.UNION

    def __post_init__(self) -> None:
        for name, value in (("p", self.p), ("alpha", self.alpha)):
            if not 0 < value < 1:
                raise ParameterError(name, Said("lie strictly between 0 and 1"), str(value))
        if self.p.denominator > FINEST:
            raise ParameterError("p", Said("have a denominator of at most {finest:,}", finest=FINEST), str(self.p))

    def chance(self, claimed: int, hits: int) -> Fraction:
        """Return the bound on the chance of at least ``hits`` among ``claimed`` under H0, at most 1."""
        if not 0 <= hits <= claimed:
            raise ParameterError("hits", Said("lie between 0 and claimed ({claimed})", claimed=claimed), hits)
        one = Fraction(1)
        if self.bound is Bound.UNION:
            return min(one, sum((comb(claimed, k) * self.p**k for k in range(hits, claimed + 1)), Fraction(0)))
        return min((comb(claimed, k) * self.p**k / comb(hits, k) for k in range(hits + 1)), default=one)

    def threshold(self, claimed: int) -> int:
        """Return the fewest hits that reject H0; ``claimed + 1`` if none can."""
        if not 0 <= claimed <= MOST_CLAIMED:
            raise ParameterError("claimed", Said("lie between 0 and {most:,}", most=MOST_CLAIMED), claimed)
        return self._union_threshold(claimed) if self.bound is Bound.UNION else self._exact_threshold(claimed)

    def _union_threshold(self, claimed: int) -> int:
        # Everything times the denominator of p^claimed, so that the tail is summed in whole numbers.
        top, bottom = self.p.numerator, self.p.denominator
        fewest, tail = claimed + 1, 0
        term = top**claimed
        limit = self.alpha * bottom**claimed
        while tail + term < limit:
            tail += term
            fewest -= 1
            term = term * fewest * bottom // ((claimed - fewest + 1) * top)
        return fewest

    def _exact_threshold(self, claimed: int) -> int:
        # q falls as hits grow, so the least hits below alpha is found by halving.
        low, high = 0, claimed + 1
        while low < high:
            middle = (low + high) // 2
            if self._is_below_alpha(claimed, middle):
                high = middle
            else:
                low = middle + 1
        return low

    def _is_below_alpha(self, claimed: int, hits: int) -> bool:
        # The ratio of the terms k+1 and k is p (n-k)/(s-k), which grows with k: the least term is the last one whose
        # ratio is below 1, the greatest k with k < (s - p n) / (1 - p) + 1.
        if hits > claimed:
            return True
        top, bottom = self.p.numerator, self.p.denominator
        turn = (hits * bottom - top * claimed) // (bottom - top) + 1
        k = min(hits, max(0, turn))
        return comb(claimed, k) * top**k * self.alpha.denominator < self.alpha.numerator * comb(hits, k) * bottom**k

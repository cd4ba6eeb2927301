"""Which pseudonyms to claim, so that an attack is most likely effective, and how likely that is predicted to be.

Claiming more brings more hits and a higher threshold. The attack is effective with the mass of the law of its hits at
or above the threshold: for twelve pairs guessed whole, at least 18 hits of 24, 299/4096 = 0.0730.

The plan is searched among: of each size of block the surest ones, guessed whole by a random permutation, and of one
further block a part; or all guessed steadily. All counts of blocks are tried where their combinations are few; else the
count of one size at a time is changed for the best until nothing improves, beginning with each size in turn. The search
is in floating point, its laws without the hits that hardly ever come (:data:`TRIM`); the chance of the best plan is
exact up to :data:`MOST_EXACT` claims.

Source: PWS Cup 2018, details of the safety evaluation, 2.4 and footnote 1; the search is our own.

Thresholds in floating point, for searches that need thousands of them; where rounding could decide, the exact ones.

With logarithms of binomial coefficients from the log-gamma function:

union   log u(n, s) = log C(n, s) + s log p + log sum over k >= s of prod over s <= j < k of p (n - j)/(j + 1)
exact   log q(n, s) = log C(n, k) + k log p - log C(s, k) at k = floor((s - p n) / (1 - p)) + 1, held between 0 and s

Both fall as s grows, and neither is below alpha where s <= p n (docs/methods/claim-planner.md), so the threshold is
found by halving; above p n the terms of the sum fall, so a few of them are enough. A bound within 1e-6 of alpha, in
logarithms, is left to :class:`RejectionRule`. Source: as :mod:`sekisho.safety.rejection`.

How many hits a guess on twins brings, exactly.

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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, factorial, lcm, lgamma, log, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import BugError, ParameterError
from sekisho.kernels import njit
from sekisho.safety.rejection import Bound, RejectionRule
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


FEW = 64
"""Up to so many claims the exact threshold is quick enough."""

CLOSE = 1e-6


TINY = 1e-18
"""Terms below this share of their sum are left out."""


@lru_cache(maxsize=1 << 18)
def compute_quick_threshold(rule: RejectionRule, claimed: int) -> int:
    """Return the rule's threshold."""
    if claimed <= FEW:
        return rule.threshold(claimed)
    fewest, nearest = _find_threshold(claimed, float(rule.p), log(rule.alpha), int(rule.bound is Bound.UNION))
    return rule.threshold(claimed) if nearest < CLOSE else fewest


@njit(cache=True, nogil=True)
def _find_threshold(claimed: int, p: float, level: float, union: int) -> tuple[int, float]:
    """Return the fewest hits whose bound lies below the level, and how near a bound came to it beside."""
    low, high, nearest = int(p * claimed), claimed + 1, 1.0
    while low < high:
        middle = (low + high) // 2
        bound = _compute_union_bound(claimed, middle, p) if union else _compute_exact_bound(claimed, middle, p)
        nearest = min(nearest, abs(bound - level))
        if bound < level:
            high = middle
        else:
            low = middle + 1
    return low, nearest


@njit(cache=True, nogil=True)
def _compute_union_bound(claimed: int, hits: int, p: float) -> float:
    total, term, k = 1.0, 1.0, hits
    while k < claimed and term > TINY * total:
        term *= p * (claimed - k) / (k + 1)
        total += term
        k += 1
    return _log_choose(claimed, hits) + hits * log(p) + log(total)


@njit(cache=True, nogil=True)
def _compute_exact_bound(claimed: int, hits: int, p: float) -> float:
    k = min(hits, max(0, int((hits - p * claimed) // (1 - p)) + 1))
    return _log_choose(claimed, k) + k * log(p) - _log_choose(hits, k)


@njit(cache=True, nogil=True)
def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


Law: TypeAlias = NDArray[np.float64]
Trimmed: TypeAlias = tuple[int, Law]
"""The fewest hits that a law still has, and the chances of so many and more."""

COMBINATIONS = 5_000
DIGITS = 12
"""Chances that agree in so many digits count as equal; then more expected hits decide."""
SURELY_LESS = 10.0**-DIGITS
"""A chance that is lower by more than this does not count as equal."""
TRIM = 1e-30
"""Hits at either end of a law that are less likely than this are left out."""
MOST_EXACT = 2_000
"""Claims; the chance of more is computed in floating point, for its denominator would have thousands of digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What to do with a block: name ``claimed`` of its twins distinct customers at random, or steadily one for all."""

    block: int
    claimed: int
    steady: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPlan:
    """Claims, and what they come to together.

    Attributes:
        claims: which blocks, and how.
        claimed: how many pseudonyms that names.
        threshold: how many hits make it effective.
        chance: that it is effective.
        expected: how many hits are expected.
    """

    claims: tuple[Claim, ...]
    claimed: int
    threshold: int
    chance: Fraction
    expected: Fraction


def evaluate_claims(claims: Sequence[Claim], blocks: Sequence[TwinBlock], rule: RejectionRule) -> ClaimPlan:
    """Return what some claims come to; the chance is exact up to :data:`MOST_EXACT` claims."""
    claimed = sum(claim.claimed for claim in claims)
    fewest = rule.threshold(claimed)
    if claimed <= MOST_EXACT:
        law = convolve_laws(blocks[claim.block].law(claim.claimed, steady=claim.steady) for claim in claims)
        chance = sum(law[fewest:], Fraction(0))
    else:
        chance = _estimate_chance(claims, blocks, fewest)
    shares = (blocks[claim.block].sure * Fraction(claim.claimed, blocks[claim.block].size) for claim in claims)
    return ClaimPlan(
        claims=tuple(claims), claimed=claimed, threshold=fewest, chance=chance, expected=sum(shares, Fraction(0))
    )


def _estimate_chance(claims: Sequence[Claim], blocks: Sequence[TwinBlock], fewest: int) -> Fraction:
    """Return the chance of so many hits, to about :data:`DIGITS` digits."""
    law: Trimmed = (0, np.ones(1))
    for claim in claims:
        law = _add_hits(law, _convert_law(blocks[claim.block], claim.claimed, steady=claim.steady))
    start, chances = law
    return Fraction(min(1.0, float(chances[max(0, fewest - start) :].sum())))


def find_best_plan(blocks: Sequence[TwinBlock], rule: RejectionRule) -> ClaimPlan:
    """Return the plan most likely to be effective."""
    searches = [_PlanSearch(blocks, rule, steady=steady) for steady in (False, True)]
    best, search = max(((search.find_best(), search) for search in searches), key=lambda pair: pair[0].merit())
    return evaluate_claims(search.claims(best), blocks, rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class _BlockChoice:
    """How many whole blocks of each size, and of one block more of the size at ``place`` a part."""

    counts: tuple[int, ...]
    chance: float
    expected: float
    place: int = 0
    part: int = 0

    def merit(self) -> tuple[float, float, float]:
        return round(self.chance, DIGITS), self.expected, self.chance


class _PlanSearch:
    """The search over how many blocks of each size to claim."""

    def __init__(self, blocks: Sequence[TwinBlock], rule: RejectionRule, *, steady: bool) -> None:
        self.blocks, self.rule, self.steady = blocks, rule, steady
        surest = sorted(range(len(blocks)), key=lambda block: (-blocks[block].sure, block))
        self.ranks = [
            [block for block in surest if blocks[block].size == size]
            for size in sorted({block.size for block in blocks})
        ]
        # A sure single is one claim and one hit more, and the threshold never rises by more than one: it is always
        # worth it.
        self.least = [sum(blocks[block].size == 1 and blocks[block].sure == 1 for block in rank) for rank in self.ranks]
        self.laws = {block: _convert_law(blocks[block], blocks[block].size, steady=steady) for block in surest}
        self.sizes = [blocks[rank[0]].size for rank in self.ranks]
        self._thresholds: dict[int, int] = {}
        self.sums = [np.cumsum([0.0, *(float(blocks[block].sure) for block in rank)]) for rank in self.ranks]

    def claims(self, choice: _BlockChoice) -> list[Claim]:
        """Return a choice's claims."""
        whole = [
            Claim(block=block, claimed=size, steady=self.steady)
            for rank, size, count in zip(self.ranks, self.sizes, choice.counts, strict=True)
            for block in rank[:count]
        ]
        if not choice.part:
            return whole
        return [*whole, Claim(block=self.ranks[choice.place][choice.counts[choice.place]], claimed=choice.part)]

    def find_best(self) -> _BlockChoice:
        """Return the best choice."""
        if not self.ranks:
            return _BlockChoice(counts=(), chance=0.0, expected=0.0)
        spans = [range(low, len(rank) + 1) for low, rank in zip(self.least, self.ranks, strict=True)]
        if prod(map(len, spans[:-1])) <= COMBINATIONS // len(spans[-1]):
            return self._find_better([((*counts, 0), len(spans) - 1) for counts in product(*spans[:-1])])
        few, last = tuple(self.least), len(self.ranks) - 1
        climbs = [
            *(self._climb(few, place) for place in range(last + 1)),
            self._climb(tuple(map(len, self.ranks)), last),
        ]
        return max(climbs, key=_BlockChoice.merit)

    def _climb(self, start: tuple[int, ...], first: int) -> _BlockChoice:
        """Return where changing one size's count at a time leads to, the size at ``first`` first."""
        best = self._find_better([(start, first)])
        while True:
            better = self._find_better([(best.counts, place) for place in range(len(start))], best)
            if better is best:
                return best
            best = better

    def _find_better(
        self, scans: Sequence[tuple[tuple[int, ...], int]], best: _BlockChoice | None = None
    ) -> _BlockChoice:
        """Return the first best choice of some scans, or the one at hand where none of theirs is better."""
        found = best
        for counts, place in scans:
            for choice in self._scan_counts(counts, place, 0.0 if found is None else found.chance):
                if found is None or choice.merit() > found.merit():
                    found = choice
        if found is None:
            raise BugError("a search for claims without any choice")
        return found

    def _scan_counts(self, counts: tuple[int, ...], place: int, least: float) -> Iterator[_BlockChoice]:
        """Yield the choices in which the size at ``place`` takes every count and the others stay.

        Those that are sure to be less likely than ``least``, or than one before them, may be left out.
        """
        rank: list[int] = self.ranks[place]
        law: Trimmed = (0, np.ones(1))
        for other, count in enumerate(counts):
            for block in self.ranks[other][: self.least[place] if other == place else count]:
                law = _add_hits(law, self.laws[block])
        for count in range(self.least[place], len(rank) + 1):
            for choice in self._judge_counts((*counts[:place], count, *counts[place + 1 :]), law, least):
                least = max(least, choice.chance)
                yield choice
            if count < len(rank):
                law = _add_hits(law, self.laws[rank[count]])

    def _judge_counts(self, counts: tuple[int, ...], law: Trimmed, least: float) -> Iterator[_BlockChoice]:
        """Yield the choice of these whole blocks, and those with a part of one block more that can be likely enough."""
        named = sum(size * count for size, count in zip(self.sizes, counts, strict=True))
        expected = float(sum(sums[count] for sums, count in zip(self.sums, counts, strict=True)))
        tail = law[0], np.append(np.cumsum(law[1][::-1])[::-1], 0.0)
        yield _BlockChoice(counts=counts, chance=self._compute_chance(tail, named, np.ones(1)), expected=expected)
        for place, (rank, count) in enumerate(zip(self.ranks, counts, strict=True)):
            for part in range(1, self.sizes[place]) if count < len(rank) else ():
                if self._bound_chance(tail, named + part, part) + SURELY_LESS < least:
                    continue
                block = self.blocks[rank[count]]
                yield _BlockChoice(
                    counts=counts,
                    chance=self._compute_chance(tail, named + part, _convert_law(block, part, steady=False)),
                    expected=expected + float(block.sure) * part / block.size,
                    place=place,
                    part=part,
                )

    def _bound_chance(self, tail: Trimmed, named: int, part: int) -> float:
        """Return what the chance is at most with a part of one block more: as if all of it were right."""
        start, chances = tail
        return float(chances[min(max(0, self._find_threshold(named) - part - start), len(chances) - 1)])

    def _find_threshold(self, named: int) -> int:
        """Return the rule's threshold; asked by number alone, for a rule is slow to hash."""
        if named not in self._thresholds:
            self._thresholds[named] = compute_quick_threshold(self.rule, named)
        return self._thresholds[named]

    def _compute_chance(self, tail: Trimmed, named: int, more: Law) -> float:
        """Return the chance of an effective attack from the tail of one law and a short law beside it."""
        fewest = self._find_threshold(named)
        start, chances = tail
        reach = np.clip(fewest - start - np.arange(len(more)), 0, len(chances) - 1)
        return float(chances[reach] @ more)


@lru_cache(maxsize=1 << 14)
def _convert_law(block: TwinBlock, claimed: int, *, steady: bool) -> Law:
    return np.array(block.law(claimed, steady=steady), dtype=np.float64)


def _add_hits(law: Trimmed, more: Law) -> Trimmed:
    """Return the law of the hits of some blocks and one more, without the ends that hardly ever come."""
    start, chances = law[0], np.convolve(law[1], more)
    likely = chances > TRIM
    low, high = int(likely.argmax()), len(chances) - int(likely[::-1].argmax())
    return start + low, chances[low:high]

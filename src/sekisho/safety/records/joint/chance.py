"""How likely each candidate is, where it is said how many people are in both of two releases.

Let a person be in a class with ``c1[g]`` rows of link g in the first release and ``c2[g]`` in the second, ``a[g]`` and
``b[g]`` being those of the whole releases, and let ``o`` people be in both. If all ways in which o pairs of linked rows
are the same person are equally likely,

    P(g) is proportional to  c1[g] c2[g] M(o - 1; a - e[g], b - e[g]),
    M(o; a, b) = coefficient of x^o in the product over h of  sum_m C(a[h], m) C(b[h], m) m! x^m.

With o = 1 every pair is alike, and 1/pairs is the chance. With the same people in both the weight of a pair is 1/a[g]:
a rare link outweighs a common one. Beyond that 1/candidates is no chance.

Small releases are counted in whole numbers, and the chances are fractions. Large ones in floats: the polynomials have
real roots only (Heilmann, Lieb, 1972), so the number of pairs with link h is a sum of independent coins, and with x
tilted so that o - 1 is the mean, the coefficient lies in the middle of a bell and is found by a discrete Fourier
transform to about 12 digits.

Source: partial matchings, Heilmann, Lieb, Communications in Mathematical Physics 25 (1972); the chances of links are
ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.safety.records.joint.candidates import JointReleases, find_kinds, gather_lists
from sekisho.safety.records.joint.count import KindLists
from sekisho.safety.records.joint.known import KnownPeople
from sekisho.words import Said

EXACT = 300
"""Up to so many pairs at most are counted in whole numbers."""
STEPS = 100
"""Halvings of the tilt's logarithm: more than its digits."""
WIDE = 200.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestChance:
    """The largest chances over all people.

    Attributes:
        row: of a row that it is his; None where no person has a linked pair.
        value: of a sensitive value that it is his; None where the column is not stable or not exact.
        overlap: the people taken to be in both releases; None where everybody is known.
        exact: whether weights were counted in whole numbers; else in floats.
    """

    row: float | None
    value: float | None
    overlap: int | None
    exact: bool

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"largest": self.row, "largest_value": self.value, "overlap": self.overlap, "exact": self.exact}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkSizes:
    """Rows of each link in two whole releases.

    Attributes:
        first: in the first release.
        second: in the second.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]

    @property
    def most(self) -> int:
        """How many people can be in both."""
        return int(np.minimum(self.first, self.second).sum())

    def weigh(self, overlap: int) -> list[Fraction] | list[float]:
        """Return M(o - 1; a - e[g], b - e[g]) for each link g, up to one common factor.

        Returns:
            Fractions for small releases, floats for large ones; 0 where one of the releases lacks the link.

        Raises:
            ParameterError: so many people cannot be in both.
        """
        if not 1 <= overlap <= self.most:
            rule = Said("lie between 1 and {most:,}, the pairs of rows that can be one person each", most=self.most)
            raise ParameterError("overlap", rule, overlap)
        linked = np.flatnonzero(np.minimum(self.first, self.second) > 0)
        lines = np.stack([self.first[linked], self.second[linked]], axis=1)
        sizes, place, times = np.unique(lines, axis=0, return_inverse=True, return_counts=True)
        if self.most <= EXACT:
            whole = _weigh_whole([(int(a), int(b)) for a, b in sizes.tolist()], times.tolist(), overlap)
            fractions = [Fraction(0)] * len(self.first)
            for link, at in zip(linked.tolist(), place.reshape(-1).tolist(), strict=True):
                fractions[link] = whole[at]
            return fractions
        weights = np.zeros(len(self.first))
        weights[linked] = _weigh_floats(sizes.astype(np.float64), times, overlap)[place.reshape(-1)]
        return weights.tolist()


def _weigh_whole(sizes: Sequence[tuple[int, int]], times: Sequence[int], overlap: int) -> list[Fraction]:
    def multiply(left: list[int], right: list[int]) -> list[int]:
        product = [0] * min(overlap, len(left) + len(right) - 1)
        for place, factor in enumerate(left[: len(product)]):
            for other, term in enumerate(right[: len(product) - place]):
                product[place + other] += factor * term
        return product

    def raise_power(pair: tuple[int, int], exponent: int) -> list[int]:
        return reduce(multiply, [_expand(*pair)] * exponent, [1])

    powers = [raise_power(pair, number) for pair, number in zip(sizes, times, strict=True)]
    ahead = list(accumulate(powers, multiply, initial=[1]))
    behind = list(accumulate(reversed(powers), multiply, initial=[1]))[::-1]
    weights: list[Fraction] = []
    for place, (pair, number) in enumerate(zip(sizes, times, strict=True)):
        others = multiply(ahead[place], behind[place + 1])
        own = multiply(raise_power(pair, number - 1), _expand(pair[0] - 1, pair[1] - 1))
        product = multiply(others, own)
        weights.append(Fraction(product[overlap - 1] if len(product) >= overlap else 0))
    return weights


def _expand(first: int, second: int) -> list[int]:
    return [comb(first, m) * comb(second, m) * factorial(m) for m in range(min(first, second) + 1)]


def _weigh_floats(sizes: NDArray[np.float64], times: NDArray[np.int64], overlap: int) -> NDArray[np.float64]:
    """Return E[pairs of a link] / (a b), which the weights are proportional to, for each distinct pair of sizes."""
    least = sizes.min(axis=1).astype(np.int64)
    if overlap == int((least * times).sum()):  # every row that can be paired is
        return 1.0 / sizes.max(axis=1)
    starts = np.concatenate([[0], np.cumsum(least + 1)])
    pairs = np.arange(int(starts[-1])) - np.repeat(starts[:-1], least + 1)
    a, b = (np.repeat(sizes[:, side], least + 1) for side in (0, 1))
    logs = _log_choose(a, pairs) + _log_choose(b, pairs) + gammaln(pairs + 1.0)
    low, high = -WIDE, WIDE
    for _ in range(STEPS):
        tilt = (low + high) / 2
        shares = _normalise(logs + tilt * pairs, starts)
        mean = float((np.add.reduceat(shares * pairs, starts[:-1]) * times).sum())
        low, high = (tilt, high) if mean < overlap else (low, tilt)
    means = _condition(_normalise(logs + high * pairs, starts), pairs, starts, times, overlap)
    return means / sizes.prod(axis=1)


def _log_choose(whole: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float64]:
    return gammaln(whole + 1) - gammaln(part + 1.0) - gammaln(whole - part + 1)


def _normalise(logs: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return shares that sum to 1 in each run, from logarithms."""
    lengths = np.diff(starts)
    shares = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts[:-1]), lengths))
    return shares / np.repeat(np.add.reduceat(shares, starts[:-1]), lengths)


def _condition(
    shares: NDArray[np.float64],
    pairs: NDArray[np.int64],
    starts: NDArray[np.int64],
    times: NDArray[np.int64],
    overlap: int,
) -> NDArray[np.float64]:
    """Return the mean number of pairs of each size of link, given that there are ``overlap`` pairs in all."""
    mean = np.add.reduceat(shares * pairs, starts[:-1])
    spread = np.add.reduceat(shares * pairs**2, starts[:-1]) - mean**2
    points = 1 << int(np.ceil(np.log2(64 + 30 * np.sqrt(max(1.0, float((spread * times).sum()))))))
    turn = np.exp(2j * np.pi * np.arange(points) / points * (overlap % points))
    runs = [slice(start, end) for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    waves = [np.fft.fft(np.bincount(pairs[run] % points, shares[run], points)) for run in runs]
    powers = [wave**number for wave, number in zip(waves, times.tolist(), strict=True)]
    ahead = list(accumulate(powers[:-1], np.multiply, initial=np.ones(points, dtype=np.complex128)))
    behind, means = np.ones(points, dtype=np.complex128), np.zeros(len(runs))
    total = float(np.real((ahead[-1] * powers[-1] * turn).sum()))
    for place in reversed(range(len(runs))):
        others = ahead[place] * behind * waves[place] ** (int(times[place]) - 1) * turn
        own = np.fft.fft(np.bincount(pairs[runs[place]] % points, (shares * pairs)[runs[place]], points))
        means[place] = float(np.real((others * own).sum())) / total
        behind = behind * powers[place]
    return means


def find_largest_chance(question: JointReleases, people: KnownPeople, overlap: int) -> LargestChance | None:
    """Return the largest chance of a row, and of a sensitive value, over the people who are in both of two releases.

    None where there are other than two releases, or a stable cell is no exact value: then nothing is said.

    Raises:
        ParameterError: so many people cannot be in both.
    """
    links = question.link()
    if len(question.releases) != 2 or links.inexact:
        return None
    count = 1 + max(int(each.max(initial=-1)) for each in links.link)
    sizes = LinkSizes(
        first=np.bincount(links.link[0], minlength=count), second=np.bincount(links.link[1], minlength=count)
    )
    weights = np.array([float(each) for each in _scale(sizes.weigh(overlap))])
    lists, sets = gather_lists(question, people)
    there = sets[people.present.all(axis=1)]
    kinds = np.ascontiguousarray(there[find_kinds(there)[1]])
    stable_value = question.sensitive in question.stable
    row, value = _find_largest(lists, kinds, weights)
    return LargestChance(
        row=row if row > 0 else None,
        value=value if stable_value and row > 0 else None,
        overlap=overlap,
        exact=sizes.most <= EXACT,
    )


def _scale(weights: list[Fraction] | list[float]) -> list[Fraction] | list[float]:
    largest = max(weights)
    return [Fraction(each) / Fraction(largest) for each in weights]


@njit(cache=True, nogil=True)
def _find_largest(lists: KindLists, kinds: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[float, float]:
    """Return the largest chance of a row, and of a sensitive value, over kinds of people in two releases."""
    best_row, best_value = 0.0, 0.0
    chance = np.zeros(len(lists.size))
    for kind in range(len(kinds)):
        total, row = 0.0, 0.0
        for clearing in range(2):
            first, second = lists.first[kinds[kind, 0]], lists.first[kinds[kind, 1]]
            while first < lists.first[kinds[kind, 0] + 1] and second < lists.first[kinds[kind, 1] + 1]:
                if lists.link[first] < lists.link[second]:
                    first += 1
                elif lists.link[first] > lists.link[second]:
                    second += 1
                else:
                    atom = lists.low[lists.run_first[lists.value[lists.value_first[second]]]]
                    weight = float(lists.rows[first] * lists.rows[second] * weights[lists.link[first]])
                    if clearing == 0:
                        total += weight
                        row = max(row, weight / float(min(lists.rows[first], lists.rows[second])))
                        chance[atom] += weight
                    else:
                        if total > 0:
                            best_value = max(best_value, float(chance[atom]) / total)
                        chance[atom] = 0.0
                    first, second = first + 1, second + 1
        if total > 0:
            best_row = max(best_row, row / total)
    return best_row, best_value

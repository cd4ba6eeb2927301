"""How much better an attack does on people in a file than on others, with an interval that holds.

An attack hits h of n people who are in the file and g of m *controls*, people of the same population who are not. What
the file adds is R = (p_m - p_c)/(1 - p_c) = 1 - (1 - p_m)/(1 - p_c): one minus the ratio of two failure rates, so
that intervals of a ratio of binomial rates apply. R is never cut at 0: below it the attack does worse on members.

    score       the ratios theta at which U(theta) = sum (observed - expected)^2 / variance, the rates fitted under
                rate_m = theta rate_c, is at most the quantile of chi-square(1)                        (Koopman 1984)
    exact       the ratios whose score test is not rejected, the tail P(U >= U observed) taken at the control rate where
                it is largest; R = 0 belongs to it wherever the test accepts it  (Chan, Zhang 1999; Agresti, Min 2001)
    guaranteed  two intervals of Clopper and Pearson at the root of the confidence, R(low_m, high_c) to R(high_m, low_c)

``exact`` looks for the largest tail on a grid of control rates, refined, and for its ends to one part in ten thousand:
nothing is proven about what lies between, so what a verdict hangs on is ``guaranteed``, which is wider.

The common formula, errors of two Wilson rates propagated to R, holds the truth in as few as 0 % (20 and 20 people) or
31 % (50 and 50) of the cases where it says 95 %.

Source: Koopman, Biometrics 40 (1984); Chan, Zhang, Biometrics 55 (1999); Agresti, Min, Biometrics 57 (2001); Clopper,
Pearson, Biometrika 26 (1934); R of Giomi et al., "A unified framework for quantifying privacy risk in synthetic data",
PETS 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import inf, isinf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.safety.hit_rate import HitRate
from sekisho.words import Said

MOST_OUTCOMES = 100_000
"""Up to so many pairs of counts the exact interval is computed."""
GRID = 128
"""So many control rates are tried first."""
ROUNDS = 3
"""So often the neighbourhood of the largest tails is looked at more closely."""
STEPS = 40
"""So many ratios are tried between the end by score and the guaranteed one."""
FINE = 1e-4
"""How near the ends of the exact interval are found, as a part of the ratio."""
FARTHEST = 1e12
"""A ratio that is no smaller than this is taken as infinite."""


class RatioMethod(StrEnum):
    """How an interval was computed."""

    EXACT = "exact"
    SCORE = "score"
    GUARANTEED = "guaranteed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioInterval:
    """Between which R the true one lies, and by which method; the lower end may be infinite."""

    low: float
    high: float
    method: RatioMethod

    def as_list(self) -> list[float | str]:
        """Return both ends as plain data; ``-infinite`` is a word."""
        return ["-infinite" if isinf(self.low) else self.low, self.high]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedSuccess:
    """What an attack got right among members and among controls.

    Attributes:
        hits: among people in the file.
        trials: how many of them were attacked.
        control_hits: among people who are not in it.
        control_trials: how many of them were attacked.
        confidence: of the intervals.
    """

    hits: int
    trials: int
    control_hits: int
    control_trials: int
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for side in (self.members, self.controls):
            if not side.trials:
                raise ParameterError("trials", Said("be at least 1 of members and of controls"), side.trials)

    @property
    def members(self) -> HitRate:
        """The rate among people in the file."""
        return HitRate(hits=self.hits, trials=self.trials, confidence=self.confidence)

    @property
    def controls(self) -> HitRate:
        """The rate among the others: what can be guessed of anybody."""
        return HitRate(hits=self.control_hits, trials=self.control_trials, confidence=self.confidence)

    @property
    def value(self) -> float | None:
        """R itself; None where every control was hit, so that nothing can be added."""
        if self.control_hits == self.control_trials:
            return None
        return 1 - (1 - self.members.value) / (1 - self.controls.value)

    @property
    def usual_method(self) -> RatioMethod:
        """Exact while all outcomes can be listed."""
        listed = (self.trials + 1) * (self.control_trials + 1) <= MOST_OUTCOMES
        return RatioMethod.EXACT if listed else RatioMethod.SCORE

    def find_interval(self, method: RatioMethod | None = None) -> RatioInterval:
        """Return between which values R lies; by the usual method if none is named."""
        return _find_interval(self, method or self.usual_method)

    def bound_by_rates(self) -> tuple[float, float]:
        """Return the guaranteed ends of R."""
        each = sqrt(self.confidence)
        member = HitRate(hits=self.hits, trials=self.trials, confidence=each)
        control = HitRate(hits=self.control_hits, trials=self.control_trials, confidence=each)
        low = -inf if control.high == 1 else 1 - (1 - member.low) / (1 - control.high)
        return low, 1 - (1 - member.high) / (1 - control.low)

    @property
    def _failures(self) -> tuple[int, int]:
        return self.trials - self.hits, self.control_trials - self.control_hits

    def invert_score(self) -> tuple[float, float]:
        """Return the ends of R by the score test."""
        quantile = NormalDist().inv_cdf((1 + self.confidence) / 2) ** 2
        member, control = self._failures

        def accepts(ratio: float) -> bool:
            return bool(self._score(np.array(member), np.array(control), ratio) <= quantile)

        highest = inf if not control else _find_last(accepts, self._start(upwards=True), upwards=True)
        lowest = 0.0 if not member else _find_last(accepts, self._start(upwards=False), upwards=False)
        return 1 - highest, 1 - lowest

    def _start(self, *, upwards: bool) -> float:
        """Return a ratio that every test accepts, to go upwards or downwards from."""
        member, control = self._failures
        if member and control:
            return (member / self.trials) / (control / self.control_trials)
        return (0.25 if upwards else 4.0) / max(self.trials, self.control_trials) ** (1 if upwards else -1)

    def _score(self, member: NDArray[np.int64], control: NDArray[np.int64], ratio: float) -> NDArray[np.float64]:
        """Return the score statistic of failures among members and among controls."""
        n, m = self.trials, self.control_trials
        middle = ratio * (n + control) + member + m
        inner = np.maximum(middle**2 - 4 * ratio * (n + m) * (member + control), 0)
        # the smaller root, written so that nothing cancels
        control_rate = np.minimum(2 * (member + control) / (middle + np.sqrt(inner)), min(1.0, 1 / ratio))
        member_rate = np.minimum(control_rate * ratio, 1.0)
        return _square(member, n, member_rate) + _square(control, m, control_rate)

    def invert_exactly(self, ends: tuple[float, float]) -> tuple[float, float]:
        """Return the ends of R by the unconditional test; the ends by score are where to look."""
        level = 1 - self.confidence
        low, high = ends
        outer_low, outer_high = self.bound_by_rates()

        def accepts(ratio: float) -> bool:
            return self._find_tail(ratio) > level

        highest = inf if isinf(low) else _scan_outwards(accepts, 1 - low, 1 - outer_low)
        lowest = 0.0 if high == 1 else _scan_outwards(accepts, 1 - high, 1 - outer_high)
        if not lowest <= 1 <= highest and accepts(1.0):  # a ratio by itself: at 1 many outcomes have the same score
            lowest, highest = min(lowest, 1.0), max(highest, 1.0)
        return 1 - highest, 1 - lowest

    def _find_tail(self, ratio: float) -> float:
        """Return the largest chance, over the control rate, of a statistic as large as the one observed."""
        n, m = self.trials, self.control_trials
        member, control = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
        score = self._score(member, control, ratio)
        seen = score[self._failures]
        region = _Region.of(score >= seen - 1e-9 * max(1.0, float(seen)))
        most = min(1.0, 1 / ratio)
        rates = most * np.sin(np.linspace(0, np.pi / 2, GRID)) ** 2
        best = 0.0
        for _ in range(ROUNDS):
            tails = region.sum_chances(rates, ratio)
            best = max(best, float(tails.max()))
            at = int(np.argmax(tails))
            rates = np.linspace(rates[max(at - 1, 0)], rates[min(at + 1, len(rates) - 1)], GRID // 4)
        return best


@lru_cache(maxsize=256)
def _find_interval(added: AddedSuccess, method: RatioMethod) -> RatioInterval:
    """Return an interval; kept, for an answer, its page and its certificate each tell it."""
    if method is RatioMethod.GUARANTEED:
        low, high = added.bound_by_rates()
    else:
        ends = added.invert_score()
        low, high = ends if method is RatioMethod.SCORE else added.invert_exactly(ends)
    return RatioInterval(low=low, high=high, method=method)


def _square(count: NDArray[np.int64], trials: int, rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distance of a count from its expectation over its variance; 0 of 0 is 0."""
    gap, spread = (count - trials * rate) ** 2, trials * rate * (1 - rate)
    sure = spread <= 0
    return np.where(sure, np.where(gap > 1e-12, np.inf, 0.0), gap / np.where(sure, 1.0, spread))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Region:
    """Outcomes, as the places where a row of them begins (1) or ends (-1): few, where the outcomes are many.

    Attributes:
        shape: failures of members and of controls, from 0.
        member: of each place the members' failures.
        control: the controls'.
        sign: what it is.
    """

    shape: tuple[int, int]
    member: NDArray[np.intp]
    control: NDArray[np.intp]
    sign: NDArray[np.float64]

    @classmethod
    def of(cls, inside: NDArray[np.bool_]) -> _Region:
        """Return a region from whether each outcome lies in it."""
        steps = np.diff(inside.astype(np.int8), axis=1, prepend=0)
        member, control = np.nonzero(steps)
        rows, columns = inside.shape
        sign = steps[member, control].astype(np.float64)
        return cls(shape=(rows, columns), member=member, control=control, sign=sign)

    def sum_chances(self, rates: NDArray[np.float64], ratio: float) -> NDArray[np.float64]:
        """Return its chance at each control rate: what lies above each beginning, less what lies above each end."""
        member = _list_chances(self.shape[0] - 1, np.minimum(rates * ratio, 1.0))
        control = _list_chances(self.shape[1] - 1, rates)
        above = np.cumsum(control[:, ::-1], axis=1)[:, ::-1]
        return (member[:, self.member] * above[:, self.control]) @ self.sign


def _list_chances(trials: int, rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chance of each count of a binomial, a line for each rate."""
    steps = np.arange(1, trials + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((trials - steps + 1) / steps))])
    counts = np.arange(trials + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(counts == 0, 0.0, counts * np.log(rates)[:, None])
        down = np.where(counts == trials, 0.0, (trials - counts) * np.log1p(-rates)[:, None])
    return np.exp(logs + up + down)


def _find_last(accepts: Callable[[float], bool], start: float, *, upwards: bool) -> float:
    """Return the last ratio that is accepted on the way from one that is, where acceptance ends once."""
    step = 2.0 if upwards else 0.5
    inside, outside = start, start * step
    while accepts(outside):
        inside, outside = outside, outside * step
        if upwards and outside > FARTHEST:
            return inf
        if outside < 1 / FARTHEST:
            return 0.0
    return _halve(accepts, inside, outside, 1e-12)[0]


def _halve(accepts: Callable[[float], bool], inside: float, outside: float, fine: float) -> tuple[float, float]:
    """Return a ratio that is accepted and one that is not, so near to each other."""
    while abs(outside - inside) > fine * max(inside, outside):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if accepts(middle) else (inside, middle)
    return inside, outside


def _scan_outwards(accepts: Callable[[float], bool], near: float, far: float) -> float:
    """Return the last ratio accepted between an end by score and the guaranteed one, which lies farther out.

    What the test accepts may have holes: the outermost ratio of the scan that is accepted counts. Where the end by
    score is not accepted itself, the end is looked for further in.
    """
    far = min(far, near * 8) if far > near else max(far, near / 8)
    outwards = near * (far / near) ** np.linspace(0, 1, STEPS) if far > 0 else np.linspace(near, far, STEPS)
    accepted = [at for at, ratio in enumerate(outwards.tolist()) if accepts(ratio)]
    if accepted:
        last = accepted[-1]
        outside = float(outwards[min(last + 1, STEPS - 1)])
        return _halve(accepts, float(outwards[last]), outside, FINE)[1] if last + 1 < STEPS else float(outwards[last])
    step = (near / far) ** (1 / STEPS) if far > 0 else 1.05
    inside = near
    while not accepts(inside):
        inside *= step
    return _halve(accepts, inside, inside / step, FINE)[1]

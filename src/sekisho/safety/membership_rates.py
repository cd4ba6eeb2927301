"""How well a score tells people of a file from others: true positive rates at low false positive rates.

Scores of people who are in the file (*members*) and of people who are not (*controls*); whoever scores above a
threshold is called a member. With everybody of a score called at once, let in_i and out_i be the shares of members and
controls that have the i-th largest score.

    strict     the largest threshold set whose false positive rate is at most alpha, and its true positive rate
    tpr        the same, and of the next score everybody called with the coin (alpha - rate) / out_i: the most that any
               test by this score finds at a false positive rate of alpha (Neyman, Pearson), in expectation, no draw
    area       the chance that a member scores above a control, ties half
    advantage  the largest true positive rate less its false positive rate; of the likelihood ratio, the total variation

Source: Neyman, Pearson 1933; rates at low false positive rates: Carlini et al., IEEE S&P 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.safety.hit_rate import HitRate
from sekisho.words import Said

RATES = (Fraction(1, 10), Fraction(1, 100), Fraction(1, 1000))
ENOUGH = 10
"""So many controls must lie above a threshold, on average, for its rate to be trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateAt:
    """What is found at a false positive rate.

    Attributes:
        fpr: the false positive rate that is allowed.
        tpr: with a coin for ties, in expectation.
        strict: without chance.
        strict_fpr: the false positive rate that this has.
    """

    fpr: Fraction
    tpr: Fraction
    strict: Fraction
    strict_fpr: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCurve:
    """Shares of members and of controls by score, the largest score first.

    Attributes:
        inside: of members.
        outside: of controls.
    """

    inside: tuple[Fraction, ...]
    outside: tuple[Fraction, ...]

    @classmethod
    def of_counts(cls, members: Sequence[int], controls: Sequence[int]) -> ScoreCurve:
        """Return the curve of so many people with each score."""
        inside, outside = sum(members), sum(controls)
        if not inside or not outside:
            raise ParameterError("people", Said("be at least 1 member and 1 control"), (inside, outside))
        return cls(
            inside=tuple(Fraction(count, inside) for count in members),
            outside=tuple(Fraction(count, outside) for count in controls),
        )

    def find_rate(self, fpr: Fraction) -> RateAt:
        """Return what is found at a false positive rate."""
        caught, wrong = Fraction(0), Fraction(0)
        for inside, outside in zip(self.inside, self.outside, strict=True):
            if wrong + outside > fpr:
                coin = (fpr - wrong) / outside
                return RateAt(fpr=fpr, tpr=caught + coin * inside, strict=caught, strict_fpr=wrong)
            caught, wrong = caught + inside, wrong + outside
        return RateAt(fpr=fpr, tpr=caught, strict=caught, strict_fpr=wrong)

    @property
    def area(self) -> Fraction:
        """The chance that a member scores above a control, ties half."""
        below, area = Fraction(1), Fraction(0)
        for inside, outside in zip(self.inside, self.outside, strict=True):
            below -= outside
            area += inside * (below + outside / 2)
        return area

    @property
    def advantage(self) -> Fraction:
        """The largest true positive rate less its false positive rate."""
        best = gap = Fraction(0)
        for inside, outside in zip(self.inside, self.outside, strict=True):
            gap += inside - outside
            best = max(best, gap)
        return best


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredPeople:
    """Scores of members and of controls; the larger, the likelier in the file."""

    members: NDArray[np.float64]
    controls: NDArray[np.float64]

    def trace(self) -> ScoreCurve:
        """Return the curve of the scores."""
        scores, place = np.unique(np.concatenate([self.members, self.controls]), return_inverse=True)
        place = place.reshape(-1)
        split = len(self.members)
        counts = [np.bincount(part, minlength=len(scores))[::-1].tolist() for part in (place[:split], place[split:])]
        return ScoreCurve.of_counts(*counts)

    def list_rates(self, curve: ScoreCurve) -> list[dict[str, object]]:
        """Return what is found at each rate as plain data; nothing at rates below one control.

        The interval is that of Clopper and Pearson on what is found without chance.
        """
        return [self._describe_rate(curve.find_rate(fpr)) for fpr in RATES]

    def _describe_rate(self, rate: RateAt) -> dict[str, object]:
        needed = -(-rate.fpr.denominator // rate.fpr.numerator)
        if len(self.controls) < needed:
            unanswered = dict.fromkeys(("tpr", "strict", "strict_fpr", "low", "high"))
            return {"fpr": float(rate.fpr), **unanswered, "controls_needed": needed}
        counted = HitRate(hits=round(rate.strict * len(self.members)), trials=len(self.members))
        return {
            "fpr": float(rate.fpr),
            "tpr": float(rate.tpr),
            "strict": float(rate.strict),
            "strict_fpr": float(rate.strict_fpr),
            "low": counted.low,
            "high": counted.high,
        }

    def list_doubtful(self) -> list[Fraction]:
        """Return the rates that too few controls decide, though they can be answered."""
        return [fpr for fpr in RATES if 1 <= len(self.controls) * fpr < ENOUGH]

"""How well a score tells people of a file from others: true positive rates at low false positive rates.

Scores of people who are in the file (*members*) and of people who are not (*controls*); whoever scores above a
threshold is called a member. With everybody of a score called at once, let in_i and out_i be the shares of members and
controls that have the i-th largest score; kept are the counts, so that a million people are no million fractions.

    strict     the largest threshold set whose false positive rate is at most alpha, and its true positive rate
    tpr        the same, and of the next score everybody called with the coin (alpha - rate) / out_i: the most that any
               test by this score finds at a false positive rate of alpha (Neyman, Pearson), in expectation, no draw
    area       the chance that a member scores above a control, ties half
    advantage  the largest true positive rate less its false positive rate; of the likelihood ratio, the total variation

Source: Neyman, Pearson 1933; rates at low false positive rates: Carlini et al., IEEE S&P 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from operator import mul

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreCurve:
    """Members and controls by score, the largest score first; everything is counted in whole numbers.

    Attributes:
        inside: how many members have each score.
        outside: how many controls.
    """

    inside: NDArray[np.int64]
    outside: NDArray[np.int64]

    def __post_init__(self) -> None:
        if not self.inside.any() or not self.outside.any():
            both = (int(self.inside.sum()), int(self.outside.sum()))
            raise ParameterError("people", Said("be at least 1 member and 1 control"), both)

    def find_rate(self, fpr: Fraction) -> RateAt:
        """Return what is found at a false positive rate."""
        caught, wrong = (np.concatenate([[0], np.cumsum(counts)]) for counts in (self.inside, self.outside))
        members, controls, allowed = int(caught[-1]), int(wrong[-1]), fpr * int(wrong[-1])
        at = min(int(np.searchsorted(wrong[1:], floor(allowed), side="right")), len(self.outside))
        strict, strict_fpr = Fraction(int(caught[at]), members), Fraction(int(wrong[at]), controls)
        if at == len(self.outside):
            return RateAt(fpr=fpr, tpr=strict, strict=strict, strict_fpr=strict_fpr)
        coin = (allowed - int(wrong[at])) / int(self.outside[at])
        tpr = (int(caught[at]) + coin * int(self.inside[at])) / members
        return RateAt(fpr=fpr, tpr=tpr, strict=strict, strict_fpr=strict_fpr)

    @property
    def area(self) -> Fraction:
        """The chance that a member scores above a control, ties half."""
        members, controls = int(self.inside.sum()), int(self.outside.sum())
        twice = 2 * (controls - np.cumsum(self.outside)) + self.outside
        return Fraction(sum(map(mul, self.inside.tolist(), twice.tolist())), 2 * members * controls)

    @property
    def advantage(self) -> Fraction:
        """The largest true positive rate less its false positive rate."""
        caught, wrong = np.cumsum(self.inside).tolist(), np.cumsum(self.outside).tolist()
        members, controls = caught[-1], wrong[-1]
        best = max(right * controls - false * members for right, false in zip(caught, wrong, strict=True))
        return Fraction(max(best, 0), members * controls)


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
        inside, outside = (
            np.bincount(part, minlength=len(scores))[::-1].astype(np.int64) for part in (place[:split], place[split:])
        )
        return ScoreCurve(inside=inside, outside=outside)

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

"""A rate with its exact interval.

For ``hits`` of ``trials`` independent trials the interval of Clopper and Pearson holds the true chance with at least
the asked confidence, whatever it is: its ends are the chances at which so many hits, or more extreme, have half the
remaining probability in each tail. In quantiles of the beta distribution, with c the confidence:

    low = B((1-c)/2; x, n-x+1)  (0 if x = 0),   high = B((1+c)/2; x+1, n-x)  (1 if x = n)

Source: Clopper and Pearson, "The use of confidence or fiducial limits", Biometrika 26 (1934).
"""

from __future__ import annotations

from dataclasses import dataclass

import scipy

from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRate:
    """So many hits of so many trials, and between which chances the true one lies."""

    hits: int
    trials: int
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.trials < 0:
            raise ParameterError("trials", Said("be at least 0"), self.trials)
        if not 0 <= self.hits <= self.trials:
            raise ParameterError("hits", Said("lie between 0 and trials ({trials})", trials=self.trials), self.hits)
        if not 0 < self.confidence < 1:
            raise ParameterError("confidence", Said("lie strictly between 0 and 1"), self.confidence)

    @property
    def value(self) -> float:
        """The observed rate; 0 where nothing was tried."""
        return self.hits / self.trials if self.trials else 0.0

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        if self.hits == 0:
            return 0.0
        return _quantile(self.hits, self.trials - self.hits + 1, (1 - self.confidence) / 2)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        if self.hits == self.trials:
            return 1.0
        return _quantile(self.hits + 1, self.trials - self.hits, (1 + self.confidence) / 2)

    def as_dict(self) -> dict[str, float]:
        """Return the counts, the rate and its interval as plain data."""
        return {"hits": self.hits, "trials": self.trials, "rate": self.value, "low": self.low, "high": self.high}


def _quantile(a: int, b: int, chance: float) -> float:
    """Return a quantile of a beta distribution."""
    return float(scipy.special.betaincinv(a, b, chance))

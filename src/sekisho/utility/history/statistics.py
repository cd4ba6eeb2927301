"""Plain statistics of a purchase history, and how far those of a release are off.

Rows; sum, mean, variance, standard deviation, largest, least, median and middle of date (days since the origin), price
(on its grid: pence) and quantity; the set of the 100 items with most buyers. The error of the set is
``|U0 - U1| / 100``, of any other statistic the absolute difference. Variance and deviation are the population's. Only
the sum of dates depends on the origin; table 8's sums fit days counted from 2010-01-01 (team 01 deleted 2,622 rows of
mean 541.97 days and moved the mean of the rest by 0.896: 2622 x 541.97 - 86656 x 0.896 = 1,343,402, and 1,343,419 is
printed).

The medians that tables 8 to 10 print are none: they fit ``middle``, the mean of the two middle rows in the order of the
file (of an odd number, the middle row), as if nobody had sorted. It is given under that name beside the median.

Source: PWS Cup 2018, report, section 6.2, tables 7 to 10 (table 9, headed quantity, is price in pence; table 10 is
quantity).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said

COLUMNS = ("date", "price", "quantity")
EPOCH = date(1970, 1, 1)
STATISTICS = ("sum", "mean", "variance", "deviation", "largest", "least", "median", "middle")


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Statistics:
    """The errors of the plain statistics; the value is that of the top item set, the detail holds all.

    Attributes:
        top: how many items the top set holds.
        origin: the day that counts 0 in the sum of dates.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    top: int = 100
    origin: date = date(2010, 1, 1)

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ParameterError("top", Said("be at least 1"), self.top)

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the errors of a release whose cells are exact; draw from any other first."""
        errors = self.build_reference(Purchases.of(original)).errors(Purchases.from_release(released))
        return Score(value=errors["top_items"], detail=errors)

    def build_reference(self, original: Purchases) -> StatisticsReference:
        """Return the original's statistics, made ready for many comparisons."""
        return StatisticsReference(
            measure=self,
            values=self.compute_statistics(original),
            top=frozenset(original.find_most_bought(self.top).tolist()),
        )

    def compute_statistics(self, purchases: Purchases) -> dict[str, float]:
        """Return the rows and, for each numeric column, its statistics; those of no row at all are 0."""
        statistics: dict[str, float] = {"rows": float(len(purchases))}
        columns = (purchases.date - (self.origin - EPOCH).days, purchases.price, purchases.quantity)
        for column, values in zip(COLUMNS, columns, strict=True):
            numbers = _summarise_values(values) if len(values) else (0.0,) * len(STATISTICS)
            statistics |= {f"{column}_{name}": number for name, number in zip(STATISTICS, numbers, strict=True)}
        return statistics


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticsReference:
    """The original's statistics by name, and its top items."""

    measure: Statistics
    values: Mapping[str, float]
    top: frozenset[int]

    def errors(self, sample: Purchases) -> dict[str, float]:
        """Return the error of every statistic by name: ``rows``, ``top_items``, ``date_sum`` and so on."""
        theirs = self.measure.compute_statistics(sample)
        lost = self.top.difference(sample.find_most_bought(self.measure.top).tolist())
        return {"rows": abs(theirs["rows"] - self.values["rows"]), "top_items": len(lost) / self.measure.top} | {
            name: abs(theirs[name] - value) for name, value in self.values.items() if name != "rows"
        }


def _summarise_values(values: NDArray[np.int64]) -> tuple[float, ...]:
    total, count = int(values.sum()), len(values)
    centred = values - total / count
    variance = float(centred @ centred) / count
    return (
        float(total),
        total / count,
        variance,
        float(np.sqrt(variance)),
        float(values.max()),
        float(values.min()),
        float(np.median(values)),
        float(values[(count - 1) // 2] + values[count // 2]) / 2,
    )

"""Three reports that every shop makes of its purchases, and how far those of a release are off.

- **months**: purchases by calendar month; ``sum |c - c'| / sum c`` over the months, at most 1.
- **best_sellers**: the items that make up the first 80 % of the money, the largest first (class A of an ABC analysis);
  ``1 - |A0 & A1| / |A0|``.
- **baskets**: how many different items an invoice holds, up to 50; half the sum of the absolute differences between
  the two distributions over the invoices (total variation).

They are not among the report's three use cases: it names the trial of more of them as what is left to do. They need
date, item, price and quantity and nothing else, so they can be taken of any purchase history. Source: PWS Cup 2018
report, sections 6.5 and 7; ABC analysis: Dickie, "ABC inventory analysis shoots for dollars, not pennies", 1951.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said

REPORTS = ("months", "best_sellers", "baskets")


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SalesReports:
    """The errors of the three reports; the value is their mean, the detail holds them.

    Attributes:
        share: of the money that the best sellers make up.
        largest: from so many different items on, baskets are counted together.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    share: float = 0.8
    largest: int = 50

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ParameterError("share", Said("lie above 0 and be at most 1"), self.share)
        if self.largest < 1:
            raise ParameterError("largest", Said("be at least 1"), self.largest)

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the errors of a release whose cells are exact; draw from any other first."""
        errors = self.build_reference(Purchases.of(original)).errors(Purchases.from_release(released))
        return Score(value=float(np.mean(list(errors.values()))), detail=errors)

    def build_reference(self, original: Purchases) -> SalesReference:
        """Return the original's reports, made ready for many comparisons."""
        return SalesReference(
            measure=self,
            months=count_months(original),
            best=self.find_best_sellers(original),
            baskets=self.share_baskets(original),
        )

    def find_best_sellers(self, purchases: Purchases) -> frozenset[int]:
        """Return the fewest items that make up the share of the money, the largest first; of equals the first code."""
        money = np.zeros(len(purchases.items), dtype=np.int64)
        np.add.at(money, purchases.item, purchases.price * purchases.quantity)
        order = np.argsort(-money, kind="stable")
        total = np.cumsum(money[order])
        count = int(np.searchsorted(total, self.share * total[-1], side="left")) + 1 if len(total) else 0
        return frozenset(order[:count].tolist()) if len(purchases) else frozenset()

    def share_baskets(self, purchases: Purchases) -> NDArray[np.float64]:
        """Return the shares of invoices that hold one different item, two, and so on."""
        codes, owners = purchases.invoices
        ones = np.ones(len(codes), dtype=np.int8)
        held = csr_array((ones, (codes, purchases.item)), shape=(len(owners), len(purchases.items)))
        held.sum_duplicates()
        sizes = np.diff(held.indptr)
        counts = np.bincount(np.minimum(sizes, self.largest), minlength=self.largest + 1).astype(np.float64)
        return counts / max(1.0, counts.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SalesReference:
    """The original's three reports."""

    measure: SalesReports
    months: Mapping[int, int]
    best: frozenset[int]
    baskets: NDArray[np.float64]

    def errors(self, sample: Purchases) -> dict[str, float]:
        """Return the error of each report of plain purchases; 0 where the original has nothing."""
        theirs, rows = count_months(sample), sum(self.months.values())
        off = sum(abs(self.months.get(month, 0) - theirs.get(month, 0)) for month in {*self.months, *theirs})
        kept = len(self.best & self.measure.find_best_sellers(sample))
        apart = float(np.abs(self.baskets - self.measure.share_baskets(sample)).sum()) / 2
        return {
            "months": min(1.0, off / rows) if rows else 0.0,
            "best_sellers": 1 - kept / len(self.best) if self.best else 0.0,
            "baskets": apart if rows else 0.0,
        }


def count_months(purchases: Purchases) -> dict[int, int]:
    """Return the rows of each calendar month, counted from January 1970."""
    if not len(purchases):
        return {}
    first = int(purchases.date.min())
    rows = np.bincount(purchases.date - first)
    days = np.arange(first, first + len(rows)).astype("datetime64[D]")
    months = days.astype("datetime64[M]").astype(np.int64)
    counts = np.bincount(months - months[0], weights=rows)
    return {int(months[0] + place): int(counts[place]) for place in np.flatnonzero(counts)}

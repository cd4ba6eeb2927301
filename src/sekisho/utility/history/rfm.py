"""What a shop knows of its customers: recency, frequency and money in ranks, and how far a release's table is off.

For each person the last date of purchase (R), the number of invoices (F) and the amount spent, price times quantity
(M), each put into one of ten ranks; the people are counted in the 10 x 10 x 10 table. With counts c of the original and
c' of the concrete data over the N cells,

    error = sqrt(sum (c - c')^2 / N) / normaliser.

Source: PWS Cup 2018, report, section 6.1.2, after PWS Cup 2016; Chen, Sain, Guo, "Data mining for the online retail
industry", J. Database Marketing 19(3), 2012. The rank rule and the normaliser of 2016 are not public: both are
parameters here. The default (each data set's own tenths, over the original's largest count) is the choice under which
releases like the contest's give errors like those printed in table 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
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


class RankRule(StrEnum):
    """Where the borders between ranks lie: equal shares of the people, or equal widths from least to most."""

    SHARE = "share"
    WIDTH = "width"


class Borders(StrEnum):
    """Whose borders rank the concrete data: its own, all that an analyst of the release has, or the original's."""

    OWN = "own"
    ORIGINAL = "original"


class Normaliser(StrEnum):
    """What the root mean square error is divided by: the original's largest count, root mean square or mean count."""

    LARGEST = "largest"
    ROOT = "root"
    MEAN = "mean"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RecencyFrequencyMoney:
    """The error of the table of ranks.

    Attributes:
        ranks: how many ranks each of the three has.
        rule: where their borders lie.
        borders: whose borders rank the concrete data.
        normaliser: what the error is divided by.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    ranks: int = 10
    rule: RankRule = RankRule.SHARE
    borders: Borders = Borders.OWN
    normaliser: Normaliser = Normaliser.LARGEST

    def __post_init__(self) -> None:
        if self.ranks < 1:
            raise ParameterError("ranks", Said("be at least 1"), self.ranks)

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the error of a release whose cells are exact; draw from any other first."""
        return Score(value=self.build_reference(Purchases.of(original)).error(Purchases.from_release(released)))

    def build_reference(self, original: Purchases) -> RankReference:
        """Return the original's borders and table, made ready for many comparisons."""
        values = compute_recency_frequency_money(original)
        borders = self.compute_borders(values)
        return RankReference(measure=self, borders=borders, table=_count_ranks(values, borders, self.ranks))

    def compute_borders(self, values: tuple[NDArray[np.int64], ...]) -> tuple[NDArray[np.float64], ...]:
        """Return the inner borders of the ranks of each column of values.

        A value on a border belongs to the lower rank.
        """
        inner = np.arange(1, self.ranks) / self.ranks
        if not len(values[0]):
            return tuple(np.zeros(len(inner)) for _ in values)
        if self.rule is RankRule.SHARE:
            return tuple(np.quantile(column, inner, method="inverted_cdf").astype(np.float64) for column in values)
        return tuple(column.min() + (column.max() - column.min()) * inner for column in values)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankReference:
    """The original's borders and its table of counts."""

    measure: RecencyFrequencyMoney
    borders: tuple[NDArray[np.float64], ...]
    table: NDArray[np.int64]

    def error(self, sample: Purchases) -> float:
        """Return the error of plain purchases; 0 where the original has nobody."""
        if not self.table.any():
            return 0.0
        values = compute_recency_frequency_money(sample)
        borders = self.borders if self.measure.borders is Borders.ORIGINAL else self.measure.compute_borders(values)
        table = _count_ranks(values, borders, self.measure.ranks)
        return float(np.sqrt(np.mean((self.table - table) ** 2.0))) / self._compute_scale()

    def _compute_scale(self) -> float:
        match self.measure.normaliser:
            case Normaliser.LARGEST:
                return float(self.table.max())
            case Normaliser.ROOT:
                return float(np.sqrt(np.mean(self.table**2.0)))
            case Normaliser.MEAN:
                return float(np.mean(self.table))


def compute_recency_frequency_money(
    purchases: Purchases,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each person's last day, number of invoices, and amount spent on the price's grid."""
    last = np.full(purchases.people, np.iinfo(np.int64).min)
    np.maximum.at(last, purchases.person, purchases.date)
    _, owners = purchases.invoices
    money = np.zeros(purchases.people, dtype=np.int64)
    np.add.at(money, purchases.person, purchases.price * purchases.quantity)
    return last, np.bincount(owners, minlength=purchases.people), money


def _count_ranks(
    values: tuple[NDArray[np.int64], ...], borders: tuple[NDArray[np.float64], ...], ranks: int
) -> NDArray[np.int64]:
    cell = np.zeros(len(values[0]), dtype=np.int64)
    for column, border in zip(values, borders, strict=True):
        cell = cell * ranks + np.searchsorted(border, column, side="left")
    return np.bincount(cell, minlength=ranks ** len(values))

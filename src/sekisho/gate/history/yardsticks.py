"""The use cases and statistics of the PWS Cup 2018 report and three more: prepared once, then applied to samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sekisho.data.history.purchases import Purchases
from sekisho.utility.history.item_sets import FrequentItemSets, ItemSetReference
from sekisho.utility.history.rfm import RankReference, RecencyFrequencyMoney
from sekisho.utility.history.sales import REPORTS, SalesReference, SalesReports
from sekisho.utility.history.similarity import ItemSimilarity, SimilarityReference, View
from sekisho.utility.history.statistics import COLUMNS, STATISTICS, Statistics, StatisticsReference

USE_CASES = ("item_sets", "rfm", *(view.value for view in View), *REPORTS)
FIGURES = ("rows", "top_items", *(f"{column}_{name}" for column in COLUMNS for name in STATISTICS))


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCases:
    """What is measured; the parameters that the report leaves open can be chosen."""

    item_sets: FrequentItemSets = field(default_factory=FrequentItemSets)
    rfm: RecencyFrequencyMoney = field(default_factory=RecencyFrequencyMoney)
    sales: SalesReports = field(default_factory=SalesReports)
    statistics: Statistics = field(default_factory=Statistics)

    def against(self, original: Purchases) -> Yardsticks:
        """Return the yardsticks of an original."""
        return Yardsticks(
            item_sets=self.item_sets.build_reference(original),
            rfm=self.rfm.build_reference(original),
            similarities={view.value: ItemSimilarity(view=view).build_reference(original) for view in View},
            sales=self.sales.build_reference(original),
            statistics=self.statistics.build_reference(original),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Yardsticks:
    """The original's side of every comparison."""

    item_sets: ItemSetReference
    rfm: RankReference
    similarities: Mapping[str, SimilarityReference]
    sales: SalesReference
    statistics: StatisticsReference

    def errors(self, sample: Purchases) -> dict[str, float]:
        """Return a sample's errors: the use cases by name, then the statistics by name."""
        return {
            "item_sets": self.item_sets.error(sample),
            "rfm": self.rfm.error(sample),
            **{name: reference.error(sample) for name, reference in self.similarities.items()},
            **self.sales.errors(sample),
            **self.statistics.errors(sample),
        }

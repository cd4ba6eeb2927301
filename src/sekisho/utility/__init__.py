"""What is still good about data after protection.

A measure is a frozen value that says which shapes of data it suits; ``compare(original, released)`` gives a score with
its direction and detail. A new measure is one file here, one line in ``MEASURES``, and a page in docs/methods.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.registry import Registry
from sekisho.utility.score import Score


class Measure(Protocol):
    """A way to compare a release with its original."""

    shapes: ClassVar[frozenset[Shape]]

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return how much the release differs from the original."""
        ...


MEASURES: Registry[Measure] = Registry(
    kind="measure",
    group="sekisho.measures",
    builtin={
        "associations": "sekisho.utility.records.distributions:Associations",
        "cell-error": "sekisho.utility.cell_error:CellError",
        "classifier": "sekisho.utility.records.transfer:ClassifierTransfer",
        "cor": "sekisho.utility.records.correlation:Correlation",
        "discernibility": "sekisho.utility.records.information_loss:Discernibility",
        "entropy": "sekisho.utility.records.information_loss:EntropyLoss",
        "iloss": "sekisho.utility.records.record_loss:RecordLoss",
        "item-sets": "sekisho.utility.history.item_sets:FrequentItemSets",
        "item-similarity": "sekisho.utility.history.similarity:ItemSimilarity",
        "marginals": "sekisho.utility.records.distributions:Marginals",
        "ncp": "sekisho.utility.records.information_loss:CertaintyPenalty",
        "odds": "sekisho.utility.records.odds:Odds",
        "pair-tables": "sekisho.utility.records.distributions:PairTables",
        "rate": "sekisho.utility.records.rate:RateChange",
        "regression": "sekisho.utility.records.transfer:RegressionTransfer",
        "rfm": "sekisho.utility.history.rfm:RecencyFrequencyMoney",
        "sales": "sekisho.utility.history.sales:SalesReports",
        "statistics": "sekisho.utility.history.statistics:Statistics",
        "uniqrt": "sekisho.utility.records.rate:UniqueRate",
    },
)

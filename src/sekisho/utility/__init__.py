"""What is still good about data after protection.

A measure is a frozen value; ``compare(original, released)`` gives a score with its direction and detail. A new measure is one file
here, one line in ``MEASURES``, and a page in docs/methods.
"""

from __future__ import annotations

from typing import Protocol

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.registry import Registry
from sekisho.utility.score import Score


class Measure(Protocol):
    """A way to compare a release with its original."""

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return how much the release differs from the original."""
        ...


MEASURES: Registry[Measure] = Registry(
    kind="measure",
    group="sekisho.measures",
    builtin={
        "cell-error": "sekisho.utility.cellerror:CellError",
        "cor": "sekisho.utility.correlation:Correlation",
        "iloss": "sekisho.utility.loss:RecordLoss",
        "item-sets": "sekisho.utility.itemsets:FrequentItemSets",
        "item-similarity": "sekisho.utility.similarity:ItemSimilarity",
        "odds": "sekisho.utility.odds:Odds",
        "rate": "sekisho.utility.rate:Rate",
        "rfm": "sekisho.utility.rfm:RecencyFrequencyMoney",
        "statistics": "sekisho.utility.statistics:Statistics",
        "uniqrt": "sekisho.utility.uniquerate:UniqueRate",
    },
)

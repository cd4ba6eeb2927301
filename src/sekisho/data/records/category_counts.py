"""How many records bear each value of each category: all that a method of single columns must know of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.identity.identifying import FEWEST_RECORDS, IDENTIFYING_SHARE, Ground, Identifying


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCounts:
    """How many records there are, and how many of them bear each value.

    Attributes:
        records: n.
        counts: by column, the number of records by value; values sorted as strings.
    """

    records: int
    counts: Mapping[str, Mapping[str, int]]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.counts)

    def domain(self, name: str) -> tuple[str, ...]:
        """Return the distinct values of a column, sorted as strings."""
        return tuple(self.counts[name])

    def shares(self, name: str) -> dict[str, Fraction]:
        """Return the share of the records that bears each value of a column."""
        return {value: Fraction(count, self.records) for value, count in self.counts[name].items()}


def list_distinct(counts: CategoryCounts) -> tuple[Identifying, ...]:
    """Return the columns in which almost every record has a text of its own: they name people."""
    few = counts.records < FEWEST_RECORDS
    return tuple(
        Identifying(column=name, ground=Ground.DISTINCT)
        for name in counts.names
        if not few and len(counts.counts[name]) >= IDENTIFYING_SHARE * counts.records
    )


def count_categories(data: Dataset, names: Sequence[str] | None = None) -> CategoryCounts:
    """Return how many records bear each value of some columns; of all attributes if none is named."""
    chosen = [column.name for column in data.schema.attributes] if names is None else names
    counts = {name: np.bincount(data.codes(name), minlength=len(data.domain(name))).tolist() for name in chosen}
    return CategoryCounts(
        records=len(data),
        counts={name: dict(zip(data.domain(name), each, strict=True)) for name, each in counts.items()},
    )

"""How many partners each record has: who is easily hidden, and who stands almost alone.

Source: PWS Cup 2021, slides of team 10, the list of candidates ("records 5 and 13 are to be deleted").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.records.partners import count_partners, find_partners
from sekisho.data.records.space import Points
from sekisho.errors import ParameterError
from sekisho.words import Said

MOST_PAIRS = 200_000_000
"""Lists of more partners than this are not made: they would not fit into memory. Counts need no lists."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartnerCounts:
    """For each record how many others lie within the limit."""

    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        if not len(self.counts):
            raise ParameterError("records", Said("be at least one"), 0)

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The lower quartile, the median and the upper quartile."""
        low, middle, high = np.quantile(self.counts, (0.25, 0.5, 0.75)).tolist()
        return low, middle, high

    def find_few(self, threshold: int) -> NDArray[np.intp]:
        """Return the records with at most so many partners."""
        return np.flatnonzero(self.counts <= threshold)

    def as_dict(self, threshold: int) -> dict[str, object]:
        """Return the counts in figures, as plain data."""
        few = len(self.find_few(threshold))
        return {
            "records": len(self.counts),
            "min": int(self.counts.min()),
            "quartiles": list(self.quartiles),
            "max": int(self.counts.max()),
            "mean": float(self.counts.mean()),
            "none": int((self.counts == 0).sum()),
            "few": threshold,
            "at_most_few": few,
            "share_at_most_few": few / len(self.counts),
        }


def count_all_partners(points: Points, limit: float) -> PartnerCounts:
    """Return how many partners each record has within the limit."""
    return PartnerCounts(counts=count_partners(points, limit))


def list_partners(points: Points, limit: float, counts: PartnerCounts, first: int = 0) -> pl.DataFrame:
    """Return the list of candidates: record, number of partners, and the first few of them; rows from 0.

    Raises:
        ParameterError: there are too many partners for lists of them.
    """
    frame = pl.DataFrame({"record": np.arange(len(points)), "partners": counts.counts})
    if not first:
        return frame
    total = int(counts.counts.sum())
    if total > MOST_PAIRS:
        raise ParameterError(
            "first",
            Said("be 0 where there are more than {most_pairs:,} pairs ({total:,})", most_pairs=MOST_PAIRS, total=total),
            first,
        )
    partners = find_partners(points, limit)
    texts = [" ".join(map(str, partners.of(row)[:first].tolist())) for row in range(len(partners))]
    return frame.with_columns(pl.Series("first", texts, dtype=pl.String))

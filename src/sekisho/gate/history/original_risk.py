"""How easily the customers of a history are found before anything protects them, by exact counts.

The adversary knows rows of a customer, such as purchases, as the original has them. A row that no other customer has
finds its customer for certain. Of a customer with n rows, u of which nobody else has, three rows drawn by chance hold
one of the u with the chance 1 - C(n - u, 3) / C(n, 3): so many are found for certain at least, for rows that others
have one by one may still be his alone together.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import polars as pl

from sekisho.data.frame.dataset import Dataset

KNOWN = 3
"""How many rows of a customer the adversary knows."""
TIMES = "times_of_the_row"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRisk:
    """How easily customers of an original are found.

    Attributes:
        customers: how many there are.
        alone: how many of them have a row that nobody else has.
        found: the share of them that whoever knows three rows of each, drawn by chance, finds for certain, at least.
    """

    customers: int
    alone: int
    found: float


def measure_original_risk(data: Dataset) -> HistoryRisk:
    """Return how easily the customers of a history are found."""
    holder = data.schema.identifier
    if holder is None or not len(data):
        return HistoryRisk(customers=0, alone=0, found=0.0)
    columns = [column.name for column in data.schema.attributes]
    owners = pl.col(holder.name).n_unique().over(columns).alias(TIMES)
    mine = data.frame.select(pl.col(holder.name), owners)
    counts = mine.group_by(holder.name).agg(pl.len().alias("rows"), (pl.col(TIMES) == 1).sum().alias("own"))
    pairs, customers = np.unique(counts.select("rows", "own").to_numpy(), axis=0, return_counts=True)
    chances = [_find_chance(int(rows), int(own)) for rows, own in pairs]
    return HistoryRisk(
        customers=counts.height,
        alone=int((counts["own"] > 0).sum()),
        found=float(np.dot(chances, customers) / counts.height),
    )


def _find_chance(rows: int, own: int) -> float:
    known = min(KNOWN, rows)
    return 1 - comb(rows - own, known) / comb(rows, known)

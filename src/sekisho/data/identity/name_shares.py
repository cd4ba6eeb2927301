"""How many of a column's values are names of people."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sekisho.data.identity.person_names import Likeness, rate_name

NAMED_SHARE, NAMED_DESPITE = 0.3, 0.6
"""So many values must be whole names; so many where the header speaks of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameShares:
    """Shares of some distinct texts.

    Attributes:
        whole: those that are given and family name, or have a title.
        named: those that are at least one of both.
        hits: how many these are.
    """

    whole: float
    named: float
    hits: int


def measure_names(texts: pl.Series) -> NameShares:
    """Return how many of some distinct texts are names."""
    rated = [rate_name(text) for text in texts.to_list()]
    whole = sum(one is Likeness.WHOLE for one in rated)
    hits = whole + sum(one is Likeness.PART for one in rated)
    return NameShares(whole=whole / max(1, len(rated)), named=hits / max(1, len(rated)), hits=hits)

"""Is a synthetic table sound in itself? Four checks of the contest of 2026.

``censoring``       the lesser of: the share, among rows without either event, whose time is the horizon (0 if there is
                    no such row); 1 - |share of rows at the horizon in C - in B|.
``no-fabrication``  no relation may be stronger than in the original: of each grouping and each value, clipped to the
                    original's range, the weighted deviation of the group means over the original's deviation; what
                    exceeds the original's by more than ``free`` is divided by ``scale`` and clipped. 1 - the mean.
``no-duplicates``   1 - min(1, (rows - distinct rows)/rows / scale).
``novelty``         the distances of rows to their nearest in the background, standardised by it: D+ is by how much
                    the release's distribution function exceeds the original's; 1 - max(0, D+ - d)/(1 - d).

More is better. Source: PWS Cup 2026, utility, U_valid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.spatial import cKDTree

from sekisho.parameters import checked
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.cohort_shape import measure_gap
from sekisho.utility.tables.number_columns import Floats, parse_numbers, stack_numbers
from sekisho.utility.tables.tails import BACKGROUND


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CensoringFit:
    """Whether people without an event are followed to the horizon, and as many as in the original.

    Attributes:
        time: the column of times.
        events: columns of 0 and 1; who has none of them is followed to the end.
        horizon: the end.
        tolerance: how near to it counts.
    """

    time: str
    events: tuple[str, ...]
    horizon: float
    tolerance: float = 0.01

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the lesser part; the detail holds both."""
        del given
        ended, ended_before = self._mark_ended(released), self._mark_ended(original)
        followed = ~stack_numbers(released, self.events).any(axis=1)
        rows = float(ended[followed].mean()) if followed.any() else 0.0
        match = 1 - abs(float(ended.mean()) - float(ended_before.mean()))
        return Score(value=min(rows, match), direction=Direction.MORE, detail={"rows": rows, "match": match})

    def _mark_ended(self, table: pl.DataFrame) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        reach = self.tolerance + 1e-5 * self.horizon  # the relative part is numpy's isclose's
        return np.abs(parse_numbers(table[self.time]) - self.horizon) <= reach


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class FabricationFit:
    """Whether no group differs from others more than in the original.

    Attributes:
        groups: columns by whose values rows are grouped.
        values: columns of numbers whose means are compared.
        free: excess that is not counted.
        scale: excess that leaves nothing.
    """

    groups: tuple[str, ...]
    values: tuple[str, ...]
    free: float = 0.08
    scale: float = 0.5

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return 1 less the mean penalty; the detail holds each pair's."""
        del given
        penalties: dict[str, float] = {}
        for name in self.values:
            before = parse_numbers(original[name])
            after = np.clip(parse_numbers(released[name]), before.min(), before.max())
            deviation = float(before.std())
            if deviation <= 1e-9:
                continue
            for group in self.groups:
                own, other = _spread_means(before, original[group]), _spread_means(after, released[group])
                excess = max(0.0, (other - own) / deviation - self.free)
                penalties[f"{group} {name}"] = min(1.0, excess / self.scale)
        mean = float(np.mean(list(penalties.values()))) if penalties else 0.0
        return Score(value=1 - mean, direction=Direction.MORE, detail=penalties)


def _spread_means(values: Floats, groups: pl.Series) -> float:
    """Return the deviation of the group means, weighted by the groups' sizes."""
    codes = groups.cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
    counts = np.bincount(codes)
    means = np.bincount(codes, weights=values) / counts
    return float(np.sqrt(counts @ (means - values.mean()) ** 2 / len(values)))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DistinctRows:
    """Whether nobody is counted twice."""

    scale: float = 0.2

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return what is left; the detail holds the share of repeated rows."""
        del original, given
        repeated = (released.height - released.n_unique()) / released.height
        return Score(value=1 - min(1.0, repeated / self.scale), direction=Direction.MORE, detail={"repeated": repeated})


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Novelty:
    """Whether rows are not just taken from the background that everybody has.

    Attributes:
        columns: in which rows are compared.
        free: d, what samples differ by chance.
    """

    columns: tuple[str, ...]
    free: float = 0.0534

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return what is left; the detail holds D+."""
        background = stack_numbers(given[BACKGROUND], self.columns)
        spread = background.std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        tree = cKDTree((background - background.mean(axis=0)) / spread)
        near, near_before = (
            np.asarray(tree.query((stack_numbers(table, self.columns) - background.mean(axis=0)) / spread)[0])
            for table in (released, original)
        )
        excess = measure_gap(near, near_before, above=True)
        value = 1 - max(0.0, excess - self.free) / (1 - self.free)
        return Score(value=value, direction=Direction.MORE, detail={"excess": excess})

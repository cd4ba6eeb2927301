"""Kruskal-Wallis tests between groups: d3 of the contest of 2025.

Rows fall into groups by the bounds of one column (from each bound up to the next, the last group open). For every
measured column and groups of at least two rows, with H the tie-corrected statistic, N rows and df = groups - 1:

    H / its largest value without ties,   (2/pi) arctan(-log10 p / 10),   (H - df)/(N - df),   (H - df)/(N - 1),
    between-group share of the ranks' variance,   A over pairs of groups,   2|A - 1/2| over pairs of groups

clipped to 0..1; A is Vargha and Delaney's, P(X > Y) + P(X = Y)/2, weighted by the product of the sizes. Where p is too
small to be written, the cube-root approximation of Wilson and Hilferty takes its place.
d3 is the largest absolute difference between the files; what is undefined counts 0. Less is better.

Source: PWS Cup 2025, programs KW_IND and KW_IND_diff; Kruskal, Wallis, JASA 47 (1952); Vargha, Delaney, J. Educational
and Behavioral Statistics 25 (2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from scipy.special import chdtrc, log_ndtr
from scipy.stats import rankdata

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.number_columns import Floats, compare_terms, find_largest, parse_numbers
from sekisho.words import Said

FIGURES = ("h", "p", "epsilon", "eta", "rank_eta", "superiority", "separation")


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RankTestDifference:
    """The largest difference of a figure of the tests.

    Attributes:
        group: the column by whose bounds rows are grouped.
        bounds: where each group begins, ascending.
        columns: those that are tested.
        least: rows a group must have to count.
        scale: of -log10 p.
    """

    group: str
    bounds: tuple[float, ...]
    columns: tuple[str, ...]
    least: int = 2
    scale: float = 10.0

    def __post_init__(self) -> None:
        if len(self.bounds) < 2 or list(self.bounds) != sorted(set(self.bounds)):
            raise ParameterError("bounds", Said("be two or more, ascending"), self.bounds)

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return d3; the detail holds the difference of each figure of each column."""
        del given
        differences = compare_terms(self.compute_terms(original), self.compute_terms(released))
        return Score(value=find_largest(differences), detail=differences)

    def compute_terms(self, table: pl.DataFrame) -> dict[str, float]:
        """Return each figure of each column."""
        by = parse_numbers(table[self.group])
        group = np.searchsorted(np.array(self.bounds), by, side="right") - 1
        group[~np.isfinite(by)] = -1
        terms: dict[str, float] = {}
        for name in self.columns:
            values = parse_numbers(table[name])
            told = (group >= 0) & np.isfinite(values)
            parts = [values[told & (group == each)] for each in range(len(self.bounds))]
            figures = self._test([part for part in parts if len(part) >= self.least])
            terms |= {f"{figure} {name}": value for figure, value in zip(FIGURES, figures, strict=True)}
        return terms

    def _test(self, parts: list[Floats]) -> tuple[float, ...]:
        if len(parts) < 2:
            return (0.0,) * len(FIGURES)
        sizes = np.array([len(part) for part in parts])
        ranks = rankdata(np.concatenate(parts))
        total, middle = float(sizes.sum()), (len(ranks) + 1) / 2
        means = np.add.reduceat(ranks, np.cumsum(sizes) - sizes) / sizes
        between = float(sizes @ (means - middle) ** 2)
        spread = float(((ranks - middle) ** 2).sum())
        if not spread:
            return (0.0,) * len(FIGURES)
        h, df = (total - 1) * between / spread, len(parts) - 1
        starts = np.cumsum(sizes) - sizes
        most = 12 / (total * (total + 1)) * float(sizes @ (starts + (sizes + 1) / 2 - middle) ** 2)
        superiority, separation = _compare_groups(parts)
        return (
            float(np.clip(h / most, 0, 1)),
            2 / np.pi * float(np.arctan(_take_logarithm(h, df) / self.scale)),
            float(np.clip((h - df) / (total - df), 0, 1)) if total > df else 0.0,
            float(np.clip((h - df) / (total - 1), 0, 1)),
            between / spread,
            superiority,
            separation,
        )


def _take_logarithm(h: float, df: int) -> float:
    """Return -log10 of the chance of a chi-square above h."""
    chance = float(chdtrc(df, h))
    if chance > 0:
        return max(0.0, -float(np.log10(chance)))
    normal = ((h / df) ** (1 / 3) - (1 - 2 / (9 * df))) / np.sqrt(2 / (9 * df))
    return -float((log_ndtr(-abs(normal)) + np.log(2)) / np.log(10))


def _compare_groups(parts: list[Floats]) -> tuple[float, float]:
    """Return the mean A over pairs of groups, and the mean 2|A - 1/2|, weighted by the product of the sizes."""
    figures: list[tuple[int, float]] = []
    for one, two in combinations(parts, 2):
        ordered = np.sort(two)
        below = np.searchsorted(ordered, one, side="left").sum()
        upto = np.searchsorted(ordered, one, side="right").sum()
        weight = len(one) * len(two)
        figures.append((weight, float(below + upto) / 2 / weight))
    weights, values = np.array([weight for weight, _ in figures]), np.array([value for _, value in figures])
    return (
        float(np.average(values, weights=weights)),
        float(np.average(2 * np.abs(values - 0.5), weights=weights)),
    )

"""Is a synthetic table shaped like the original? Columns one by one, in pairs, and all together (contest of 2026).

``marginal``  mean over numbers of 1 - KS (Kolmogorov and Smirnov's largest gap of the distributions) and over
              categories of 1 - total variation.
``spearman``  with d the absolute differences of Spearman's rank correlations of all pairs of columns:
              min(1 - mean(d)/a, 1 - (90 % point of d)/b), clipped to 0..1. A correlation that is undefined in both
              tables is left out, in one of them it differs by 1.
``pmse``      a logistic regression tells release from original; with p its chances and c the release's share of rows:
              1 - mean (p - c)^2 / (c (1 - c)). Numbers are standardised over both tables. Where the likelihood has no
              maximum the fit has a ridge penalty of 1/2 |w|^2, the constant included.

More is better. Source: PWS Cup 2026, utility, U_gen; Woo et al., "Global measures of data utility", J. Privacy and
Confidentiality 1 (2009).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import expit
from scipy.stats import rankdata

from sekisho.parameters import checked
from sekisho.utility.records.linear_models import fit_logit
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.number_columns import Floats, parse_numbers, stack_numbers

STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class MarginalFit:
    """How well the columns' distributions agree, in the mean."""

    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the mean; the detail holds each column's."""
        del given
        parts = {
            name: 1 - measure_gap(parse_numbers(released[name]), parse_numbers(original[name])) for name in self.numbers
        }
        parts |= {name: 1 - _measure_variation(original[name], released[name]) for name in self.categories}
        return Score(value=float(np.mean(list(parts.values()))), direction=Direction.MORE, detail=parts)


def measure_gap(one: Floats, two: Floats, *, above: bool = False) -> float:
    """Return the largest gap of two distribution functions; with ``above`` that by which the first exceeds."""
    points = np.concatenate([one, two])
    first, second = (np.searchsorted(np.sort(values), points, side="right") / len(values) for values in (one, two))
    gaps = first - second
    return max(0.0, float(gaps.max())) if above else float(np.abs(gaps).max())


def _measure_variation(one: pl.Series, two: pl.Series) -> float:
    shares: dict[str, float] = {}
    for column, sign in ((one, 1), (two, -1)):
        counts = column.cast(pl.String).value_counts(name="count")
        for value, count in zip(counts[column.name].to_list(), counts["count"].to_list(), strict=True):
            shares[value] = shares.get(value, 0.0) + sign * count / len(column)
    return sum(map(abs, shares.values())) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RankCorrelationFit:
    """How well the rank correlations agree.

    Attributes:
        columns: those that are correlated.
        mean_scale: a, the mean difference that leaves nothing.
        tail_scale: b, the same of the upper quantile.
        quantile: which.
    """

    columns: tuple[str, ...]
    mean_scale: float = 0.4
    tail_scale: float = 0.8
    quantile: float = 0.9

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the lesser of both parts; the detail holds the mean difference and the quantile."""
        del given
        one, two = (_correlate_ranks(stack_numbers(table, self.columns)) for table in (original, released))
        pairs = np.triu_indices(len(self.columns), k=1)
        before, after = one[pairs], two[pairs]
        told = np.isfinite(before), np.isfinite(after)
        gaps = np.where(told[0] & told[1], np.abs(np.nan_to_num(after) - np.nan_to_num(before)), 1.0)
        gaps = gaps[told[0] | told[1]]
        mean, tail = (float(gaps.mean()), float(np.quantile(gaps, self.quantile))) if len(gaps) else (0.0, 0.0)
        value = float(np.clip(min(1 - mean / self.mean_scale, 1 - tail / self.tail_scale), 0, 1))
        return Score(value=value, direction=Direction.MORE, detail={"mean": mean, "tail": tail})


def _correlate_ranks(numbers: Floats) -> Floats:
    ranks = rankdata(numbers, axis=0)
    moved = ranks - ranks.mean(axis=0)
    scale = np.sqrt((moved**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (moved.T @ moved) / np.outer(scale, scale)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class PropensityFit:
    """How little a logistic regression can tell release and original apart.

    Attributes:
        numbers: columns that are standardised.
        flags: columns of 0 and 1 that are taken as they are.
    """

    numbers: tuple[str, ...]
    flags: tuple[str, ...] = ()

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the share that cannot be told; the detail holds the mean squared error itself."""
        del given
        columns = np.concatenate([stack_numbers(table, self.numbers + self.flags) for table in (released, original)])
        measured = columns[:, : len(self.numbers)]
        spread = measured.std(axis=0)
        columns[:, : len(self.numbers)] = (measured - measured.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        answer = np.arange(len(columns)) < released.height
        share = released.height / len(columns)
        error = float(np.mean((_fit_chances(columns, answer) - share) ** 2))
        value = float(np.clip(1 - error / (share * (1 - share)), 0, 1))
        return Score(value=value, direction=Direction.MORE, detail={"error": error})


def _fit_chances(columns: Floats, answer: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Floats:
    design = np.column_stack([np.ones(len(columns)), columns])
    model = fit_logit(columns, answer) if np.linalg.matrix_rank(design) == design.shape[1] else None
    if model is not None:
        return np.asarray(expit(model.predict(columns)))
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chances = np.asarray(expit(design @ weights))
        gradient = design.T @ (chances - answer) + weights
        curvature = (design.T * (chances * (1 - chances))) @ design + np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-10:
            break
    return np.asarray(expit(design @ weights))

"""Do times to an event still tell the same? Curves and proportional hazards (contest of 2026).

``km``   the area between the Kaplan-Meier curves of both tables up to a horizon, by trapezoids over the union of their
         times, less a floor for what samples differ by chance, over the area above the original's curve:
         1 - max(0, area - floor) / integral (1 - S), clipped.
``cox``  an unpenalised Cox model (ties by Efron's method) on each table. Of each coefficient 0 if one is significant at
         95 % and the other is not, or both are with opposite signs; else the overlap of the two intervals, the mean of
         its shares of both widths, clipped. The mean over coefficients is one part. The other: the concordance of the
         release's model on the original less 1/2, over the same of the original's own model. The lesser of both; 0
         where a model does not come to a maximum.

More is better. Source: PWS Cup 2026, utility, U_gen and U_spec; Kaplan, Meier, JASA 53 (1958); Cox, JRSS B 34 (1972);
Efron, JASA 72 (1977); Karr et al., "A framework for evaluating the utility of data altered to protect
confidentiality", American Statistician 60 (2006) (interval overlap).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from sekisho.parameters import checked
from sekisho.seeds import Seed
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.number_columns import Floats, parse_numbers
from sekisho.utility.tables.tails import BACKGROUND

STEPS, HALVINGS, FIRST = 100, 30, 0.95
NEAR, FAR, STILL = 1e-7, 0.1, 1e-9
UNKNOWN = 1e3
"""A standard error, in standard deviations of the column, above which the likelihood has run off to infinity."""
LOWEST = 1e-6
"""Logarithms are taken of at least this."""
NO_SIGNAL = 0.02
Z95 = float(ndtri(0.975))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CurveFit:
    """How well the curves of people without the event agree.

    Attributes:
        time: the column of times.
        event: that of 0 and 1: whether the event came then.
        horizon: up to which the curves are compared.
        floor: area that is not counted.
        draws: where above 0, the floor is what the curves of so many pairs of disjoint samples of the background, as
            large as the original, differ by in the mean.
    """

    time: str
    event: str
    horizon: float
    floor: float = 0.0
    draws: int = 0

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the agreement; the detail holds the area between the curves and that above the original's."""
        floor = self._estimate_floor(given[BACKGROUND], original.height) if self.draws else self.floor
        (time, event), (other, other_event) = (
            (parse_numbers(table[self.time]), parse_numbers(table[self.event])) for table in (original, released)
        )
        area = measure_area((time, event), (other, other_event), horizon=self.horizon)
        nobody = (np.array([self.horizon]), np.zeros(1))
        signal = measure_area((time, event), nobody, horizon=self.horizon)
        value = float(np.clip(1 - max(0.0, area - floor) / max(signal, 1e-9), 0, 1))
        return Score(value=value, direction=Direction.MORE, detail={"area": area, "signal": signal})

    def _estimate_floor(self, background: pl.DataFrame, rows: int) -> float:
        rng, size = Seed(0).child("curves").rng(), min(rows, background.height // 2)
        time, event = parse_numbers(background[self.time]), parse_numbers(background[self.event])
        areas: list[float] = []
        for _ in range(self.draws):
            order = rng.permutation(background.height)
            one, two = order[:size], order[size : 2 * size]
            areas.append(measure_area((time[one], event[one]), (time[two], event[two]), horizon=self.horizon))
        return float(np.mean(areas))


def measure_area(one: tuple[Floats, Floats], two: tuple[Floats, Floats], *, horizon: float) -> float:
    """Return the area between the curves of two samples of times and events."""
    times = np.union1d(one[0], two[0])
    grid = np.union1d(times[times <= horizon], [0.0, horizon])
    return float(np.trapezoid(np.abs(draw_curve(*one, grid) - draw_curve(*two, grid)), grid))


def draw_curve(time: Floats, event: Floats, grid: Floats) -> Floats:
    """Return the Kaplan-Meier estimate of the share without the event at some times."""
    moments, place = np.unique(time, return_inverse=True)
    left = np.cumsum(np.bincount(place)[::-1])[::-1]
    share = np.cumprod(1 - np.bincount(place, weights=event) / left)
    return np.concatenate([[1.0], share])[np.searchsorted(moments, grid, side="right")]


def estimate_curve_floor(
    time: Floats, event: Floats, *, horizon: float, percent: float, draws: int, rng: np.random.Generator
) -> float:
    """Return the percentile of the area between curves of two samples drawn with replacement from one table."""
    areas: list[float] = []
    for _ in range(draws):
        one, two = (rng.integers(len(time), size=len(time)) for _ in range(2))
        areas.append(measure_area((time[one], event[one]), (time[two], event[two]), horizon=horizon))
    return float(np.percentile(areas, percent))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class HazardFit:
    """How well the conclusions of a Cox model agree.

    Attributes:
        time: the column of times.
        event: that of 0 and 1.
        columns: those that explain, as they are.
        logarithms: those that explain by their logarithm.
    """

    time: str
    event: str
    columns: tuple[str, ...]
    logarithms: tuple[str, ...] = ()

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the agreement; the detail holds both parts and the coefficients."""
        del given
        own, other = (self._fit(table) for table in (original, released))
        if own is None or other is None:
            return Score(value=0.0, direction=Direction.MORE, detail={"converged": 0.0})
        detail = {"converged": 1.0}
        shares: list[float] = []
        for place, name in enumerate(self.columns + self.logarithms):
            shares.append(_overlap(own[0][place], own[1][place], other[0][place], other[1][place]))
            detail |= {f"original {name}": own[0][place], f"released {name}": other[0][place]}
            detail[f"share {name}"] = shares[-1]
        time, event = parse_numbers(original[self.time]), parse_numbers(original[self.event])
        design = self._build(original)
        ceiling, reached = (measure_concordance(time, event, design @ fit[0]) for fit in (own, other))
        room = ceiling - 0.5
        kept = 1.0 if room < NO_SIGNAL else float(np.clip((reached - 0.5) / room, 0, 1))
        detail |= {"overlap": float(np.mean(shares)), "concordance": reached, "ceiling": ceiling, "kept": kept}
        return Score(value=min(detail["overlap"], kept), direction=Direction.MORE, detail=detail)

    def _build(self, table: pl.DataFrame) -> Floats:
        logs = [np.log(np.maximum(parse_numbers(table[name]), LOWEST)) for name in self.logarithms]
        return np.stack([*(parse_numbers(table[name]) for name in self.columns), *logs], axis=1)

    def _fit(self, table: pl.DataFrame) -> tuple[Floats, Floats] | None:
        return fit_hazards(self._build(table), parse_numbers(table[self.time]), parse_numbers(table[self.event]))


def _overlap(one: float, one_error: float, two: float, two_error: float) -> float:
    low, high = one - Z95 * one_error, one + Z95 * one_error
    low_two, high_two = two - Z95 * two_error, two + Z95 * two_error
    certain, certain_two = low > 0 or high < 0, low_two > 0 or high_two < 0
    if certain is not certain_two or (certain and one * two < 0):
        return 0.0
    shared = min(high, high_two) - max(low, low_two)
    return float(np.clip(0.5 * (shared / (high - low) + shared / (high_two - low_two)), 0, 1))


def fit_hazards(columns: Floats, time: Floats, event: Floats) -> tuple[Floats, Floats] | None:
    """Return coefficients and standard errors of a Cox model by Newton's method, or None where there is no maximum.

    Columns are standardised. Steps are 0.95 of Newton's until three in a row have become shorter, then whole, and end
    where the next would be below 1e-7, gain less than that, or the likelihood stands still to 1e-9: as in lifelines,
    which the contest uses, so that the figures agree although both stop some 1e-6 before the maximum.
    """
    spread = columns.std(axis=0, ddof=1)
    if not event.any() or not np.isfinite(columns).all() or not (spread > 0).all():
        return None
    order = np.argsort(-time, kind="stable")
    scaled, happened = ((columns - columns.mean(axis=0)) / spread)[order], event[order] > 0
    ends = np.flatnonzero(np.append(np.diff(-time[order]) != 0, True))
    weights, part, before, sizes = np.zeros(columns.shape[1]), FIRST, 0.0, list[float]()
    for _ in range(STEPS):
        value, gradient, curvature = _expand(scaled, happened, ends, weights)
        try:
            step = np.asarray(np.linalg.solve(curvature, gradient), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        size = float(np.linalg.norm(step))
        still = before < 0 and abs(value - before) < STILL * -before
        if still or size < NEAR or float(gradient @ step) < 2 * NEAR:
            return _scale_back(weights, curvature, spread) if size < FAR else None
        before, sizes = value, [*sizes[-2:], size]
        if len(sizes) == 3 and sizes[0] > sizes[1] > sizes[2]:
            part = 1.0
        weights = _climb(scaled, happened, ends, weights, part * step, value)
        if not np.isfinite(weights).all() or float(np.abs(weights).max()) > UNKNOWN:
            return None
    return None


def _scale_back(weights: Floats, curvature: Floats, spread: Floats) -> tuple[Floats, Floats] | None:
    """Return what the standardised columns' weights say of the columns; None where hardly anything is known of one."""
    if np.linalg.cond(curvature) > 1e12:
        return None
    variance = np.diag(np.linalg.inv(curvature))
    known = (variance > 0) & (variance < UNKNOWN**2)
    return (weights / spread, np.sqrt(variance) / spread) if known.all() else None


def _climb(
    scaled: Floats, happened: NDArray[np.bool_], ends: NDArray[np.intp], weights: Floats, step: Floats, value: float
) -> Floats:
    """Return the weights after as much of a step as makes the data likelier."""
    part = 1.0
    for _ in range(HALVINGS):
        moved = weights + part * step
        if _expand(scaled, happened, ends, moved)[0] >= value - 1e-12 * abs(value):
            return moved
        part /= 2
    return weights + step


def _expand(
    scaled: Floats, happened: NDArray[np.bool_], ends: NDArray[np.intp], weights: Floats
) -> tuple[float, Floats, Floats]:
    """Return the log partial likelihood by Efron's method, its gradient and its negative curvature.

    Rows come with descending times; ``ends`` is the last row of each time. At a time with d events the risk set counts
    whole but for its events, of which l/d are taken away in the l-th factor, l = 0 .. d - 1.
    """
    odds = scaled @ weights
    risk = np.exp(odds - odds.max())
    first = risk[:, None] * scaled
    sums = np.cumsum(risk), np.cumsum(first, axis=0)
    width = scaled.shape[1]
    second = np.zeros((width, width))
    value, gradient, curvature = float(odds[happened].sum()), scaled[happened].sum(axis=0), np.zeros((width, width))
    start = 0
    for end in ends.tolist():
        rows = slice(start, end + 1)
        second += first[rows].T @ scaled[rows]
        own = np.flatnonzero(happened[rows]) + start
        start = end + 1
        if not len(own):
            continue
        away = np.arange(len(own)) / len(own)
        total = sums[0][end] - away * risk[own].sum()
        mean = (sums[1][end] - away[:, None] * first[own].sum(axis=0)) / total[:, None]
        tied = first[own].T @ scaled[own]
        value -= float((np.log(total) + odds.max()).sum())
        gradient = gradient - mean.sum(axis=0)
        curvature += second * (1 / total).sum() - tied * (away / total).sum() - mean.T @ mean
    return value, gradient, curvature


def measure_concordance(time: Floats, event: Floats, risk: Floats) -> float:
    """Return how often, of two people of whom one is known to be first, it is the one of higher risk; ties count half.

    Harrell's index: at equal times an event comes before a censored one. 1/2 where no pair is known.
    """
    earlier = (time[:, None] < time[None]) | ((time[:, None] == time[None]) & (event[None] == 0))
    known = earlier & (event[:, None] > 0)
    np.fill_diagonal(known, False)
    higher = (risk[:, None] > risk[None]) + 0.5 * (risk[:, None] == risk[None])
    pairs = int(known.sum())
    return float((higher * known).sum() / pairs) if pairs else 0.5

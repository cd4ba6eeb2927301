"""Repair a release of borrowed records until its odds ratios and cross tables are the original's again.

At the original's coefficients b the release D has the score s = sum over D of x (y - p(x)), and to first order its own
coefficients are b + H^-1 s with D's information H. So D has the original's odds ratios exactly when s = 0, and s is a
plain sum over rows: giving one row another partner's values changes it by a known vector. A local search draws rows and
partners by chance and keeps a change that lowers

    sum_k max(0, |(H^-1 s)_k| / t_k - 1)^2  +  sum over cells of the cross tables of max(0, |change| / t - 1)^2,

with t_k the change of coefficient k that moves its odds ratio by the aim. H is taken anew after each pass; where the
fitted odds ratios still miss the limit, the aim is tightened. Every value stays a partner's, so Iloss never breaks, and
few rows are touched, so what the adversary sees stays as random as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.partners import Partners
from sekisho.errors import InfeasibleError
from sekisho.kernels import njit
from sekisho.safety.terms import RecordTerms
from sekisho.utility.records.odds import code_treatments, fit_logistic, mark_outcomes
from sekisho.utility.records.rate import RateChange, settle_explaining, settle_outcome
from sekisho.words import Said

PASSES = 6
SAFE = 0.95
TIGHTER = 0.7
DRAWS = 60_000


class RepairTarget(NamedTuple):
    """What the rows' values add up to and where the sums should be."""

    score: NDArray[np.float64]
    cells: NDArray[np.int64]
    wanted: NDArray[np.float64]
    tolerance: NDArray[np.float64]
    slack: float


@dataclass(frozen=True, kw_only=True)
class Repair:
    """How close to the limits a repaired release should come: shares of the limits on odds ratios and cross tables."""

    odds_share: float = 0.6
    rate_share: float = 0.7

    def repair_sources(
        self,
        rules: RecordTerms,
        data: Dataset,
        nearby: Partners,
        source: NDArray[np.int64],
        kept: NDArray[np.int64],
        *,
        rng: np.random.Generator,
        round_name: str = "",
    ) -> NDArray[np.int64]:
        """Return whose values each record should bear instead."""
        limits, measures = rules.find_round(round_name), rules.measures
        if limits.odds is None and limits.rate is None:
            return source  # nothing is to be kept
        _, design = code_treatments(data, settle_explaining(data.schema, measures.explaining))
        answer = mark_outcomes(data, settle_outcome(data.schema, measures.outcome))
        odds, rate = (np.inf if limit is None else limit for limit in (limits.odds, limits.rate))
        beta = fit_logistic(design, answer)
        if beta is None:
            raise InfeasibleError(Said("the original itself is perfectly separated: it has no odds ratios to keep"))
        chance = 1.0 / (1.0 + np.exp(-design @ beta))
        measure = RateChange(outcome=measures.outcome, columns=measures.explaining, cuts=measures.cuts)
        cells, wanted = measure.place_records(data)
        target = RepairTarget(
            score=design * (answer - chance)[:, None],
            cells=cells,
            wanted=wanted,
            tolerance=self.odds_share * odds / np.exp(beta),
            slack=self.rate_share * rate,
        )
        repaired, weight = source.copy(), chance * (1.0 - chance)
        for _ in range(PASSES):
            left = repaired[kept]
            information = design[left].T @ (design[left] * weight[left][:, None])
            inverse: NDArray[np.float64] = np.linalg.pinv(information).astype(np.float64)
            rows = kept[rng.integers(0, len(kept), DRAWS)]
            excess = _search_repair(
                repaired, kept, nearby.offsets, nearby.rows, target, inverse, rows, rng.random(DRAWS)
            )
            again = fit_logistic(design[repaired[kept]], answer[repaired[kept]])
            gap = np.inf if again is None else float(np.abs(np.exp(again) - np.exp(beta)).max())
            if excess == 0 and gap <= SAFE * odds:
                break
            target = target._replace(tolerance=target.tolerance * TIGHTER)
        return repaired


@njit(cache=True, nogil=True)
def _sum_excess(
    score: NDArray[np.float64],
    counts: NDArray[np.float64],
    size: int,
    target: RepairTarget,
    inverse: NDArray[np.float64],
) -> float:
    total = 0.0
    for k in range(len(score)):
        move = 0.0
        for m in range(len(score)):
            move += inverse[k, m] * score[m]
        over = abs(move) / target.tolerance[k] - 1.0
        if over > 0:
            total += over * over
    for c in range(len(counts)):
        over = abs(counts[c] / size - target.wanted[c]) / target.slack - 1.0
        if over > 0:
            total += over * over
    return total


@njit(cache=True, nogil=True)
def _count_cells(counts: NDArray[np.float64], cells: NDArray[np.int64], times: int) -> None:
    for cell in cells:
        if cell >= 0:
            counts[cell] += times


@njit(cache=True, nogil=True)
def _search_repair(
    source: NDArray[np.int64],
    kept: NDArray[np.int64],
    offsets: NDArray[np.int64],
    partners: NDArray[np.int32],
    target: RepairTarget,
    inverse: NDArray[np.float64],
    rows: NDArray[np.int64],
    chance: NDArray[np.float64],
) -> float:
    """Change ``source`` in place; return what is left of the excess."""
    score, counts = np.zeros(target.score.shape[1]), np.zeros(len(target.wanted))
    for row in kept:
        score += target.score[source[row]]
        _count_cells(counts, target.cells[source[row]], 1)
    best = _sum_excess(score, counts, len(kept), target, inverse)
    for draw in range(len(rows)):
        if best == 0.0:
            break
        row = rows[draw]
        first, last = offsets[row], offsets[row + 1]
        if first == last:
            continue
        old, new = source[row], partners[first + int(chance[draw] * (last - first))]
        trial, tally = score + target.score[new] - target.score[old], counts.copy()
        _count_cells(tally, target.cells[old], -1)
        _count_cells(tally, target.cells[new], 1)
        now = _sum_excess(trial, tally, len(kept), target, inverse)
        if now < best:
            best, score, counts = now, trial, tally
            source[row] = new
    return best

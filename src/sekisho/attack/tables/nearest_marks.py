"""Mark the candidates that lie nearest to the release: membership by distance.

The adversary has the release and many candidates, so many of whom are members. Columns are standardised by the
candidates, categories become indicators; a candidate's score is the distance to the nearest released row, with
``relative`` less that to the nearest of other candidates: a member stands nearer to the release than his neighbourhood
explains. The lowest scores are marked.

Source: Chen et al., "GAN-Leaks", CCS 2020 (distance, and its calibration by a reference).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.parameters import checked

Singles = NDArray[np.float32]
BLOCK = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NearestMarks:
    """The attack.

    Attributes:
        marked: how many candidates are marked.
        relative: whether the nearest candidate's distance is taken off.
        compared: with how many candidates at most.
    """

    marked: int
    relative: bool = False
    compared: int = 10_000

    def guess(self, candidates: pl.DataFrame, released: pl.DataFrame) -> NDArray[np.bool_]:
        """Return which candidates are marked."""
        points, made = _place(candidates, released)
        score = _find_nearest(points, made, own=False)
        if self.relative:
            step = max(1, len(points) // self.compared)
            score = score - _find_nearest(points, points[::step], own=True)
        answer = np.zeros(len(points), dtype=np.bool_)
        answer[np.argsort(score, kind="stable")[: self.marked]] = True
        return answer


def _place(candidates: pl.DataFrame, released: pl.DataFrame) -> tuple[Singles, Singles]:
    """Return both tables as points: numbers in standard deviations of the candidates, categories as indicators."""
    parts: list[Singles] = []
    for name in candidates.columns:
        both = pl.concat([candidates[name].cast(pl.String), released[name].cast(pl.String)])
        numbers = both.cast(pl.Float64, strict=False)
        if numbers.null_count():
            values = both.unique().sort().to_list()
            parts.append(np.stack([(both == value).to_numpy() for value in values], axis=1).astype(np.float32))
            continue
        column = numbers.to_numpy().astype(np.float64)
        spread = float(column[: candidates.height].std()) or 1.0
        parts.append(((column - column[: candidates.height].mean()) / spread)[:, None].astype(np.float32))
    points = np.concatenate(parts, axis=1)
    return points[: candidates.height], points[candidates.height :]


def _find_nearest(points: Singles, others: Singles, *, own: bool) -> Singles:
    """Return each point's distance to the nearest other; with ``own`` the point itself may be among the others."""
    squares = (others**2).sum(axis=1)
    nearest: list[Singles] = []
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        distance = (block**2).sum(axis=1)[:, None] + squares - 2 * block @ others.T
        if own:
            distance[distance < 1e-3] = np.inf
        nearest.append(distance.min(axis=1))
    return np.sqrt(np.maximum(np.concatenate(nearest), 0))

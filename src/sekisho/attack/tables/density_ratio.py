"""Membership by a ratio of densities: does the release stand thicker around a person than people in general do?

The adversary has the release C, a background table of other people, and the columns of those he asks about. With kernel
densities p_C and p_A (Gaussian, Scott's width, over columns standardised by the background) his confidence is
r/(1 + r), r = p_C/p_A. A release that remembers its members is denser around them. Where a density cannot be estimated,
since the rows lie in fewer dimensions than there are columns, he says 1/2 of everybody.

Source: van Breugel et al., "Membership inference attacks against synthetic data through overfitting detection",
AISTATS 2023 (DOMIAS); PWS Cup 2026, reference attack.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import gaussian_kde

from sekisho.parameters import checked

Floats = NDArray[np.float64]
LEAST = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DensityRatio:
    """The attack, over some columns of numbers."""

    columns: tuple[str, ...]

    def guess(self, released: pl.DataFrame, background: pl.DataFrame, people: pl.DataFrame) -> Floats:
        """Return for each person the confidence that he is a member."""
        around, made, asked = (_stack(table, self.columns) for table in (background, released, people))
        spread = around.std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        mean = around.mean(axis=0)
        around, made, asked = (around - mean) / spread, (made - mean) / spread, (asked - mean) / spread
        try:
            inside, outside = (np.asarray(gaussian_kde(rows.T)(asked.T)) for rows in (made, around))
        except np.linalg.LinAlgError:
            return np.full(len(asked), 0.5)
        ratio = inside / np.maximum(outside, LEAST)
        return ratio / (1 + ratio)


def _stack(table: pl.DataFrame, columns: tuple[str, ...]) -> Floats:
    return table.select(pl.col(name).cast(pl.Float64) for name in columns).to_numpy().astype(np.float64)

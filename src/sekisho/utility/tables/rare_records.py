"""Are the rare people of the contest of 2026 still there, and still like themselves?

A row is found to be rare if its Mahalanobis distance by mean and covariance of the background is at least a limit. With
m the share found in the original (B) and in the release (C), and the truly rare people of B marked in a column:

    mass     1 - max(0, |m_C - m_B| - 2 se)/m_B,  se = sqrt(m_B (1 - m_B)/n)
    profile  mean over columns of 1 - KS between the rows found in C and the truly rare of B
    outcome  1 - |difference of their mean outcomes|
    forest   1 - 2|AUC - 1/2| of a random forest that tells them apart (cross-validated)

The last three are divided by the same figure of the rows found in B, and clipped. A part is left out where B has too
few truly rare or found rows to tell (3; forest 8); where only C has too few found rows it is 0: rare people must not be
taken away to avoid the question. The value is the least part that is defined. More is better.

The forest is that of scikit-learn 1.9, tree by tree (:mod:`sekisho.utility.tables.forest`).

Source: PWS Cup 2026, utility, U_rare; Lopez-Paz, Oquab, "Revisiting classifier two-sample tests", ICLR 2017.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.parameters import checked
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.cohort_shape import measure_gap
from sekisho.utility.tables.forest import tell_apart
from sekisho.utility.tables.number_columns import Floats, parse_numbers, stack_numbers
from sekisho.utility.tables.tails import BACKGROUND, Centre

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RareFit:
    """How well rare people are kept.

    Attributes:
        columns: by which a row is near or far, and which are compared.
        rare: the column of the original that marks the truly rare, 1.
        outcome: a column of 0 and 1.
        limit: the distance from which on a row is rare.
        least: rows that profile and outcome need.
        least_forest: rows that the forest needs.
        free: of how many standard errors the share may differ.
        trees: of the forest.
    """

    columns: tuple[str, ...]
    rare: str
    outcome: str
    limit: float
    least: int = 3
    least_forest: int = 8
    free: float = 2.0
    trees: int = 200

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the least part; the detail holds all that are defined."""
        centre = Centre.of(given[BACKGROUND], self.columns)
        before, after = (stack_numbers(table, self.columns) for table in (original, released))
        found_before, found = (centre.measure(numbers) >= self.limit for numbers in (before, after))
        truly = parse_numbers(original[self.rare]) > 0
        outcome, outcome_before = (parse_numbers(table[self.outcome]) for table in (released, original))
        truth = (before[truly], outcome_before[truly])
        own = self._compare_groups((before[found_before], outcome_before[found_before]), truth)
        other = self._compare_groups((after[found], outcome[found]), truth)
        parts = {"mass": self._compare_mass(found_before, found)}
        for name, least in (("profile", self.least), ("outcome", self.least), ("forest", self.least_forest)):
            if min(int(truly.sum()), int(found_before.sum())) >= least and int(found.sum()) < least:
                parts[name] = 0.0
            elif name in own and name in other and own[name] > 1e-6:
                parts[name] = float(np.clip(other[name] / own[name], 0, 1))
        raw = {f"original {name}": value for name, value in own.items()}
        raw |= {f"released {name}": value for name, value in other.items()}
        raw |= {"found": int(found.sum()), "found_before": int(found_before.sum())}
        return Score(value=min(parts.values()), direction=Direction.MORE, detail=parts | raw)

    def _compare_mass(self, before: Flags, after: Flags) -> float:
        share, other = float(before.mean()), float(after.mean())
        error = np.sqrt(share * (1 - share) / len(before))
        return float(np.clip(1 - max(0.0, abs(other - share) - self.free * error) / max(share, 1e-6), 0, 1))

    def _compare_groups(self, some: tuple[Floats, Floats], truth: tuple[Floats, Floats]) -> dict[str, float]:
        rows = min(len(some[0]), len(truth[0]))
        parts: dict[str, float] = {}
        if rows >= self.least:
            gaps = [measure_gap(some[0][:, place], truth[0][:, place]) for place in range(len(self.columns))]
            parts["profile"] = 1 - float(np.mean(gaps))
            parts["outcome"] = 1 - abs(float(some[1].mean()) - float(truth[1].mean()))
        if rows >= max(self.least, self.least_forest):
            area = tell_apart(some[0], truth[0], trees=self.trees)
            parts["forest"] = float(np.clip(1 - 2 * abs(area - 0.5), 0, 1))
        return parts

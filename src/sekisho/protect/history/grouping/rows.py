"""A history laid out for the compiled kernels of ``groups``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import find_gaps
from sekisho.data.frame.spread import Spread, measure_spread
from sekisho.data.history.arrays import History
from sekisho.protect.history.shared_cells import MAX_SET

PRECISION = 1e-9
"""How far below the best factor for spread a computed one may be; rounding stays far within it."""

FAR = 4.0
"""How far below the smallest a missing number stands: a range so wide costs each of its values 1 or more, as ``*``."""


class HistoryRows(NamedTuple):
    """One person's rows after another, one line of memory per attribute; a named tuple, because kernels take those.

    Attributes:
        starts: where each person's rows start, and the end.
        scaled: the numbers above their column's smallest, divided by its standard deviation; one line per column.
        grains: one grid step of each number on that scale.
        tops: the largest of each number on that scale.
        codes: the categories; one line per column.
        max_set: how many values a set may hold.
        apart: what two different categories in one slot cost two people together.
        tolerance: by how much, per row, an assignment of rows may miss the cheapest, that of long histories stretch by
            stretch; 0 for the cheapest.
    """

    starts: NDArray[np.int64]
    scaled: NDArray[np.float64]
    grains: NDArray[np.float64]
    tops: NDArray[np.float64]
    codes: NDArray[np.int32]
    max_set: int
    apart: float
    tolerance: float = 0.0

    @property
    def deletion(self) -> NDArray[np.float64]:
        """What it costs to delete each person altogether: 1 per cell."""
        return np.diff(self.starts) * float(len(self.scaled) + len(self.codes))


def lay_out_rows(history: History, *, max_set: int = MAX_SET) -> HistoryRows:
    """Lay out a history; a column of one value keeps scale 0 and costs nothing."""
    scales = Scales.of([measure_spread(column) for column in history.numbers.T])
    return scales.lay_out(history.starts, history.numbers[history.order], history.codes[history.order], max_set=max_set)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scales:
    """On which scales the numbers of a history are compared, whichever of its rows are looked at.

    Attributes:
        low: the smallest of each number.
        high: the largest.
        factor: 1 over its standard deviation, 0 where that is 0.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    factor: NDArray[np.float64]

    @classmethod
    def of(cls, spreads: Sequence[Spread]) -> Scales:
        """Return the scales of columns."""
        deviation = np.array([each.deviation for each in spreads], dtype=np.float64)
        return cls(
            low=np.array([each.low for each in spreads], dtype=np.int64),
            high=np.array([each.high for each in spreads], dtype=np.int64),
            factor=np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0),
        )

    def scale(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return numbers, a line of them per row, above their column's smallest and over its standard deviation."""
        scaled = (numbers - self.low).astype(np.float64) * self.factor
        gaps = find_gaps(numbers)
        return np.where(gaps, -FAR, scaled) if gaps.any() else scaled

    def lay_out(
        self, starts: NDArray[np.int64], numbers: NDArray[np.int64], codes: NDArray[np.int32], *, max_set: int
    ) -> HistoryRows:
        """Lay out rows that stand one person after another."""
        return HistoryRows(
            starts=starts,
            scaled=np.ascontiguousarray(self.scale(numbers).T),
            grains=np.where(self.factor > 0, self.factor, 1.0),
            tops=self.scale(self.high),
            codes=np.ascontiguousarray(codes.T),
            max_set=max_set,
            apart=1.0 if max_set > 1 else 2.0,
        )


def lift_limits(rows: HistoryRows) -> HistoryRows:
    """Return rows whose ranges may reach beyond the column's values, by as much as the column is wide.

    That is as far as the best range ever wants to: an end moves until the width is at most the square root of 2 times
    the smallest range's.
    """
    return rows._replace(scaled=rows.scaled + rows.tops[:, None], tops=3 * rows.tops)


def stretch_rows(rows: HistoryRows, size: int) -> HistoryRows:
    """Return rows whose pair costs, summed over a group of a size and divided by size - 1, bound the group's cost.

    Numbers move apart by ``spread_factor``, different categories cost 2 (size - 1) / size
    (docs/proofs/history-groups.md, section 4). For pairs nothing changes. Only for pair costs: grid steps and tops are
    not stretched.
    """
    if size == 2:
        return rows
    apart = 2.0 if rows.max_set == 1 else 2 * (size - 1) / size
    return rows._replace(scaled=spread_factor(size) * rows.scaled, apart=apart)


def spread_factor(size: int) -> float:
    """Return the largest r such that values in one range cost r / (size - 1) times their pairs' distances, or more.

    r = (size - 1) / size times the largest L at which the integral over s from 0 to 1 of 1/2 - L/4 + min over f of
    (L f^2 - f s) is not negative, where f runs over the multiples of 1 / size, moved by half a step if the size is odd:
    1 for pairs, 5/4 for three, 6 sqrt(3) - 9 for four, up to 1 + sqrt(2/3) (docs/proofs/history-groups.md, section 4).
    """
    low, high = 1.0, 2.0
    while high - low > PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if _integrate_least(middle, size) >= 0 else (low, middle)
    return low * (size - 1) / size


def _integrate_least(factor: float, size: int) -> float:
    """Return the integral of :func:`spread_factor`, piece by piece: on each one f is best."""
    total, start, share = 0.5 - factor / 4, 0.0, (size % 2) / (2 * size)
    while start < 1:
        end = min(1.0, factor * (2 * share + 1 / size))
        total += factor * share**2 * (end - start) - share * (end**2 - start**2) / 2
        start, share = end, share + 1 / size
    return total

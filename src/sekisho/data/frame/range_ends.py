"""Ends of ranges are values of people: where nearly everybody bears a value of their own, ranges end on a grid.

A range ``[247463607;349407376]`` of numbers that are nearly all distinct holds two of them exactly as they are, and
``[06.12.1945;15.10.1969]`` two birth dates. An end that fewer than three people bear is moved outward: of dates to the
first or the last day of a year, or of a month where people stand close; of numbers to a round one, a multiple of 1, 2
or 5 times a power of ten that is as wide as about three neighbours stand apart, and wider where people are few. An end
that is on the grid does not stand there because it is somebody's. The grid hangs on the values of the original alone,
never on the classes of a release, so that it is the same wherever a release is made; equal ranges stay equal, each
value that a range held it still holds, and no limit that a schema says is passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, drop_gaps
from sekisho.data.frame.dataset import Column, Kind
from sekisho.words import Said

FEWEST_BEARERS = 3
"""An end that fewer people bear is theirs."""
NEARLY_ALL = 0.5
"""A column whose people for so large a share bear a value that is theirs has nearly all values distinct."""
DAYS_OF_YEARS = 60
"""Where three neighbours stand so many days apart, dates end at years, else at months."""
ROUND_DIGITS = (1, 2, 5)
LARGEST_STEP = 10**17


class Calendar(StrEnum):
    """The parts of time at which dates end."""

    YEAR = "Y"
    MONTH = "M"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EndsGrid:
    """Where the ranges of one column end.

    Attributes:
        column: whose.
        values: that people bear, ascending.
        people: how many people bear each.
        step: of numbers, the least step of the grid, in units of the column's last decimal.
        calendar: of dates, where they end.
        low: no end is moved below it.
        high: none above it.
    """

    column: Column
    values: NDArray[np.int64]
    people: NDArray[np.int64]
    step: int = 1
    calendar: Calendar | None = None
    low: int
    high: int

    @property
    def words(self) -> Said:
        """The grid in words."""
        if self.calendar is Calendar.YEAR:
            return Said("whole years")
        if self.calendar is Calendar.MONTH:
            return Said("whole months")
        return Said(
            "multiples of {step:,.12g}, or of more where people are few", step=self.step / 10**self.column.decimals
        )

    def widen(self, cells: RangeCells) -> RangeCells:
        """Return cells whose ranges end on the grid wherever an end is the value of few; exact cells stay."""
        ranges = (cells.lower < cells.upper) & ~cells.suppressed
        if not ranges.any():
            return cells
        low, high = cells.lower.copy(), cells.upper.copy()
        low[ranges] = np.maximum(self._move(cells.lower[ranges], up=False), np.minimum(self.low, cells.lower[ranges]))
        high[ranges] = np.minimum(self._move(cells.upper[ranges], up=True), np.maximum(self.high, cells.upper[ranges]))
        return RangeCells(lower=low, upper=high, suppressed=cells.suppressed)

    def measure_loss(self, cells: RangeCells) -> NDArray[np.float64]:
        """Return the certainty penalty of each cell: its width over that of all values, 1 at most."""
        width = float(self.values[-1] - self.values[0]) or 1.0
        return np.where(cells.suppressed, 1.0, np.minimum(1.0, (cells.upper - cells.lower) / width))

    def _move(self, ends: NDArray[np.int64], *, up: bool) -> NDArray[np.int64]:
        """Return ends moved to the grid, those that enough people bear as they are."""
        place = np.minimum(np.searchsorted(self.values, ends), len(self.values) - 1)
        few = (self.values[place] == ends) & (self.people[place] < FEWEST_BEARERS)
        if self.calendar is not None:
            return np.where(few, _move_date(ends, self.calendar, up=up), ends)
        steps = np.maximum(self.step, round_steps(self._measure_spread(place)))
        below = ends - ends % steps
        return np.where(few, np.where(up & (below < ends), below + steps, below), ends)

    def _measure_spread(self, place: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how far a value's three neighbours stand away, the nearer three of both sides."""
        last = np.cumsum(self.people)
        before = np.searchsorted(last, np.maximum(last[place] - FEWEST_BEARERS, 1))
        after = np.searchsorted(last, np.minimum(last[place] + FEWEST_BEARERS, last[-1]))
        below = (self.values[place] - self.values[before]).astype(np.float64)
        above = (self.values[after] - self.values[place]).astype(np.float64)
        return np.where(below == 0, above, np.where(above == 0, below, np.minimum(below, above)))


def round_steps(widths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each width the largest of 1, 2 or 5 times a power of ten that is not above it; 1 at least."""
    tens = [10**power * digit for power in range(17) for digit in ROUND_DIGITS]
    ladder = np.array(tens, dtype=np.int64)
    return ladder[np.maximum(np.searchsorted(ladder, np.minimum(widths, LARGEST_STEP), side="right") - 1, 0)]


def _move_date(days: NDArray[np.int64], calendar: Calendar, *, up: bool) -> NDArray[np.int64]:
    part = days.astype("datetime64[D]").astype(f"datetime64[{calendar.value}]")
    return (
        ((part + 1).astype("datetime64[D]").astype(np.int64) - 1)
        if up
        else part.astype("datetime64[D]").astype(np.int64)
    )


def count_bearers(values: NDArray[np.int64], owner: NDArray[np.int64] | None = None) -> tuple[NDArray[np.int64], ...]:
    """Return the known values of a column, ascending, and how many people bear each.

    Args:
        values: of each row, on the column's grid.
        owner: whose each row is; None where a row is a person.
    """
    if owner is None:
        known, people = np.unique(drop_gaps(values), return_counts=True)
        return known, people.astype(np.int64)
    pairs = np.unique(np.stack([values, owner]), axis=1)[0]
    return count_bearers(pairs)


def choose_grid(
    column: Column, values: NDArray[np.int64], people: NDArray[np.int64], *, low: int, high: int
) -> EndsGrid | None:
    """Return where the ranges of a column end; None where its ends are no values of few people.

    Args:
        column: of numbers or dates.
        values: that people bear, ascending.
        people: how many people bear each.
        low: the least value that a schema allows.
        high: the largest.
    """
    everybody = int(people.sum())
    if not everybody or int(people[people < FEWEST_BEARERS].sum()) < NEARLY_ALL * everybody:
        return None
    quarter, three = np.searchsorted(np.cumsum(people), [everybody / 4, everybody * 3 / 4])
    spread = float(values[three] - values[quarter]) * 2 * FEWEST_BEARERS / everybody
    if column.kind is Kind.DATE:
        calendar = Calendar.YEAR if spread >= DAYS_OF_YEARS else Calendar.MONTH
        return EndsGrid(column=column, values=values, people=people, calendar=calendar, low=low, high=high)
    step = int(round_steps(np.array([spread]))[0])
    if step == 1:
        return None
    return EndsGrid(column=column, values=values, people=people, step=step, low=low, high=high)


def describe_grids(grids: Mapping[str, EndsGrid]) -> dict[str, object]:
    """Return where ranges end, column by column, as plain data; nothing where they end at values."""
    return {"grid": {name: grid.words for name, grid in grids.items()}} if grids else {}

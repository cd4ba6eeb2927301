"""Traces handed on in circles among people who move alike, and cells moved far away: two plain methods for traces.

*Handed on*: whoever names a pseudonym by how it moves names somebody else of its circle. Somebody who knows the circles
still names one of ``size - 1``; those in no circle he names as before. A circle costs how far its people are apart, so
that circles of near people are made first, until a loss is reached. Where everybody was is kept: whoever asks for
traces, and not for names, finds them.

With ``mixed`` it is drawn anew at each time whose cell one is given: the people of a circle look alike, and nobody's
trace is anywhere as a whole.

*Moved*: cells go to other places of the same person that are far away, a share of all cells, regions that weigh more
first. Who reads such a cell is wrong, and it does not look strange; who guesses where else a person is, may be right.

Nothing is proven by either: what they leave is what attacks on them tell.

Source: PWS Cup 2019, rules Ver 1.4; exchanged traces after Hoh, Gruteser, "Protecting location privacy through path
confusion", SecureComm 2005 (here whole traces, not crossings).
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.region_cells import RegionGrid
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SwapTraces:
    """Hand traces on in circles.

    Attributes:
        person: the column that says whose a row is; everybody has as many rows, person by person.
        column: of the regions.
        grid: where they lie.
        size: of a circle.
        mixed: whether it is drawn anew at each time whose cell one is given, one's own included.
        loss: how far cells may be from where they were, as a mean of min(1, distance / far) over all of them.
        far: kilometres from which on a cell is worth nothing.
    """

    person: str
    column: str
    grid: RegionGrid
    size: int = 4
    mixed: bool = False
    loss: float = 0.3
    far: float = 2.0

    def __post_init__(self) -> None:
        if self.size < 2:
            raise ParameterError("size", Said("be 2 or more"), self.size)
        if not 0 <= self.loss <= 1:
            raise ParameterError("loss", Said("lie between 0 and 1"), self.loss)

    def apply(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the table with traces handed on."""
        traces = table[self.column].cast(pl.Int64).to_numpy().reshape(table[self.person].n_unique(), -1)
        given = np.take_along_axis(traces, self.draw_givers(traces, rng=rng), axis=0)
        return table.with_columns(pl.Series(self.column, given.ravel().astype(str)))

    def draw_givers(self, traces: Ints, *, rng: np.random.Generator) -> Ints:
        """Return for each person and time whose cell he is given; his own where he is in no circle."""
        losses = self._compare(traces)
        people, times = traces.shape
        giver = np.repeat(np.arange(people)[:, None], times, axis=1)
        left = self.loss * people
        for circle in self._gather(losses):
            order = np.repeat(circle[:, None], times, axis=1)
            given = rng.permuted(order, axis=0) if self.mixed else np.roll(rng.permutation(circle), 1)[:, None]
            if not self.mixed:
                order, given = np.roll(given, -1, axis=0), np.repeat(given, times, axis=1)
            cost = float(losses[order, given].mean(axis=1).sum())
            if cost > left:
                break
            left -= cost
            giver[order[:, 0]] = given
        return giver

    def _compare(self, traces: Ints) -> Floats:
        """Return for each two people how much is lost if one gets the other's trace."""
        regions = np.arange(1, self.grid.regions + 1)
        apart = np.minimum(1.0, self.grid.measure(regions[:, None], regions[None, :]) / self.far).astype(np.float32)
        losses = np.zeros((len(traces), len(traces)))
        for row, trace in enumerate(traces - 1):
            losses[row, row + 1 :] = apart[trace[None, :], traces[row + 1 :] - 1].mean(axis=1)
        return losses + losses.T

    def _gather(self, losses: Floats) -> list[Ints]:
        """Return circles of people who are near each other, the nearest first; everybody is in one at most."""
        near = np.argsort(losses + np.diag(np.full(len(losses), np.inf)), axis=1)
        free = np.ones(len(losses), dtype=np.bool_)
        heap = [(float(losses[row, near[row, : self.size - 1]].mean()), row) for row in range(len(losses))]
        heapify(heap)
        circles: list[Ints] = []
        while heap:
            told, row = heappop(heap)
            others = near[row][free[near[row]]][: self.size - 1]
            if not free[row] or len(others) < self.size - 1 or others[-1] == row:
                continue
            now = float(losses[row, others].mean())
            if now > told:  # somebody near has gone into another circle since
                heappush(heap, (now, row))
                continue
            circles.append(np.array([row, *others.tolist()]))
            free[circles[-1]] = False
        return circles


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class MoveAway:
    """Move a share of the cells far away.

    Attributes:
        person: the column that says whose a row is.
        column: of the regions.
        grid: where they lie.
        share: of all cells.
        first: regions whose cells are moved before all others.
        far: how many kilometres at least.
    """

    person: str
    column: str
    grid: RegionGrid
    share: float = 0.3
    first: tuple[int, ...] = ()
    far: float = 2.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ParameterError("share", Said("lie between 0 and 1"), self.share)

    def apply(self, table: pl.DataFrame, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return the table with cells moved."""
        region = table[self.column].cast(pl.Int64).to_numpy()
        order = np.lexsort((rng.random(len(region)), ~np.isin(region, self.first)))
        hidden = np.zeros(len(region), dtype=np.bool_)
        hidden[order[: int(self.share * len(region))]] = True
        person = table[self.person].rank("dense").to_numpy()
        moved = region.copy()
        for each in np.unique(person[hidden]).tolist():
            rows = np.flatnonzero(person == each)
            for row in rows[hidden[rows]].tolist():
                moved[row] = self._draw(int(region[row]), region[rows], rng=rng)
        return table.with_columns(pl.Series(self.column, moved.astype(str)))

    def _draw(self, region: int, own: Ints, *, rng: np.random.Generator) -> int:
        """Return a place of the person's own that is far away and weighs no more, or any that is far away."""
        every = np.arange(1, self.grid.regions + 1)
        for places in (own[~np.isin(own, self.first)], every):
            there = places[self.grid.measure(np.full(len(places), region), places) >= self.far]
            if len(there):
                return int(rng.choice(there))
        return region

"""What the rows of a release say of a hidden value: votes of the cells of a column, by distinct rows of keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_TEXT, RangeCells, find_gaps
from sekisho.data.frame.release import MaskedTable
from sekisho.errors import InfeasibleError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensitiveVotes:
    """What each distinct row of keys says of the sensitive value.

    Attributes:
        domain: of categories; empty of numbers.
        values: of numbers, the distinct middles, doubled to stay whole.
        row: of each vote the distinct row, ascending.
        value: of each vote the place of what it is for.
        weight: how many rows say so; of a set of s values 1/s each.
        low: by distinct row the least number that a cell admits.
        high: the largest.
        open: by distinct row whether some cell says nothing.
    """

    domain: tuple[str, ...]
    values: NDArray[np.int64]
    row: NDArray[np.int64]
    value: NDArray[np.int64]
    weight: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    open: NDArray[np.bool_]

    @classmethod
    def of(cls, release: MaskedTable, name: str, row: NDArray[np.int64]) -> SensitiveVotes:
        """Count what the rows say.

        Raises:
            InfeasibleError: they say nothing.
        """
        cells, rows = release.columns[name], int(row.max(initial=-1)) + 1
        low, high = np.full(rows, np.iinfo(np.int64).max), np.full(rows, np.iinfo(np.int64).min)
        if isinstance(cells, RangeCells):
            silent = cells.suppressed | find_gaps(cells.lower)
            said = np.flatnonzero(~silent)
            values, place = np.unique(cells.lower[said] + cells.upper[said], return_inverse=True)
            np.minimum.at(low, row[said], cells.lower[said])
            np.maximum.at(high, row[said], cells.upper[said])
            domain: tuple[str, ...] = ()
            owner, place, weight = row[said], place.reshape(-1).astype(np.int64), np.ones(len(said))
            kinds = len(values)
        else:
            values, domain, kinds = np.zeros(0, dtype=np.int64), cells.domain, len(cells.domain)
            texts = np.array([text != MISSING_TEXT for text in domain], dtype=np.bool_)
            voters = cells.owners()
            kept = texts[cells.codes]
            silent = cells.suppressed | (np.bincount(voters[kept], minlength=len(cells)) == 0)
            owner, place = row[voters[kept]], cells.codes[kept].astype(np.int64)
            weight = 1.0 / cells.sizes()[voters[kept]]
        if not len(place):
            raise InfeasibleError(Said("the release says nothing of {name}: there is nothing to guess from", name=name))
        both, at = np.unique(owner * kinds + place, return_inverse=True)
        hidden = np.zeros(rows, dtype=np.bool_)
        hidden[row[silent]] = True
        return cls(
            domain=domain,
            values=values,
            row=both // kinds,
            value=both % kinds,
            weight=_sum_weights(at, weight),
            low=low,
            high=high,
            open=hidden,
        )

    def collect(
        self, offsets: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return (person, value, weight) summed over each person's rows, by person and then value."""
        starts = np.searchsorted(self.row, np.arange(len(self.open) + 1))
        sizes = np.diff(starts)[rows]
        owner = np.repeat(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), sizes)
        ends = np.cumsum(sizes)
        vote = np.arange(len(owner)) - np.repeat(ends - sizes, sizes) + np.repeat(starts[:-1][rows], sizes)
        return self._sum(owner, vote)

    def whole(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the same of the whole file, as of one person."""
        return self._sum(np.zeros(len(self.row), dtype=np.int64), np.arange(len(self.row)))

    def _sum(
        self, owner: NDArray[np.int64], vote: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        kinds = max(1, len(self.domain), len(self.values))
        both, at = np.unique(owner * kinds + self.value[vote], return_inverse=True)
        return both // kinds, both % kinds, _sum_weights(at, self.weight[vote])

    def find_open(self, offsets: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell to which people some row says nothing."""
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        return np.bincount(owner[self.open[rows]], minlength=len(offsets) - 1) > 0

    def find_span(
        self, offsets: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the largest number that each person's rows admit; 0 where there are none."""
        some = np.diff(offsets) > 0
        low, high = np.zeros(len(some), dtype=np.int64), np.zeros(len(some), dtype=np.int64)
        if len(rows):
            low[some] = np.minimum.reduceat(self.low[rows], offsets[:-1][some])
            high[some] = np.maximum.reduceat(self.high[rows], offsets[:-1][some])
        return low, high


def choose_middle(
    person: NDArray[np.int64], value: NDArray[np.int64], weight: NDArray[np.float64], people: int
) -> NDArray[np.int64]:
    """Return the lower and the upper middle value of each person, -1 where nothing is said; values ascend."""
    count = np.rint(weight).astype(np.int64)
    total = np.bincount(person, weights=count, minlength=people).astype(np.int64)
    before = np.concatenate([[0], np.cumsum(total)[:-1]])
    upto = np.cumsum(count)
    chosen = np.full((people, 2), -1, dtype=np.int64)
    some = np.flatnonzero(total > 0)
    for place, rank in enumerate(((total + 1) // 2, total // 2 + 1)):
        chosen[some, place] = value[np.searchsorted(upto, (before + rank)[some])]
    return chosen


def _sum_weights(at: NDArray[np.intp], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(at.reshape(-1), weights=weight).astype(np.float64)

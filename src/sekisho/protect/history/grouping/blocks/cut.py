"""Cut many people into blocks of people who are alike, in time that grows with their number and hardly more.

What two people pay for a common group depends, roughly, on how much longer one history is than the other, and on how
far apart their numbers lie once both are sorted: no way to align two equally long histories costs less in a column than
the way that aligns the sorted values. So a person is described by the logarithm of his length and by some quantiles of
each of his numbers, written as averages and differences of averages (Haar), so that one coordinate tells the level,
another the spread. Then a tree: the people are cut across the coordinate that varies most, again and again, until a
part is a block.

Sources: Bentley, "Multidimensional binary search trees used for associative searching", Comm. ACM 18 (1975); Haar,
Mathematische Annalen 69 (1910).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.history.grouping.rows import HistoryRows

QUANTILES = 8
"""Of each number; a power of two."""
CUT_OFF = 2.0
"""Standard deviations from the median beyond which a number is not followed: there ``*`` is cheaper than a range."""
MOST_ROWS = 60_000
"""Rows of a block; what is computed for all its pairs grows with their square."""
FEWEST = 8
"""Groups that a block of very long histories has at least."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """What is put into blocks: people, or groups of people that stay together.

    Attributes:
        place: where each lies, one line each.
        people: how many each has.
        rows: how many rows each has.
    """

    place: NDArray[np.float64]
    people: NDArray[np.int64]
    rows: NDArray[np.int64]

    @classmethod
    def of(cls, rows: HistoryRows) -> Units:
        """Return the people of a history."""
        quantiles = [list_quantiles(rows.starts, column) for column in rows.scaled]
        middles = [float(np.median(column)) for column in rows.scaled]
        return cls.describe(np.diff(rows.starts), quantiles, middles, width=len(rows.scaled) + len(rows.codes))

    @classmethod
    def describe(
        cls,
        lengths: NDArray[np.int64],
        quantiles: Sequence[NDArray[np.float64]],
        middles: Sequence[float],
        *,
        width: int,
    ) -> Units:
        """Return people.

        Args:
            lengths: how many rows each has.
            quantiles: of each number, on its scale, those of all people: a line for each quantile.
            middles: the medians of the numbers over all rows, on their scales.
            width: how many attributes there are.
        """
        parts = [width * np.log(np.maximum(1, lengths))[None, :]]
        for values, middle in zip(quantiles, middles, strict=True):
            parts.append(_average_differences(np.clip(values, middle - CUT_OFF, middle + CUT_OFF)))
        return cls(place=np.concatenate(parts).T.copy(), people=np.ones_like(lengths), rows=lengths)

    def join(self, group: NDArray[np.int64]) -> Units:
        """Return groups as units, each in the middle of its members."""
        people = np.bincount(group, weights=self.people).astype(np.int64)
        rows = np.bincount(group, weights=self.rows).astype(np.int64)
        place = np.stack([np.bincount(group, weights=axis) / people for axis in self.place.T], axis=1)
        return Units(place=place, people=people, rows=rows)


def cut_blocks(units: Units, *, size: int, k: int, share: float | None) -> list[NDArray[np.int64]]:
    """Return blocks of units, of at most ``size`` people, fewer where histories are long, and at least k.

    People, as units, are cut at multiples of k, so that only the last block has some to spare.

    Args:
        units: people or groups.
        size: a multiple of k.
        k: least people of a block.
        share: at which share of its units a part is cut; None cuts off half of its whole blocks.
    """
    step = k if len(units.people) == units.people.sum() else 1
    blocks: list[NDArray[np.int64]] = []
    parts = [np.arange(len(units.people))]
    while parts:
        part = parts.pop()
        count = _count_blocks(units, part, size=size, k=k)
        if count < 2:
            blocks.append(part)
            continue
        axis = int(units.place[part].var(axis=0).argmax())
        ordered = part[np.argsort(units.place[part, axis], kind="stable")]
        below = count // 2 * len(part) // count if share is None else int(len(part) * share)
        cut = min(max(step, below // step * step), len(part) - step)
        parts += [ordered[cut:], ordered[:cut]]
    return blocks


def _count_blocks(units: Units, part: NDArray[np.int64], *, size: int, k: int) -> int:
    """Return into how many blocks a part is to be cut."""
    people, rows = int(units.people[part].sum()), int(units.rows[part].sum())
    wanted = max(-(-(people - k + 1) // size), min(-(-rows // MOST_ROWS), people // (FEWEST * k)))
    return min(wanted, len(part) if len(part) < people else people // k)


def list_quantiles(starts: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each person (a column) some quantiles of his values, which stand one person after another."""
    return _list_quantiles(starts, values, QUANTILES)


@njit(cache=True, nogil=True)
def _list_quantiles(starts: NDArray[np.int64], values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return for each person (a column) some quantiles of his values."""
    people = len(starts) - 1
    quantiles = np.zeros((count, people))
    for person in range(people):
        ordered = np.sort(values[starts[person] : starts[person + 1]])
        for place in range(count if len(ordered) else 0):
            quantiles[place, person] = ordered[(2 * place + 1) * len(ordered) // (2 * count)]
    return quantiles


def _average_differences(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lines as their average and differences of averages, scaled so that distances stay root mean squares."""
    level, differences = values / np.sqrt(len(values)), list[NDArray[np.float64]]()
    while len(level) > 1:
        even, odd = level[::2], level[1::2]
        differences.append((odd - even) / np.sqrt(2))
        level = (odd + even) / np.sqrt(2)
    return np.concatenate([level, *differences[::-1]])

"""The nearest records among very many: equal ones first, then within blocks of equal categories, then beyond.

The distance of two records is the sum over the columns: of numbers the difference over the width of the column, at most
1; of categories 1 where they differ; a missing value is at 1 from every other and at 0 from another missing one.

The marks of a record are its categories and which of its numbers are missing; records of a block have the same marks.
Each mark in which two records differ puts them 1 apart, so whoever has found a record at m or less need not look at
those that differ in m marks or more. First a person's own block is looked at, then, for every m in turn, whoever is
left looks at the blocks that are alike but for m marks, for each choice of these, until it is cheaper to compare the
few who are left with everybody. Within a block the records stand in the order of one number, and are looked at outwards
until that number alone is farther than the best; large blocks of one's own of several numbers are put into a tree.

Blocks are told by sums of random words of 64 bits, one for each mark: leaving marks out is a subtraction. Should two
blocks ever share a sum, more records are looked at than must be, and no distance is another.

Source: Gower, Biometrics 27 (1971), for the distance; k-d trees: Bentley 1975, as scipy has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from sekisho.data.frame.cells import drop_gaps, find_gaps, mix_words
from sekisho.data.frame.dataset import Dataset, encode_texts
from sekisho.kernels import njit

LARGE = 2000
"""Blocks of more records than this are put into a tree, where several numbers are measured."""
WORKERS = 2
WORTH_A_CHOICE = 8
"""For fewer people than this everybody is looked through rather than the blocks of one choice of marks."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredRecords:
    """Records as points: numbers over the width of their column, NaN where missing, and codes of categories."""

    numbers: NDArray[np.float64]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[np.intp]) -> MeasuredRecords:
        """Return some of them."""
        return MeasuredRecords(numbers=self.numbers[rows], labels=self.labels[rows])

    def find_alone(self) -> NDArray[np.bool_]:
        """Tell which of them no other is equal to."""
        number = _number_rows(_key(self))
        return (np.bincount(number) == 1)[number] if len(number) else np.zeros(0, dtype=np.bool_)

    @classmethod
    def measure(cls, columns: Sequence[str], *sets: Dataset) -> tuple[MeasuredRecords, ...]:
        """Return data sets as points in common units and codes."""
        ends = np.cumsum([0, *(len(data) for data in sets)])
        numeric = [name for name in columns if sets[0].schema[name].kind.numeric]
        others = [name for name in columns if name not in numeric]
        numbers = np.empty((ends[-1], len(numeric)))
        labels = np.empty((ends[-1], len(others)), dtype=np.int64)
        for place, name in enumerate(numeric):
            grid = np.concatenate([data.grid(name) for data in sets])
            there = drop_gaps(grid)
            width = float(np.ptp(there)) if len(there) else 0.0
            least = float(there.min()) if len(there) else 0.0
            numbers[:, place] = np.where(find_gaps(grid), np.nan, (grid - least) / (width or 1.0))
        for place, name in enumerate(others):
            labels[:, place] = encode_texts(pl.concat([data.text(name) for data in sets]))[0]
        return tuple(
            cls(numbers=numbers[low:high], labels=labels[low:high])
            for low, high in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        )


def find_equal(people: MeasuredRecords, records: MeasuredRecords) -> NDArray[np.bool_]:
    """Tell which people are equal to a record in every column."""
    number = _number_rows(np.concatenate([_key(people), _key(records)]))
    return np.isin(number[: len(people)], number[len(people) :])


def find_nearest_distance(people: MeasuredRecords, records: MeasuredRecords) -> NDArray[np.float64]:
    """Return how far each person is from the nearest record."""
    both = np.concatenate([_key(people), _key(records)])
    number = _number_rows(both)
    own, theirs = number[: len(people)], number[len(people) :]
    distance = np.full(len(people), np.inf)
    distance[np.isin(own, theirs)] = 0.0
    first, again = np.unique(own, return_index=True)[1], np.unique(own, return_inverse=True)[1].reshape(-1)
    distinct = records.take(np.unique(theirs, return_index=True)[1])
    open_people = first[distance[first] > 0]
    asked = people.take(open_people)
    found = np.full(len(asked), np.inf)
    if len(asked):
        _MarkedRecords.of(asked, distinct).search(found)
    least = distance[first]
    least[least > 0] = found
    return least[again]


def _key(points: MeasuredRecords) -> NDArray[np.float64]:
    return np.concatenate([np.nan_to_num(points.numbers, nan=-1.0), points.labels.astype(np.float64)], axis=1)


def _number_rows(table: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the same number for equal rows."""
    number = np.zeros(len(table), dtype=np.int64)
    for column in range(table.shape[1]):
        place = np.unique(table[:, column], return_inverse=True)[1].reshape(-1)
        number = np.unique(number * (int(place.max(initial=0)) + 1) + place, return_inverse=True)[1].reshape(-1)
    return number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _MarkedRecords:
    """People and records with a random word for each of their marks.

    Attributes:
        people: who looks for the nearest.
        records: in the order of one number.
        main: that number; -1 where none is known of everybody.
        own: the people's words, a column for each mark.
        theirs: the records' words.
    """

    people: MeasuredRecords
    records: MeasuredRecords
    main: int
    own: NDArray[np.uint64]
    theirs: NDArray[np.uint64]

    @classmethod
    def of(cls, people: MeasuredRecords, records: MeasuredRecords) -> _MarkedRecords:
        """Mark people and records."""
        gaps = [np.isnan(each.numbers) for each in (people, records)]
        partly = gaps[0].any(axis=0) | gaps[1].any(axis=0)
        spread = np.where(partly, -1.0, np.nan_to_num(records.numbers).std(axis=0))
        main = int(np.argmax(spread)) if (~partly).any() else -1
        ordered = records if main < 0 else records.take(np.argsort(records.numbers[:, main], kind="stable"))
        own, theirs = (
            _draw_words(np.concatenate([each.labels, np.isnan(each.numbers)[:, partly]], axis=1).astype(np.uint64))
            for each in (people, ordered)
        )
        return cls(people=people, records=ordered, main=main, own=own, theirs=theirs)

    def search(self, found: NDArray[np.float64]) -> None:
        """Lower each person's distance to that of the nearest record."""
        own, theirs = (words.sum(axis=1, dtype=np.uint64) for words in (self.own, self.theirs))
        left = np.arange(len(self.people))
        marks = self.own.shape[1]
        for differing in range(marks + 1):
            choices = comb(marks, differing)
            if differing and len(left) <= WORTH_A_CHOICE * choices:
                nobody = np.zeros(len(left), dtype=np.uint64)
                self._look_at(left, nobody, np.zeros(len(theirs), dtype=np.uint64), differing, found)
                return
            for gone in combinations(range(marks), differing):
                mine, yours = own[left], theirs
                for mark in gone:
                    mine, yours = mine - self.own[left, mark], yours - self.theirs[:, mark]
                self._look_at(left, mine, yours, differing, found)
                left = left[found[left] > differing]
            left = left[found[left] > differing + 1]

    def _look_at(
        self,
        asked: NDArray[np.intp],
        own: NDArray[np.uint64],
        theirs: NDArray[np.uint64],
        differing: int,
        found: NDArray[np.float64],
    ) -> None:
        """Lower the distances of some people to those of the records of the same sum."""
        order = np.argsort(theirs, kind="stable")  # within a block as they stand, by the main number
        low, high = _find_runs(theirs[order], own)
        if not differing:
            inside = (high - low > LARGE) & (self.people.numbers.shape[1] > 1)
            self._ask_trees(asked[inside], low[inside], high[inside], order, found)
            asked, low, high = asked[~inside], low[~inside], high[~inside]
        people, records = self.people.take(asked), self.records
        mine, yours = (people.numbers, people.labels), (records.numbers, records.labels)
        parts = np.stack([low, high], axis=1)
        found[asked] = _sweep(mine, yours, order, parts, self.main, float(differing), found[asked])

    def _ask_trees(
        self,
        asked: NDArray[np.intp],
        low: NDArray[np.intp],
        high: NDArray[np.intp],
        order: NDArray[np.intp],
        found: NDArray[np.float64],
    ) -> None:
        """Lower the distances of people of large blocks; which numbers are missing is the same within one."""
        for start in np.unique(low).tolist():
            mine = low == start
            block = self.records.numbers[order[start : high[mine][0]]]
            tree = scipy.spatial.KDTree(np.nan_to_num(block, nan=0.0))
            points = np.nan_to_num(self.people.numbers[asked[mine]], nan=0.0)
            found[asked[mine]] = tree.query(points, p=1, workers=WORKERS)[0]


def _find_runs(ordered: NDArray[np.uint64], asked: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where the run of each asked value begins and ends in ascending values; an empty run where it is not."""
    starts = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [len(ordered)]]).astype(np.intp)
    values = ordered[starts[:-1]]
    place = np.minimum(np.searchsorted(values, asked), len(values) - 1)
    return starts[place], starts[place + (values[place] == asked)]


def _draw_words(marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a word for each mark, other ones in each column."""
    columns = np.arange(marks.shape[1], dtype=np.uint64) << np.uint64(40)
    return mix_words(marks + columns)


def count_within(people: MeasuredRecords, records: MeasuredRecords, reach: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many records are within each person's reach."""
    return _count(people.numbers, people.labels, records.numbers, records.labels, reach)


def find_reach(people: MeasuredRecords, records: MeasuredRecords, rank: int) -> NDArray[np.float64]:
    """Return how far each person is from the record that is so many places from the nearest, the nearest being 1."""
    return _rank(people.numbers, people.labels, records.numbers, records.labels, min(rank, len(records)))


@njit(cache=True, nogil=True)
def _measure(
    numbers: NDArray[np.float64],
    labels: NDArray[np.int64],
    other_numbers: NDArray[np.float64],
    other_labels: NDArray[np.int64],
    limit: float,
) -> float:
    """Return the distance of two records; more than the limit as soon as that is sure."""
    distance = 0.0
    for column in range(len(labels)):
        if labels[column] != other_labels[column]:
            distance += 1.0
            if distance > limit:
                return distance
    for column in range(len(numbers)):
        one, other = numbers[column], other_numbers[column]
        if np.isnan(one) or np.isnan(other):
            distance += 0.0 if np.isnan(one) and np.isnan(other) else 1.0
        else:
            distance += abs(one - other)
        if distance > limit:
            return distance
    return distance


@njit(cache=True, nogil=True)
def _sweep(
    people: tuple[NDArray[np.float64], NDArray[np.int64]],
    records: tuple[NDArray[np.float64], NDArray[np.int64]],
    order: NDArray[np.intp],
    parts: NDArray[np.intp],
    main: int,
    apart: float,
    found: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the distance to the nearest of each person's part of the records, no farther than what is found already.

    Within a part of the order the main number ascends; all records that were not looked at before differ in marks that
    put them so far apart already.
    """
    numbers, labels = people
    other_numbers, other_labels = records
    least = found.copy()
    for person in range(len(numbers)):
        start, end, best = parts[person, 0], parts[person, 1], least[person]
        right, above = start, end if main >= 0 else start
        while right < above:
            middle = (right + above) // 2
            if other_numbers[order[middle], main] < numbers[person, main]:
                right = middle + 1
            else:
                above = middle
        left = right - 1
        while best > apart and (left >= start or right < end):
            for step in range(2):
                at = left if step == 0 else right
                if at < start or at >= end:
                    continue
                row = order[at]
                if main >= 0 and apart + abs(other_numbers[row, main] - numbers[person, main]) >= best:
                    if step == 0:
                        left = start - 1
                    else:
                        right = end
                    continue
                distance = _measure(numbers[person], labels[person], other_numbers[row], other_labels[row], best)
                best = min(best, distance)
                if step == 0:
                    left -= 1
                else:
                    right += 1
        least[person] = best
    return least


@njit(cache=True, nogil=True)
def _count(
    numbers: NDArray[np.float64],
    labels: NDArray[np.int64],
    other_numbers: NDArray[np.float64],
    other_labels: NDArray[np.int64],
    reach: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return how many records are within each person's reach."""
    counts = np.zeros(len(numbers), np.int64)
    for person in range(len(numbers)):
        limit = reach[person] + 1e-9
        for record in range(len(other_numbers)):
            distance = _measure(numbers[person], labels[person], other_numbers[record], other_labels[record], limit)
            if distance <= limit:
                counts[person] += 1
    return counts


@njit(cache=True, nogil=True)
def _rank(
    numbers: NDArray[np.float64],
    labels: NDArray[np.int64],
    other_numbers: NDArray[np.float64],
    other_labels: NDArray[np.int64],
    rank: int,
) -> NDArray[np.float64]:
    """Return each person's distance to the record of so high a rank; the nearest so far are kept in order."""
    reach = np.empty(len(numbers))
    nearest = np.empty(rank)
    for person in range(len(numbers)):
        nearest[:] = np.inf
        for record in range(len(other_numbers)):
            limit = nearest[rank - 1]
            distance = _measure(numbers[person], labels[person], other_numbers[record], other_labels[record], limit)
            if distance >= limit:
                continue
            at = rank - 1
            while at > 0 and nearest[at - 1] > distance:
                nearest[at] = nearest[at - 1]
                at -= 1
            nearest[at] = distance
        reach[person] = nearest[rank - 1]
    return reach

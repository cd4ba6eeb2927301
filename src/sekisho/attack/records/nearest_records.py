"""The nearest records among very many: equal ones first, then within blocks of equal categories, then beyond.

The distance of two records is the sum over the columns: of numbers the difference over the width of the column, at most
1; of categories 1 where they differ; a missing value is at 1 from every other and at 0 from another missing one.

A record of another block (its categories, and which numbers are missing) is at 1 or more. So whoever finds a record of
his own block at 1 or less has found the nearest. Within a block the records stand in the order of one number, and are
looked at outwards until that number alone is farther than the best; large blocks of several numbers are put into a
tree. Whoever has none that near is compared with blocks that differ in one category, and the few who are left with
everybody.

Records of the original that stand in a release as they are are *copies*, counted beside people who are not in it. Who
attacks: anybody who has a person's whole record. A record that many share stands in a synthetic file by chance; how
often it does is counted on controls, people of the same population who are not in the original. What members have
beyond that is memorised: R = 1 - (1 - p_members)/(1 - p_controls), one minus a ratio of two failure rates.

Source: Gower, Biometrics 27 (1971), for the distance; k-d trees: Bentley 1975, as scipy has them. The share of exact
copies is the usual first check of synthetic data; R and its intervals as for attributes, Giomi et al., anonymeter, PETS
2023, with the intervals of :mod:`sekisho.safety.ratio_interval`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.spatial import KDTree

from sekisho.data.frame.cells import drop_gaps, find_gaps
from sekisho.data.frame.dataset import Dataset, encode_texts
from sekisho.data.frame.release import MaskedTable
from sekisho.kernels import njit
from sekisho.safety.ratio_interval import AddedSuccess

LARGE = 2000
"""Blocks of more records than this are put into a tree, where several numbers are measured."""
WORKERS = 2


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


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualRecords:
    """How many records stand in a release as they are.

    Attributes:
        people: how many records the original has.
        equal: how many of them stand in it, every column alike.
        alone: how many of these no other record of the original is equal to.
        rows: how many rows of the release are equal to a record of the original.
        published: how many rows the release has.
        controls: how many people who are not in the original were looked for; None where there are none.
        control_equal: how many of them stand in it.
    """

    people: int
    equal: int
    alone: int
    rows: int
    published: int
    controls: int | None = None
    control_equal: int = 0

    @property
    def added(self) -> AddedSuccess | None:
        """What members have beyond controls; None where nobody is there to compare with."""
        if not self.controls or not self.people:
            return None
        return AddedSuccess(
            hits=self.equal, trials=self.people, control_hits=self.control_equal, control_trials=self.controls
        )

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        added = self.added
        interval = None if added is None else added.find_interval()
        return {
            "claimed": self.people,
            "hits": self.equal,
            "controls": self.controls,
            "control_hits": None if self.controls is None else self.control_equal,
            "R": None if added is None else added.value,
            "R_interval": None if interval is None else interval.as_list(),
            "R_method": None if interval is None else interval.method.value,
            "equal_rows": self.rows,
            "rows": self.published,
        }


def count_equal_records(published: MaskedTable, original: Dataset, controls: Dataset | None = None) -> EqualRecords:
    """Count the records that stand in a release as they are; a row with a hidden or generalised cell is nobody's."""
    columns = tuple(published.columns)
    exact = np.ones(len(published), dtype=np.bool_)
    for cells in published.columns.values():
        exact &= cells.is_exact()
    people = (original,) if controls is None else (original, controls)
    rows, members, *others = MeasuredRecords.measure(columns, published.take(exact).to_dataset(), *people)
    equal = find_equal(members, rows)
    return EqualRecords(
        people=len(original),
        equal=int(equal.sum()),
        alone=int((equal & members.find_alone()).sum()),
        rows=int(find_equal(rows, members).sum()),
        published=len(published),
        controls=None if controls is None else len(controls),
        control_equal=int(find_equal(others[0], rows).sum()) if others else 0,
    )


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
        _search_own_blocks(asked, distinct, found)
        _search_farther(asked, distinct, found)
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


def _search_own_blocks(people: MeasuredRecords, records: MeasuredRecords, found: NDArray[np.float64]) -> None:
    """Lower each person's distance to that of the nearest record with his categories and missing numbers."""
    marks = [np.concatenate([each.labels, np.isnan(each.numbers)], axis=1) for each in (people, records)]
    block = _number_rows(np.concatenate(marks).astype(np.float64))
    own, theirs = block[: len(people)], block[len(people) :]
    mine, yours = (np.nan_to_num(each.numbers, nan=0.0) for each in (people, records))
    main = int(np.argmax(yours.std(axis=0))) if yours.shape[1] else -1
    order = np.argsort(theirs, kind="stable") if main < 0 else np.lexsort((yours[:, main], theirs))
    starts = np.searchsorted(theirs[order], np.arange(block.max() + 2))
    if main >= 0:
        found[:] = np.minimum(found, _sweep(mine, own, yours[order], starts, main, _mark_large(starts, yours.shape[1])))
    else:
        found[np.diff(starts)[own] > 0] = 0.0
    for large in np.flatnonzero(_mark_large(starts, yours.shape[1])).tolist():
        asked = np.flatnonzero(own == large)
        if len(asked):
            tree = KDTree(yours[order[starts[large] : starts[large + 1]]])
            distance = tree.query(mine[asked], p=1, workers=WORKERS)[0]
            found[asked] = np.minimum(found[asked], distance)


def _mark_large(starts: NDArray[np.int64], numbers: int) -> NDArray[np.bool_]:
    return (np.diff(starts) > LARGE) & (numbers > 1)


def _search_farther(people: MeasuredRecords, records: MeasuredRecords, found: NDArray[np.float64]) -> None:
    """Lower the distance of those who have nobody at 1 or less in their own block."""
    left = np.flatnonzero(found > 1)
    for column in range(people.labels.shape[1]):
        if not len(left):
            return
        kept = [place for place in range(people.labels.shape[1]) if place != column]
        keys = np.concatenate([people.labels[left][:, kept], records.labels[:, kept]]).astype(np.float64)
        block = _number_rows(keys)
        own, theirs = block[: len(left)], block[len(left) :]
        order = np.argsort(theirs, kind="stable")
        starts = np.searchsorted(theirs[order], np.arange(block.max() + 2))
        found[left] = _look_through(people.take(left), own, records.take(order), starts, found[left])
    left = np.flatnonzero(found > 2 if people.labels.shape[1] else found > 1)
    if len(left):
        everybody = np.array([0, len(records)])
        nobody = np.zeros(len(left), dtype=np.int64)
        found[left] = _look_through(people.take(left), nobody, records, everybody, found[left])


def _look_through(
    people: MeasuredRecords,
    block: NDArray[np.int64],
    records: MeasuredRecords,
    starts: NDArray[np.int64],
    found: NDArray[np.float64],
) -> NDArray[np.float64]:
    sides = (people.numbers, people.labels, records.numbers, records.labels)
    return _scan(*sides, block, starts.astype(np.int64), found)


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
    people: NDArray[np.float64],
    block: NDArray[np.int64],
    records: NDArray[np.float64],
    starts: NDArray[np.int64],
    main: int,
    skipped: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the distance to the nearest of each person's block, looked through outwards by one number."""
    found = np.full(len(people), np.inf)
    for person in range(len(people)):
        low, high = starts[block[person]], starts[block[person] + 1]
        if low == high or skipped[block[person]]:
            continue
        value = people[person, main]
        right = low + np.searchsorted(records[low:high, main], value)
        left = right - 1
        best = np.inf
        while left >= low or right < high:
            for step in range(2):
                at = left if step == 0 else right
                if at < low or at >= high:
                    continue
                if abs(records[at, main] - value) > best:
                    if step == 0:
                        left = low - 1
                    else:
                        right = high
                    continue
                distance = 0.0
                for column in range(people.shape[1]):
                    distance += abs(people[person, column] - records[at, column])
                best = min(best, distance)
                if step == 0:
                    left -= 1
                else:
                    right += 1
        found[person] = best
    return found


@njit(cache=True, nogil=True)
def _scan(
    numbers: NDArray[np.float64],
    labels: NDArray[np.int64],
    other_numbers: NDArray[np.float64],
    other_labels: NDArray[np.int64],
    block: NDArray[np.int64],
    starts: NDArray[np.int64],
    found: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the distance to the nearest of each person's block, one by one, no farther than what is found already."""
    least = found.copy()
    for person in range(len(numbers)):
        for record in range(starts[block[person]], starts[block[person] + 1]):
            distance = _measure(
                numbers[person], labels[person], other_numbers[record], other_labels[record], least[person]
            )
            least[person] = min(least[person], distance)
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

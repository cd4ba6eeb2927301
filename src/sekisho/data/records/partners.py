"""Partner search: whose values could a record take without losing more than a limit?

The partners of a record are all others within Iloss <= t. The search is exact. It blocks by the first measured column:
the targets are sorted by it and then by the second, so that for each value of the first within t only the run of the
second within t is looked at; labels are compared last, with an early end.

Source: PWS Cup 2021, slides of team 10, "the way of swapping".

Every record against every other: the loss and the squared distance, compiled.

Kept apart from :mod:`sekisho.data.records.space`, so that reading rules need not wait for the compiler.

How many partners each record has: who is easily hidden, and who stands almost alone.

Source: PWS Cup 2021, slides of team 10, the list of candidates ("records 5 and 13 are to be deleted").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.records.space import Points, round_to_steps
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.words import Said

LARGEST = float(np.iinfo(np.int64).max) / 2


@njit(cache=True, nogil=True)
def loss_matrix(
    numbers: NDArray[np.int64],
    labels: NDArray[np.int32],
    other_numbers: NDArray[np.int64],
    other_labels: NDArray[np.int32],
    unit: int,
) -> NDArray[np.int64]:
    """Return Iloss of every pair, in steps of the grid."""
    out = np.empty((len(numbers), len(other_numbers)), dtype=np.int64)
    for i in range(len(numbers)):
        for j in range(len(other_numbers)):
            worst = 0
            for c in range(labels.shape[1]):
                worst += unit * (labels[i, c] != other_labels[j, c])
            for c in range(numbers.shape[1]):
                worst = max(worst, abs(numbers[i, c] - other_numbers[j, c]))
            out[i, j] = worst
    return out


@njit(cache=True, nogil=True)
def square_matrix(
    numbers: NDArray[np.int64],
    labels: NDArray[np.int32],
    other_numbers: NDArray[np.int64],
    other_labels: NDArray[np.int32],
    weights: NDArray[np.int64],
    unit: int,
) -> NDArray[np.int64]:
    """Return the squared one-hot Euclidean distance of every pair, in squared steps of the grid."""
    out = np.empty((len(numbers), len(other_numbers)), dtype=np.int64)
    for i in range(len(numbers)):
        for j in range(len(other_numbers)):
            total = 0
            for c in range(labels.shape[1]):
                total += weights[c] * (labels[i, c] != other_labels[j, c])
            total *= unit * unit
            for c in range(numbers.shape[1]):
                step = numbers[i, c] - other_numbers[j, c]
                total += step * step
            out[i, j] = total
    return out


def losses(one: Points, other: Points) -> NDArray[np.int64]:
    """Return Iloss of every record of one against every record of the other, in steps of the grid."""
    return loss_matrix(one.numbers, one.labels, other.numbers, other.labels, one.unit)


def squares(one: Points, other: Points) -> NDArray[np.int64]:
    """Return the squared one-hot Euclidean distance of every pair, in squared steps of the grid.

    Raises:
        ParameterError: the numbers are so far apart, on so fine a grid, that the squares cannot be counted in 64 bits.
    """
    both = np.concatenate([one.numbers, other.numbers]).astype(np.float64)
    spans = np.ptp(both, axis=0) if len(both) else np.zeros(0)
    if float(spans @ spans) + float(one.weights.sum()) * float(one.unit) ** 2 >= LARGEST:
        raise ParameterError(
            Said("measured columns"),
            Said("lie closer together or have fewer decimals: squared distances are counted in 64 bits"),
            f"a span of {float(spans.max()) / one.unit:g} with {len(str(one.unit)) - 1} decimals",
            hint=Said("name the columns that matter, or give a column fewer decimals in the schema"),
        )
    return square_matrix(one.numbers, one.labels, other.numbers, other.labels, one.weights, one.unit)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Partners:
    """For each record the rows within reach: record i has ``rows[offsets[i]:offsets[i + 1]]``, ascending."""

    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, record: int) -> NDArray[np.int32]:
        """Return one record's partners."""
        return self.rows[self.offsets[record] : self.offsets[record + 1]]

    def counts(self) -> NDArray[np.int64]:
        """Return how many partners each record has."""
        return np.diff(self.offsets)


class _Blocks(NamedTuple):
    """Points sorted by their first and second number: where each value of the first starts."""

    order: NDArray[np.int32]
    numbers: NDArray[np.int64]
    labels: NDArray[np.int32]
    values: NDArray[np.int64]
    starts: NDArray[np.int64]


def _sort_blocks(points: Points) -> _Blocks:
    numbers = _pad_columns(points.numbers)
    order = np.lexsort((numbers[:, 1], numbers[:, 0])).astype(np.int32)
    values, starts = np.unique(numbers[order, 0], return_index=True)
    return _Blocks(
        order=order,
        numbers=np.ascontiguousarray(numbers[order]),
        labels=np.ascontiguousarray(points.labels[order]),
        values=values,
        starts=np.append(starts, len(order)),
    )


def _pad_columns(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pad to at least two measured columns; a column of zeros constrains nothing."""
    missing = max(0, 2 - numbers.shape[1])
    return np.pad(numbers, ((0, 0), (0, missing)))


@njit(cache=True, nogil=True)
def _search(
    numbers: NDArray[np.int64],
    labels: NDArray[np.int32],
    blocks: _Blocks,
    limit: int,
    most: int,
    places: NDArray[np.int32],
) -> int:
    """Write into ``places`` the places of all targets within the limit of one record; return how many."""
    count = 0
    first = np.searchsorted(blocks.values, numbers[0] - limit, side="left")
    last = np.searchsorted(blocks.values, numbers[0] + limit, side="right")
    for block in range(first, last):
        low, high = blocks.starts[block], blocks.starts[block + 1]
        run = blocks.numbers[low:high, 1]
        begin = low + np.searchsorted(run, numbers[1] - limit, side="left")
        end = low + np.searchsorted(run, numbers[1] + limit, side="right")
        for place in range(begin, end):
            if _is_near(numbers, labels, blocks.numbers[place], blocks.labels[place], limit, most):
                places[count] = place
                count += 1
    return count


@njit(cache=True, nogil=True)
def _is_near(
    numbers: NDArray[np.int64],
    labels: NDArray[np.int32],
    other_numbers: NDArray[np.int64],
    other_labels: NDArray[np.int32],
    limit: int,
    most: int,
) -> bool:
    """Tell whether at most so many labels differ and every number from the third on lies within the limit."""
    differing = 0
    for column in range(len(labels)):
        differing += labels[column] != other_labels[column]
        if differing > most:
            return False
    far = 0
    for column in range(2, len(numbers)):
        far += abs(numbers[column] - other_numbers[column]) > limit
    return far == 0


@njit(cache=True, nogil=True)
def _gather(
    numbers: NDArray[np.int64],
    labels: NDArray[np.int32],
    blocks: _Blocks,
    limit: int,
    most: int,
    itself: int,
    offsets: NDArray[np.int64],
    rows: NDArray[np.int32],
) -> None:
    """Count each record's partners into ``offsets`` or, when ``rows`` has room, write the partners there."""
    places = np.empty(len(blocks.order), dtype=np.int32)
    for i in range(len(numbers)):
        count = _search(numbers[i], labels[i], blocks, limit, most, places)
        own = 0
        for place in places[:count]:
            if itself or blocks.order[place] != i:
                if len(rows):
                    rows[offsets[i] + own] = blocks.order[place]
                own += 1
        if len(rows):
            rows[offsets[i] : offsets[i + 1]].sort()
        else:
            offsets[i + 1] = own


def find_within(queries: Points, targets: Points, limit: float) -> Partners:
    """Return for each query all targets with Iloss <= limit."""
    return _search_all(queries, targets, limit, itself=True)


def find_partners(points: Points, limit: float) -> Partners:
    """Return for each record all other records with Iloss <= limit."""
    return _search_all(points, points, limit, itself=False)


def count_partners(points: Points, limit: float) -> NDArray[np.int64]:
    """Return only how many partners each record has: for files whose lists would not fit into memory."""
    return np.diff(_count_offsets(points, _sort_blocks(points), round_to_steps(limit, points.unit), itself=False))


def _search_all(queries: Points, targets: Points, limit: float, *, itself: bool) -> Partners:
    steps, blocks = round_to_steps(limit, queries.unit), _sort_blocks(targets)
    offsets = _count_offsets(queries, blocks, steps, itself=itself)
    rows = np.empty(offsets[-1], dtype=np.int32)
    if len(rows):
        most = steps // queries.unit
        _gather(_pad_columns(queries.numbers), queries.labels, blocks, steps, most, int(itself), offsets, rows)
    return Partners(offsets=offsets, rows=rows)


def _count_offsets(queries: Points, blocks: _Blocks, steps: int, *, itself: bool) -> NDArray[np.int64]:
    offsets, nothing = np.zeros(len(queries) + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
    most = steps // queries.unit
    _gather(_pad_columns(queries.numbers), queries.labels, blocks, steps, most, int(itself), offsets, nothing)
    return np.cumsum(offsets)


MOST_PAIRS = 200_000_000
"""Lists of more partners than this are not made: they would not fit into memory. Counts need no lists."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartnerCounts:
    """For each record how many others lie within the limit."""

    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        if not len(self.counts):
            raise ParameterError("records", Said("be at least one"), 0)

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The lower quartile, the median and the upper quartile."""
        low, middle, high = np.quantile(self.counts, (0.25, 0.5, 0.75)).tolist()
        return low, middle, high

    def find_few(self, threshold: int) -> NDArray[np.intp]:
        """Return the records with at most so many partners."""
        return np.flatnonzero(self.counts <= threshold)

    def as_dict(self, threshold: int) -> dict[str, object]:
        """Return the counts in figures, as plain data."""
        few = len(self.find_few(threshold))
        return {
            "records": len(self.counts),
            "min": int(self.counts.min()),
            "quartiles": list(self.quartiles),
            "max": int(self.counts.max()),
            "mean": float(self.counts.mean()),
            "none": int((self.counts == 0).sum()),
            "few": threshold,
            "at_most_few": few,
            "share_at_most_few": few / len(self.counts),
        }


def count_all_partners(points: Points, limit: float) -> PartnerCounts:
    """Return how many partners each record has within the limit."""
    return PartnerCounts(counts=count_partners(points, limit))


def list_partners(points: Points, limit: float, counts: PartnerCounts, first: int = 0) -> pl.DataFrame:
    """Return the list of candidates: record, number of partners, and the first few of them; rows from 0.

    Raises:
        ParameterError: there are too many partners for lists of them.
    """
    frame = pl.DataFrame({"record": np.arange(len(points)), "partners": counts.counts})
    if not first:
        return frame
    total = int(counts.counts.sum())
    if total > MOST_PAIRS:
        raise ParameterError(
            "first",
            Said("be 0 where there are more than {most_pairs:,} pairs ({total:,})", most_pairs=MOST_PAIRS, total=total),
            first,
        )
    partners = find_partners(points, limit)
    texts = [" ".join(map(str, partners.of(row)[:first].tolist())) for row in range(len(partners))]
    return frame.with_columns(pl.Series("first", texts, dtype=pl.String))

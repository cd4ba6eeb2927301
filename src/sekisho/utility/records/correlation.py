"""cor of the contest of 2021: do the columns still move together as they did?

Categories are one-hot encoded; the measure is the largest absolute difference of a Pearson correlation between two
different columns, original against release. A column that is constant in one of the files has no correlation there and
is passed over, and so is a value that one of the files lacks.

Missing cells: two columns are correlated over the records that lack the number of neither; a missing category is a
value.

No column of 0 and 1 is ever made: sums over the records that bear a value say the same, and a few columns are compared
with all others at a time. So a category of thousands of values costs time, not memory; beyond ``MOST`` encoded columns
there is no answer.

Source: PWS Cup 2021, rules; program cor.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row, take_kept
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError
from sekisho.utility.score import Score
from sekisho.words import Said

Floats = NDArray[np.float64]
MOST = 30_000
"""So many columns the encoded files may have: their correlations are as many as the square of it."""
CELLS = 1 << 22
"""So many correlations are worked out at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """The largest change of a correlation."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the largest difference; the detail holds the largest of each encoded column."""
        return self.compare_files(original, take_kept(released))

    def compare_files(self, original: Dataset, other: Dataset) -> Score:
        """Return the same for any two files, which need not have the same rows.

        Raises:
            InfeasibleError: the files have too many values.
        """
        require_one_row(original)
        shared = {
            column.name: () if column.kind.numeric else _share_values(original, other, column.name)
            for column in original.schema.attributes
        }
        names = [name for column, values in shared.items() for name in _name_encoded(original, column, values)]
        if len(names) > MOST:
            raise InfeasibleError(
                Said(
                    "the columns have {names:,} values; correlations are compared of {most:,}",
                    names=len(names),
                    most=MOST,
                )
            )
        files = [_encode_file(data, shared) for data in (original, other)]
        worst = np.zeros(len(names))
        for low, high in _cut_blocks(files[0]):
            gap = np.abs(_correlate_block(files[0], low, high) - _correlate_block(files[1], low, high))
            gap[np.arange(high - low), np.arange(low, high)] = 0.0
            worst[low:high] = np.where(np.isnan(gap), 0.0, gap).max(axis=1, initial=0.0)
        return Score(value=float(worst.max(initial=0.0)), detail=dict(zip(names, worst.tolist(), strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Encoded:
    """A column of numbers, or the 0/1 columns of a category's values.

    Attributes:
        start: the place of its first encoded column.
        numbers: less their mean; empty of a category.
        gaps: which numbers are missing; empty where none is.
        codes: each record's value, -1 where the other file lacks it; empty of numbers.
        order: the records by their codes.
        counts: how many records bear each value.
        lengths: of the encoded columns less their means; NaN of constant ones.
    """

    start: int
    numbers: Floats
    gaps: NDArray[np.bool_]
    codes: NDArray[np.int64]
    order: NDArray[np.int64]
    counts: NDArray[np.int64]
    lengths: Floats

    def take(self, rows: NDArray[np.bool_]) -> _Encoded:
        """Return the column over some records, which lack none of its numbers."""
        if len(self.codes):
            return _encode_codes(self.start, self.codes[rows], self.width)
        return _encode_numbers(self.start, self.numbers[rows])

    @property
    def width(self) -> int:
        return len(self.lengths)

    @property
    def end(self) -> int:
        return self.start + self.width


def _share_values(original: Dataset, other: Dataset, name: str) -> tuple[str, ...]:
    both = set(other.domain(name))
    return tuple(value for value in original.domain(name) if value in both)


def _name_encoded(data: Dataset, name: str, values: tuple[str, ...]) -> list[str]:
    return [name] if data.schema[name].kind.numeric else [f"{name}={value}" for value in values]


def _encode_file(data: Dataset, shared: dict[str, tuple[str, ...]]) -> list[_Encoded]:
    widths = [1 if data.schema[name].kind.numeric else len(values) for name, values in shared.items()]
    starts = accumulate(widths[:-1], initial=0)
    return [_encode(data, name, values, start) for (name, values), start in zip(shared.items(), starts, strict=True)]


def _encode(data: Dataset, name: str, values: tuple[str, ...], start: int) -> _Encoded:
    column = data.schema[name]
    if column.kind.numeric:
        gaps = find_gaps(data.grid(name))
        encoded = _encode_numbers(start, data.grid(name) / 10**column.decimals)
        return replace(encoded, gaps=gaps) if gaps.any() else encoded
    place = {value: code for code, value in enumerate(values)}
    recoded = np.array([place.get(value, -1) for value in data.domain(name)], dtype=np.int64)
    return _encode_codes(start, recoded[data.codes(name)], len(values))


NO_GAPS = np.zeros(0, dtype=np.bool_)


def _encode_numbers(start: int, raw: Floats) -> _Encoded:
    none = np.zeros(0, dtype=np.int64)
    numbers = raw - raw.mean() if len(raw) else raw
    length = np.sqrt((numbers * numbers).sum()) if len(raw) and np.ptp(raw) else np.nan
    return _Encoded(
        start=start, numbers=numbers, gaps=NO_GAPS, codes=none, order=none, counts=none, lengths=np.array([length])
    )


def _encode_codes(start: int, codes: NDArray[np.int64], width: int) -> _Encoded:
    counts = np.bincount(codes[codes >= 0], minlength=width).astype(np.int64)
    lengths = np.sqrt(counts - counts * counts / max(1, len(codes)))
    lengths[(counts == 0) | (counts == len(codes))] = np.nan
    order = np.argsort(codes, kind="stable")[int((codes < 0).sum()) :]
    return _Encoded(
        start=start,
        numbers=np.zeros(0),
        gaps=NO_GAPS,
        codes=codes,
        order=order.astype(np.int64),
        counts=counts,
        lengths=lengths,
    )


def _cut_blocks(columns: list[_Encoded]) -> Iterator[tuple[int, int]]:
    """Give the encoded columns a few at a time, none of two columns together."""
    step = max(1, CELLS // max(1, columns[-1].end if columns else 1))
    for column in columns:
        for low in range(column.start, column.end, step):
            yield low, min(low + step, column.end)


def _correlate_block(columns: list[_Encoded], low: int, high: int) -> Floats:
    """Return Pearson's correlations of some encoded columns of one column with all; NaN beside a constant one."""
    one = next(column for column in columns if column.start <= low < column.end)
    first, last = low - one.start, high - one.start
    return np.concatenate([_correlate(one, first, last, other) for other in columns], axis=1)


def _correlate(one: _Encoded, low: int, high: int, other: _Encoded) -> Floats:
    """Return the correlations of some encoded columns of one column with those of another, over complete pairs."""
    if len(one.gaps) or len(other.gaps):
        lacking = [column.gaps for column in (one, other) if len(column.gaps)]
        there = ~np.logical_or.reduce(lacking)
        if not there.any():
            return np.full((high - low, other.width), np.nan)
        one, other = one.take(there), other.take(there)
    return _multiply(one, low, high, other) / (one.lengths[low:high, None] * other.lengths[None, :])


def _multiply(one: _Encoded, low: int, high: int, other: _Encoded) -> Floats:
    """Return the products of centred encoded columns, summed over the records."""
    if not len(one.codes):
        if not len(other.codes):
            return np.array([[one.numbers @ other.numbers]])
        return np.bincount(other.codes + 1, weights=one.numbers, minlength=other.width + 1)[None, 1:].astype(np.float64)
    ends = np.cumsum(one.counts)
    rows = one.order[ends[low] - one.counts[low] : ends[high - 1]]
    codes = one.codes[rows] - low
    if not len(other.codes):
        return np.bincount(codes, weights=other.numbers[rows], minlength=high - low)[:, None].astype(np.float64)
    width = other.width + 1  # the first is for values that the other file lacks
    together = np.bincount(codes * width + other.codes[rows] + 1, minlength=(high - low) * width)
    expected = np.outer(one.counts[low:high], other.counts) / len(one.codes)
    return together.reshape(high - low, width)[:, 1:] - expected

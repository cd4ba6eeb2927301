"""Which classes of a release fit people, by what is known of them.

A class fits a person if every key cell admits his value. For each key value there is one bitmap over the classes; they
are ANDed word by word, words that are 0 being dropped, and what people share in the first columns is done once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.cell_linkage import CellLinkage
from sekisho.attack.records.fitting_rows import LinkageSides
from sekisho.data.frame.dataset import Dataset
from sekisho.kernels import njit
from sekisho.safety.records.joint.known import ClassedRows, FittingClasses

WORD = 64
BUCKETS = 512
"""So many bitmaps at most for a column; where it has more values, several share one and each hit is looked at."""


def find_fitting_classes(
    release: ClassedRows, people: Dataset, keys: Sequence[str], *, present: NDArray[np.bool_] | None = None
) -> FittingClasses:
    """Return of each person the classes of a release whose cells admit all his keys.

    Args:
        release: its classes must be those of the keys.
        people: at the time of the release.
        keys: what is known of them.
        present: who is in the release; everybody if not given.

    Raises:
        ParameterError: a key is not known and published, of one kind.
    """
    there = np.ones(len(people), dtype=np.bool_) if present is None else present
    rows = np.unique(release.classes, return_index=True)[1]
    linkage = CellLinkage.of(release.table.take(rows), people, keys)
    # several classes may admit the very same values, written otherwise
    order = np.argsort(linkage.row, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(linkage.row, minlength=len(linkage.sides.lower)))])
    tables, buckets, sure = _draw_bitmaps(linkage.sides)
    turns = np.lexsort(buckets.T[::-1])
    first, distinct = _list_fitting(linkage.sides, tables, buckets, turns, sure)
    sizes = np.diff(ends)[distinct]
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    classes = order[np.repeat(ends[distinct], sizes) + within].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])[first].astype(np.int64)
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    classes = np.sort(owner * len(rows) + classes) % max(1, len(rows))
    fits = FittingClasses(first=starts, classes=classes, present=np.ones(len(starts) - 1, dtype=np.bool_))
    turn = np.empty(len(turns), dtype=np.intp)
    turn[turns] = np.arange(len(turns))
    spread = fits.take(turn[linkage.person])
    kept = np.repeat(there, np.diff(spread.first))
    lengths = np.where(there, np.diff(spread.first), 0)
    return FittingClasses(
        first=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), classes=spread.classes[kept], present=there
    )


def _draw_bitmaps(sides: LinkageSides) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Return bitmaps over the rows, one after another, the bitmap of each person and column, and whether all are exact.

    Columns whose bitmaps have the fewest bits come first.
    """
    words = -(-len(sides.lower) // WORD)
    tables: list[NDArray[np.uint64]] = []
    buckets: list[NDArray[np.int64]] = []
    sure = True
    for column in range(sides.numbers.shape[1]):
        values = np.unique(sides.numbers[:, column])
        edges = values if len(values) <= BUCKETS else np.unique(values[:: -(-len(values) // BUCKETS)])
        sure &= len(edges) == len(values)
        low = np.maximum(np.searchsorted(edges, sides.lower[:, column], side="right") - 1, 0)
        if len(edges) == len(values):
            low = np.searchsorted(edges, sides.lower[:, column])
        high = np.searchsorted(edges, sides.upper[:, column], side="right") - 1
        tables.append(_draw_ranges(low, high, len(edges), words))
        buckets.append(np.searchsorted(edges, sides.numbers[:, column], side="right") - 1)
    for column in range(sides.codes.shape[1]):
        width = int(sides.width[column])
        sure &= width <= BUCKETS
        table = sides.admits[sides.first[column] :][: (int(sides.sets[:, column].max(initial=0)) + 1) * width]
        tables.append(_draw_sets(sides.sets[:, column], table.reshape(-1, width), min(width, BUCKETS), words))
        codes = sides.codes[:, column]
        buckets.append(np.where(codes < 0, min(width, BUCKETS), codes % BUCKETS))
    starts = np.concatenate([[0], np.cumsum([len(each) for each in tables])])
    order = np.argsort([float(np.bitwise_count(each).mean()) for each in tables])
    places = [buckets[at] + starts[at] for at in order.tolist()]
    return np.concatenate(tables), np.ascontiguousarray(np.stack(places, axis=1)), int(sure)


@njit(cache=True, nogil=True)
def _draw_ranges(low: NDArray[np.int64], high: NDArray[np.int64], buckets: int, words: int) -> NDArray[np.uint64]:
    table = np.zeros((buckets, words), np.uint64)
    for row in range(len(low)):
        for bucket in range(low[row], high[row] + 1):
            table[bucket, row // WORD] |= np.uint64(1) << np.uint64(row % WORD)
    return table


@njit(cache=True, nogil=True)
def _draw_sets(sets: NDArray[np.int64], admits: NDArray[np.bool_], buckets: int, words: int) -> NDArray[np.uint64]:
    """Draw the bitmaps of categories; the last is that of a value that only suppressed cells admit."""
    table = np.zeros((buckets + 1, words), np.uint64)
    for row in range(len(sets)):
        bit = np.uint64(1) << np.uint64(row % WORD)
        for value in range(admits.shape[1]):
            if admits[sets[row], value]:
                table[value % BUCKETS, row // WORD] |= bit
        if sets[row] == 0:
            table[buckets, row // WORD] |= bit
    return table


@njit(cache=True, nogil=True)
def _list_fitting(
    sides: LinkageSides,
    tables: NDArray[np.uint64],
    buckets: NDArray[np.int64],
    order: NDArray[np.int64],
    sure: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the fitting rows of each distinct person begin, in the order given, and these.

    Of each column what is left of the bitmaps up to it is kept, words that are not 0 only; whoever shares the first
    columns with the person before him shares that.
    """
    people, columns = buckets.shape
    left, place = np.empty((columns, tables.shape[1]), np.uint64), np.empty((columns, tables.shape[1]), np.int64)
    sizes = np.zeros(columns, np.int64)
    first, rows = np.zeros(people + 1, np.int64), np.empty(max(16, people), np.int64)
    size = 0
    for turn in range(people):
        person = order[turn]
        shared = 0
        while turn > 0 and shared < columns and buckets[person, shared] == buckets[order[turn - 1], shared]:
            shared += 1
        for column in range(shared, columns):
            _keep_words(tables[buckets[person, column]], left, place, sizes, column)
        for at in range(sizes[columns - 1]):
            word, row = left[columns - 1, at], place[columns - 1, at] * WORD
            while word != 0:
                if word & np.uint64(1) and (sure or _fits(sides, person, row)):
                    if size == len(rows):
                        rows = np.concatenate((rows, np.empty(size, np.int64)))
                    rows[size] = row
                    size += 1
                word >>= np.uint64(1)
                row += 1
        first[turn + 1] = size
    return first, rows[:size].copy()


@njit(cache=True, nogil=True)
def _keep_words(
    bitmap: NDArray[np.uint64],
    left: NDArray[np.uint64],
    place: NDArray[np.int64],
    sizes: NDArray[np.int64],
    column: int,
) -> None:
    """Keep of what is left before a column the words that its bitmap shares."""
    kept = 0
    for at in range(len(bitmap) if column == 0 else sizes[column - 1]):
        word = at if column == 0 else place[column - 1, at]
        common = bitmap[word] if column == 0 else left[column - 1, at] & bitmap[word]
        if common != 0:
            left[column, kept], place[column, kept] = common, word
            kept += 1
    sizes[column] = kept


@njit(cache=True, nogil=True)
def _fits(sides: LinkageSides, person: int, row: int) -> bool:
    for column in range(sides.numbers.shape[1]):
        value = sides.numbers[person, column]
        if value < sides.lower[row, column] or value > sides.upper[row, column]:
            return False
    for column in range(sides.codes.shape[1]):
        code, kind = sides.codes[person, column], sides.sets[row, column]
        if kind != 0 and (code < 0 or not sides.admits[sides.first[column] + kind * sides.width[column] + code]):
            return False
    return True

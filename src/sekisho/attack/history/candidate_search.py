"""Who a pseudonym could be: every customer whose rows explain the published ones.

The adversary holds the whole original. In a truthful release each published row stems from a row of its customer, no
two from the same, and every cell admits the true value. So a customer stays a candidate exactly if all published rows
of the pseudonym can be given distinct rows of his that they fit. Pseudonyms whose published rows are the same are
twins: they have the same candidates, found once.

Filters go first (:mod:`filters`), so the time hangs on how many people resemble each other, not on all pairs; and what
is kept is a list of pairs, not a table. Classes and customers are looked at in chunks (:mod:`chunks`), so the memory
hangs on the chunks, not on the files.

Source: PWS Cup 2018, details of the safety evaluation, 2.1 (an attacker with maximum knowledge).

Filters before the matching: whoever has no row like a published one cannot be meant, and is never looked at.

Of every published row it is counted how many known rows have one of its items, and how many lie in each of its ranges
(an index by item, and one by each number); the row with the fewest is looked up: a candidate has one of them, and
enough rows. The others must have a row for the next rarest, and so on. Matching decides about whoever is left. None of
this loses a candidate.

Candidates as pairs of a class of twins and a customer, not as a table of everybody against everybody.

Pseudonyms whose published rows are the same, as multisets: nothing in the release distinguishes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.attack.history.histories import KnownRows, PseudonymRows, PublishedHistories
from sekisho.attack.history.row_fit import (
    ROWS,
    ChunkRun,
    ChunkTask,
    Sides,
    build_edges,
    cut_by_length,
    cut_chunks,
    fits_some_row,
    matches_every_row,
    row_fits,
)
from sekisho.data.history.arrays import number_rows, number_runs
from sekisho.kernels import njit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidatePairs:
    """Who each pseudonym could be.

    Attributes:
        twin: for each pseudonym the number of its class of twins.
        example: for each class one of its pseudonyms, as a position.
        possible: classes by customers, an entry where the customer is a candidate; each line's entries in order.
    """

    twin: NDArray[np.int64]
    example: NDArray[np.int64]
    possible: csr_array

    def counts(self) -> NDArray[np.int64]:
        """Return how many candidates each pseudonym has."""
        return np.diff(self.possible.indptr).astype(np.int64)[self.twin]

    def sizes(self) -> NDArray[np.int64]:
        """Return how many pseudonyms each class of twins has."""
        return np.bincount(self.twin, minlength=len(self.example))


def list_pairs(table: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the lines and columns of a table's entries, line by line."""
    lines = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    return lines.astype(np.int64), table.indices.astype(np.int64)


TWIN_ROWS = 500_000
"""So many rows are numbered at once; pseudonyms of one length, among which twins are, stay together."""


def number_twins(rows: PseudonymRows, most: int = TWIN_ROWS) -> NDArray[np.int64]:
    """Return a class number per pseudonym, equal exactly where two publish the same rows the same number of times.

    Classes are numbered in the order in which the pseudonyms first show them.
    """
    lengths = rows.lengths()
    classes, fresh = np.zeros(len(lengths), np.int64), 0
    for people in cut_by_length(lengths, most, together=True):
        classes[people] = fresh + number_alike(rows.take(people))
        fresh = int(classes[people].max()) + 1
    _, first, twin = np.unique(classes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[twin]


def number_alike(rows: PublishedHistories) -> NDArray[np.int64]:
    """Return a number per pseudonym, equal exactly where two publish the same rows the same number of times.

    A number per cell, then per row, then per pseudonym over its sorted rows; no hashing, so equal numbers mean equal
    rows.
    """
    sets = [
        number_runs(rows.starts[:, column], rows.ends[:, column], rows.values) for column in range(rows.starts.shape[1])
    ]
    row = number_rows(np.zeros(len(rows.lower), np.int64), *rows.lower.T, *rows.upper.T, *sets)
    order = np.lexsort((row, rows.owners()))
    return number_runs(rows.offsets[:-1], rows.offsets[1:], row[order])


ANY, BY_ITEM = -2, -1
"""How known rows that a published row may stem from are looked up, where not by a number: all, or by item."""


class Index(NamedTuple):
    """Where to find known rows by item and by number; a named tuple, because kernels take those.

    Attributes:
        owners: the customer of each known row.
        by_item: the known rows, by their first code.
        items: where each code begins there; one more entry marks the end.
        by_number: one line per number, the known rows by it.
        values: the numbers in that order.
    """

    owners: NDArray[np.int32]
    by_item: NDArray[np.int32]
    items: NDArray[np.int64]
    by_number: NDArray[np.int32]
    values: NDArray[np.int64]

    @classmethod
    def of(cls, both: Sides, width: int) -> Index:
        """Return the index of the known side; ``width`` is how many codes there are."""
        by_item = np.argsort(both.lead, kind="stable").astype(np.int32)
        by_number = np.empty((both.numbers.shape[1], len(both.numbers)), dtype=np.int32)
        values = np.empty(by_number.shape, dtype=np.int64)
        for column, numbers in enumerate(both.numbers.T):
            by_number[column] = np.argsort(numbers, kind="stable")
            values[column] = numbers[by_number[column]]
        return cls(
            owners=np.repeat(np.arange(len(both.bounds) - 1, dtype=np.int32), np.diff(both.bounds)),
            by_item=by_item,
            items=np.searchsorted(both.lead[by_item], np.arange(width + 1)).astype(np.int64),
            by_number=by_number,
            values=values,
        )


@njit(cache=True, nogil=True)
def find_explaining(both: Sides, index: Index) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the customers who explain each published history, one after another, and where each one's begin."""
    lengths, people = np.diff(both.bounds), len(both.offsets) - 1
    offsets, found = np.zeros(people + 1, np.int64), np.empty(4 * people + 1, np.int64)
    stamp, pool = np.full(len(lengths), -1), np.empty(len(lengths), np.int64)
    for person in range(people):
        end = offsets[person]
        for customer in np.sort(_filter_customers(both, index, person, lengths, stamp, pool)):
            edges, targets = build_edges(both, person, int(customer))
            if not matches_every_row(edges, targets, int(lengths[customer])):
                continue
            if end == len(found):
                found = np.concatenate((found, np.empty(len(found), np.int64)))
            found[end] = customer
            end += 1
        offsets[person + 1] = end
    return offsets, found[: offsets[-1]]


@njit(cache=True, nogil=True)
def _filter_customers(
    both: Sides,
    index: Index,
    person: int,
    lengths: NDArray[np.int64],
    stamp: NDArray[np.int64],
    pool: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the customers who have enough rows and, for every row of a pseudonym, a row that it fits."""
    first, last = both.offsets[person], both.offsets[person + 1]
    known, way = np.empty(last - first, np.int64), np.empty(last - first, np.int64)
    for row in range(first, last):
        known[row - first], way[row - first] = _count_known(both, index, row)
        if known[row - first] == 0:
            return pool[:0].copy()
    # Compiled code kept on disk must not name quicksort for sort and argsort alike: see tests/test_compiled.py.
    order = np.argsort(known, kind="mergesort")
    rarest = int(order[0])
    count = _list_owners(both, index, int(first + rarest), int(way[rarest]), stamp, pool)
    count = _keep_longer(pool, count, lengths, last - first)
    for place in order[1:]:
        kept = 0
        for customer in pool[:count]:
            if fits_some_row(both, first + place, customer):
                pool[kept] = customer
                kept += 1
        count = kept
    return pool[:count].copy()


@njit(cache=True, nogil=True)
def _keep_longer(pool: NDArray[np.int64], count: int, lengths: NDArray[np.int64], least: int) -> int:
    """Keep the customers with enough rows at the front of the pool; return how many."""
    kept = 0
    for customer in pool[:count]:
        if lengths[customer] >= least:
            pool[kept] = customer
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _count_known(both: Sides, index: Index, row: int) -> tuple[int, int]:
    """Return how few known rows a published row leaves by one of its cells alone, and by which."""
    fewest, way = len(index.owners), ANY
    if both.starts.shape[1] and both.ends[row, 0] > both.starts[row, 0]:
        count = 0
        for code in both.values[both.starts[row, 0] : both.ends[row, 0]]:
            count += int(index.items[code + 1] - index.items[code]) if code >= 0 else 0
        if count < fewest:
            fewest, way = count, BY_ITEM
    for column in range(both.lower.shape[1]):
        low, high = _find_within(both, index, row, column)
        if high - low < fewest:
            fewest, way = high - low, column
    return fewest, way


@njit(cache=True, nogil=True)
def _find_within(both: Sides, index: Index, row: int, column: int) -> tuple[int, int]:
    """Return from where to where the known rows stand whose number lies in a published row's range."""
    values = index.values[column]
    low = np.searchsorted(values, both.lower[row, column])
    return int(low), max(int(low), int(np.searchsorted(values, both.upper[row, column], side="right")))


@njit(cache=True, nogil=True)
def _list_owners(
    both: Sides, index: Index, row: int, way: int, stamp: NDArray[np.int64], pool: NDArray[np.int64]
) -> int:
    """Write every customer who has a row that a published one fits, found in one way; return how many."""
    if way == ANY:
        return _add_owners(both, index, row, np.arange(len(index.owners)).astype(np.int32), stamp, pool, 0)
    if way >= 0:
        low, high = _find_within(both, index, row, way)
        return _add_owners(both, index, row, index.by_number[way, low:high], stamp, pool, 0)
    count = 0
    for code in both.values[both.starts[row, 0] : both.ends[row, 0]]:
        if code >= 0:
            listed = index.by_item[index.items[code] : index.items[code + 1]]
            count = _add_owners(both, index, row, listed, stamp, pool, count)
    return count


@njit(cache=True, nogil=True)
def _add_owners(
    both: Sides,
    index: Index,
    row: int,
    facts: NDArray[np.int32],
    stamp: NDArray[np.int64],
    pool: NDArray[np.int64],
    count: int,
) -> int:
    """Add the owners of some known rows that a published one fits to the pool, each once; return how many it has."""
    for fact in facts:
        owner = index.owners[fact]
        if stamp[owner] != row and row_fits(both, row, fact):
            stamp[owner] = row
            pool[count] = owner
            count += 1
    return count


def find_candidates(
    rows: PseudonymRows, facts: KnownRows, *, jobs: int | None = None, chunk: int = ROWS
) -> CandidatePairs:
    """Return every customer that each pseudonym could be.

    Args:
        rows: what was published.
        facts: what is known.
        jobs: in how many threads chunks are worked on; as many as cores if not said.
        chunk: about how many rows of either side a chunk has.
    """
    twin = number_twins(rows)
    example = np.unique(twin, return_index=True)[1]
    chunks = cut_chunks(rows.lengths()[example], facts.lengths(), chunk)
    width, keys = len(facts.customers), [np.zeros(0, np.int64)]
    run = ChunkRun(rows=rows, facts=facts, example=example, jobs=jobs)
    for part, (offsets, customers) in zip(chunks, run.ask(explain_chunk, chunks), strict=True):
        keys.append(np.repeat(part.classes, np.diff(offsets)) * width + part.customers[customers])
    pairs = np.sort(np.concatenate(keys))
    possible = csr_array(
        (
            np.ones(len(pairs), dtype=np.bool_),
            pairs % max(1, width),
            np.searchsorted(pairs, np.arange(len(example) + 1) * width),
        ),
        shape=(len(example), width),
    )
    return CandidatePairs(twin=twin, example=example, possible=possible)


def explain_chunk(task: ChunkTask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the customers who explain each class, one class after another, and where each class's begin."""
    return find_explaining(task.both, Index.of(task.both, task.width))

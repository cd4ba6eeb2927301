"""Which published row could stem from which known row, and whether a whole history could stem from another.

A published row y fits a known row x if every cell of y admits x's value. A published history fits a known one if its
rows can be given distinct rows of the other that they fit: a matching in the bipartite graph of fitting rows that
leaves no published row over, found by augmenting paths. Source: Berge, "Two theorems in graph theory", PNAS 43 (1957):
a matching is largest exactly when no path augments it.

Classes of twins and customers in chunks: every pair of them falls into one chunk of pairs, decided by itself.

Whether a customer explains a pseudonym depends on the rows of these two alone, so the answers of the chunks together
are exactly those of all pairs at once. Both sides are sorted by how many rows they have before they are cut: a chunk
whose classes are all longer than its customers holds no candidate, and is never begun. A chunk is a pure function of
its arrays, and both can be pickled: chunks are worked on in threads, or on the cluster that was opened for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.histories import KnownHistories, KnownRows, PseudonymRows, PublishedHistories
from sekisho.data.engines.tasks import find_cluster
from sekisho.kernels import njit

NONE = -1


class Sides(NamedTuple):
    """Both sides as bare arrays for compiled code; the known rows of a customer are sorted by their first code."""

    offsets: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    values: NDArray[np.int32]
    bounds: NDArray[np.int64]
    numbers: NDArray[np.int64]
    codes: NDArray[np.int32]
    lead: NDArray[np.int32]


def gather_sides(rows: PublishedHistories, facts: KnownHistories) -> Sides:
    """Return both sides, ready for compiled code."""
    return Sides(
        offsets=rows.offsets,
        lower=rows.lower,
        upper=rows.upper,
        starts=rows.starts,
        ends=rows.ends,
        values=rows.values,
        bounds=facts.offsets,
        numbers=facts.numbers,
        codes=facts.codes,
        lead=np.ascontiguousarray(facts.codes[:, 0]) if facts.codes.shape[1] else np.zeros(len(facts.codes), np.int32),
    )


@njit(cache=True, nogil=True)
def row_fits(both: Sides, row: int, fact: int) -> bool:
    """Tell whether a published row could stem from a known one."""
    for column in range(both.lower.shape[1]):
        if not both.lower[row, column] <= both.numbers[fact, column] <= both.upper[row, column]:
            return False
    for column in range(both.starts.shape[1]):
        start, end = both.starts[row, column], both.ends[row, column]
        if start == end:
            continue
        at = start + np.searchsorted(both.values[start:end], both.codes[fact, column])
        if at == end or both.values[at] != both.codes[fact, column]:
            return False
    return True


@njit(cache=True, nogil=True)
def list_fitting_rows(both: Sides, row: int, customer: int, into: NDArray[np.int32]) -> int:
    """Write the known rows of a customer that a published row could stem from, counted within the customer.

    Return how many.
    """
    first, last = both.bounds[customer], both.bounds[customer + 1]
    count = 0
    open_cell = both.starts.shape[1] == 0 or both.starts[row, 0] == both.ends[row, 0]
    if open_cell:
        for fact in range(first, last):
            if row_fits(both, row, fact):
                into[count] = fact - first
                count += 1
        return count
    lead = both.lead[first:last]
    for place in range(both.starts[row, 0], both.ends[row, 0]):
        fact = first + np.searchsorted(lead, both.values[place])
        while fact < last and both.lead[fact] == both.values[place]:
            if row_fits(both, row, fact):
                into[count] = fact - first
                count += 1
            fact += 1
    return count


@njit(cache=True, nogil=True)
def fits_some_row(both: Sides, row: int, customer: int) -> bool:
    """Tell whether a published row could stem from any known row of a customer."""
    first, last = both.bounds[customer], both.bounds[customer + 1]
    fits = False
    if both.starts.shape[1] == 0 or both.starts[row, 0] == both.ends[row, 0]:
        fact = first
        while fact < last and not fits:
            fits = row_fits(both, row, fact)
            fact += 1
        return fits
    place = both.starts[row, 0]
    while place < both.ends[row, 0] and not fits:
        fact = first + np.searchsorted(both.lead[first:last], both.values[place])
        while fact < last and both.lead[fact] == both.values[place] and not fits:
            fits = row_fits(both, row, fact)
            fact += 1
        place += 1
    return fits


@njit(cache=True, nogil=True)
def build_edges(both: Sides, person: int, customer: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the graph of fitting rows between a pseudonym and a customer, row by row.

    Cut short at a row that fits none.
    """
    first, rows = both.offsets[person], both.offsets[person + 1] - both.offsets[person]
    into = np.empty(both.bounds[customer + 1] - both.bounds[customer], np.int32)
    offsets, targets = np.zeros(rows + 1, np.int64), np.empty(4 * rows + len(into), np.int32)
    for row in range(rows):
        count = list_fitting_rows(both, first + row, customer, into)
        end = offsets[row] + count
        if end > len(targets):
            targets = np.concatenate((targets, np.empty(len(targets) + count, np.int32)))
        targets[offsets[row] : end] = into[:count]
        offsets[row + 1] = end
        if count == 0:
            offsets[row + 1 :] = end
            break
    return offsets, targets[: offsets[rows]]


@njit(cache=True, nogil=True)
def matches_every_row(offsets: NDArray[np.int64], targets: NDArray[np.int32], facts: int) -> bool:
    """Tell whether every row on the left of a graph can have a row on the right of its own."""
    rows = len(offsets) - 1
    fact_of, row_of = np.full(rows, NONE), np.full(facts, NONE)
    parent, visited_from = np.empty(facts, np.int64), np.full(facts, NONE)
    queue = np.empty(rows, np.int64)
    row = 0
    while row < rows and _augment_matching(row, offsets, targets, fact_of, row_of, parent, visited_from, queue):
        row += 1
    return row == rows


@njit(cache=True, nogil=True)
def _augment_matching(
    root: int,
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    fact_of: NDArray[np.int64],
    row_of: NDArray[np.int64],
    parent: NDArray[np.int64],
    visited_from: NDArray[np.int64],
    queue: NDArray[np.int64],
) -> bool:
    """Give ``root`` a row of its own, moving others along a shortest alternating path; tell whether there was one."""
    queue[0], head, tail = root, 0, 1
    while head < tail:
        row = queue[head]
        head += 1
        for place in range(offsets[row], offsets[row + 1]):
            fact = targets[place]
            if visited_from[fact] == root:
                continue
            visited_from[fact], parent[fact] = root, row
            if row_of[fact] == NONE:
                _flip_path(fact, root, parent, fact_of, row_of)
                return True
            queue[tail] = row_of[fact]
            tail += 1
    return False


@njit(cache=True, nogil=True)
def _flip_path(
    fact: int, root: int, parent: NDArray[np.int64], fact_of: NDArray[np.int64], row_of: NDArray[np.int64]
) -> None:
    """Turn the path that ends in a free fact: each row on it lets its fact go and takes the next."""
    while True:
        row = int(parent[fact])
        previous = int(fact_of[row])
        fact_of[row], row_of[fact] = fact, row
        if row == root:
            return
        fact = previous


ROWS = 250_000
"""Of each side of a chunk, not counting the last one's."""

A = TypeVar("A")


class ChunkTask(NamedTuple):
    """What is asked of some classes and some customers.

    Attributes:
        both: the rows of one pseudonym of each class, and those of the customers.
        width: how many codes the shared space has.
        classes: of single pairs to look at, the class, counted within the chunk; empty where all are looked at.
        customers: of the same pairs the customer.
    """

    both: Sides
    width: int
    classes: NDArray[np.int64]
    customers: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chunk:
    """Some classes and some customers, by their numbers; and single pairs of them, counted within."""

    classes: NDArray[np.int64]
    customers: NDArray[np.int64]
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]] = (np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChunkRun:
    """Both sides, and in how many threads their chunks are worked on.

    Attributes:
        rows: the published side.
        facts: the known side.
        example: of each class one pseudonym, as a position.
        jobs: threads; as many as cores where None.
    """

    rows: PseudonymRows
    facts: KnownRows
    example: NDArray[np.int64]
    jobs: int | None = None

    def ask(self, function: Callable[[ChunkTask], A], chunks: list[Chunk]) -> Iterator[A]:
        """Give a function's answer for each chunk, in their order; a chunk's rows are gathered when its turn comes."""

        def work(chunk: Chunk) -> A:
            return function(self._prepare(chunk))

        cluster = find_cluster()
        if cluster is not None:
            yield from cluster.run_tasks(function, map(self._prepare, chunks))
            return
        workers = min(len(chunks), self.jobs or os.cpu_count() or 1)
        if workers <= 1:
            yield from map(work, chunks)
            return
        with ThreadPoolExecutor(max_workers=workers) as pool:
            yield from pool.map(work, chunks)

    def _prepare(self, chunk: Chunk) -> ChunkTask:
        published, known = self.rows.take(self.example[chunk.classes]), self.facts.take(chunk.customers)
        return ChunkTask(gather_sides(published, known), known.width, *chunk.pairs)


def cut_chunks(classes: NDArray[np.int64], customers: NDArray[np.int64], rows: int = ROWS) -> list[Chunk]:
    """Return chunks in which every class meets every customer who has enough rows.

    Args:
        classes: how many rows each class's pseudonyms have.
        customers: how many rows each customer has.
        rows: about so many rows of each side in a chunk.
    """
    known = cut_by_length(customers, rows)
    return [
        Chunk(classes=some, customers=people)
        for some in cut_by_length(classes, rows)
        for people in known
        if classes[some[0]] <= customers[people[-1]]
    ]


def cut_pairs(
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
    classes: NDArray[np.int64],
    customers: NDArray[np.int64],
    rows: int = ROWS,
) -> list[tuple[NDArray[np.int64], Chunk]]:
    """Return single pairs of class and customer in chunks, each with the places of its pairs.

    Args:
        pairs: the classes and the customers.
        classes: how many rows each class's pseudonyms have.
        customers: how many rows each customer has.
        rows: about so many rows of each side in a chunk.
    """
    part = _number_parts(classes, rows)[pairs[0]] * (len(customers) + 1) + _number_parts(customers, rows)[pairs[1]]
    order = np.argsort(part, kind="stable")
    chunks: list[tuple[NDArray[np.int64], Chunk]] = []
    for places in np.split(order, np.flatnonzero(np.diff(part[order])) + 1) if len(order) else []:
        lines, line = np.unique(pairs[0][places], return_inverse=True)
        columns, column = np.unique(pairs[1][places], return_inverse=True)
        chunks.append((places, Chunk(classes=lines, customers=columns, pairs=(line, column))))
    return chunks


def _number_parts(lengths: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """Return each run's part."""
    numbers = np.zeros(len(lengths), dtype=np.int64)
    for number, part in enumerate(cut_by_length(lengths, rows)):
        numbers[part] = number
    return numbers


def cut_by_length(lengths: NDArray[np.int64], rows: int, *, together: bool = False) -> list[NDArray[np.int64]]:
    """Return parts of about so many rows, each of runs of similar length, the shortest first.

    Args:
        lengths: of each run.
        rows: how many make a part.
        together: runs of one length stay in one part.
    """
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order]
    before = np.cumsum(ordered) - ordered
    part = before[np.searchsorted(ordered, ordered) if together else slice(None)] // rows
    return np.split(order, np.flatnonzero(np.diff(part)) + 1) if len(order) else []

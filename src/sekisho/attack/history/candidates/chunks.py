"""Classes of twins and customers in chunks: every pair of them falls into one chunk of pairs, decided by itself.

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

from sekisho.attack.history.candidates.row_fit import Sides, gather_sides
from sekisho.attack.history.histories import KnownRows, PseudonymRows
from sekisho.data.large.tasks import find_cluster

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

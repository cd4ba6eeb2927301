"""Who a pseudonym could be: every customer whose rows explain the published ones.

The adversary holds the whole original. In a truthful release each published row stems from a row of its customer, no
two from the same, and every cell admits the true value. So a customer stays a candidate exactly if all published rows
of the pseudonym can be given distinct rows of his that they fit. Pseudonyms whose published rows are the same are
twins: they have the same candidates, found once.

Filters go first (:mod:`filters`), so the time hangs on how many people resemble each other, not on all pairs; and what
is kept is a list of pairs, not a table. Classes and customers are looked at in chunks (:mod:`chunks`), so the memory
hangs on the chunks, not on the files.

Source: PWS Cup 2018, details of the safety evaluation, 2.1 (an attacker with maximum knowledge).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.attack.history.candidates.chunks import ROWS, ChunkRun, ChunkTask, cut_chunks
from sekisho.attack.history.candidates.filters import Index, find_explaining
from sekisho.attack.history.candidates.pairs import CandidatePairs
from sekisho.attack.history.candidates.twins import number_twins
from sekisho.attack.history.histories import KnownRows, PseudonymRows


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

"""How well a candidate explains a pseudonym, from how tight the published cells lie around his values.

The adversary does not know the method. He takes each published row y to be a blurred copy of one of the candidate's m
rows, each as likely, and each range [a; b] of w = b - a + 1 values to be either laid around the true value at random
or, as most methods do, just wide enough for several people's values, so that the true one is often an end:

    l(y | x) = product over the ranges wider than one value of  (1 - e)/w + e ([x = a] + [x = b])/2
    log L(candidate) = sum over y of log( sum over his rows x that y fits of l(y | x) / m )

What depends on y alone (a set's size, a suppressed cell) is the same for all candidates and left out. Rows count as
independent, which overrates long histories; ``e`` = 1/2. Source: our own; the likelihood of a record given its widened
cells is that of Heitjan and Rubin, "Ignorability and coarse data", Annals of Statistics 19 (1991), for coarsening that
depends on the value only through the cell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.candidates.chunks import ROWS, ChunkRun, ChunkTask, cut_pairs
from sekisho.attack.history.candidates.pairs import CandidatePairs, list_pairs
from sekisho.attack.history.candidates.row_fit import Sides, list_fitting_rows
from sekisho.attack.history.histories import MOST, KnownRows, PseudonymRows
from sekisho.kernels import njit

END_SHARE = 0.5


def compute_log_likelihoods(
    candidates: CandidatePairs, rows: PseudonymRows, facts: KnownRows, *, jobs: int | None = None, chunk: int = ROWS
) -> NDArray[np.float64]:
    """Return log L of each entry of ``candidates.possible``, line by line.

    Args:
        candidates: who each pseudonym could be.
        rows: what was published.
        facts: what is known.
        jobs: in how many threads chunks of pairs are weighed; as many as cores if not said.
        chunk: about how many rows of either side a chunk has.
    """
    pairs = list_pairs(candidates.possible)
    chunks = cut_pairs(pairs, rows.lengths()[candidates.example], facts.lengths(), chunk)
    run = ChunkRun(rows=rows, facts=facts, example=candidates.example, jobs=jobs)
    logs = np.zeros(len(pairs[0]))
    for (places, _), answer in zip(chunks, run.ask(weigh_pairs, [part for _, part in chunks]), strict=True):
        logs[places] = answer
    return logs


def weigh_pairs(task: ChunkTask) -> NDArray[np.float64]:
    """Return log L of the pairs of a chunk."""
    return _sum_log_likelihoods(task.both, task.classes, task.customers)


@njit(cache=True, nogil=True)
def _sum_log_likelihoods(both: Sides, people: NDArray[np.int64], customers: NDArray[np.int64]) -> NDArray[np.float64]:
    result = np.zeros(len(people))
    into = np.empty(np.diff(both.bounds).max() if len(both.bounds) > 1 else 0, np.int32)
    for pair in range(len(people)):
        first, last = both.bounds[customers[pair]], both.bounds[customers[pair] + 1]
        for row in range(both.offsets[people[pair]], both.offsets[people[pair] + 1]):
            total = 0.0
            for place in range(list_fitting_rows(both, row, customers[pair], into)):
                total += _compute_row_likelihood(both, row, first + into[place])
            result[pair] += np.log(total / (last - first))
    return result


@njit(cache=True, nogil=True)
def _compute_row_likelihood(both: Sides, row: int, fact: int) -> float:
    result = 1.0
    for column in range(both.lower.shape[1]):
        low, high, value = both.lower[row, column], both.upper[row, column], both.numbers[fact, column]
        if high in (low, MOST):
            continue
        inside = (1 - END_SHARE) / (high - low + 1.0)
        result *= inside + END_SHARE / 2 * ((value == low) + (value == high))
    return result

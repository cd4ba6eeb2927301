"""Picking candidate rows by a score: what the adversaries on records share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import RecordGuess
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.space import Points, RecordSpace
from sekisho.errors import ParameterError

ANSWERS = 3


def known_and_published(space: RecordSpace, release: MaskedTable, knowledge: Dataset) -> tuple[Points, Points]:
    """Return the known records and the published rows as points with common codes."""
    published = release.dataset()
    if len(published) < ANSWERS:
        raise ParameterError("release", f"have at least {ANSWERS} rows", len(published))
    known, rows = space.points(knowledge, published)
    return known, rows


def best_rows(score: NDArray[np.generic], *, rng: np.random.Generator, answers: int = ANSWERS) -> NDArray[np.int64]:
    """Return for each record the rows with the highest scores, best first; equal scores are ordered by chance."""
    rank = np.unique(score, return_inverse=True)[1].reshape(score.shape) + rng.random(score.shape)
    chosen = np.argpartition(-rank, answers - 1, axis=1)[:, :answers]
    order = np.argsort(-np.take_along_axis(rank, chosen, axis=1), axis=1)
    return np.take_along_axis(chosen, order, axis=1).astype(np.int64)


def reachable_first(score: NDArray[np.float64], loss: NDArray[np.int64], steps: int) -> NDArray[np.float64]:
    """Return a score between 0 and 1 with rows out of reach put last, the nearest of them first, so that no answer stays empty."""
    return np.where(loss <= steps, score + 1.0, -loss / (1.0 + float(loss.max(initial=0))))


def everyone(candidates: NDArray[np.int64]) -> RecordGuess:
    """Call every record a member: recall 1, precision the members' share."""
    return RecordGuess(candidates=candidates)


def only(candidates: NDArray[np.int64], member: NDArray[np.bool_]) -> RecordGuess:
    """Call only some records members."""
    return RecordGuess(candidates=np.where(member[:, None], candidates, -1))

"""What the adversaries of records share: whom they know, how far a record may have moved, picking rows by a score.

Name the nearest rows: the organisers' sample attack.

The adversary holds the original values of some records and believes that protection moves records little. He names the
three rows nearest by one-hot Euclidean distance; a record whose nearest row is farther than the median of all is "not a
member". Without the cut he calls everyone a member, which is sure of recall 1 and precision 1/2.

Source: PWS Cup 2021, programs attack.py and rlink.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import NOT_A_MEMBER, Guess
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.partners import squares
from sekisho.data.records.space import Points, RecordSpace, require_limit
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

USUAL_ANSWERS = 3
USUAL_DELTA = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkageAdversary(RecordSpace):
    """He holds the original values of some records and names rows for them."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    answers: int | None = field(
        default=None, metadata={"help": "How many rows may be named for a record; as the rules say, else 3."}
    )

    def __post_init__(self) -> None:
        if self.answers is not None and self.answers < 1:
            raise ParameterError("answers", Said("be at least 1"), self.answers)

    def count(self) -> int:
        """Return how many rows are named for a record."""
        return USUAL_ANSWERS if self.answers is None else self.answers

    def read_points(self, release: MaskedTable, knowledge: Dataset) -> tuple[Points, Points]:
        """Return the known records and the published rows as points with common codes."""
        published = release.to_dataset()
        if len(published) < self.count():
            raise ParameterError("release", Said("have at least {count} rows", count=self.count()), len(published))
        people, rows = self.points(knowledge, published)
        return people, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachAdversary(LinkageAdversary):
    """He also knows how far a record may have moved."""

    limit: float | None = field(
        default=None, metadata={"help": "The largest loss a record may have suffered; as the rules say."}
    )

    def __post_init__(self) -> None:
        LinkageAdversary.__post_init__(self)
        if self.limit is not None:
            require_limit(self.limit)

    def reach(self) -> float:
        """Return how far a record may have moved."""
        return require_limit(self.limit)


def pick_best_rows(score: NDArray[np.generic], *, rng: np.random.Generator, answers: int) -> NDArray[np.int64]:
    """Return for each record the rows with the highest scores, best first; equal scores are ordered by chance."""
    rank = np.unique(score, return_inverse=True)[1].reshape(score.shape) + rng.random(score.shape)
    chosen = np.argpartition(-rank, answers - 1, axis=1)[:, :answers]
    order = np.argsort(-np.take_along_axis(rank, chosen, axis=1), axis=1)
    return np.take_along_axis(chosen, order, axis=1).astype(np.int64)


def put_reachable_first(score: NDArray[np.float64], loss: NDArray[np.int64], steps: int) -> NDArray[np.float64]:
    """Return a score with rows out of reach put last, the nearest of them first, so that no answer stays empty.

    The score given lies between 0 and 1.
    """
    return np.where(loss <= steps, score + 1.0, -loss / (1.0 + float(loss.max(initial=0))))


def call_everyone(candidates: NDArray[np.int64]) -> Guess:
    """Call every record a member: recall 1, precision the members' share."""
    return Guess.of_rows(candidates)


def call_only(candidates: NDArray[np.int64], member: NDArray[np.bool_]) -> Guess:
    """Call only some records members."""
    return Guess.of_rows(np.where(member[:, None], candidates, NOT_A_MEMBER))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NearestRows(LinkageAdversary):
    """The nearest rows; with ``cut``, records beyond the median distance are called non-members.

    Source: PWS Cup 2021, programs attack.py and rlink.py.
    """

    cut: bool = field(default=True, metadata={"help": "Call the records beyond the median distance non-members."})

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the nearest rows."""
        people, rows = self.read_points(release, knowledge)
        distance = squares(people, rows)
        candidates = pick_best_rows(-distance, rng=rng, answers=self.count())
        if not self.cut:
            return call_everyone(candidates)
        nearest = np.sqrt(distance.min(axis=1).astype(np.float64))
        return call_only(candidates, nearest <= np.median(nearest))

"""Guess among the rows a record may have been swapped with: the attacks of team 10 and its rivals on swapped records.

The adversary holds the original values of some records and knows that no record has moved by more than Iloss <= limit.
Telling members from others is hopeless when deleted rows were swapped with kept ones, so he calls everyone a member
(recall 1, precision 1/2) and spends his skill on the three rows:

=========== =============================================================================================
farthest    the farthest by one-hot Euclidean distance, if rows were swapped far away on purpose
largest     those of the largest Iloss
random      any
mixture     the farthest, the largest Iloss, a random one; where the first two coincide a random one replaces one
band        any with Iloss from ``low`` to ``limit``
=========== =============================================================================================

Source: PWS Cup 2021, slides of team 10, attack phase.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.records.row_scores import ReachAdversary, call_everyone, pick_best_rows, put_reachable_first
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.partners import losses, squares
from sekisho.data.records.space import Points, round_to_steps
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

USUAL_LOW = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _PartnerAdversary(ReachAdversary):
    """He names rows among those that a record may have been swapped with."""

    def _score_pairs(self, release: MaskedTable, knowledge: Dataset) -> tuple[Points, Points, NDArray[np.int64], int]:
        people, rows = self.read_points(release, knowledge)
        return people, rows, losses(people, rows), round_to_steps(self.reach(), rows.unit)

    def _name_best_rows(
        self, score: NDArray[np.float64], loss: NDArray[np.int64], steps: int, *, rng: np.random.Generator
    ) -> Guess:
        return call_everyone(pick_best_rows(put_reachable_first(score, loss, steps), rng=rng, answers=self.count()))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class FarthestRows(_PartnerAdversary):
    """The three farthest rows within reach.

    Source: PWS Cup 2021, slides of team 10, attack phase.
    """

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the farthest rows."""
        people, rows, loss, steps = self._score_pairs(release, knowledge)
        return self._name_best_rows(_scale_scores(squares(people, rows)), loss, steps, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class LargestLoss(_PartnerAdversary):
    """The three rows of the largest Iloss within reach.

    Source: PWS Cup 2021, slides of team 10, attack phase.
    """

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the rows of the largest Iloss."""
        _, _, loss, steps = self._score_pairs(release, knowledge)
        return self._name_best_rows(_scale_scores(loss), loss, steps, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RandomPartner(_PartnerAdversary):
    """Three random rows within reach.

    Source: PWS Cup 2021, slides of team 10, attack phase.
    """

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return random rows."""
        _, _, loss, steps = self._score_pairs(release, knowledge)
        return self._name_best_rows(np.zeros(loss.shape), loss, steps, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class BandPartner(_PartnerAdversary):
    """Three random rows with Iloss from ``low`` to ``limit``, then others within reach.

    Source: PWS Cup 2021, slides of team 10, attack phase.
    """

    low: float | None = field(
        default=None, metadata={"help": "The least Iloss of a likely row; 3, or the limit where that is smaller."}
    )

    def __post_init__(self) -> None:
        ReachAdversary.__post_init__(self)
        if self.low is not None and not self.low >= 0:
            raise ParameterError("low", Said("be at least 0"), self.low)
        if self.limit is not None:
            self._settle_low(self.limit)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return random rows of the band."""
        low = self._settle_low(self.reach())
        _, rows, loss, steps = self._score_pairs(release, knowledge)
        likely = (loss >= round_to_steps(low, rows.unit)).astype(np.float64)
        return self._name_best_rows(likely, loss, steps, rng=rng)

    def _settle_low(self, limit: float) -> float:
        if self.low is not None and self.low > limit:
            raise ParameterError("low", Said("lie between 0 and the limit {limit:g}", limit=limit), self.low)
        return min(USUAL_LOW, limit) if self.low is None else self.low


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Mixture(_PartnerAdversary):
    """The farthest row, the row of the largest Iloss, and a random one, all different.

    Source: PWS Cup 2021, slides of team 10, attack phase.
    """

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the rows of the slides: one far, one lossy, the others random."""
        people, rows, loss, steps = self._score_pairs(release, knowledge)
        far = pick_best_rows(
            put_reachable_first(_scale_scores(squares(people, rows)), loss, steps), rng=rng, answers=1
        )[:, 0]
        largest = pick_best_rows(put_reachable_first(_scale_scores(loss), loss, steps), rng=rng, answers=1)[:, 0]
        answers_each = self.count()
        spare = pick_best_rows(
            put_reachable_first(np.zeros(loss.shape), loss, steps), rng=rng, answers=min(answers_each + 1, len(rows))
        )
        answers = np.empty((len(people), answers_each), dtype=np.int64)
        for i in range(len(people)):
            named = dict.fromkeys([int(far[i]), int(largest[i]), *spare[i].tolist()])
            answers[i] = list(named)[:answers_each]
        return call_everyone(answers)


def _scale_scores(score: NDArray[np.int64]) -> NDArray[np.float64]:
    return score / (1.0 + float(score.max(initial=0)))

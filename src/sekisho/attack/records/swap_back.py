"""Undo a swap: the likelihood of each row under the swap model, and one assignment for all records at once.

The adversary holds the original values of some records, knows that values were exchanged between records within Iloss
<= limit, and calls everyone a member. If record i picks one of its d_i partners, or is picked by partner j which has
d_j, then row i bears j's values with weight

    w_ij = [0 < Iloss(i, j) <= limit] (1 / d_i + 1 / d_j),

so a value with few takers near the record is its likeliest row. Degrees are counted among the published rows and scaled
to the size of the original. A row belongs to one record only: the first answer is the assignment of all known records
to different rows of the greatest total log-weight, each record being free to stay out at the weight of the best row
left to chance; the other two are the next best.

Source of the assignment: Kuhn, Naval Research Logistics Quarterly 2 (1955), by scipy.optimize.linear_sum_assignment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sekisho.attack.guess import Guess
from sekisho.attack.records.row_scores import ReachAdversary, call_everyone, pick_best_rows
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.partners import count_partners, losses
from sekisho.data.records.space import Points, round_to_steps
from sekisho.parameters import checked

UNLIKELY = 1e-9  # weight of a row out of reach, so that every record has its answers


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SwapBack(ReachAdversary):
    """The likeliest rows under the swap model, the first by global assignment.

    Source: PWS Cup 2021, the swap of team 10; assignment by Kuhn (1955).
    """

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the likeliest rows."""
        people, rows = self.read_points(release, knowledge)
        return call_everyone(
            put_assigned_first(compute_swap_weights(people, rows, self.reach()), rng=rng, answers=self.count())
        )


def compute_swap_weights(people: Points, rows: Points, limit: float) -> NDArray[np.float64]:
    """Return w_ij for every record and row, next to nothing for rows out of reach, the nearest of them first."""
    loss, steps = losses(people, rows), round_to_steps(limit, rows.unit)
    near = loss <= steps
    own = np.maximum(near.sum(axis=1), 1)
    takers = np.maximum(count_partners(rows, limit), 1)
    weight = np.where(near & (loss > 0), 1.0 / own[:, None] + 1.0 / takers[None, :], 0.0)
    return weight + UNLIKELY * (1.0 - loss / (1.0 + loss.max()))


def put_assigned_first(weight: NDArray[np.float64], *, rng: np.random.Generator, answers: int) -> NDArray[np.int64]:
    """Return so many rows per record: its row in the best assignment to different rows, then the heaviest others."""
    jitter = weight * (1.0 + 1e-6 * rng.random(weight.shape))
    records, rows = linear_sum_assignment(np.log(jitter), maximize=True)
    lifted = weight.copy()
    lifted[records, rows] = np.inf  # more records than rows: those left over name their heaviest rows
    return pick_best_rows(lifted, rng=rng, answers=answers)

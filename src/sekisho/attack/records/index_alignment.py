"""The index attack: when a release keeps the original's order, so do the answers.

The adversary holds the original values of some records *in the original's order*. The referee's test set is sorted, the
release keeps the order of what is left: the rows of the members ascend as the records do. So the k-th of the known
members lies near the k-th quantile of the rows, and all answers together form one ascending alignment. He takes the
best alignment by dynamic programming: each record is matched to a row, rows strictly ascending, or called a non-member
at a fixed price, maximising the sum of

    log-likelihood of the pair under "within Iloss <= limit"  +  log-density of the row's place given the record's rank.

Shuffling the release before it is published, and telling nobody the order, defeats it entirely.

Source: PWS Cup 2021, discussion of the final (the attack was forbidden there); alignment: Needleman, Wunsch, J. Mol.
Biol. 48 (1970).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from sekisho.attack.guess import Guess
from sekisho.attack.records.row_scores import ReachAdversary, call_everyone, pick_best_rows
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.partners import count_partners, losses
from sekisho.data.records.space import round_to_steps
from sekisho.data.shape import Abilities
from sekisho.kernels import njit
from sekisho.parameters import checked


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class IndexAlignment(ReachAdversary):
    """The best ascending alignment of known records to rows, then the likeliest rows near it.

    Source: PWS Cup 2021, discussion of the final; alignment by Needleman, Wunsch (1970).
    """

    abilities: ClassVar[Abilities] = Abilities(uses_order=True)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the aligned rows."""
        people, rows = self.read_points(release, knowledge)
        limit = self.reach()
        near = losses(people, rows) <= round_to_steps(limit, rows.unit)
        takers = np.maximum(count_partners(rows, limit), 1)
        place = _compute_place_density(len(people), len(rows))
        weight = np.where(near, place / takers[None, :], 0.0) + 1e-9 * place + 1e-300
        flat = np.log(weight)
        row = align_rows(flat, float(np.median(flat.max(axis=1))) - 1.0)
        local = weight * (1.0 + 4.0 * _weigh_neighbours(row, len(rows)))
        return call_everyone(pick_best_rows(local, rng=rng, answers=self.count()))


def _compute_place_density(people: int, rows: int) -> NDArray[np.float64]:
    """Return the density of each row as the place of the i-th of so many sorted draws: Beta(i, n + 1 - i)."""
    middle = (np.arange(rows) + 0.5) / rows
    rank = np.arange(1, people + 1)[:, None]
    density: NDArray[np.float64] = np.asarray(beta.pdf(middle[None, :], rank, people + 1 - rank))
    return density / rows


def _weigh_neighbours(row: NDArray[np.int64], rows: int) -> NDArray[np.float64]:
    """Return 1 in the aligned row and less away from it."""
    gap = np.abs(np.arange(rows)[None, :] - row[:, None]) / (0.005 * rows)
    return np.where(row[:, None] >= 0, np.exp(-gap), 0.0)


@njit(cache=True, nogil=True)
def align_rows(gain: NDArray[np.float64], price: float) -> NDArray[np.int64]:
    """Return for each record its row in the ascending alignment of the greatest total.

    -1 where leaving it out at the price is better.
    """
    records, rows = gain.shape
    best = np.zeros((records + 1, rows + 1))
    for i in range(1, records + 1):
        best[i, 0] = best[i - 1, 0] + price
        for j in range(1, rows + 1):
            best[i, j] = max(best[i, j - 1], best[i - 1, j] + price, best[i - 1, j - 1] + gain[i - 1, j - 1])
    row = np.full(records, -1)
    i, j = records, rows
    while i > 0:
        if j > 0 and best[i, j] == best[i, j - 1]:
            j -= 1
        elif best[i, j] == best[i - 1, j] + price:
            i -= 1
        else:
            i, j = i - 1, j - 1
            row[i] = j
    return row

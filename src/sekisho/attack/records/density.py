"""Membership by density: were the records that are easy to find deleted?

The adversary holds the original values of some records, half of them members, and suspects that sparse records were
deleted. He counts how many rows lie within Iloss <= limit of each record. Members look like the rows themselves, so the
share p_M of rows with such a count is known; the records' own share is p = p_M / 2 + p_N / 2, hence

    P(member | count) = p_M / (2 p),

taken in seven classes of the rows' counts (the lowest holds their sparsest 2 %), with 10 pseudo-records against chance.
The rows he names are those of the swap model; how many records he calls members maximises the expected risk.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.records.calibrated_linkage import check_delta, choose_members
from sekisho.attack.records.row_scores import USUAL_DELTA, ReachAdversary, call_only
from sekisho.attack.records.swap_back import compute_swap_weights, put_assigned_first
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.partners import count_partners, find_within
from sekisho.parameters import checked

SHARES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9)
PSEUDO = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DensityMembership(ReachAdversary):
    """Membership by the number of rows in reach, rows by the swap model.

    Source: the estimate p_M / (2 p) is the density ratio of a half-and-half mixture.
    """

    delta: float | None = field(
        default=None, metadata={"help": "The delta of the risk that the answers maximise; as the rules say, else 0.01."}
    )

    def __post_init__(self) -> None:
        super(DensityMembership, self).__post_init__()
        check_delta(self.delta)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the answers of the greatest expected risk."""
        people, rows = self.read_points(release, knowledge)
        limit = self.reach()
        reach = find_within(people, rows, limit).counts()
        member = compute_density_chance(reach, count_partners(rows, limit) + 1)
        weight = compute_swap_weights(people, rows, limit)
        candidates = put_assigned_first(weight, rng=rng, answers=self.count())
        share = np.take_along_axis(weight, candidates, axis=1).sum(axis=1) / weight.sum(axis=1)
        return call_only(
            candidates, choose_members(member, member * share, USUAL_DELTA if self.delta is None else self.delta)
        )


def compute_density_chance(reach: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance of membership of records with so many rows in reach, given the rows' own counts."""
    edges, bins = np.quantile(rows, SHARES), len(SHARES) + 1
    place, usual = np.searchsorted(edges, reach), np.bincount(np.searchsorted(edges, rows), minlength=bins)
    p_member = usual / usual.sum()
    p_known = (np.bincount(place, minlength=bins) + PSEUDO * p_member) / (len(reach) + PSEUDO)
    return np.minimum(p_member / (2.0 * np.maximum(p_known, 1e-12)), 1.0)[place]

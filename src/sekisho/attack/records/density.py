"""Membership by density: were the records that are easy to find deleted?

The adversary holds the original values of some records, half of them members, and suspects that sparse records were
deleted. He counts how many rows lie within Iloss <= limit of each record. Members look like the rows themselves, so the
share p_M of rows with such a count is known; the records' own share is p = p_M / 2 + p_N / 2, hence

    P(member | count) = p_M / (2 p),

taken in seven classes of the rows' counts (the lowest holds their sparsest 2 %), with 10 pseudo-records against chance.
The rows he names are those of the swap model; how many records he calls members maximises the expected risk.

Undo a swap: the likelihood of each row under the swap model, and one assignment for all records at once.

The adversary holds the original values of some records, knows that values were exchanged between records within Iloss
<= limit, and calls everyone a member. If record i picks one of its d_i partners, or is picked by partner j which has
d_j, then row i bears j's values with weight

    w_ij = [0 < Iloss(i, j) <= limit] (1 / d_i + 1 / d_j),

so a value with few takers near the record is its likeliest row. Degrees are counted among the published rows and scaled
to the size of the original. A row belongs to one record only: the first answer is the assignment of all known records
to different rows of the greatest total log-weight, each record being free to stay out at the weight of the best row
left to chance; the other two are the next best.

Source of the assignment: Kuhn, Naval Research Logistics Quarterly 2 (1955), by scipy.optimize.linear_sum_assignment.

Calibrated linkage: how likely is each record a member, and which row is it, learned from the files themselves.

The adversary holds the original values of some records, of which half are members, and the published rows. He knows
neither the method nor its parameters; he learns how a record and its own row differ by the theory of record linkage. A
pair is compared in each measured column (the size of the difference, in steps) and by the number of other columns that
differ. Let u be the law of these comparisons for unrelated pairs, counted over all pairs, and m the law for true pairs.
With N rows, record i has

    LR_i = (1/N) sum_j m(g_ij) / u(g_ij),   P(member) = LR_i / (1 + LR_i),   P(row j) = P(member) m/u(g_ij) / (N LR_i).

m is learned by EM from several starts, with a weak prior towards the start; the start of the highest likelihood wins.
The answers then maximise the expected risk (recall + d)(precision + d)(top-k + d) over how many records are called
members, instead of cutting at the median.

Source: Fellegi, Sunter, JASA 64 (1969); EM: Winkler, ASA Survey Research Methods (1988).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.records.row_scores import (
    USUAL_DELTA,
    LinkageAdversary,
    ReachAdversary,
    call_everyone,
    call_only,
    pick_best_rows,
)
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.partners import count_partners, find_within, losses
from sekisho.data.records.space import Points, round_to_steps
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

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
    records, rows = scipy.optimize.linear_sum_assignment(np.log(jitter), maximize=True)
    lifted = weight.copy()
    lifted[records, rows] = np.inf  # more records than rows: those left over name their heaviest rows
    return pick_best_rows(lifted, rng=rng, answers=answers)


EDGES = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0)
ROUNDS = 25
PRIOR = 5.0
STARTS = (0.2, 1.0, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CalibratedLinkage(LinkageAdversary):
    """Membership by a calibrated score, rows by posterior and assignment.

    Source: Fellegi, Sunter, JASA 64 (1969); Winkler (1988).
    """

    delta: float | None = field(
        default=None, metadata={"help": "The delta of the risk that the answers maximise; as the rules say, else 0.01."}
    )

    def __post_init__(self) -> None:
        super(CalibratedLinkage, self).__post_init__()
        check_delta(self.delta)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the answers of the greatest expected risk."""
        people, rows = self.read_points(release, knowledge)
        posterior = link_rows(people, rows)
        candidates = put_assigned_first(posterior + 1e-12, rng=rng, answers=self.count())
        hit = np.take_along_axis(posterior, candidates, axis=1).sum(axis=1)
        return call_only(
            candidates, choose_members(posterior.sum(axis=1), hit, USUAL_DELTA if self.delta is None else self.delta)
        )


def check_delta(delta: float | None) -> None:
    """Refuse what is no delta of a risk."""
    if delta is not None and not 0 <= delta <= 1:
        raise ParameterError("delta", Said("lie between 0 and 1"), delta)


def choose_members(member: NDArray[np.float64], hit: NDArray[np.float64], delta: float) -> NDArray[np.bool_]:
    """Return which records to call members: the best set of the likeliest.

    Args:
        member: each record's chance of being a member.
        hit: its chance that one of the rows named is its own.
        delta: of the risk that is maximised.
    """
    order = np.argsort(-(member + hit), kind="stable")
    sure, hits = np.cumsum(member[order]), np.cumsum(hit[order])
    members = max(float(sure[-1]), 1e-9)
    size = np.arange(1, len(member) + 1)
    risk = (sure / members + delta) * (sure / size + delta) * (hits / members + delta)
    chosen = np.zeros(len(member), dtype=np.bool_)
    chosen[order[: int(np.argmax(risk)) + 1]] = True
    return chosen


def link_rows(people: Points, rows: Points) -> NDArray[np.float64]:
    """Return the chance that each row is each record's, by the best of several EM runs.

    A line's sum is the chance of membership.
    """
    levels = _compare_pairs(people, rows)
    unrelated = [np.maximum(np.bincount(level.ravel(), minlength=size), 0.5) for level, size in levels]
    law = [count / count.sum() for count in unrelated]
    runs = [_run_em(levels, law, start) for start in STARTS]
    return max(runs, key=lambda run: run[0])[1]


def _compare_pairs(people: Points, rows: Points) -> list[tuple[NDArray[np.int64], int]]:
    """Return the comparison of every pair, column by column: levels from 0 (same) up, and how many there are."""
    edges = np.array(EDGES) * people.unit
    levels: list[tuple[NDArray[np.int64], int]] = []
    for column in range(people.numbers.shape[1]):
        gap = np.abs(people.numbers[:, column, None] - rows.numbers[None, :, column])
        levels.append((np.searchsorted(edges, gap, side="left"), len(EDGES) + 1))
    differing = np.zeros((len(people), len(rows)), dtype=np.int64)
    for column in range(people.labels.shape[1]):
        differing += people.labels[:, column, None] != rows.labels[None, :, column]
    return [*levels, (differing, people.labels.shape[1] + 1)]


def _run_em(
    levels: list[tuple[NDArray[np.int64], int]], law: list[NDArray[np.float64]], spread: float
) -> tuple[float, NDArray[np.float64]]:
    """Run EM from the start m ~ u exp(-level / spread); return the log-likelihood and the posterior."""
    start = [u * np.exp(-np.arange(len(u)) / spread) for u in law]
    start = [m / m.sum() for m in start]
    match, shape = start, levels[0][0].shape
    ratio = chance = np.ones(shape)
    for _ in range(ROUNDS):
        ratio = np.ones(shape)
        for (level, _), m, u in zip(levels, match, law, strict=True):
            ratio *= (m / u)[level]
        ratio /= shape[1]
        chance = ratio / (1.0 + ratio.sum(axis=1, keepdims=True))
        match = [
            np.bincount(level.ravel(), weights=chance.ravel(), minlength=size) + PRIOR * begin
            for (level, size), begin in zip(levels, start, strict=True)
        ]
        match = [m / m.sum() for m in match]
    return float(np.log1p(ratio.sum(axis=1)).sum()), chance


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

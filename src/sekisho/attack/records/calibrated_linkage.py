"""Calibrated linkage: how likely is each record a member, and which row is it, learned from the files themselves.

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
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.records.row_scores import USUAL_DELTA, LinkageAdversary, call_only
from sekisho.attack.records.swap_back import put_assigned_first
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.space import Points
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

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

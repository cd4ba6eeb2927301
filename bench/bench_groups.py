"""Pair costs of histories: our compiled assignment against scipy's, called pair by pair on costs made by numpy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sekisho.data.history.arrays import History
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.grouping.assignment import bound_pairs, compute_pairs
from sekisho.protect.history.grouping.rows import HistoryRows, lay_out_rows
from sekisho.seeds import Seed
from spec import Case


def plain(rows: HistoryRows, one: int, two: int) -> NDArray[np.float64]:
    """Return the costs of all rows of one person against all of another, the plain way."""
    mine, theirs = slice(*rows.starts[one : one + 2]), slice(*rows.starts[two : two + 2])
    numbers = np.minimum(2.0, np.abs(rows.scaled[:, mine, None] - rows.scaled[:, None, theirs])).sum(axis=0)
    return numbers + (rows.codes[:, mine, None] != rows.codes[:, None, theirs]).sum(axis=0)


def by_scipy(rows: HistoryRows, first: NDArray[np.int64], second: NDArray[np.int64]) -> list[float]:
    """Return pair costs by scipy, one pair after another."""
    lengths = np.diff(rows.starts)
    costs: list[float] = []
    for one, two in zip(first.tolist(), second.tolist(), strict=True):
        cost = plain(rows, one, two)
        costs.append(float(cost[linear_sum_assignment(cost)].sum() + 4 * abs(lengths[one] - lengths[two])))
    return costs


@cache
def near_pairs() -> tuple[HistoryRows, NDArray[np.int64], NDArray[np.int64]]:
    """Return a synthetic history of 300 customers and each one's five nearest by the cheap bound."""
    rows = lay_out_rows(History.of(SyntheticHistory(customers=300).draw(rng=Seed(3).rng())))
    near = np.argsort(bound_pairs(rows), axis=1)[:, :5]
    return rows, np.repeat(np.arange(len(near)), 5), near.ravel()


def cases() -> Iterator[Case]:
    """Give the cases."""
    rows, first, second = near_pairs()
    limit = np.full(len(first), np.inf)
    assert np.allclose(compute_pairs(rows, first, second, limit), by_scipy(rows, first, second))
    yield Case(
        work="groups: cost of near pairs of customers",
        size=f"{len(first)} pairs",
        ours=lambda: compute_pairs(rows, first, second, limit),
        reference="numpy costs, scipy pair by pair",
        other=lambda: by_scipy(rows, first, second),
    )
    people = len(rows.starts) - 1
    all_first, all_second = np.triu_indices(people, 1)
    yield Case(
        work="groups: a bound for every pair of customers",
        size=f"{len(all_first)} pairs",
        ours=lambda: bound_pairs(rows),
        reference="costs of a twentieth, scipy",
        other=lambda: by_scipy(rows, all_first[::20], all_second[::20]),
        repeat=1,
    )

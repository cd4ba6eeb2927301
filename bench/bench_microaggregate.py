"""Microaggregation three ways, beside MDAV with a loop over groups in numpy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.protect.records.microaggregate import GroupingWay, Microaggregate
from sekisho.seeds import Seed
from spec import Case

K = 5


def people(records: int) -> Dataset:
    """Return records of four numbers, three of which hang together."""
    drawn = Seed(1).rng().normal(size=(records, 4))
    drawn[:, 1] += drawn[:, 0]
    drawn[:, 2] -= drawn[:, 1] / 2
    frame = pl.DataFrame({name: (drawn[:, place] * 10_000).astype(np.int64) for place, name in enumerate("abcd")})
    return Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.INTEGER) for name in "abcd")))


def plain_mdav(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the groups of MDAV, each distance by numpy."""
    owner, groups, left = np.zeros(len(points), dtype=np.int64), 0, np.arange(len(points))
    while len(left) >= 2 * K:
        part, pair = points[left], len(left) >= 3 * K
        far = points[left[np.argmax(((part - part.mean(axis=0)) ** 2).sum(axis=1))]]
        other = points[left[np.argmax(((part - far) ** 2).sum(axis=1))]]
        for centre in (far, other)[: 1 + pair]:
            near = np.argpartition(((points[left] - centre) ** 2).sum(axis=1), K - 1)[:K]
            owner[left[near]] = groups
            groups, left = groups + 1, np.delete(left, near)
    owner[left] = groups
    return owner


def cases() -> Iterator[Case]:
    """Yield the work."""
    data, many = people(30_000), people(300_000)
    points = np.stack([data.grid(name) for name in "abcd"], axis=1).astype(np.float64)
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    yield Case(
        work="microaggregation by MDAV, k = 5",
        size="30,000 records, 4 numbers",
        ours=lambda: Microaggregate(k=K).apply(data, rng=Seed(1).rng()),
        reference="MDAV in numpy",
        other=lambda: plain_mdav(points),
        repeat=1,
    )
    for how in (GroupingWay.TREE, GroupingWay.LINE):
        yield Case(
            work=f"microaggregation by a {how}, k = 5",
            size="300,000 records, 4 numbers",
            ours=lambda how=how: Microaggregate(k=K, how=how).apply(many, rng=Seed(1).rng()),
            repeat=1,
        )

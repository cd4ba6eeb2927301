"""Partner search and adversaries on records, each beside a plain double loop over the same records in the same run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.partners import count_partners, find_partners
from sekisho.data.records.space import Points
from sekisho.data.synthetic.health import HEALTH_SPACE, health_records
from sekisho.gate.fit import fit
from sekisho.gate.records.test_sets import make_record_adversaries
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.swap import Swap
from sekisho.seeds import Seed
from spec import Case

Record = tuple[list[int], list[int]]


def plain_records(points: Points) -> list[Record]:
    """Return the points as lists, so that the plain loop touches no arrays."""
    return list(zip(points.numbers.tolist(), points.labels.tolist(), strict=True))


def plain_loss(one: Record, other: Record, unit: int) -> int:
    """Return Iloss of a pair as one would write it down."""
    numbers = max(abs(a - b) for a, b in zip(one[0], other[0], strict=True))
    return max(numbers, unit * sum(a != b for a, b in zip(one[1], other[1], strict=True)))


def double_loop(ones: list[Record], others: list[Record], unit: int) -> list[int]:
    """Count for each record the others within Iloss <= 4."""
    return [sum(plain_loss(one, other, unit) <= 4 * unit for other in others) for one in ones]


def cases() -> Iterator[Case]:
    """Yield the cases."""
    data = health_records(4190, rng=Seed(1).rng())
    (points,) = HEALTH_SPACE.points(data)
    records = plain_records(points)
    assert double_loop(records[:20], records, points.unit) == (count_partners(points, 4)[:20] + 1).tolist()
    yield Case(
        work="partner search, lists",
        size="4,190 records",
        ours=lambda: find_partners(points, 4),
        reference="plain double loop",
        other=lambda: double_loop(records, records, points.unit),
    )
    large = health_records(100_000, rng=Seed(2).rng())
    (many,) = HEALTH_SPACE.points(large)
    few = plain_records(many)
    yield Case(
        work="partner search, counts",
        size="100,000 records",
        ours=lambda: count_partners(many, 4),
        reference="double loop, 20 of 100,000 rows",
        other=lambda: double_loop(few[:20], few, many.unit),
        repeat=1,
    )
    parameters = read_record_rules("pwscup2021").parameters()
    release = InTurn(delete=DeleteRandom(share=0.45), change=fit(Swap(few=-1), parameters)).apply(
        data, rng=Seed(3).rng()
    )
    table = release.table.take(~release.deleted)
    people = Dataset(data.frame[np.sort(Seed(4).rng().permutation(len(data))[:100])], data.schema)
    tests, rows = HEALTH_SPACE.points(people, table.to_dataset())
    plain = plain_records(tests), plain_records(rows)
    for name, plain_adversary in make_record_adversaries().items():
        adversary = fit(plain_adversary, parameters)
        yield Case(
            work=f"attack {name}",
            size=f"100 x {len(table):,}",
            ours=lambda adversary=adversary: adversary.guess(table, people, rng=Seed(5).rng()),
            reference="Iloss of all pairs, double loop",
            other=lambda: double_loop(*plain, tests.unit),
            repeat=2,
        )

"""Local recoding of records: whole releases beside the plain program of the tests on one record in some hundred."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from sekisho.data.frame.dataset import Dataset
from sekisho.data.synthetic.health import health_records
from sekisho.protect.records.partition import Partition
from sekisho.seeds import Seed
from spec import Case

KEYS = ("gen", "race", "edu", "mar", "dep", "pir", "qm")


@cache
def people(count: int) -> Dataset:
    """Return invented health records."""
    return health_records(count, rng=Seed(1).rng())


def cut_plainly(rows: Sequence[tuple[str, ...]], k: int) -> list[Sequence[tuple[str, ...]]]:
    """Return the classes of a plain Mondrian: cut the key with most values at its median, again and again."""
    for place in sorted(range(len(rows[0])), key=lambda at: -len({row[at] for row in rows})):
        ordered = sorted(rows, key=lambda row: row[place])
        middle = ordered[len(ordered) // 2][place]
        left, right = [row for row in ordered if row[place] < middle], [row for row in ordered if row[place] >= middle]
        if min(len(left), len(right)) >= k:
            return cut_plainly(left, k) + cut_plainly(right, k)
    return [rows]


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for count in (30_000, 300_000):
        data = people(count)
        rows = [tuple(map(str, row)) for row in data.frame.select(KEYS).rows()]
        yield Case(
            work="partition, cuts only, k = 10",
            size=f"{count:,} x {len(KEYS)}",
            ours=lambda data=data: Partition(keys=KEYS, k=10, effort=0.0).apply(data, rng=Seed(1).rng()),
            reference="Mondrian in plain Python",
            other=lambda rows=rows: cut_plainly(rows, 10),
        )
        yield Case(
            work="partition, usual effort, k = 10",
            size=f"{count:,} x {len(KEYS)}",
            ours=lambda data=data: Partition(keys=KEYS, k=10).apply(data, rng=Seed(1).rng()),
        )

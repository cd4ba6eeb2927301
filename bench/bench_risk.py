"""Risk of records beside plain Python from the definitions: classes and closeness, and special uniques by every set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from sekisho.data.synthetic.health import health_records
from sekisho.safety.records.assessment import KeyedRecords, RiskQuestion
from sekisho.safety.records.uniques.special_uniques import find_special_uniques
from sekisho.seeds import Seed
from spec import Case

KEYS = ("gen", "age", "race", "edu", "mar")
Row = tuple[int, ...]


def assess_plainly(rows: Sequence[Row], values: Sequence[int]) -> tuple[int, int, float]:
    """Return k, l and t by dictionaries of rows."""
    classes: dict[Row, Counter[int]] = defaultdict(Counter)
    for row, value in zip(rows, values, strict=True):
        classes[row][value] += 1
    whole = Counter(values)
    far = max(
        sum(max(counts[value] / counts.total() - share / len(values), 0.0) for value, share in whole.items())
        for counts in classes.values()
    )
    return min(counts.total() for counts in classes.values()), min(map(len, classes.values())), far


def find_minimal_plainly(rows: Sequence[Row]) -> int:
    """Return how many minimal sample uniques there are, set by set, smaller sets first."""
    found: list[list[frozenset[int]]] = [[] for _ in rows]
    for size in range(1, len(rows[0]) + 1):
        for keys in combinations(range(len(rows[0])), size):
            parts = [tuple(row[key] for key in keys) for row in rows]
            counts = Counter(parts)
            for own, part in zip(found, parts, strict=True):
                if counts[part] == 1 and not any(earlier <= set(keys) for earlier in own):
                    own.append(frozenset(keys))
    return sum(map(len, found))


def cases() -> Iterator[Case]:
    """Yield the cases."""
    data = health_records(100_000, rng=Seed(1).rng())
    records = KeyedRecords.of(data, keys=KEYS, sensitive=("dia",))
    columns = tuple(records.keys.values())
    rows: list[Row] = list(zip(*(column.codes.tolist() for column in columns), strict=True))
    values = records.sensitive["dia"].codes.tolist()
    ours = RiskQuestion().assess(records)
    k, l_distinct, t = assess_plainly(rows, values)
    assert (ours.k, ours.diversity) == (k, l_distinct)
    assert abs((ours.closeness or 0.0) - t) < 1e-9
    yield Case(
        work="k, l, t, beta, delta, chances",
        size="100,000 records, 5 keys",
        ours=lambda: RiskQuestion().assess(records),
        reference="plain Python, k, l, t only",
        other=lambda: assess_plainly(rows, values),
    )
    assert len(find_special_uniques(columns).minimal_rows) == find_minimal_plainly(rows)
    yield Case(
        work="special uniques (SUDA2)",
        size="100,000 records, 5 keys",
        ours=lambda: find_special_uniques(columns),
        reference="plain Python, every set",
        other=lambda: find_minimal_plainly(rows),
    )

"""Every measure once more, slowly and plainly, from its definition: rows are tuples of keys, values a list beside
them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import log, log2, prod

Row = tuple[str | None, ...]


def split_classes(rows: Sequence[Row], values: Sequence[int]) -> list[list[int]]:
    return [
        [value for row, value in zip(rows, values, strict=True) if row == key] for key in sorted(set(rows), key=str)
    ]


def distinct(rows: Sequence[Row], values: Sequence[int]) -> int:
    return min(len(set(each)) for each in split_classes(rows, values))


def entropy(rows: Sequence[Row], values: Sequence[int]) -> float:
    def one(each: list[int]) -> float:
        return prod((len(each) / count) ** (count / len(each)) for count in Counter(each).values())

    return min(map(one, split_classes(rows, values)))


def recursive(rows: Sequence[Row], values: Sequence[int], level: int) -> float:
    def one(each: list[int]) -> float:
        counts = sorted(Counter(each).values(), reverse=True)
        tail = sum(counts[level - 1 :])
        return counts[0] / tail if tail else float("inf")

    return max(map(one, split_classes(rows, values)))


def shares(values: Sequence[int], domain: Sequence[int]) -> list[Fraction]:
    return [Fraction(list(values).count(value), len(values)) for value in domain]


def equal_distance(rows: Sequence[Row], values: Sequence[int]) -> Fraction:
    domain = sorted(set(values))
    whole = shares(values, domain)
    return max(
        sum(abs(q - p) for q, p in zip(shares(each, domain), whole, strict=True)) / Fraction(2)
        for each in split_classes(rows, values)
    )


def ordered_distance(rows: Sequence[Row], values: Sequence[int]) -> Fraction:
    domain = sorted(set(values))
    if len(domain) == 1:
        return Fraction(0)
    whole = shares(values, domain)

    def one(each: list[int]) -> Fraction:
        running, total = Fraction(0), Fraction(0)
        for q, p in zip(shares(each, domain), whole, strict=True):
            running += q - p
            total += abs(running)
        return total / (len(domain) - 1)

    return max(map(one, split_classes(rows, values)))


def gains(rows: Sequence[Row], values: Sequence[int]) -> tuple[float, bool, float]:
    """Return basic beta, whether no gain is above -ln p, and delta of disclosure."""
    domain = sorted(set(values))
    whole = shares(values, domain)
    beta, fine, delta = 0.0, True, 0.0
    for each in split_classes(rows, values):
        for q, p in zip(shares(each, domain), whole, strict=True):
            if q > p:
                beta = max(beta, float((q - p) / p))
                fine = fine and float((q - p) / p) <= -log(p) + 1e-12
            if q:
                delta = max(delta, abs(log2(q / p)))
    return beta, fine, delta


def uniques_on(rows: Sequence[Row], keys: Sequence[int]) -> list[int]:
    parts = [tuple(row[key] for key in keys) for row in rows]
    counts = Counter(parts)
    return [place for place, part in enumerate(parts) if counts[part] == 1]


def minimal_uniques(rows: Sequence[Row], most: int) -> set[tuple[int, tuple[int, ...]]]:
    width = len(rows[0])
    found: set[tuple[int, tuple[int, ...]]] = set()
    for size in range(1, most + 1):
        for keys in combinations(range(width), size):
            for row in uniques_on(rows, keys):
                if not any(other == row and set(part) < set(keys) for other, part in found):
                    found.add((row, keys))
    return found


def score(rows: Sequence[Row], row: int, most: int) -> float:
    width = len(rows[0])
    return float(
        sum(
            prod(width - i for i in range(len(keys), min(most, width - 1) + 1))
            for other, keys in minimal_uniques(rows, most)
            if other == row
        )
    )


def matches(rows: Sequence[Row], row: Row) -> list[int]:
    return [
        place
        for place, other in enumerate(rows)
        if all(a is None or b is None or a == b for a, b in zip(row, other, strict=True))
    ]

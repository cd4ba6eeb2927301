"""Every original listed: what is left under the rule, least and tie of ideal methods, without code of the program."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, product
from math import factorial, prod
from typing import Any

Written = tuple[tuple[Any, ...], ...]
STAR = "*"


@cache
def is_safe(written: Written, k: int, matching: str) -> bool:
    """Tell whether every record has k matches."""
    if matching == "alike":
        return all(written.count(row) >= k for row in written)
    return all(
        sum(all(a in (STAR, b) or b == STAR for a, b in zip(row, other, strict=True)) for other in written) >= k
        for row in written
    )


def hide(original: Written, pattern: Sequence[int]) -> Written:
    """Return the records with the marked cells hidden."""
    width = len(original[0])
    return tuple(
        tuple(STAR if pattern[width * place + key] else cell for key, cell in enumerate(row))
        for place, row in enumerate(original)
    )


def list_releases(original: Written, k: int, matching: str, knows: str) -> list[Written]:
    """Return what ideal local suppression may publish of an original."""
    cells = len(original) * len(original[0])
    safe = [one for one in product((0, 1), repeat=cells) if is_safe(hide(original, one), k, matching)]
    if knows == "minimal":
        kept = set(safe)
        lower = [[(*one[:at], 0, *one[at + 1 :]) for at in range(cells) if one[at]] for one in safe]
        return [hide(original, one) for one, below in zip(safe, lower, strict=True) if not kept.intersection(below)]
    fewest = min(map(sum, safe))
    least = [hide(original, one) for one in safe if sum(one) == fewest]
    return least[:1] if knows == "tie" else least


def sum_suppressed(records: int, domains: Sequence[int], k: int, matching: str, knows: str) -> dict[str, object]:
    """Return the sums over all originals of so many records."""
    left: defaultdict[Written, list[Written]] = defaultdict(list)
    for original in product(product(*(range(size) for size in domains)), repeat=records):
        for written in list_releases(original, k, matching, knows):
            left[written].append(original)
    hidden = narrowed = known = hits = 0
    by_rule = Fraction(0)
    for written, originals in left.items():
        for row, key in product(range(records), range(len(domains))):
            if written[row][key] == STAR:
                counts = Counter(original[row][key] for original in originals)
                hidden += len(originals)
                narrowed += len(originals) * (len(counts) < domains[key])
                known += len(originals) * (len(counts) == 1)
                hits += max(counts.values())
                by_rule += Fraction(len(originals), domains[key])
    return {
        "hidden": hidden,
        "narrowed": narrowed,
        "known": known,
        "guess": str(Fraction(hits, hidden)),
        "guess_rule": str(by_rule / hidden),
    }


def list_splits(records: int, k: int) -> Iterator[tuple[int, ...]]:
    """Give the sizes of contiguous classes of k or more, in their order."""
    if records == 0:
        yield ()
    for size in range(k, records + 1):
        for rest in list_splits(records - size, k):
            yield (size, *rest)


def cut(values: Sequence[int], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return sorted values in classes."""
    ends = [sum(sizes[:place]) for place in range(len(sizes) + 1)]
    return [tuple(values[begin:end]) for begin, end in pairwise(ends)]


def list_ranges(values: Sequence[int], k: int, knows: str) -> list[tuple[tuple[int, int, int], ...]]:
    """Return what ideal local recoding of one number may publish: low, high and size of each class."""
    splits = list(list_splits(len(values), k))
    if knows != "tight":
        lost = {sizes: sum(len(one) * (one[-1] - one[0]) for one in cut(values, sizes)) for sizes in splits}
        splits = sorted(sizes for sizes in splits if lost[sizes] == min(lost.values()))
        splits = splits[:1] if knows == "tie" else splits
    return [tuple((one[0], one[-1], len(one)) for one in cut(values, sizes)) for sizes in splits]


def sum_ranges(values: int, records: int, k: int, knows: str) -> dict[str, object]:
    """Return the sums over all originals of one number."""
    left: defaultdict[tuple[tuple[int, int, int], ...], list[tuple[tuple[int, ...], int]]] = defaultdict(list)
    beside = Counter[str]()
    for original in combinations_with_replacement(range(values), records):
        orders = factorial(records) // prod(factorial(count) for count in Counter(original).values())
        for ranges in list_ranges(original, k, knows):
            left[ranges].append((original, orders))
            beside.update(_count_beside(original, ranges, orders, k, knows))
    cells = narrowed = known = hits = 0
    by_rule = Fraction(0)
    for ranges, originals in left.items():
        for place, (low, high, size) in enumerate(ranges):
            if low == high:
                continue
            counts, weight = Counter[int](), sum(orders for _, orders in originals) * size
            for original, orders in originals:
                for value in cut(original, [one[2] for one in ranges])[place]:
                    counts[value] += orders
            cells += weight
            narrowed += weight * (len(counts) <= high - low)
            known += weight * (len(counts) == 1)
            hits += max(counts.values())
            by_rule += Fraction(weight, high - low + 1)
    return {
        "cells": cells,
        "narrowed": narrowed,
        "known": known,
        "guess": str(Fraction(hits, cells)),
        "guess_rule": str(by_rule / cells),
        "all_but_one": {name: beside[name] for name in ("records", "narrowed", "known")},
    }


def _count_beside(
    original: tuple[int, ...], ranges: tuple[tuple[int, int, int], ...], orders: int, k: int, knows: str
) -> Iterable[str]:
    counts = Counter[str]()
    place = 0
    for low, high, size in ranges:
        for at in range(place, place + size):
            if low < high:
                rest = [*original[:at], *original[at + 1 :]]
                others = [v for v in range(low, high + 1) if ranges in list_ranges(sorted([*rest, v]), k, knows)]
                counts["records"] += orders
                counts["narrowed"] += orders * (len(others) <= high - low)
                counts["known"] += orders * (len(others) == 1)
        place += size
    return counts.elements()


def sum_coins(coin: Fraction) -> dict[str, str]:
    """Return the sums of local suppression of three records of two binary keys, each cell first withheld by a coin."""
    domains, records, k = (2, 2), 3, 2
    left: defaultdict[Written, Counter[Written]] = defaultdict(Counter)
    weights: defaultdict[tuple[Written, Written], Fraction] = defaultdict(Fraction)
    patterns = list(product((0, 1), repeat=6))
    originals = list(product(product(*(range(size) for size in domains)), repeat=records))
    for original in originals:
        safe = {one for one in patterns if is_safe(hide(original, one), k, "any")}
        for coins in patterns:
            chance = coin ** sum(coins) * (1 - coin) ** (6 - sum(coins))
            above = [one for one in safe if all(a >= b for a, b in zip(one, coins, strict=True))]
            fewest = min(map(sum, above))
            least = [one for one in above if sum(one) == fewest]
            if chance:
                for one in least:
                    written = hide(original, one)
                    weights[written, original] += chance / len(least)
                    left[written][original] = 1
    hidden = narrowed = hits = Fraction(0)
    for written, fitting in left.items():
        whole = sum((weights[written, original] for original in fitting), Fraction(0))
        for row, key in product(range(records), range(2)):
            if written[row][key] == STAR:
                counts: defaultdict[int, Fraction] = defaultdict(Fraction)
                for original in fitting:
                    counts[original[row][key]] += weights[written, original]
                hidden += whole
                narrowed += whole * (len(counts) < 2)
                hits += max(counts.values())
    return {
        "hidden_share": str(hidden / (len(originals) * 6)),
        "narrowed_share": str(narrowed / hidden),
        "guess": str(hits / hidden),
    }

"""Campaign: what is told of epsilon is what listing every file and every release gives.

Run from the top of the repository: ``python -m verify.red_team.epsilon [--cases N] [--seed S]``; writes
verify/out/red_team_epsilon.json and exits with 1 if anything differs.

Of each random small case (matrices of two or three values, zeros among them, one or two columns, up to four people) all
files that differ in one record and all shuffled releases are listed, in fractions: without sampling, with a sample of
fixed size, from strata that are shown or hidden, by single coins, and without PRAM (where epsilon is infinite and delta
the share). Laplace noise that is rounded, cut to whole numbers and kept within bounds is compared cell by cell with
e^(w/b), normal noise with the integral of what one density has above e^epsilon times the other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import exp, prod
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.stats import laplace, norm

from sekisho.safety.epsilon import LaplaceColumn, compute_normal_delta, measure_pram, measure_sample
from sekisho.safety.sampling import Scheme, Stratum
from sekisho.safety.transition import Matrix
from sekisho.seeds import Seed

CASES = 2_000
Rows = list[list[Fraction]]
Record = tuple[int, ...]
Release = tuple[tuple[Record, int], ...]
OUT = Path(__file__).parents[1] / "out" / "red_team_epsilon.json"


def draw_whole(chance: np.random.Generator, low: int, high: int) -> int:
    """Return a whole number from low to high."""
    return int(chance.integers(low, high + 1))


def draw_matrix(chance: np.random.Generator, values: int) -> Rows:
    """Return a matrix of small fractions; one in four has zeros."""
    least = 0 if chance.random() < 0.25 else 1
    rows: Rows = []
    while len(rows) < values:
        weights = [draw_whole(chance, least, 5) for _ in range(values)]
        if any(weights):
            rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return rows


def change(matrices: Sequence[Rows], record: Record, released: Record) -> Fraction:
    """Return the chance that a record is released as another."""
    return prod((rows[u][c] for rows, u, c in zip(matrices, record, released, strict=True)), start=Fraction(1))


def list_draws(strata: Sequence[int], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return every set of people that may be drawn, so many of each stratum."""
    parts = [
        list(combinations([person for person, own in enumerate(strata) if own == part], size))
        for part, size in enumerate(sizes)
    ]
    return [tuple(person for part in each for person in part) for each in product(*parts)]


def list_chances(
    matrices: Sequence[Rows], table: Sequence[Record], draws: Sequence[tuple[int, ...]], strata: Sequence[int] | None
) -> dict[Release, Fraction]:
    """Return the chance of every shuffled release, whose rows show their stratum where there is one to show."""
    domain = list(product(*(range(len(rows)) for rows in matrices)))
    chances: dict[Release, Fraction] = {}
    for drawn in draws:
        for values in product(domain, repeat=len(drawn)):
            weight = prod(
                (change(matrices, table[who], c) for who, c in zip(drawn, values, strict=True)), start=Fraction(1)
            )
            if weight:
                shown = [(c, 0 if strata is None else strata[who]) for who, c in zip(drawn, values, strict=True)]
                release = tuple(sorted(shown))
                chances[release] = chances.get(release, Fraction(0)) + weight / len(draws)
    return chances


def compare(above: Mapping[Release, Fraction], below: Mapping[Release, Fraction]) -> tuple[Fraction | None, Fraction]:
    """Return the largest ratio (None if it is infinite) and the total variation."""
    ratios = [chance / below[release] if below.get(release) else None for release, chance in above.items()]
    whole = None if any(ratio is None for ratio in ratios) else max(ratio for ratio in ratios if ratio is not None)
    return whole, sum((max(Fraction(0), c - below.get(r, Fraction(0))) for r, c in above.items()), Fraction(0))


def list_neighbours(
    matrices: Sequence[Rows], people: int, *, chance: np.random.Generator
) -> Iterator[tuple[list[Record], Record, int]]:
    """Give files, what one person has instead, and who he is; of many files some, among them all that are alike."""
    domain = list(product(*(range(len(rows)) for rows in matrices)))
    rests = list(product(domain, repeat=people - 1))
    alike = [(value,) * (people - 1) for value in domain]
    picked = chance.choice(len(rests), size=min(len(rests), 4), replace=False).tolist()
    for rest in {*alike, *(rests[place] for place in picked)}:
        for one, other in permutations(domain, 2):
            for who in range(people):
                yield [*rest[:who], one, *rest[who:]], other, who


def find_worst(
    matrices: Sequence[Rows], strata: Sequence[int], sizes: Sequence[int], *, visible: bool, chance: np.random.Generator
) -> tuple[Fraction | None, Fraction]:
    """Return the largest ratio and total variation over files that differ in one record of the same stratum."""
    draws = list_draws(strata, sizes)
    largest: Fraction | None = Fraction(1)
    variation = Fraction(0)
    for table, other, who in list_neighbours(matrices, len(strata), chance=chance):
        shown = strata if visible else None
        before = list_chances(matrices, table, draws, shown)
        after = list_chances(matrices, [*table[:who], other, *table[who + 1 :]], draws, shown)
        ratio, moved = compare(before, after)
        largest = None if ratio is None or largest is None else max(largest, ratio)
        variation = max(variation, moved)
    return largest, variation


def find_worst_coins(rows: Rows, people: int, share: Fraction, chance: np.random.Generator) -> Fraction | None:
    """Return the largest ratio where each record is drawn by its own coin: a mixture over sizes."""
    largest: Fraction | None = Fraction(1)
    sets = [each for size in range(people + 1) for each in combinations(range(people), size)]
    for table, other, who in list_neighbours([rows], people, chance=chance):
        both: list[dict[Release, Fraction]] = []
        for file in (table, [*table[:who], other, *table[who + 1 :]]):
            mixed: dict[Release, Fraction] = {}
            for drawn in sets:
                weight = share ** len(drawn) * (1 - share) ** (people - len(drawn))
                for release, own in list_chances([rows], file, [drawn], None).items():
                    mixed[release] = mixed.get(release, Fraction(0)) + weight * own
            both.append(mixed)
        ratio, _ = compare(both[0], both[1])
        largest = None if ratio is None or largest is None else max(largest, ratio)
    return largest


def check_case(number: int, seed: int) -> tuple[str, str]:
    """Return which kind of case was compared, and what differs (nothing if empty)."""
    chance = Seed(seed).child(f"case {number}").rng()
    kind = ("sample", "strata", "coins", "plain", "laplace", "normal")[number % 6]
    others = {"laplace": check_laplace, "normal": check_normal, "plain": check_plain, "coins": check_coins}
    if kind in others:
        return kind, others[kind](chance)
    return kind, check_drawn(chance, several=kind == "strata")


def check_plain(chance: np.random.Generator) -> str:
    """Compare a sample of records as they are: the total variation is the share."""
    values, people = (2, 3)[draw_whole(chance, 0, 1)], draw_whole(chance, 1, 4)
    drawn = draw_whole(chance, 1, people)
    identity = [[Fraction(u == c) for c in range(values)] for u in range(values)]
    _, variation = find_worst([identity], [0] * people, [drawn], visible=False, chance=chance)
    told = measure_sample((Stratum(name="", records=people, sample=drawn),))
    right = told.odds.infinite and (1 if told.delta is None else told.delta) == variation
    return "" if right else f"delta {told.delta}, listed {variation}"


def check_coins(chance: np.random.Generator) -> str:
    """Compare records that are drawn by single coins."""
    rows, people = draw_matrix(chance, 2), draw_whole(chance, 1, 3)
    listed = find_worst_coins(rows, people, Fraction(draw_whole(chance, 1, 3), 4), chance)
    part = Stratum(name="", records=people, sample=1)
    told = measure_pram({"x": Matrix(rows=rows)}, (part,), scheme=Scheme.BERNOULLI).odds.ratio
    return "" if told == listed else f"{rows}: told {told}, listed {listed}"


def check_drawn(chance: np.random.Generator, *, several: bool) -> str:
    """Compare PRAM, then a sample of fixed size, of the whole or of strata that are shown or hidden."""
    values = (2, 2, 3)[draw_whole(chance, 0, 2)]
    people = draw_whole(chance, 1, 3)
    matrices = [draw_matrix(chance, values) for _ in range(2 if values == 2 and chance.random() < 0.3 else 1)]
    strata = [draw_whole(chance, 0, 1) if several else 0 for _ in range(people)]
    strata = np.unique(strata, return_inverse=True)[1].tolist()
    counts = Counter(strata)
    sizes = [draw_whole(chance, 0 if len(counts) > 1 else 1, counts[part]) for part in range(len(counts))]
    sizes = sizes if any(sizes) else [counts[part] for part in range(len(counts))]
    parts = tuple(Stratum(name=str(part), records=counts[part], sample=size) for part, size in enumerate(sizes))
    told = measure_pram({str(place): Matrix(rows=rows) for place, rows in enumerate(matrices)}, parts).odds.ratio
    listed, _ = find_worst(matrices, strata, sizes, visible=chance.random() < 0.5, chance=chance)
    return "" if told == listed else f"{matrices}, {strata}, {sizes}: told {told}, listed {listed}"


def check_laplace(chance: np.random.Generator) -> str:
    """Compare noise as it is added: rounded to the grid, cut to whole numbers, kept within bounds."""
    low, width, unit = draw_whole(chance, -3, 3), draw_whole(chance, 1, 8), (1, 10)[draw_whole(chance, 0, 1)]
    scale = Fraction(draw_whole(chance, 1, 20), draw_whole(chance, 1, 5))
    told = LaplaceColumn(scale=scale, width=Fraction(width)).odds.epsilon
    spread = float(scale) * unit
    ends = np.arange(-60 * int(spread + width * unit + 1), 60 * int(spread + width * unit + 1))
    tables: list[dict[int, float]] = []
    for start in (low, low + width):
        mass = laplace.cdf(ends + 0.5, scale=spread) - laplace.cdf(ends - 0.5, scale=spread)
        moved = start * unit + ends
        whole = np.where(moved < 0, -(-moved // unit), moved // unit)
        kept = np.clip(whole, low, low + width)
        tables.append({int(value): float(mass[kept == value].sum()) for value in np.unique(kept)})
    # The tail of an interval far out is rounded away; what is left is compared to one part in a million.
    worst = max(
        abs(np.log(tables[0][value] / tables[1][value]))
        for value in tables[0]
        if min(tables[0][value], tables[1][value]) > 1e-9
    )
    if worst > told + 1e-6:
        return f"told {told}, attained {worst}"
    density = laplace.logpdf(low + width, loc=low + width, scale=float(scale)) - laplace.logpdf(
        low + width, loc=low, scale=float(scale)
    )
    return "" if abs(density - told) < 1e-9 else f"told {told}, density {density}"


def check_normal(chance: np.random.Generator) -> str:
    """Compare the least delta with its integral, and see that no smaller one would do."""
    width, deviation, epsilon = chance.uniform(0.1, 5), chance.uniform(0.2, 5), chance.uniform(0, 4)
    told = compute_normal_delta(epsilon, width=width, deviation=deviation)

    def above(value: float) -> float:
        near, far = norm.pdf(value, width, deviation), norm.pdf(value, 0, deviation)
        return max(0.0, float(near - exp(epsilon) * far))

    edge = width / 2 + epsilon * deviation**2 / width
    expected = quad(above, edge, edge + width + 40 * deviation, limit=200, epsabs=1e-12)[0]
    return "" if abs(told - expected) < 1e-8 else f"{width}, {deviation}, {epsilon}: told {told}, integral {expected}"


def main() -> int:
    """Compare every case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    counts, faults = Counter[str](), list[str]()
    for number in range(given.cases):
        kind, fault = check_case(number, given.seed)
        counts[kind] += 1
        if fault:
            faults.append(f"case {number}, {kind}: {fault}")
            print(faults[-1], file=sys.stderr)
    OUT.parent.mkdir(exist_ok=True)
    result = {"cases": dict(counts), "seed": given.seed, "faults": faults}
    OUT.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

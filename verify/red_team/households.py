"""Campaign: what is told of households is what listing gives, and what hides them does.

Run from the top of the repository: ``python -m verify.red_team.households [--cases N] [--seed S]``; writes
verify/out/red_team_households.json and exits with 1 if anything differs.

Of each random small file (up to eight people in up to five households) the chance of being found is compared with all
sets of rows that somebody who knows the members may name, the product with it (it is never too high), patterns with
their counts. Every file is then recoded by ``partition`` with households: what is published is linked household by
household, and every household that is published must fit the rows of k or more of them one to one, by trying all
orders; what is published must admit the truth.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.errors import InfeasibleError
from sekisho.protect.records.partition import Partition
from sekisho.safety.records.classes import ColumnCodes, number_classes
from sekisho.safety.records.households import assess_households
from sekisho.seeds import Seed

CASES = 2_000
CLOSE = 1e-12
OUT = Path(__file__).parents[1] / "out" / "red_team_households.json"
SCHEMA = Schema(
    (
        Column(name="home", kind=Kind.CATEGORY, role=Role.HOUSEHOLD),
        Column(name="age", kind=Kind.INTEGER),
        Column(name="sex", kind=Kind.CATEGORY),
    )
)
Person = tuple[str, int, str]
KEYS = ("age", "sex")


def draw_people(chance: np.random.Generator) -> list[Person]:
    """Return some people who live in some households."""
    homes, ages = int(chance.integers(1, 6)), int(chance.integers(1, 5))
    return [
        (str(int(chance.integers(homes))), int(chance.integers(ages)), "mf"[int(chance.integers(2))])
        for _ in range(int(chance.integers(2, 9)))
    ]


def make(people: Sequence[Person]) -> Dataset:
    """Return people as data."""
    types = {"home": pl.String, "age": pl.Int64, "sex": pl.String}
    return Dataset(pl.DataFrame(list(people), schema=types, orient="row"), SCHEMA)


def list_found(people: Sequence[Person], home: str) -> Fraction:
    """Return the share of all sets of rows he may name, so many of each kind as there are members, with a member."""
    own = Counter(person[1:] for person in people if person[0] == home)
    choices = [
        list(combinations([row for row, person in enumerate(people) if person[1:] == kind], times))
        for kind, times in own.items()
    ]
    named = [tuple(row for rows in each for row in rows) for each in product(*choices)]
    return Fraction(sum(any(people[row][0] == home for row in rows) for rows in named), len(named))


def check_risk(people: Sequence[Person]) -> str:
    """Compare what is told of a file with listing."""
    data = make(people)
    homes = sorted({person[0] for person in people})
    columns = (ColumnCodes.of(data.text("age")), ColumnCodes.of(data.text("sex")))
    risk = assess_households(ColumnCodes.of(data.frame["home"]), number_classes(columns, len(data)))
    patterns = [tuple(sorted(person[1:] for person in people if person[0] == home)) for home in homes]
    sizes = Counter(person[1:] for person in people)
    for place, home in enumerate(homes):
        found = float(list_found(people, home))
        apart = 1 - float(np.prod([1 - 1 / sizes[kind] for kind in patterns[place]]))
        claim = max(times / sizes[kind] for kind, times in Counter(patterns[place]).items())
        told = (risk.found[place], risk.independent[place], risk.claims[place], risk.alike[place])
        if not np.allclose(told, (found, apart, claim, patterns.count(patterns[place])), rtol=0, atol=CLOSE):
            return f"household {home}: told {told}, listed {found, apart, claim}"
        if apart > found + CLOSE:
            return f"household {home}: the product {apart} is above {found}"
    return "" if risk.patterns == len(set(patterns)) else f"{risk.patterns} patterns told, {len(set(patterns))} listed"


def group_rows(people: Sequence[Person], release: Release) -> dict[str, list[int]]:
    """Return the rows of each household that are published."""
    rows: dict[str, list[int]] = {}
    for row, person in enumerate(people):
        if not release.deleted[row]:
            rows.setdefault(person[0], []).append(row)
    return rows


def fits(people: Sequence[Person], release: Release, members: Sequence[int], published: Sequence[int]) -> bool:
    """Tell whether people can stand for published rows one to one, by trying all orders."""
    ages, sexes = release.table.numbers("age"), release.table.sets("sex")

    def admits(row: int, person: Person) -> bool:
        codes = sexes.codes[sexes.offsets[row] : sexes.offsets[row + 1]]
        sex = {sexes.domain[code] for code in codes.tolist()}
        aged = bool(ages.suppressed[row] or ages.lower[row] <= person[1] <= ages.upper[row])
        return aged and bool(sexes.suppressed[row] or person[2] in sex)

    if len(members) != len(published):
        return False
    return any(
        all(admits(row, people[member]) for row, member in zip(order, members, strict=True))
        for order in permutations(published)
    )


def check_partition(people: Sequence[Person], k: int, seed: Seed) -> str:
    """Recode by households and see that each that is published fits k of those that are, itself among them."""
    data = make(people)
    sizes = Counter(Counter(person[0] for person in people).values())
    try:
        release = Partition(keys=KEYS, k=k, household="home", effort=0.01).apply(data, rng=seed.rng())
    except InfeasibleError:
        return "" if max(sizes.values()) < k else "called infeasible"
    rows: Mapping[str, list[int]] = group_rows(people, release)
    for home, members in rows.items():
        candidates = [other for other, published in rows.items() if fits(people, release, members, published)]
        if home not in candidates or len(candidates) < k:
            return f"household {home} fits {candidates}, {k} are promised"
    return ""


def check_case(number: int, seed: int) -> str:
    """Return what differs in one case; nothing if empty."""
    own = Seed(seed).child(f"case {number}")
    people = draw_people(own.rng())
    k = 1 + number % 3
    fault = check_risk(people) or check_partition(people, k, own.child("partition"))
    return f"case {number}, {people}: {fault}" if fault else ""


def main() -> int:
    """Compare every case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faults = [fault for number in range(given.cases) if (fault := check_case(number, given.seed))]
    OUT.parent.mkdir(exist_ok=True)
    result = {"cases": given.cases, "seed": given.seed, "faults": faults}
    OUT.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

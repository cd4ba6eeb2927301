"""Campaign: what ``attack downcode`` says is what listing every original says; and its figures on *adult*.

Run from the top of the repository: ``python -m verify.red_team.downcode [--cases N] [--seed S] [--adult] [--seeds N]``
(writes verify/out/downcode.json and exits with 1 if anything disagrees).

Random small cases: hidden cells of local suppression against all originals of which no cell could be shown; cells of
local recoding against all originals with tight classes, for one who knows nobody and for one who knows all others;
global recoding against every other value of every record; margins against the same. Also counted: how often the program
suppresses a cell that could be shown, so that what is ruled out is not certain. Golden cases of ideal methods are
listed where the shared data are at hand. ``--adult`` makes the figures of the method pages.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from time import process_time

import numpy as np
from tests.attack.records.test_downcode_suppressed import list_left, list_minimal_originals
from tests.conftest import SHARED
from tests.gate.records.downcode.test_lattice_downcoding import list_left as list_tried
from tests.gate.records.downcode.test_lattice_downcoding import make_data, make_method, read_at
from tests.red_team_cases import read_cases
from verify.red_team.downcode_listing import sum_coins, sum_ranges, sum_suppressed

from sekisho.attack.records.downcode.answer import Knows, Roster
from sekisho.attack.records.downcode.spanned import SpannedCells, SpannedKey, SpannedKind, downcode_spanned
from sekisho.attack.records.downcode.suppressed import HIDDEN, HiddenCells, downcode_suppressed
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.dataset import Dataset
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.gate.records.downcode.downcoding import DowncodeQuestion, Recoder, SeenRelease, downcode
from sekisho.gate.records.downcode.lattice_downcoding import downcode_lattice
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.lattice_search import find_best_vector
from sekisho.protect.records.minimality.guard import weigh_vectors
from sekisho.protect.records.minimality.lattice_margin import measure_margin
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.suppress import Matching, Suppress, hide_until_alike, hide_until_matched
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules

CASES = 2_000
OUT = Path("verify/out/downcode.json")
KEYS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
LEVELS = (
    [[[0], [1]], [[0, 1]]],
    [[[0], [1], [2]], [[0], [1, 2]], [[0, 1, 2]]],
    [[[0], [1], [2], [3]], [[0, 1], [2, 3]], [[0, 1, 2, 3]]],
)


def try_suppressed(rng: np.random.Generator) -> Counter[str]:
    """Suppress a random small file by the program, and hold what is read off it against all minimal originals."""
    domains = tuple(rng.integers(2, 4, size=rng.integers(1, 4)).tolist())
    codes = np.stack([rng.integers(0, size, size=5) for size in domains], axis=1).astype(np.int32)
    k, alike = int(rng.integers(2, 4)), bool(rng.integers(2))
    marks = (hide_until_alike if alike else hide_until_matched)(codes, [1.0] * len(domains), k)
    hidden = np.where(marks, HIDDEN, codes).astype(np.int32)
    if prod(domains[key] for key in np.argwhere(marks)[:, 1].tolist()) > 3_000:
        return Counter(too_many=1)
    names = tuple(map(str, range(len(domains))))
    cells = HiddenCells(names=names, codes=hidden, domains=domains, k=k, alike=alike, truth=codes)
    originals, left = list_minimal_originals(cells), list_left(cells)
    wrong = len(originals) != prod(map(len, left.values())) or any(
        sorted({int(one[row, key]) for one in originals}) != values for (row, key), values in left.items() if originals
    )
    excluded = downcode_suppressed(cells).excluded or 0
    truth_left = any((one == codes).all() for one in originals)
    return Counter(cases=1, disagreements=wrong or truth_left == bool(excluded), not_minimal=excluded > 0)


def try_spanned(rng: np.random.Generator) -> Counter[str]:
    """Hold tight ranges of random classes against all originals with the same ranges."""
    classes = [np.sort(rng.integers(0, 5, size=rng.integers(2, 5))) for _ in range(rng.integers(1, 3))]
    owner = np.repeat(np.arange(len(classes)), [len(one) for one in classes])
    values = np.concatenate(classes)
    low, high = (np.concatenate([np.full(len(one), end(one)) for one in classes]) for end in (np.min, np.max))
    key = SpannedKey(
        name="x",
        kind=SpannedKind.RANGE,
        wide=high > low,
        values=high - low + 1,
        part=np.where(values == low, 0, np.where(values == high, 1, -1)),
    )
    cells = SpannedCells(keys=(key,), classes=owner.astype(np.int64))
    one, others = (downcode_spanned(cells, roster=roster) for roster in (Roster.ONE, Roster.OTHERS))
    narrowed, known, hits = 0, 0, Fraction(0)
    for records in classes:
        least, most = int(records.min()), int(records.max())
        if least == most:
            continue
        fitting = [
            dealt for dealt in product(range(least, most + 1), repeat=len(records)) if {least, most} <= set(dealt)
        ]
        counts = Counter(dealt[0] for dealt in fitting)
        narrowed += len(records) * (len(counts) <= most - least)
        hits += len(records) * Fraction(max(counts.values()), len(fitting))
        for place in range(len(records)):
            rest = np.delete(records, place).tolist()
            left = [value for value in range(least, most + 1) if {least, most} <= {*rest, value}]
            known += len(left) == 1
    wrong = (one.narrowed, others.known) != (narrowed, known) or (
        one.guess is not None and abs(one.guess * one.cells - float(hits)) > 1e-9
    )
    return Counter(cases=1, disagreements=wrong)


def try_lattice(rng: np.random.Generator) -> Counter[str]:
    """Recode a random small file, and hold what is said of it against every other value of every record."""
    trees = [LEVELS[place] for place in rng.integers(0, 3, size=2)]
    k, loss = int(rng.integers(2, 4)), ("ncp", "levels")[rng.integers(2)]
    size = int(rng.integers(k, 8))
    rows = [tuple(int(rng.integers(len(levels[0]))) for levels in trees) for _ in range(size)]
    method, data = make_method(trees, k, loss), make_data(rows, 2)
    posed = method.pose(data)
    best = find_best_vector(posed.problem)
    answer = downcode_lattice(method, read_at(method, data, best.vector), knows=Knows.LEAST, roster=Roster.OTHERS)
    counts = list_tried(rows, best.vector, trees, k, loss)
    narrowed, known = sum(left < all_ for all_, left in counts), sum(left == 1 < all_ for all_, left in counts)
    margin = measure_margin(posed.problem, best, k).people >= 1
    wrong = (answer.people, answer.people_known) != (narrowed, known) or (margin and narrowed > 0)
    return Counter(cases=1, disagreements=wrong, margins=margin)


def list_golden() -> Iterator[tuple[str, bool]]:
    """Give the golden cases of ideal methods and whether listing says the same; none without the shared data."""
    if not (SHARED / "red-team").exists():
        return
    for case in read_cases(SHARED.joinpath, "downcode-partition", "sums"):
        for knows in ("tight", "least", "tie"):
            sums = sum_ranges(case["values"], case["records"], case["k"], knows)
            yield f"{case['id']} {knows}", sums == case[knows]
    for case in read_cases(SHARED.joinpath, "guard-minimality", "coins"):
        sums = sum_coins(Fraction(case["coin"]))
        yield case["id"], all(case[name] == value for name, value in sums.items())
    for case in read_cases(SHARED.joinpath, "downcode-suppress", "sums"):
        for knows in ("minimal", "least", "tie"):
            sums = sum_suppressed(case["records"], case["domains"], case["k"], case["matching"], knows)
            yield f"{case['id']} {knows}", sums == case[knows]


def try_golden() -> Counter[str]:
    """Count the golden cases, and those of which listing says something else."""
    counts = Counter[str]()
    for name, right in list_golden():
        counts.update(cases=1, disagreements=not right)
        if not right:
            print(f"DISAGREE {name}", flush=True)
    return counts


def campaign(cases: int, seed: int) -> dict[str, dict[str, int]]:
    """Run all of it."""
    tries: dict[str, Callable[[np.random.Generator], Counter[str]]] = {
        "suppress": try_suppressed,
        "partition": try_spanned,
        "lattice": try_lattice,
    }
    report: dict[str, dict[str, int]] = {}
    for name, attempt in tries.items():
        counts, rng = Counter[str](), Seed(seed).child(name).rng()
        while counts["cases"] < cases:
            counts.update(attempt(rng))
        report[name] = {key: int(count) for key, count in counts.items()}
        print(name, report[name], flush=True)
    report["golden"] = {key: int(count) for key, count in try_golden().items()}
    print("golden", report["golden"], flush=True)
    return report


def read_adult() -> tuple[Dataset, dict[str, Tree]]:
    """Return the records, and the trees of the keys."""
    source = SHARED / "adult" / "adult.csv"
    data = open_original(source, own_rules(schema_from_options(Shape.RECORDS), "adult"))[0].data
    return data, {name: read_tree(SHARED / "adult" / f"adult_hierarchy_{name}.csv") for name in KEYS}


def attack_adult(seeds: int) -> dict[str, object]:
    """Return the figures on adult, those with a seed for each of several."""
    data, trees = read_adult()
    report: dict[str, object] = {}
    for matching in Matching:
        release = Suppress(keys=KEYS, k=5, matching=matching).apply(data, rng=Seed(1).rng())
        question = DowncodeQuestion(method=Recoder.SUPPRESS, keys=KEYS, k=5, matching=matching)
        start = process_time()
        found = downcode(question, SeenRelease.of_release(release, data)).to_dict()
        report[f"suppress {matching}"] = {**found, "seconds": process_time() - start}
    method = Lattice(keys=KEYS, k=5, tree=trees, suppress=Fraction(1, 50))
    posed = method.pose(data)
    best, start = find_best_vector(posed.problem), process_time()
    report["lattice margin"] = {
        **measure_margin(posed.problem, best, 5).to_dict(),
        "seconds": process_time() - start,
    }
    report["drawn"] = {
        f"c={penalty} epsilon={epsilon}": weigh_vectors(posed.problem, k=5, epsilon=epsilon, penalty=penalty).tell_cost(
            best.loss
        )
        for penalty in (0, 1, 5, 10)
        for epsilon in (0.1, 0.5, 1.0, 2.0)
    }
    for k, tree in ((5, None), (10, None), (5, trees)):
        report[f"partition k={k}{'' if tree is None else ' trees'}"] = [
            _attack_partition(data, k, tree, seed) for seed in range(1, seeds + 1)
        ]
    return report


def _attack_partition(data: Dataset, k: int, trees: dict[str, Tree] | None, seed: int) -> dict[str, object]:
    release = Partition(keys=KEYS, k=k, tree=trees).apply(data, rng=Seed(seed).rng())
    seen = SeenRelease.of_release(release, data)
    question = DowncodeQuestion(method=Recoder.PARTITION, keys=KEYS, k=k, roster=Roster.OTHERS, tree=trees or {})
    found = downcode(question, seen)
    print("partition", k, "trees" if trees else "", seed, found.tell(), flush=True)
    return {
        "seed": seed,
        "cells": found.cells,
        "narrowed": found.narrowed,
        "known": found.known,
        "people": found.people,
    }


def main() -> int:
    """Run the campaign, write the report, tell whether all agrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--adult", action="store_true")
    parser.add_argument("--seeds", type=int, default=10)
    asked = parser.parse_args()
    report: dict[str, object] = dict(campaign(asked.cases, asked.seed))
    wrong = sum(part.get("disagreements", 0) for part in report.values() if isinstance(part, dict))
    if asked.adult:
        report["adult"] = attack_adult(asked.seeds)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(report, indent=1) + "\n")
    print(f"{wrong} disagreements; {OUT}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

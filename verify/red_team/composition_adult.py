"""Two releases of overlapping thirds of adult, read together: over several seeds, by local and by global recoding.

Run from the top of the repository: ``python -m verify.red_team.composition_adult --adult adult.csv [--seeds 10]``. For
each seed 20,108 people are drawn for the first release and 20,108 for the second, 10,054 of them in both; each keeps
k = 10 over seven keys. The people in both are attacked by one who knows their keys (``one``), and by one who knows
their class in each release as well (``own``); rows are linked by the occupation, which he wants to know, and by the
salary class besides. Writes verify/out/composition_adult.json and prints the rows of the table on the method's page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from statistics import fmean, stdev
from time import process_time

import numpy as np
import polars as pl
from numpy.typing import NDArray
from verify.red_team.attribute import KEYS, SENSITIVE, describe_adult, protect

from sekisho.attack.records.class_fit import find_fitting_classes
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.protect import Method
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.partition import Partition
from sekisho.safety.records.joint.candidates import JointCandidates, JointReleases
from sekisho.safety.records.joint.known import ClassedRows, FittingClasses, KnownPeople
from sekisho.seeds import Seed

OUT = Path("verify/out/composition_adult.json")
K = 10
LINKS = {"occupation": (SENSITIVE,), "and salary class": (SENSITIVE, "salary-class")}


def list_methods(folder: Path) -> dict[str, Method]:
    """Return the ways to recode."""
    trees = {name: folder / f"adult_hierarchy_{name}.csv" for name in KEYS}
    return {
        "partition": Partition(keys=KEYS, k=K),
        "lattice, 2 % left out": Lattice(keys=KEYS, k=K, suppress=Fraction(1, 50), tree=trees),
    }


def place_people(
    release: Release, data: Dataset, both: NDArray[np.bool_]
) -> tuple[ClassedRows, FittingClasses, FittingClasses]:
    """Return a release as everybody sees it, and of those in both the classes that fit and the class they are in."""
    kept = np.flatnonzero(~release.deleted)
    rows = ClassedRows.of(release.table.take(kept), KEYS)
    own = np.full(len(data), -1, dtype=np.int64)
    own[kept] = rows.classes
    fits = find_fitting_classes(rows, data, KEYS, present=own >= 0)
    return rows, fits.take(np.flatnonzero(both)), FittingClasses.of_one(own[both])


def count_below(counted: JointCandidates, there: NDArray[np.bool_]) -> dict[str, int]:
    """Return the figures of the people who are in both releases."""
    least = counted.least[there]
    return {
        "least": int(least.min()),
        "below": int((least < K).sum()),
        "alone": int((least == 1).sum()),
        "known": int(counted.disclosed[there].sum()),
        "known_first": int((counted.values_alone[there, 0] == 1).sum()),
        "known_second": int((counted.values_alone[there, 1] == 1).sum()),
    }


def run_seed(frame: pl.DataFrame, method: Method, number: int) -> dict[str, object]:
    """Return what two releases of a draw give away together."""
    seed, third = Seed(number), len(frame) // 3
    order = seed.child("split").rng().permutation(len(frame))
    parts = (order[: 2 * third], order[third:])
    data = [Dataset(frame[part.tolist()], describe_adult(frame)) for part in parts]
    releases = [protect(method, each, seed.child(f"release {place}")) for place, each in enumerate(data)]
    inside = [np.arange(2 * third) >= third, np.arange(2 * third) < third]
    placed = [place_people(*each) for each in zip(releases, data, inside, strict=True)]
    start = process_time()
    line: dict[str, object] = {"seed": number, "classes": [rows.size for rows, _, _ in placed]}
    for name, stable in LINKS.items():
        question = JointReleases(releases=tuple(rows for rows, _, _ in placed), stable=stable, sensitive=SENSITIVE)
        for who, fits in (("one", [fit for _, fit, _ in placed]), ("own", [own for _, _, own in placed])):
            people = KnownPeople(fits=tuple(fits))
            there = np.logical_and.reduce([each.present for each in fits])
            line[f"{name}, {who}"] = count_below(question.count(people), there)
    return line | {"people": third, "cpu": round(process_time() - start, 2)}


def tell_spread(lines: Sequence[dict[str, object]], name: str, key: str) -> str:
    """Return a figure as mean and spread over the seeds, with the least and the largest."""
    figures: list[int] = []
    for line in lines:
        found = line[name]
        assert isinstance(found, dict)
        figures.append(found[key])
    spread = stdev(figures) if len(figures) > 1 else 0.0
    return f"{fmean(figures):,.1f} ± {spread:,.1f} ({min(figures):,} to {max(figures):,})"


def main() -> None:
    """Run all seeds of all methods, and write what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adult", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    asked = parser.parse_args()
    frame = pl.read_csv(asked.adult, separator=";", infer_schema=False).with_columns(pl.col("age").cast(pl.Int64))
    report: dict[str, list[dict[str, object]]] = {}
    for name, method in list_methods(asked.adult.parent).items():
        report[name] = []
        for number in range(1, asked.seeds + 1):
            report[name].append(run_seed(frame, method, number))
            print(name, json.dumps(report[name][-1]), flush=True)
        for link in LINKS:
            for who in ("one", "own"):
                keys = ("least", "below", "alone", "known", "known_first", "known_second")
                told = [f"{key} {tell_spread(report[name], f'{link}, {who}', key)}" for key in keys]
                print(f"{name} | {link}, {who} | {'; '.join(told)}", flush=True)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    write_whole({OUT: json.dumps(report, indent=1).encode()})


if __name__ == "__main__":
    main()

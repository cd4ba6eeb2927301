"""Does the strongest adversary stay below 1/k, and does he reach it where the proof says he can?

``python verify/pram_attack.py [--quick] [--data DIR]`` lets the adversary who knows everything but the chance attack
releases of synthetic data, of the adult data (see ``real_data.py``) and of the table that the proof constructs.
Written to verify/out/pram_attack.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

from real_data import add_data_option, find_data
from sekisho.attack.records.posterior import Posterior
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import exact_table
from sekisho.data.records.microdata import read_microdata
from sekisho.protect.records.pram import Pram
from sekisho.safety.hit_rate import HitRate
from sekisho.seeds import Seed

HERE = Path(__file__).parent
CONFIDENCE = 0.999


def make_table(frame: pl.DataFrame) -> Dataset:
    """Return a frame of categories as data."""
    return Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in frame.columns)))


def attack_releases(data: Dataset, method: Pram, runs: int, seed: Seed) -> dict[str, object]:
    """Return how often he was right over several releases, beside what was promised and what blind guessing gives."""
    hits = claims = 0
    way, k, predicted, greatest = "", 0.0, 0.0, 0.0
    for run in range(runs):
        release = method.apply(data, rng=seed.child(f"release {run}").rng())
        guess = Posterior(mechanism=release.mechanism).guess(
            exact_table(make_table(release.published())), data, rng=seed.child(f"guess {run}").rng()
        )
        named = np.array([int(person) for person in guess.person])
        hits, claims = hits + int((named == release.order).sum()), claims + len(guess)
        way, k = str(guess.detail["way"]), float(release.guarantee.k)
        predicted += guess.expected_hits
        greatest = max(greatest, float(guess.chance.max()))
    rate = HitRate(hits=hits, trials=claims, confidence=CONFIDENCE)
    return {
        "records": len(data),
        "columns": list(data.schema.names),
        "k": k,
        "limit": 1 / k,
        "way": way,
        **rate.as_dict(),
        "blind": 1 / len(data),
        "predicted": predicted / claims,
        "greatest_chance": greatest,
        "kept": rate.low <= 1 / k,
    }


def attack_worst_case(records: int, sample: int, retention: Fraction, runs: int, seed: Seed) -> dict[str, object]:
    """Return how often he is right on the proof's table, counted over the releases that look as the proof wants.

    One person has u, all others v; only releases with one u among v count. Which record is u's is then known to him
    with chance 1/k.
    """
    data = make_table(pl.DataFrame({"x": ["u"] + ["v"] * (records - 1)}))
    method = Pram(retention=retention, sample=sample)
    hits = trials = 0
    k = 1.0
    for run in range(runs):
        release = method.apply(data, rng=seed.child(f"run {run}").rng())
        k = float(release.guarantee.k)
        places = np.flatnonzero((release.published()["x"] == "u").to_numpy())
        if len(places) == 1:
            trials += 1
            hits += int(release.drawn[places[0]] == 0)
    rate = HitRate(hits=hits, trials=trials, confidence=CONFIDENCE)
    return {
        "records": records,
        "sample": sample,
        "retention": float(retention),
        "k": k,
        "limit": 1 / k,
        **rate.as_dict(),
        "kept": rate.low <= 1 / k <= rate.high,
    }


def make_populations(folder: Path | None) -> dict[str, tuple[Dataset, Sequence[tuple[Pram, int]]]]:
    """Return the data and for each the methods, with how many releases of each."""
    rng = Seed(3).child("population").rng()
    small = make_table(pl.DataFrame({"a": rng.choice(["p", "q"], 60), "b": rng.choice(["r", "s"], 60)}))
    medium = make_table(pl.DataFrame({name: rng.choice(list("vwxyz"), 1200) for name in "abc"}))
    data: dict[str, tuple[Dataset, Sequence[tuple[Pram, int]]]] = {
        "synthetic, 60 people": (small, [(Pram(k=Fraction(k), sample=20), 200) for k in (2, 5, 10)]),
        "synthetic, 1,200 people": (medium, [(Pram(k=Fraction(k), sample=500), 5) for k in (2, 5, 10)]),
    }
    path = find_data("adult/adult.csv", folder)
    if path is not None:
        adult = read_microdata(path, columns=("sex", "race", "marital-status", "education")).data
        part = make_table(adult.frame.sample(2000, seed=1))
        data["adult, 2,000 people"] = (part, [(Pram(k=Fraction(k), sample=800), 3) for k in (2, 5, 10)])
        data["adult, all 30,162"] = (adult, [(Pram(k=Fraction(k), sample=10000), 2) for k in (2, 5, 10)])
        data["adult, all, invariant"] = (adult, [(Pram(k=Fraction(5), sample=10000, invariant=True), 2)])
    return data


def main() -> None:
    """Run the campaign and state what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the releases")
    add_data_option(parser)
    options = parser.parse_args()
    quick = bool(options.quick)
    seed, results, worst = Seed(51), list[dict[str, object]](), list[dict[str, object]]()
    for name, (data, methods) in make_populations(options.data).items():
        for method, runs in methods:
            times = max(1, runs // 10) if quick else runs
            result = {"data": name} | attack_releases(data, method, times, seed.child(f"{name}/{method.k}"))
            results.append(result)
            print(
                f"{name:<26} k {result['k']:>7.3f}  limit {result['limit']:.4f}  {result['way']:<10} right "
                f"{result['hits']:>6} of {result['trials']:>6} = {result['rate']:.4f} "
                f"[{result['low']:.4f}, {result['high']:.4f}]  predicted {result['predicted']:.4f}"
            )
    for records, sample, retention in [(20, 8, Fraction(9, 10)), (12, 12, Fraction(4, 5)), (40, 5, Fraction(19, 20))]:
        result = attack_worst_case(records, sample, retention, 2000 if quick else 20000, seed.child(f"worst {records}"))
        worst.append(result)
        print(
            f"the proof's table, n {records}, m {sample}: limit 1/k {result['limit']:.4f}, right {result['hits']} of "
            f"{result['trials']} = {result['rate']:.4f} [{result['low']:.4f}, {result['high']:.4f}]"
        )
    (HERE / "out").mkdir(exist_ok=True)
    write_whole({HERE / "out" / "pram_attack.json": json.dumps({"data": results, "worst": worst}, indent=1).encode()})
    assert all(result["kept"] for result in results), "an adversary beat the promise"
    assert all(result["kept"] for result in worst), "the proof's table is not the worst case"


if __name__ == "__main__":
    main()

"""Who is in a stranger's file, by the nearest rows, as people and rows grow: `sekisho attack membership` as a process.

``python bench/membership_scale.py [--people 2000,1000000]`` makes people of eight categories and three numbers, or of
eight numbers in clusters; half of them are in the original, half are controls, a fifth as many are the adversary's
reference. The synthetic file has as many rows as there are people: a fifth are records of the original as they are, the
others are drawn anew from the population. All people are scored by the distance to the closest row over that to the
closest record of the reference. CPU seconds, seconds of the clock and memory are of the whole process, reading of four
files included. Of the smallest size every distance is computed in plain numpy, by the definition, and the area must be
the same. Written to ``bench/membership_scale.json``: figures of the sizes that were measured replace older ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
CATEGORIES = {"sex": 2, "race": 5, "marital": 7, "education": 16, "country": 41, "workclass": 7, "job": 14, "home": 6}
NUMBERS, CLUSTERS, COPIED, REFERENCE = 8, 50, 5, 5
MOST_PLAIN = 5_000


def draw_mixed(people: int, rng: np.random.Generator) -> pl.DataFrame:
    """Return people of eight categories, rare values rare, and three numbers."""
    columns: dict[str, Any] = {}
    for name, size in CATEGORIES.items():
        shares = 1 / np.arange(1, size + 1)
        columns[name] = np.array([f"{name}{place}" for place in range(size)])[
            rng.choice(size, people, p=shares / shares.sum())
        ]
    columns["age"] = np.clip(rng.normal(40, 14, people).round(), 17, 90).astype(np.int64)
    columns["hours"] = np.clip(rng.normal(40, 10, people).round(), 1, 99).astype(np.int64)
    columns["pay"] = np.round(np.exp(rng.normal(10, 0.6, people)), -2).astype(np.int64)
    return pl.DataFrame(columns)


def draw_numbers(people: int, rng: np.random.Generator) -> pl.DataFrame:
    """Return people of eight numbers, in clusters."""
    centres = Seed(2).rng().uniform(0, 1000, (CLUSTERS, NUMBERS))
    values = centres[rng.integers(CLUSTERS, size=people)] + rng.normal(0, 30, (people, NUMBERS))
    return pl.DataFrame({f"x{place}": column for place, column in enumerate(values.round().astype(np.int64).T)})


KINDS = {"eight categories, three numbers": draw_mixed, "eight numbers in clusters": draw_numbers}


def write_files(folder: Path, kind: str, people: int) -> None:
    """Write the original, what was made of it, controls and a reference."""
    rng, half = Seed(1).rng(), people // 2
    original, controls = KINDS[kind](half, rng), KINDS[kind](people - half, rng)
    copied = original[np.sort(rng.choice(half, people // COPIED, replace=False)).tolist()]
    released = pl.concat([copied, KINDS[kind](people - len(copied), rng)])
    files = {"T": original, "C": controls, "R": released, "P": KINDS[kind](people // REFERENCE, rng)}
    for name, frame in files.items():
        frame.write_csv(folder / f"{name}.csv")


def call(folder: Path, *words: str) -> tuple[dict[str, Any], dict[str, float]]:
    """Run the program; return what it says, its CPU seconds, its seconds and its megabytes."""
    line, start = [sys.executable, "-m", "sekisho", *words, "--json"], perf_counter()
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        said = process.stdout.read() if process.stdout else b"{}"
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    used = {"cpu_seconds": usage.ru_utime + usage.ru_stime, "seconds": perf_counter() - start}
    return json.loads(said), {**used, "peak_mb": usage.ru_maxrss / 1000}


def find_nearest_plainly(asked: pl.DataFrame, records: pl.DataFrame, width: dict[str, float]) -> NDArray[np.float64]:
    """Return everybody's distance to the nearest record, all compared."""
    found = np.full(len(asked), np.inf)
    columns = [(asked[name].to_numpy(), records[name].to_numpy(), width.get(name)) for name in asked.columns]
    for person in range(len(asked)):
        parts = [
            (other != mine[person]).astype(np.float64) if wide is None else np.abs(other - mine[person]) / wide
            for mine, other, wide in columns
        ]
        found[person] = np.sum(parts, axis=0).min()
    return found


def score_plainly(folder: Path) -> float:
    """Return the area, every distance computed."""
    files = {name: pl.read_csv(folder / f"{name}.csv") for name in "TCRP"}
    everybody = pl.concat(files.values())
    width = {
        name: float(np.ptp(everybody[name].to_numpy()))
        for name in everybody.columns
        if everybody[name].dtype.is_numeric()
    }
    people = pl.concat([files["T"], files["C"]])
    near, apart = (find_nearest_plainly(people, files[name], width) for name in "RP")
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where((near == 0) & (apart == 0), 1.0, near / apart)
    members, controls = len(files["T"]), len(files["C"])
    ranks = rankdata(-ratio.round(9))
    return float((ranks[:members].sum() - members * (members + 1) / 2) / (members * controls))


def measure(folder: Path, kind: str, people: int) -> dict[str, Any]:
    """Make, attack; compute plainly where that ends."""
    write_files(folder, kind, people)
    words = ("attack", "membership", "--original", "T.csv", "--published", "R.csv", "--controls", "C.csv")
    told, used = call(
        folder, *words, "--reference", "P.csv", "--score", "ratio", "--people", str(people), "--seed", "1"
    )
    line = {"kind": kind, "people": people, **used, **{name: told[name] for name in ("area", "sampled", "at")}}
    if people <= MOST_PLAIN:
        start = process_time()
        area = score_plainly(folder)
        line["plain_seconds"] = process_time() - start
        assert abs(area - told["area"]) < 1e-6, (area, told["area"])
    return line


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", default="2000,1000000")
    asked = parser.parse_args()
    lines = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for people in asked.people.split(","):
        for kind in KINDS:
            with TemporaryDirectory() as folder:
                lines[f"{kind}, {people}"] = line = measure(Path(folder), kind, int(people))
            print(json.dumps(line), flush=True)
            RESULTS.write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()

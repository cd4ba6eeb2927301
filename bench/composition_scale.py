"""Two releases of the same people read together, as the people grow: `sekisho attack composition` as a whole process.

``python bench/composition_scale.py [--people 2000,1000000]`` makes people of seven keys (the sizes of adult's,
rare values rare) and an occupation, releases them twice by local recoding of k = 10 with other seeds, and attacks both
together, linked by the occupation: for one who knows the keys, and (``--in-order``) for one who knows the classes as
well. CPU seconds and memory are of the whole process, reading of three files included. Of the smallest size the same
counts are made in plain Python by the definition, row by row, and must be equal. Written to
``bench/composition_scale.json``: figures of the sizes that were measured replace older ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import polars as pl

from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
DOMAINS = {"sex": 2, "race": 5, "marital": 7, "education": 16, "country": 41, "workclass": 7}
KEYS, SENSITIVE, OCCUPATIONS, K = ("age", *DOMAINS), "occupation", 14, 10
MOST_PLAIN = 5_000


def make_people(people: int) -> pl.DataFrame:
    """Return so many people."""
    rng = Seed(1).rng()
    columns: dict[str, Any] = {"age": np.clip(rng.normal(40, 14, people).round(), 17, 90).astype(np.int64)}
    for name, size in {**DOMAINS, SENSITIVE: OCCUPATIONS}.items():
        shares = 1 / np.arange(1, size + 1)
        columns[name] = np.array([f"{name}{place}" for place in range(size)])[
            rng.choice(size, people, p=shares / shares.sum())
        ]
    return pl.DataFrame(columns)


def call(folder: Path, *words: str) -> tuple[dict[str, Any], float, float]:
    """Run the program; return what it says, its CPU seconds and its megabytes."""
    line = [sys.executable, "-m", "sekisho", *words, "--json"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        said = process.stdout.read() if process.stdout else b"{}"
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(said), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def admits(cell: str, value: str) -> bool:
    """Tell whether a cell admits a value."""
    if cell.startswith("["):
        low, high = cell[1:-1].split(";")
        return int(low) <= int(value) <= int(high)
    return cell in {"*", value} or (cell.startswith("{") and value in cell[1:-1].split(";"))


def count_plainly(people: Sequence[dict[str, str]], releases: Sequence[Sequence[dict[str, str]]]) -> dict[str, int]:
    """Return the least candidates, the people alone and those whose occupation is known, by the definition."""
    least, alone, disclosed = len(people), 0, 0
    for person in people:
        fitting = [
            [row[SENSITIVE] for row in rows if all(admits(row[name], person[name]) for name in KEYS)]
            for rows in releases
        ]
        common = set(fitting[0]) & set(fitting[1])
        fewest = min(sum(value in common for value in values) for values in fitting)
        least, alone, disclosed = min(least, fewest), alone + (fewest == 1), disclosed + (len(common) == 1)
    return {"least_candidates": least, "alone": alone, "disclosed": disclosed}


def measure(folder: Path, people: int) -> dict[str, Any]:
    """Make, release twice, attack; count plainly where that ends."""
    make_people(people).write_csv(folder / "T.csv")
    keys = ("--keys", ",".join(KEYS))
    for number in (1, 2):
        words = ("protect", "partition", "T.csv", *keys, "--k", str(K), "--seed", str(number), "--effort", "0.2")
        call(folder, *words, "--out", f"R{number}.csv")
    words = ("attack", "composition", "--original", "T.csv", "--published", "R1.csv", "R2.csv", *keys, "--in-order")
    told, cpu, megabytes = call(folder, *words, "--sensitive", SENSITIVE, "--stable", SENSITIVE, "--k", str(K))
    line: dict[str, Any] = {"people": people, "cpu_seconds": cpu, "peak_mb": megabytes}
    line |= {name: told[name] for name in ("least_candidates", "alone", "disclosed")}
    line["own"] = {name: told["own"][name] for name in ("least_candidates", "alone", "disclosed")}
    if people <= MOST_PLAIN:
        tables = [pl.read_csv(folder / f"{name}.csv", infer_schema=False).to_dicts() for name in ("T", "R1", "R2")]
        start = process_time()
        plain = count_plainly(tables[0], tables[1:])
        line["plain_seconds"] = process_time() - start
        assert plain == {name: line[name] for name in plain}, (plain, line)
    return line


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", default="2000,1000000")
    asked = parser.parse_args()
    lines = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for people in asked.people.split(","):
        with TemporaryDirectory() as folder:
            lines[people] = measure(Path(folder), int(people))
        print(json.dumps(lines[people]), flush=True)
        RESULTS.write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Risk of records beside pycanon: k, l, entropy l, t (equal and ordered), basic beta and delta of the same files.

pycanon lives in an environment of its own, made in a temporary folder; without a package index the campaign says so and
ends. Its (c, l) is not compared: it sorts the counts of a class upwards, so its r1 is the rarest value. Its delta has
the natural logarithm, its entropy l is cut to a whole number. ``--data DIR`` names where real data lie.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from math import floor, log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from real_data import add_data_option, find_data
from sekisho.seeds import Seed

PINNED = "pycanon==1.3.6"
ADULT_KEYS = "age,education,marital-status,occupation,race,sex,native-country,workclass"
DRIVER = """
import json, sys
import pandas as pd
from pycanon import anonymity as a
answers = []
for path, keys, value in json.loads(sys.argv[1]):
    frame, k, s = pd.read_csv(path, sep=";"), keys.split(","), [value]
    answers.append({"k": a.k_anonymity(frame, k), "l": a.l_diversity(frame, k, s),
                    "entropy": a.entropy_l_diversity(frame, k, s), "t": a.t_closeness(frame, k, s),
                    "beta": a.basic_beta_likeness(frame, k, s), "delta": a.delta_disclosure(frame, k, s)})
print(json.dumps(answers, default=float))
"""
Work = tuple[str, str, str]


def make_peer(folder: Path) -> Path | None:
    """Return the Python of an environment that has pycanon; None, having said why, where there is none."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    done = subprocess.run([python, "-m", "pip", "install", "-q", PINNED], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"skipped: {PINNED} cannot be installed here: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return python


def draw_files(folder: Path, count: int) -> list[Work]:
    """Return small random files, half of them with numbers as sensitive values."""
    works: list[Work] = []
    for number in range(count):
        rng = Seed(1).child(f"file {number}").rng()
        rows = int(rng.integers(4, 60))
        values = [f"v{value}" if number % 2 else str(value) for value in rng.integers(0, rng.integers(2, 9), rows)]
        frame = pl.DataFrame(
            {"a": rng.integers(0, 3, rows), "b": [f"t{town}" for town in rng.integers(0, 3, rows)], "s": values}
        )
        path = folder / f"drawn{number}.csv"
        frame.write_csv(path, separator=";")
        works.append((str(path), "a,b", "s"))
    return works


def ask_ours(work: Work) -> dict[str, Any]:
    """Return our answer."""
    path, keys, value = work
    line = [sys.executable, "-m", "sekisho", "risk", path, "--keys", keys, "--sensitive", value, "--json"]
    answer = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    return answer | answer["sensitive"][0]


def compare(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return the names of the figures that differ."""
    equal = {
        "k": ours["k"] == theirs["k"],
        "l": ours["l"] == theirs["l"],
        "entropy": theirs["entropy"] in {floor(ours["entropy"] - 1e-9), floor(ours["entropy"] + 1e-9)},
        "t": abs(ours["t"] - theirs["t"]) < 1e-9,
        "beta": abs(ours["beta"] - theirs["beta"]) < 1e-9,
        "delta": abs(ours["delta"] * log(2) - theirs["delta"]) < 1e-9,
    }
    return [name for name, is_equal in equal.items() if not is_equal]


def main() -> None:
    """Compare all files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=40)
    add_data_option(parser)
    asked = parser.parse_args()
    with TemporaryDirectory() as place:
        python = make_peer(Path(place) / "peer")
        if python is None:
            return
        works = draw_files(Path(place), asked.files)
        adult = find_data("adult/adult.csv", asked.data)
        if adult is not None:
            works.append((str(adult), ADULT_KEYS, "salary-class"))
        done = subprocess.run([python, "-c", DRIVER, json.dumps(works)], capture_output=True, text=True, check=True)
        theirs: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
        ours = [ask_ours(work) for work in works]
        wrong = {
            work[0]: names
            for work, one, other in zip(works, ours, theirs, strict=True)
            if (names := compare(one, other))
        }
    print(f"{len(works)} files, six figures each: {len(wrong)} files differ {wrong or ''}")
    assert not wrong


if __name__ == "__main__":
    main()

"""What a command takes before it works: CPU seconds and memory of whole processes, and how many modules they load.

The commands read or write next to nothing, so what they take is their start. The reference, in the same run, is a
process that only loads what nearly all of them stand on: numpy, polars and typer. Compiled code is there already. ::

    PYTHONPATH=. python bench/command_start.py [--runs 5] [--before SRC]

``--before`` measures another tree of sources beside it, such as that of an earlier version. Of all runs the least
counts, for others use the machine as well; figures go to ``bench/command_start.json``, where those of the commands that
were run replace older ones.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.outside import measure_child

from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
SOURCES = Path(__file__).parents[1] / "src"
RUN = """
import io, json, sys
words, sys.stdout = sys.argv[1:], io.StringIO()
from sekisho.cli import status_of
status = status_of(words)
sys.stdout = sys.__stdout__
heavy = [name for name in ("numba", "scipy.spatial", "scipy.optimize", "scipy.special") if name in sys.modules]
ours = sum(name.partition(".")[0] == "sekisho" for name in sys.modules)
print(json.dumps({"status": status, "modules": ours, "heavy": heavy}))
"""
LIBRARIES = "import numpy, polars, typer; print('{}')"
RECORDS = """shape = "records"
original = "people.csv"
keys = ["age", "town"]
sensitive = ["illness"]
[[methods]]
name = "partition"
k = 5
[[adversaries]]
name = "prosecutor"
[guarantees]
k = 5
"""
TABLE = 'shape = "table"\noriginal = "cells.csv"\ndims = ["town", "illness"]\ncount = "n"\n'
COMMANDS: Mapping[str, Sequence[str]] = {
    "sekisho --version": ("--version",),
    "sekisho --help": ("--help",),
    "sekisho gate --help": ("gate", "--help"),
    "sekisho gate --dry-run, records": ("gate", "records.toml", "--dry-run"),
    "sekisho gate --dry-run, a table": ("gate", "table.toml", "--dry-run"),
    "sekisho init": ("init", "people.csv", "--out", "recipe.toml", "--force"),
    "sekisho protect partition": ("protect", "partition", "people.csv", "--keys", "age,town", "--out", "r.csv"),
    "sekisho table suppress": (
        "table",
        "suppress",
        "cells.csv",
        "--dims",
        "town,illness",
        "--count",
        "n",
        "--out",
        "t",
    ),
}
"""By what they are called in the figures; 200 people, a table of nine cells."""


def main() -> None:
    """Measure every command, and keep what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--before", type=Path, default=None, help="another tree of sources")
    parser.add_argument("--only", default="", help="the commands in whose name this stands")
    options = parser.parse_args()
    figures: dict[str, dict[str, object]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with TemporaryDirectory(prefix="start-") as name:
        os.chdir(write_files(Path(name)))
        trees = {"now": SOURCES, "libraries": SOURCES} | ({"before": options.before} if options.before else {})
        for command, words in COMMANDS.items():
            if options.only not in command:
                continue
            best: dict[str, dict[str, object]] = {}
            for _ in range(options.runs + 1):  # the first of all may compile
                for tree, sources in trees.items():
                    told = start_once(LIBRARIES if tree == "libraries" else RUN, words, sources)
                    best[tree] = min(best.get(tree, told), told, key=lambda run: float(str(run["cpu_seconds"])))
            figures[command] = compare_runs(best)
            print(command, json.dumps(figures[command]))
    RESULTS.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def start_once(program: str, words: Sequence[str], sources: Path) -> dict[str, object]:
    """Return what one start took, of some sources."""
    os.environ["PYTHONPATH"] = str(sources.resolve())
    return measure_child([sys.executable, "-c", program, *words])


def compare_runs(best: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """Return the figures of a command beside those of the libraries alone, and of the other tree."""
    now, libraries = best["now"], best["libraries"]
    seconds, alone = float(str(now["cpu_seconds"])), float(str(libraries["cpu_seconds"]))
    told = {**now, "libraries_seconds": alone, "ratio": round(seconds / alone, 1)}
    before = {f"before_{name}": value for name, value in best.get("before", {}).items()}
    return {**told, **before}


def write_files(folder: Path) -> Path:
    """Write what the commands read: people, a table of counts, two recipes."""
    rng = Seed(1).rng()
    towns, illnesses = ("north", "south", "east"), ("cold", "flu", "none")
    ages, places, ills = (rng.integers(0, most, 200) for most in (60, 3, 3))
    rows = [f"{20 + age},{towns[town]},{illnesses[ill]}" for age, town, ill in zip(ages, places, ills, strict=True)]
    (folder / "people.csv").write_text("\n".join(("age,town,illness", *rows)) + "\n", encoding="utf-8")
    cells = [f"{town},{ill},{3 + 7 * (len(town) + len(ill))}" for town in towns for ill in illnesses]
    (folder / "cells.csv").write_text("\n".join(("town,illness,n", *cells)) + "\n", encoding="utf-8")
    (folder / "records.toml").write_text(RECORDS, encoding="utf-8")
    (folder / "table.toml").write_text(TABLE, encoding="utf-8")
    return folder


if __name__ == "__main__":
    main()

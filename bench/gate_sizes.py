"""`sekisho gate` on one file of people as it grows: CPU seconds, peak memory, and the exponent from size to size.

Each run is a process of its own, watched from outside; one that is not counted compiles before. The people are made here, from a seed: six keys that tell nearly everybody apart and a sensitive
column; one recipe, ``partition`` with k = 10 and two kinds of illness in each class, attacked by those who attack where
nobody is named. The exponent is that by which CPU seconds grow, log(t2 / t1) / log(n2 / n1). The reference in the same
run is the count of the keys' classes by polars alone, which any k-anonymity needs. ::

    PYTHONPATH=. python bench/gate_sizes.py [--people 1000,10000,100000,1000000] [--folder DIR] [--source SRC]

``--source`` measures other sources, such as a clone of an older state, and only prints. At 8f115c01 100,000 people took
15 to 25 CPU seconds, and 1,000,000 had no verdict after 103.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from itertools import pairwise
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from bench.records_scale import watch

from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
KEYS = {"town": (200, 1.0), "job": (60, 0.8), "education": (16, 0.7), "marital": (7, 0.7)}
"""Of each category how many values it has, and how fast their shares fall."""
SENSITIVE = (40, 0.5)
KINDS = {"age": "integer", "sex": "category", **dict.fromkeys(KEYS, "category")}
SCHEMA = 'shape = "records"\n' + "".join(
    f'[[columns]]\nname = "{name}"\nkind = "{kind}"\nrole = "{role}"\n'
    for name, kind, role in (
        *((name, kind, "quasi") for name, kind in KINDS.items()),
        ("illness", "category", "sensitive"),
    )
)
RECIPE = """shape = "records"
original = "people.csv"
schema = "schema.toml"
seed = 3
[[methods]]
name = "partition"
k = 10
sensitive = "illness"
l = 2
"""
REFERENCE = f"""
import polars as pl
people = pl.read_csv("{{path}}")
print(people.group_by({list(KINDS)!r}).len().select(pl.col("len").min()))
"""
FEWEST = 1_000
"""So many people are taken through the gate first, so that compiled code is there."""
AT_8F115C01 = {"100000": "15 to 25", "1000000": "none after 103"}


def main() -> None:
    """Run all sizes, and keep what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", default="1000,10000,100000,1000000")
    parser.add_argument("--folder", type=Path, default=None, help="where the files are made and removed")
    parser.add_argument("--source", type=Path, default=None, help="the src of other sources")
    options = parser.parse_args()
    sizes = [int(size) for size in options.people.split(",")]
    if options.source:
        os.environ["PYTHONPATH"] = str(options.source)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with TemporaryDirectory(dir=options.folder, prefix="sizes-") as name:
        folder = Path(name)
        (folder / "schema.toml").write_text(SCHEMA)
        (folder / "recipe.toml").write_text(RECIPE)
        make_people(FEWEST).write_csv(folder / "people.csv")
        run_gate(folder, "first")
        for size in sizes:
            make_people(size).write_csv(folder / "people.csv")
            figures: dict[str, object] = {**run_gate(folder, str(size))}
            alone = watch([sys.executable, "-c", REFERENCE.replace("{path}", str(folder / "people.csv"))], folder)
            figures |= {"reference": alone["cpu_seconds"], "at_8f115c01": AT_8F115C01.get(str(size), "")}
            kept[str(size)] = figures
            print(json.dumps({"people": size, **figures}), flush=True)
            if options.source is None:
                RESULTS.write_text(json.dumps(add_exponents(kept), indent=1) + "\n")


def make_people(rows: int) -> pl.DataFrame:
    """Return people whose keys tell nearly everybody apart."""
    rng = Seed(7).rng()

    def draw(name: str, values: int, fall: float) -> pl.Series:
        weights = np.arange(1, values + 1) ** -fall
        codes = rng.choice(values, rows, p=weights / weights.sum())
        return name[0] + pl.Series(name, codes).cast(pl.String)

    return pl.DataFrame(
        {
            "age": rng.integers(0, 100, rows),
            "sex": pl.Series(rng.integers(0, 2, rows)).replace_strict([0, 1], ["f", "m"]),
            **{name: draw(name, *shape) for name, shape in KEYS.items()},
            "illness": draw("illness", *SENSITIVE),
        }
    )


def run_gate(folder: Path, name: str) -> dict[str, float]:
    """Return what a run of the gate takes; its verdict is that the release may leave."""
    return watch(
        [sys.executable, "-m", "sekisho", "gate", str(folder / "recipe.toml"), "--out", str(folder / name)], folder
    )


def add_exponents(figures: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Return figures in the order of sizes, each with the exponent since the one before."""
    ordered = sorted(figures.items(), key=lambda pair: int(pair[0]))
    for (before, one), (after, other) in pairwise(ordered):
        growth = float(str(other["cpu_seconds"])) / float(str(one["cpu_seconds"]))
        other["exponent"] = round(log(growth) / log(int(after) / int(before)), 3)
    return dict(ordered)


if __name__ == "__main__":
    main()

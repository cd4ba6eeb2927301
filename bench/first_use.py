"""The first verdict and the second: what compiling costs whoever meets Sekisho, or an upgrade of it, for the first time.

`gate` of 1,000 people (keys, one sensitive column, l = 2; as `sekisho init` proposes it) and `demo`, each twice: with an
empty cache of compiled functions and again with the cache of the first run. Each run is a process of its own, with all
that it starts, watched from outside. ::

    PYTHONPATH=. python bench/first_use.py [--only gate] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from bench.records_scale import watch

from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
PEOPLE = 1_000
RECIPE = """shape = "records"
original = "people.csv"
schema = "people.schema.toml"
seed = 1
[[methods]]
name = "partition"
k = 5
sensitive = "illness"
l = 2
[[adversaries]]
name = "prosecutor"
[[adversaries]]
name = "nearest-cell"
[guarantees]
k = 5
l = 2
leave_out = 0.2
"""
SCHEMA = 'shape = "records"\n' + "".join(
    f'[[columns]]\nname = "{name}"\nrole = "{role}"\nkind = "{kind}"\n'
    for name, role, kind in (
        ("person_id", "identifier", "category"),
        ("sex", "quasi", "category"),
        ("region", "quasi", "category"),
        ("age", "quasi", "integer"),
        ("education", "quasi", "integer"),
        ("illness", "sensitive", "category"),
        ("income", "sensitive", "integer"),
    )
)
AT_8F115C01 = {"gate": {"first": {"cpu_seconds": 65.7, "peak_mb": 662}, "second": {"cpu_seconds": 2.7}}}
"""What the issue measured, on two shared cores, with another file of 1,000 people."""


def main() -> None:
    """Run both programs twice, and keep what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["gate", "demo"], default=None)
    parser.add_argument("--folder", type=Path, default=None, help="where files are made and removed")
    options = parser.parse_args()
    measured: dict[str, object] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with TemporaryDirectory(dir=options.folder, prefix="first-use-") as name:
        folder = Path(name)
        make_people(folder / "people.csv")
        (folder / "people.schema.toml").write_text(SCHEMA)
        (folder / "recipe.toml").write_text(RECIPE)
        for program, words in {"gate": ["gate", str(folder / "recipe.toml")], "demo": ["demo"]}.items():
            if options.only in (None, program):
                measured[program] = run_twice(folder, program, words)
    measured["at 8f115c01"] = AT_8F115C01
    RESULTS.write_text(json.dumps(measured, indent=1) + "\n")
    print(json.dumps(measured, indent=1))


def make_people(path: Path) -> None:
    """Write a register."""
    rng = Seed(7).rng()
    columns = {
        "person_id": [f"P{number:04d}" for number in range(PEOPLE)],
        "sex": rng.choice(["m", "f"], PEOPLE),
        "region": rng.choice([f"N{number}" for number in range(1, 7)], PEOPLE),
        "age": rng.integers(18, 90, PEOPLE),
        "education": rng.integers(0, 6, PEOPLE),
        "illness": rng.choice(["flu", "asthma", "none", "cancer", "cold"], PEOPLE),
        "income": rng.integers(9_000, 60_000, PEOPLE),
    }
    pl.DataFrame(columns).write_csv(path)


def run_twice(folder: Path, program: str, words: list[str]) -> dict[str, object]:
    """Return what a program takes with an empty cache, what it takes then, and the ratio."""
    os.environ["NUMBA_CACHE_DIR"] = str(folder / f"cache-{program}")
    command = [sys.executable, "-m", "sekisho", *words, "--out"]
    first, second = (watch([*command, str(folder / f"{program}-{turn}")], folder) for turn in ("first", "second"))
    return {"first": first, "second": second, "ratio": first["cpu_seconds"] / second["cpu_seconds"]}


if __name__ == "__main__":
    main()

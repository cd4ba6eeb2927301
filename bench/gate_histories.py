"""A history at the gate in memory and with an engine: CPU seconds, peak memory and the verdict of both, as a ratio.

Each run is a process of its own, watched from outside. The log is made here, from a seed; the run in memory, the
reference, is attacked by chance alone, so that what is compared is making, counting, judging and writing. ::

    PYTHONPATH=. python bench/gate_histories.py --people 20000 --rows 400000 [--effort 50] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from bench.records_scale import watch

from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
SCHEMA = 'shape = "history"\n' + "".join(
    f'[[columns]]\nname = "{name}"\n{more}'
    for name, more in {
        "customer": 'role = "identifier"\nkind = "category"\n',
        "day": 'kind = "date"\n',
        "shop": 'kind = "category"\n',
        "amount": 'kind = "integer"\n',
    }.items()
)
WAYS = {"memory": '[[adversaries]]\nname = "chance"\n', "engine": ""}


def main() -> None:
    """Run both ways, and keep what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--effort", type=float, default=50.0)
    parser.add_argument("--memory", default="1GB", help="what the engine may take")
    parser.add_argument("--folder", type=Path, default=None, help="where the log is made and removed")
    options = parser.parse_args()
    with TemporaryDirectory(dir=options.folder, prefix="histories-") as name:
        folder = Path(name)
        make_log(folder / "log.parquet", options.people, options.rows)
        (folder / "schema.toml").write_text(SCHEMA)
        figures = {way: run_gate(folder, way, options.effort, options.memory) for way in WAYS}
    here, there = figures["memory"], figures["engine"]
    ratio = there["cpu_seconds"] / here["cpu_seconds"]
    told = {"people": options.people, "rows": options.rows, "effort": options.effort, **figures, "ratio": ratio}
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps({**kept, f"{options.rows}": told}, indent=1) + "\n")
    print(json.dumps(told, indent=1))


def make_log(path: Path, people: int, rows: int) -> None:
    """Write a log whose people have from one row to many."""
    rng = Seed(5).rng()
    weights = rng.gamma(1.5, 1.0, people)
    who = rng.choice(people, rows, p=weights / weights.sum())
    days = pl.Series(rng.integers(19_000, 19_090, rows)).cast(pl.Int32).cast(pl.Date)
    frame = pl.DataFrame(
        {"customer": who, "day": days, "shop": rng.integers(1, 6, rows), "amount": rng.integers(1, 40, rows) * 50}
    )
    frame.with_columns(pl.format("C{}", "customer").alias("customer")).write_parquet(path)


def run_gate(folder: Path, way: str, effort: float, memory: str) -> dict[str, float]:
    """Return what a run of the gate takes."""
    where = f'memory = "{memory}"\n' if way == "engine" else ""
    recipe = folder / f"{way}.toml"
    recipe.write_text(
        f'shape = "history"\noriginal = "log.parquet"\nschema = "schema.toml"\nseed = 3\n{where}'
        f'[[methods]]\nname = "groups"\nk = 7\nblock = 700\neffort = {effort}\n{WAYS[way]}'
        '[policy]\n"column of hardly any use" = "release"\n'
    )
    return watch([sys.executable, "-m", "sekisho", "gate", str(recipe), "--out", str(folder / way)], folder)


if __name__ == "__main__":
    main()

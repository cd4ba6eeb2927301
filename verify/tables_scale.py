"""Campaign: a hierarchical three-way table of 100,000 cells and more is protected and audited, with its gap, and how long that takes.

Run from the top of the repository: ``python -m verify.tables_scale [--cells N] [--seconds S]``; writes verify/out/tables_scale.json.
The table is made from a fixed seed; about 1 in 20 inner cells is small (1 to 4) and unsafe, width 10. The figures are CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
from pathlib import Path
from time import process_time

import numpy as np

from sekisho.tables.geometry import Dimension, from_inner
from sekisho.tables.suppress import Optimiser, Step, finished
from sekisho.tables.table import TOTAL, Table

BRANCHES = 6
SEED = 20


def tree(name: str, codes: int) -> Dimension:
    """Return a dimension of two levels below the margin with at least so many codes."""
    each = max(2, -(-(codes - 1 - BRANCHES) // BRANCHES))
    parent = {f"{name}{top}": TOTAL for top in range(BRANCHES)}
    leaves = {f"{name}{top}.{leaf:02d}": f"{name}{top}" for top in range(BRANCHES) for leaf in range(each)}
    return Dimension(name=name, parent=parent | leaves)


def made(cells: int) -> Table:
    """Return a table with at least so many cells, its small ones unsafe."""
    rng = np.random.default_rng(SEED)
    dimensions = [tree(name, round(cells ** (1 / 3))) for name in ("region", "trade", "size")]
    keys = [
        (one, two, three)
        for one in dimensions[0].leaves
        for two in dimensions[1].leaves
        for three in dimensions[2].leaves
    ]
    value = np.where(rng.random(len(keys)) < 0.05, rng.integers(1, 5, len(keys)), rng.integers(10, 100, len(keys)))
    table = from_inner(dimensions, keys, value.astype(np.float64))
    return table.flagged(table.value < 5, sliding=10.0)


def main() -> None:
    """Protect, audit, and write what was found."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--cells", type=int, default=100_000)
    words.add_argument("--seconds", type=float, default=1500.0)
    asked = words.parse_args()
    table = made(asked.cells)
    print(table, flush=True)
    begun, last = process_time(), None
    history: list[dict[str, object]] = []
    for last in Optimiser(seconds=asked.seconds).steps(table):
        history.append(told(last, process_time() - begun))
        print(history[-1], flush=True)
    assert last is not None
    answer = finished(table, last)
    found = {
        "table": repr(answer.table),
        **told(last, process_time() - begun),
        "memory_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "steps": history,
    }
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "tables_scale.json").write_text(json.dumps(found, indent=1))
    print("audited:", {key: value for key, value in found.items() if key != "steps"}, flush=True)


def told(step: Step, seconds: float) -> dict[str, object]:
    """Return a step's figures."""
    gap = round(step.gap, 4) if step.secondary is not None else None
    cost = None if step.secondary is None else step.cost
    return {"stage": step.stage, "cost": cost, "bound": step.bound, "gap": gap, "cpu_seconds": round(seconds, 1)}


if __name__ == "__main__":
    main()

"""Campaign: a hierarchical three-way table of 100,000 cells and more is protected, with its gap, and audited in full.

How long both take.

Run from the top of the repository: ``python -m verify.tables_scale [--cells N] [--seconds S]``; writes
verify/out/tables_scale.json. The table is made from a fixed seed; about 1 in 20 inner cells is small (1 to 4) and
unsafe, width 10. The figures are CPU seconds and the most memory that the process has held by then.

The same audit is then run on patterns as a careless tool makes them: in each equation two cells at least are hidden
(all of it one tangle that gives nearly everything away), and three in ten cells at random; and on a flat table whose
hidden cells all hang together.
"""

from __future__ import annotations

import argparse
import json
import resource
from math import inf
from pathlib import Path
from time import process_time

import numpy as np

from sekisho.tables.audit.attacker import attacker_of
from sekisho.tables.audit.intervals import audit
from sekisho.tables.audit.survey import Needs, find_exposed
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import TOTAL, Table
from sekisho.tables.suppress.boxes import Boxer
from sekisho.tables.suppress.optimiser import Optimiser, finish_search
from sekisho.tables.suppress.search import SearchStep

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
    return table.flag_cells(table.value < 5, sliding=10.0)


def hide_pairs(table: Table) -> Table:
    """Return the table with cells hidden until no equation has a single hidden cell, often taken for protection."""
    rng = np.random.default_rng(SEED)
    hidden, rows = table.primary.copy(), table.matrix
    while True:
        alone = np.flatnonzero(abs(rows) @ hidden.astype(np.float64) == 1)
        if not alone.size:
            return table.suppress_cells(hidden)
        for row in rng.permutation(alone)[: -(-len(alone) // 3)].tolist():
            cells = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
            hidden[rng.choice(cells)] = True


def scattered(table: Table) -> Table:
    """Return the table with three in ten cells hidden at random."""
    return table.suppress_cells(np.random.default_rng(SEED).random(len(table)) < 0.3)


def flat(cells: int) -> Table:
    """Return a table without levels of as many cells, protected by boxes: all its hidden cells hang together."""
    rng = np.random.default_rng(SEED)
    size = round(cells ** (1 / 3))
    dimensions = [Dimension.flat(name, [f"{code:03d}" for code in range(size)]) for name in "abc"]
    keys = [tuple(f"{code:03d}" for code in place) for place in np.ndindex(size, size, size)]
    value = np.where(rng.random(len(keys)) < 0.05, rng.integers(1, 5, len(keys)), rng.integers(10, 100, len(keys)))
    table = from_inner(dimensions, keys, value.astype(np.float64))
    table = table.flag_cells(table.value < 5, sliding=10.0)
    axes = Axes.of(table)
    assert axes is not None
    boxer = Boxer(table, axes)
    boxer.begin(until=inf)
    return table.suppress_cells(boxer.secondary)


def audit_table(table: Table) -> dict[str, object]:
    """Return the figures of a full audit and of the quick verdict."""
    begun = process_time()
    result = audit(table)
    seconds = process_time() - begun
    exposed_count = int(find_exposed(attacker_of(table), Needs.of(table)).size)
    assert exposed_count == result.narrow.size
    assert not result.unsettled.size
    return {
        "suppressed": len(result.cells),
        "disclosed": len(result.disclosed),
        "narrow": len(result.narrow),
        "cpu_seconds": round(seconds, 2),
        "verdict_cpu_seconds": round(process_time() - begun - seconds, 2),
        "memory_gb": memory(),
    }


def memory() -> float:
    """Return the most memory held so far, in GB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)


def main() -> None:
    """Protect, audit, and write what was found."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--cells", type=int, default=100_000)
    words.add_argument("--seconds", type=float, default=1500.0)
    options = words.parse_args()
    table = made(options.cells)
    print(table, flush=True)
    begun, last = process_time(), None
    history: list[dict[str, object]] = []
    for last in Optimiser(seconds=options.seconds).steps(table):
        history.append(format_line(last, process_time() - begun))
        print(history[-1], flush=True)
    assert last is not None
    answer = finish_search(table, last)
    found = {
        "table": repr(answer.table),
        **format_line(last, process_time() - begun),
        "memory_gb": memory(),
        "audit": audit_table(answer.table),
        "audit_of_pairs": audit_table(hide_pairs(table)),
        "audit_of_three_in_ten": audit_table(scattered(table)),
        "audit_of_a_flat_table": audit_table(flat(options.cells)),
        "steps": history,
    }
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "tables_scale.json").write_text(json.dumps(found, indent=1))
    print("audited:", {key: value for key, value in found.items() if key != "steps"}, flush=True)


def format_line(step: SearchStep, seconds: float) -> dict[str, object]:
    """Return a step's figures."""
    gap = round(step.gap, 4) if step.secondary is not None else None
    cost = None if step.secondary is None else step.cost
    return {"stage": step.stage, "cost": cost, "bound": step.bound, "gap": gap, "cpu_seconds": round(seconds, 1)}


if __name__ == "__main__":
    main()

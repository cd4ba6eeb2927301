"""Campaign: patterns that are called proven against whole numbers hold for a stranger who searches all whole tables.

Random tables of counts, 3 x 3 x 3, 4 x 3 x 3 and linked ones, with bounds of every kind: how many of the cheapest
patterns against real numbers leave an unsafe cell too narrow over whole tables, by scipy's whole-number programs on
the whole model; and that after the optimiser has looked none does, and the certificates are valid and say so. Then
tables of two dimensions with at most one tree: both intervals of every hidden cell of random patterns are the same.

Then what it costs, in seconds and cells, on larger tables.

Run from the top of the repository: ``python -m verify.whole_numbers [--quick]``; writes verify/out/whole_numbers.json
and exits with 1 if anything differs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, process_time

import numpy as np
from tests.tables.instances import filled, grid
from tests.tables.oracle import interval, whole_interval
from tests.tables.triples import triple

from sekisho.errors import InfeasibleError
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.linked.join import join_tables
from sekisho.tables.model.table import TOTAL, Table
from sekisho.tables.model.whole_numbers import WholeNumbers, is_same_as_real
from sekisho.tables.suppress.optimiser import Optimiser
from sekisho.tables.suppress.whole_tables import protect_whole

SEEDS, QUICK = 300, 12
OUT = Path(__file__).parent / "out" / "whole_numbers.json"
TREE = Dimension(name="r", parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "n3": "n", "s1": "s", "s2": "s"})


def make_table(seed: int) -> Table:
    """Return a table in which whole numbers may tell more."""
    rng = np.random.default_rng(seed)
    high = int(rng.choice([4, 8, 20]))
    if seed % 3 == 2:
        table = join_tables(triple(rng.integers(0, high, (2, 3, 2)).astype(np.float64)))
    else:
        table = grid((3, 3, 3) if seed % 3 else (4, 3, 3), rng, high=high)
    table = replace(table, weight=rng.choice([np.ones(len(table)), np.maximum(table.value, 1.0)]))
    if rng.random() < 0.5:
        table = replace(table, upper=table.value + float(rng.integers(3, 9)))
    return table.flag_cells((table.value > 0) & (table.value < 3), sliding=float(rng.choice([2, 3, 5])))


def list_narrow(table: Table) -> list[int]:
    """Return the unsafe cells that are too narrow over whole tables."""
    narrow: list[int] = []
    for cell in np.flatnonzero(table.primary).tolist():
        low, high = whole_interval(table, table.suppressed, cell)
        if high - low < table.sliding_level[cell]:
            narrow.append(cell)
    return narrow


def try_pattern(seed: int) -> Iterator[str]:
    """Give what came of one table."""
    table = make_table(seed)
    if not table.primary.any():
        return
    try:
        plain, answer = Optimiser(whole=False).suppress(table), Optimiser().suppress(table)
    except InfeasibleError:
        yield "infeasible"
        return
    yield "tables"
    if list_narrow(plain.table):
        yield "too narrow over whole tables, before"
    if answer.last.added:
        yield "hide more for it"
    if answer.last.whole is not WholeNumbers.PROVEN:
        yield "DIFFERENT: not proven"
    if list_narrow(answer.table):
        yield "DIFFERENT: too narrow over whole tables"
    checked = check(json.dumps(make_certificate(answer)))
    if not checked.valid or checked.claimed is None or not checked.claimed.whole:
        yield "DIFFERENT: the certificate"


def try_theorem(seed: int) -> Iterator[str]:
    """Give whether both attackers find the same of a random pattern in two dimensions."""
    rng = np.random.default_rng(seed)
    flat = Dimension.flat("c", ["c1", "c2", "c3"])
    table = filled([TREE, flat] if seed % 2 else [flat, Dimension.flat("d", list("wxyz"))], rng, high=6)
    table = replace(table, upper=table.value + rng.integers(0, 6, len(table)), lower=np.maximum(table.value - 3, 0.0))
    hidden = rng.random(len(table)) < rng.choice([0.4, 0.6, 0.9])
    yield "patterns in two dimensions" if is_same_as_real(table) else "DIFFERENT: not known as such"
    for cell in np.flatnonzero(hidden).tolist():
        if not np.allclose(interval(table, hidden, cell), whole_interval(table, hidden, cell), atol=1e-6):
            yield "DIFFERENT: intervals in two dimensions"


def measure_cost(name: str, table: Table, seconds: float) -> dict[str, object]:
    """Return what the look at whole tables costs beside the search."""
    begun = process_time()
    plain = Optimiser(seconds=seconds, whole=False, keep=True).suppress(table)
    searched, begun = process_time() - begun, process_time()
    secondary = plain.last.secondary
    assert secondary is not None
    found = protect_whole(plain.table.suppress_cells(plain.frozen), secondary, (), until=monotonic() + seconds)
    return {
        "table": name,
        "cells": len(table),
        "unsafe": int(table.primary.sum()),
        "search_cpu_seconds": round(searched, 1),
        "whole_cpu_seconds": round(process_time() - begun, 1),
        "secondary": int(secondary.sum()),
        "proven": found is not None,
        "secondary_whole": None if found is None else int(found.secondary.sum()),
    }


def list_costs(*, quick: bool) -> Iterator[dict[str, object]]:
    """Give what the look at whole tables costs on larger tables."""
    for size in (4, 6) if quick else (4, 6, 10):
        table = grid((size,) * 3, np.random.default_rng(size), high=40)
        yield measure_cost(f"{size} x {size} x {size}", _flag(table), 60.0)


def _flag(table: Table) -> Table:
    return table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)


def main() -> int:
    """Run the campaign; return its exit status."""
    quick = "--quick" in sys.argv[1:]
    found = Counter[str]()
    for seed in range(QUICK if quick else SEEDS):
        for word in (*try_pattern(seed), *try_theorem(seed)):
            found[word] += 1
            if word.startswith("DIFFERENT"):
                print(f"{seed}: {word}", flush=True)
    costs = list(list_costs(quick=quick))
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"found": found, "costs": costs}, indent=1) + "\n")
    print(OUT.read_text())
    return int(any(word.startswith("DIFFERENT") for word in found))


if __name__ == "__main__":
    sys.exit(main())

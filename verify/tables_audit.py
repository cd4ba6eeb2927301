"""Campaign: on ten thousand patterns the audit says what an attacker says who shares no code with it.

Run from the top of the repository: ``python -m verify.tables_audit [--patterns N] [--seed S] [--quick]``; writes
verify/out/tables_audit.json and exits with 1 if the two disagree anywhere.

The other attacker finds parts by union-find over the equations, what is determined by exact elimination in fractions,
and intervals by scipy's programs on the whole model, published cells and all (``tests/tables/independent.py``).
Patterns are of every kind: sums that do not nest, linked tables, three dimensions, trees, relations with coefficients
of any size and sign as JJ files hold them, with bounds near, far or absent. Of every pattern parts, intervals,
disclosed cells and both verdicts are compared; of one in ten also the intervals over whole tables, what insiders learn,
and what the optimiser calls safe or infeasible when it reads the same table from a JJ file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import process_time

from tests.tables.comparison import insiders_differ, outsiders_differ, suppressions_differ, whole_tables_differ
from tests.tables.patterns import KINDS, pattern

from sekisho.errors import BugError
from sekisho.tables.model.table import Table

PATTERNS = 10_000
QUICK = 300
SOME = 10
"""Of one in so many patterns all else is compared as well."""
Comparison = Callable[[Table], list[str]]


def comparisons(seed: int) -> dict[str, Comparison]:
    """Return what is compared on the pattern of a seed."""
    out: dict[str, Comparison] = {"outsider": outsiders_differ}
    if seed % SOME == 0:
        coalition = 1 + seed // SOME % 3
        out["whole"] = whole_tables_differ
        out["insiders"] = lambda table: insiders_differ(table, coalition)
        out["suppress"] = suppressions_differ
    return out


def compared(kind: str, seed: int) -> Counter[str]:
    """Compare on one pattern; print what differs, and count."""
    table, counts = pattern(kind, seed), Counter[str]()
    for name, compare in comparisons(seed).items():
        try:
            wrong = compare(table)
        except BugError as error:
            wrong = [f"a fault of ours: {error}"]
        counts[name] += 1
        counts["disagreements"] += bool(wrong)
        for each in wrong:
            print(f"DISAGREE {kind} {seed} {name}: {each}", flush=True)
    return counts + Counter({"cells": int(table.suppressed.sum())})


def main() -> None:
    """Compare, print a line a kind, write what was found, and exit with 1 if anything differs."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--patterns", type=int, default=PATTERNS)
    words.add_argument("--seed", type=int, default=0, help="of the first pattern of each kind")
    words.add_argument("--quick", action="store_true", help=f"{QUICK} patterns only")
    options = words.parse_args()
    each = -(-(QUICK if options.quick else options.patterns) // len(KINDS))
    results: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        begun, counts = process_time(), Counter[str]()
        for seed in range(options.seed, options.seed + each):
            counts += compared(kind, seed)
        results[kind] = {
            **counts,
            "disagreements": counts["disagreements"],
            "cpu_seconds": round(process_time() - begun, 1),
        }
        print(kind, results[kind], flush=True)
    total = {
        name: sum(part.get(name, 0) for part in results.values()) for name in ("outsider", "cells", "disagreements")
    }
    print("all", total, flush=True)
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "tables_audit.json").write_text(json.dumps({**results, "all": total}, indent=1))
    sys.exit(1 if total["disagreements"] else 0)


if __name__ == "__main__":
    main()

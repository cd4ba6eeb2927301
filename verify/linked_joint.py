"""Campaign: how many cycles of linked tables are called safe that are not, without the joint table and with it.

Three tables (r x j, r x a, j x a) of random 2 x 2 x 2 populations, counts of 0 to 5, fewer than 5 unsafe, width 10.
Each is protected both ways; a stranger's linear program over the eight joint counts then says how narrow the narrowest
unsafe cell really is. Without the joint table the answer names its limit; with it none may be too narrow.

Run from the top of the repository: ``python -m verify.linked_joint [--quick]``; writes verify/out/linked_joint.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import numpy as np
from tests.tables.triples import dimensions, leak, triple

from sekisho.errors import InfeasibleError
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.linked.join import join_tables
from sekisho.tables.model.table import Table
from sekisho.tables.suppress.optimiser import Optimiser

SHAPE = (2, 2, 2)
WIDTH = 10 - 1e-6


def find_narrowest(tables: list[Table], *, joint: bool) -> float | None:
    """Return how wide the narrowest unsafe cell of a certified pattern is, by the joint counts; None if infeasible."""
    try:
        answer = Optimiser().suppress(join_tables(tables, joint=joint))
    except InfeasibleError:
        return None
    checked = check(json.dumps(make_certificate(answer)))
    assert checked.valid, checked.errors
    assert checked.claimed is not None
    assert bool(checked.claimed.limit) is not joint
    return leak(answer.table, dimensions(SHAPE))


def main() -> None:
    """Count, and write what was found."""
    wanted = 100 if "--quick" in sys.argv else 1_300
    counts = {way: {"certified": 0, "too narrow": 0, "infeasible": 0} for way in ("without", "with")}
    least, done, seed, begun = np.inf, 0, 0, process_time()
    while done < wanted:
        seed += 1
        tables = triple(np.random.default_rng(seed).integers(0, 6, SHAPE).astype(np.float64))
        if not any(table.primary.any() for table in tables):
            continue
        done += 1
        for way, joint in (("without", False), ("with", True)):
            width = find_narrowest(tables, joint=joint)
            counts[way]["infeasible"] += width is None
            counts[way]["certified"] += width is not None
            counts[way]["too narrow"] += width is not None and width < WIDTH
            least = least if width is None else min(least, width)
        if done % 100 == 0:
            print(done, counts, flush=True)
    assert counts["with"]["too narrow"] == 0
    answer = {"triples": done, "narrowest": least, **counts, "cpu_seconds": round(process_time() - begun, 1)}
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "linked_joint.json").write_text(json.dumps(answer, indent=1))
    print(answer)


if __name__ == "__main__":
    main()

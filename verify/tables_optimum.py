"""Campaign: on hundreds of small tables the optimiser's cost, by either solver, is that of the cheapest pattern of all.

The cheapest is found by enumeration.

Run from the top of the repository: ``python -m verify.tables_optimum [--quick]``; writes
verify/out/tables_optimum.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.tables.instances import KINDS, instance
from tests.tables.oracle import cheapest

from sekisho.errors import InfeasibleError
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.table import Table
from sekisho.tables.suppress.branching import SOLVERS
from sekisho.tables.suppress.optimiser import Optimiser


def cost_of(table: Table, solver: str) -> float | None:
    """Return the optimiser's proven cost, its certificate checked; None if infeasible."""
    try:
        answer = Optimiser(solver=solver).suppress(table)
    except InfeasibleError:
        return None
    assert answer.optimal
    assert check(json.dumps(make_certificate(answer))).valid
    return answer.last.cost


def main() -> None:
    """Compare, and write what was found."""
    seeds = range(100, 110 if "--quick" in sys.argv else 200)
    results: dict[str, dict[str, int]] = {}
    for kind in KINDS:
        equal = infeasible = 0
        for seed in seeds:
            table = instance(kind, seed)
            least = cheapest(table)
            for solver in SOLVERS:
                ours = cost_of(table, solver)
                assert (least is None) == (ours is None), (kind, seed, solver, least, ours)
                assert least is None or ours is None or abs(least - ours) < 1e-6, (kind, seed, solver, least, ours)
            infeasible += least is None
            equal += least is not None
        results[kind] = {"equal": equal, "infeasible": infeasible}
        print(kind, results[kind], flush=True)
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "tables_optimum.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

"""Campaign: on hundreds of small tables a pattern that is safe from insiders costs what the cheapest of all costs.

The cheapest is found by enumeration and an attacker who shares no code with ours (scipy's programs on the whole model,
for outsiders and for each coalition). Every pattern found passes the insider audit, and its certificate is valid.

Run from the top of the repository: ``python -m verify.tables_insiders [--quick]``; writes
verify/out/tables_insiders.json and exits with 1 if the two disagree anywhere.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from time import process_time

from tests.tables.independent import least_cost
from tests.tables.insider_instances import counted, summed

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.coalitions import leaks
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.table import Table
from sekisho.tables.suppress.branching import SOLVERS
from sekisho.tables.suppress.optimiser import Optimiser

KINDS = {"counts": counted, "sums": summed}
SEEDS, QUICK = 100, 12
MOST = 3


def cost_of(table: Table, insiders: int, solver: str) -> tuple[float, str]:
    """Return the optimiser's cost, infinity if infeasible, and what is wrong with its answer."""
    try:
        answer = Optimiser(insiders=insiders, solver=solver).suppress(table)
    except InfeasibleError:
        return float("inf"), ""
    held = make_certificate(answer)
    wrong = (
        (not answer.optimal, "not optimal"),
        (insiders > 0 and bool(leaks(answer.table, coalition=insiders)), "leaks"),
        (not check(json.dumps(held)).valid, "no valid certificate"),
        (held["status"] != "optimal", "not proven"),
    )
    return answer.last.cost, ", ".join(what for so, what in wrong if so)


def compare(kind: str, seed: int) -> Counter[str]:
    """Compare on one table; print what differs, and count."""
    table, insiders = KINDS[kind](seed), 1 + seed % MOST
    if not table.primary.any():
        return Counter()
    least, found = least_cost(table, insiders), Counter[str]()
    for solver in SOLVERS:
        ours, wrong = cost_of(table, insiders, solver)
        if ours != least or wrong:
            print(f"{kind} {seed}, {insiders} insiders, {solver}: ours {ours:g}, least {least:g} {wrong}", flush=True)
            found["different"] += 1
    found["infeasible" if least == float("inf") else "feasible"] += 1
    found["dearer than for outsiders"] += int(float("inf") > least > cost_of(table, 0, SOLVERS[0])[0])
    return found


def main() -> None:
    """Compare, and write what was found."""
    begun, seeds = process_time(), range(QUICK if "--quick" in sys.argv else SEEDS)
    found: dict[str, Counter[str]] = {}
    for kind in KINDS:
        found[kind] = sum((compare(kind, seed) for seed in seeds), Counter[str]())
        print(kind, dict(found[kind]), f"{process_time() - begun:.0f} CPU seconds", flush=True)
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "tables_insiders.json").write_text(json.dumps(found, indent=1))
    sys.exit(1 if any(counts["different"] for counts in found.values()) else 0)


if __name__ == "__main__":
    main()

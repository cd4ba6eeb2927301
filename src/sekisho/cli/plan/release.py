"""``sekisho plan release``: the release of records with the smallest measured risk that meets every condition."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed, give, settled
from sekisho.cli.kit.files import GivenRules, Out
from sekisho.cli.linkage import verdict_keys
from sekisho.cli.kit.progress import watched
from sekisho.contest.history.rules import rules_path
from sekisho.contest.records.files import read_record_original, write_numbers, write_records
from sekisho.contest.records.rules import read_record_rules
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.data.records.space import kept
from sekisho.gate.records.plan import RecordPlanner
from sekisho.gate.records.risk import strongest
from sekisho.provenance import Provenance, digest, parameters_of
from sekisho.report.kit.html import page
from sekisho.report.pages.records import PLAN_TITLE, plan_blocks


def release(
    *,
    source: Annotated[Path, typer.Argument(metavar="IN", help="B, the original records.")],
    out: Out,
    deleted: Annotated[Path, typer.Option("--deleted", help="X to write, the deleted rows of the original.")],
    rules: GivenRules = "pwscup2021",
    target: Annotated[float, typer.Option("--target", help="The risk to stay below.")] = 0.067,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Test sets for the final measurement.")] = 20,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write a page with the frontier, as HTML.")
    ] = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Search a release of records that meets every condition of the final round with the smallest measured risk.

    Example: `sekisho plan release B.csv --out D.csv --deleted X.csv --report plan.html --seed 1`
    """
    check_places(reads=[rules_path(rules), source], writes={"--out": out, "--deleted": deleted, "--report": report})
    book, chosen = read_record_rules(rules), settled(seed)
    data, planner = read_record_original(source, book), RecordPlanner(seeds=seeds, scouting=min(6, seeds))
    start = process_time()
    step = watched(planner.steps(book, data, seed=chosen), doing="planning")
    best = step.best
    if best is None:
        raise KeyboardInterrupt
    top, gone = strongest(best.risks), best.release.deleted
    files = {
        out: write_records(kept(best.release), book),
        deleted: write_numbers(np.flatnonzero(gone).astype(np.int64)),
    }
    if report is not None:
        made = Provenance(
            name="plan release",
            parameters=parameters_of(planner),
            seed=chosen.value,
            inputs={source.name: digest(source)},
        )
        files[report] = page(PLAN_TITLE, plan_blocks(step, target, made)).encode()
    write_whole(files)
    keys = verdict_keys(best.conditions) | {
        "risk": top.mean,
        "low": top.low,
        "high": top.high,
        "largest": top.worst,
        "adversary": top.adversary,
        "risks": {name: risk.mean for name, risk in best.risks.items()},
        "in_order": {name: risk.mean for name, risk in best.ordered.items()},
        "topk": top.topk.as_dict(),
        "tried": len(step.tried),
        "parameters": parameters_of(best.trial),
        "seconds": process_time() - start,
        "seed": chosen.value,
    }
    told = f"under the strongest adversary ({top.adversary}) over {len(top.judged)} test sets"
    words = [
        f"{len(data) - int(gone.sum()):,} rows kept, {int(gone.sum()):,} deleted ({best.trial}; {len(step.tried)} tried)",
        *map(str, best.conditions),
        f"risk {top.mean:.4f} ({top.low:.4f} to {top.high:.4f}) {told}, largest {top.worst:.4f}",
        *(
            f"{name} attack on the rows in this order: {risk.mean:.4f}; shuffle them (sekisho publish) where the rules allow"
            for name, risk in best.ordered.items()
        ),
    ]
    give(keys, "\n".join(words), as_json=as_json, good=best.admissible and top.mean <= target)

"""``sekisho table``: suppress cells at the least cost, audit any pattern, verify a certificate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from sekisho.cli.answer import AsJson, give, say
from sekisho.cli.cellfiles import Contributed, Cost, Counted, Dims, Price, Summed, TreeFiles, reading
from sekisho.data.frames import frame_bytes, read_frame
from sekisho.data.io import decode, read_bytes, write_whole
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.provenance import Provenance, digest
from sekisho.tables import CellRule
from sekisho.tables.audit import Audit, audit
from sekisho.tables.certificate import certificate
from sekisho.tables.insider import Leak, leaks
from sekisho.tables.pattern import frozen, pattern_frame, patterned
from sekisho.tables.primary import MinimumFrequency, primaries
from sekisho.tables.rulewords import rule
from sekisho.tables.suppress import Optimiser, Step, Suppression, finished
from sekisho.tables.table import Status, Table
from sekisho.tables.verify import check

app = typer.Typer(no_args_is_help=True, help="Cell suppression: optimal, audited, with a certificate.")

CellsFile = Annotated[Path, typer.Argument(metavar="FILE", help="The cells: CSV or Parquet, inner cells or all.")]
Width = Annotated[float, typer.Option("--width", min=0, help="How wide an attacker's interval must be left.")]


@app.command("suppress")
def suppress(
    source: CellsFile,
    *,
    dims: Dims,
    out: Annotated[Path, typer.Option("--out", help="The pattern file to write.")],
    count: Counted = "",
    value: Summed = "",
    min_count: Annotated[
        int | None, typer.Option("--min-count", min=1, help="Fewest contributors; 5 for counts.")
    ] = None,
    width: Width = 10.0,
    rules: Annotated[
        list[str] | None, typer.Option("--rule", help="p%:15, nk:2,85, pq:10,50, …; may be repeated.")
    ] = None,
    contributors: Contributed = "",
    cost: Cost = Price.ONE,
    trees: TreeFiles = None,
    earlier: Annotated[Path | None, typer.Option("--frozen", help="An earlier pattern that stays in force.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", help="Seconds after which the best so far is taken.")
    ] = None,
    proof: Annotated[Path | None, typer.Option("--certificate", help="Where to write the certificate.")] = None,
    as_json: AsJson = False,
) -> None:
    """Suppress unsafe cells and the fewest others that protect them; write the pattern and its certificate.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table suppress t.csv --dims v1,v2 --count n --min-count 5 --width 10 --out p.csv`
    """
    read = reading(dims, count=count, value=value, contributors=contributors, trees=trees or [])
    table = _charged(read.table(source), cost)
    asked = _rules(rules or [], min_count, width, counts=read.counts)
    table = primaries(table, asked)
    if earlier is not None:
        table = frozen(table, read_frame(earlier).frame, value=read.value, trees=read.trees, source=earlier)
    try:
        answer = _followed(table, Optimiser(seconds=seconds))
    except InfeasibleError as error:
        keys = {"cells": len(table), "primary": int(table.primary.sum()), "status": "infeasible", "reason": str(error)}
        give(keys, f"infeasible: {error}", as_json=as_json, good=False)
        return
    told = {"dims": dims, "rules": [repr(each) for each in asked], "cost": cost.value}
    made = Provenance(name="table suppress", parameters=told, inputs={source.name: digest(source)})
    beside = proof or out.with_name(out.name + ".certificate.json")
    held = json.dumps(certificate(answer, provenance=made), ensure_ascii=False, separators=(",", ":"))
    write_whole({out: frame_bytes(pattern_frame(answer.table, value=read.value), out), beside: held.encode()})
    keys = {**_answer(answer), "out": str(out), "certificate": str(beside)}
    words = "\n".join(f"{key:<12}{said}" for key, said in keys.items())
    give(keys, words, as_json=as_json)


@app.command("audit")
def audit_pattern(
    source: CellsFile,
    *,
    dims: Dims,
    pattern: Annotated[Path, typer.Option("--pattern", help="The pattern: a row per cell with its status.")],
    count: Counted = "",
    value: Summed = "",
    width: Width = 10.0,
    trees: TreeFiles = None,
    whole: Annotated[bool, typer.Option("--integer", help="Consider whole tables only: counts.")] = False,
    insiders: Annotated[
        int, typer.Option("--insiders", min=0, help="Also ask what so many contributors of one cell know.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Tell the interval in which an attacker can place each suppressed cell of any pattern.

    Example: `sekisho table audit t.csv --pattern p.csv --dims v1,v2 --count n --width 10`
    """
    read = reading(dims, count=count, value=value, contributors="", trees=trees or [], guess=source)
    plain = read.table(source)
    table = patterned(plain, read_frame(pattern).frame, value=read.value, trees=read.trees, source=pattern)
    table = table.flagged(table.primary, sliding=width)
    found = audit(table, whole=whole)
    inside = leaks(table, coalition=insiders) if insiders else []
    cells = [_interval(found, at) for at in range(len(found.cells))]
    keys: dict[str, object] = {
        "suppressed": len(cells),
        "disclosed": len(found.disclosed),
        "narrow": len(found.narrow),
        "insider": [_leak(table, leak) for leak in inside],
        "cells": cells,
    }
    good = not (found.disclosed.size or found.narrow.size or inside)
    give(keys, "\n".join(_audit_words(found, inside)), as_json=as_json, good=good)


@app.command("verify")
def verify(
    source: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="The certificate.")], as_json: AsJson = False
) -> None:
    """Check a certificate in exact arithmetic, without the optimiser or a solver.

    Example: `sekisho table verify p.csv.certificate.json`
    """
    checked = check(decode(read_bytes(source), source))
    words = "valid" if checked.valid else "invalid:\n" + "\n".join(checked.errors[:20])
    give({"valid": checked.valid, "errors": list(checked.errors)}, words, as_json=as_json, good=checked.valid)


def _rules(words: Iterable[str], min_count: int | None, width: float, *, counts: bool) -> list[CellRule]:
    """Return the primary rules asked for; a table of counts has the minimum frequency unless other rules are named."""
    asked: list[CellRule] = [rule(word) for word in words]
    if min_count is not None or (counts and not asked):
        asked.append(MinimumFrequency(count=min_count or 5, width=width))
    if not asked:
        raise ParameterError("rule", "be given for a table of sums", "none", hint="for example --rule p%:15")
    return asked


def _charged(table: Table, cost: Price) -> Table:
    """Return the table with the costs asked for."""
    if cost is Price.ONE:
        return table
    return replace(table, weight=np.abs(table.value) if cost is Price.VALUE else table.frequency.astype(np.float64))


def _followed(table: Table, optimiser: Optimiser) -> Suppression:
    """Run the optimiser, showing how it goes on a terminal; an interruption keeps the best pattern so far."""
    console = Console(stderr=True)
    last: Step | None = None
    with console.status("looking for the cheapest safe pattern") as status:
        try:
            for last in optimiser.steps(table):
                best = "none yet" if last.secondary is None else f"{last.cost:g}"
                status.update(f"{last.stage}: best {best}, none below {last.bound:g}, {len(last.cuts)} cuts")
        except KeyboardInterrupt:
            if last is None or last.secondary is None:
                raise
            say("interrupted: the best pattern so far is kept")
    if last is None:
        raise KeyboardInterrupt
    return finished(table, last)


def _answer(answer: Suppression) -> dict[str, object]:
    table, last = answer.table, answer.last
    return {
        "cells": len(table),
        "primary": int(table.primary.sum()),
        "secondary": int((table.status == Status.SECONDARY).sum()),
        "status": "optimal" if answer.optimal else "feasible",
        "cost": last.cost,
        "bound": last.bound,
        "gap": last.gap,
        "seconds": round(last.seconds, 3),
    }


def _interval(found: Audit, at: int) -> dict[str, object]:
    table, cell = found.table, int(found.cells[at])
    high = float(found.high[at])
    return {
        **dict(zip(table.dims, table.keys[cell], strict=True)),
        "status": Status(int(table.status[cell])).word,
        "low": float(found.low[at]),
        "high": high if isfinite(high) else None,
    }


def _leak(table: Table, leak: Leak) -> dict[str, object]:
    return {"insider": table.named(leak.insider), "exposed": [table.named(cell) for cell in leak.exposed]}


def _audit_words(found: Audit, inside: list[Leak]) -> Iterator[str]:
    table = found.table
    yield f"{len(found.cells)} suppressed, {len(found.disclosed)} disclosed exactly, {len(found.narrow)} primaries too narrow"
    for name, cells in (("disclosed", found.disclosed), ("too narrow", found.narrow)):
        for cell in cells[:20]:
            at = int(np.searchsorted(found.cells, cell))
            yield f"{name}: {table.named(cell)} lies in [{found.low[at]:g}, {found.high[at]:g}]"
    for leak in inside[:20]:
        yield f"contributors of {table.named(leak.insider)} can narrow {', '.join(map(table.named, leak.exposed))}"

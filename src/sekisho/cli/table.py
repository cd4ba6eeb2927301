"""``sekisho table``: suppress cells at the least cost, audit any pattern, verify a certificate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.answer import AsJson, give
from sekisho.cli.cellfiles import (
    Contributed,
    Cost,
    Counted,
    Groupings,
    OwnDims,
    Price,
    Summed,
    TreeFiles,
    files_of,
    reading,
)
from sekisho.cli.tableconvert import convert
from sekisho.cli.tabledifference import audit_difference, difference
from sekisho.cli.tablelink import audit_linked, link
from sekisho.cli.tablemicro import (
    COUNT,
    Contributor,
    Holding,
    MicroFile,
    Request,
    SampleWeight,
    Waiver,
    tabulate,
)
from sekisho.cli.tablerun import (
    Engine,
    MinCount,
    Rules,
    Seconds,
    Solver,
    Width,
    asked_rules,
    audited,
    certified,
    figures,
    followed,
    interval,
    proven_words,
    proving,
    searching,
)
from sekisho.cli.tablestory import Report, audit_page, suppression_page
from sekisho.data.frames import frame_bytes, read_frame
from sekisho.data.io import decode, read_bytes, write_whole
from sekisho.errors import InfeasibleError
from sekisho.provenance import Provenance, digest
from sekisho.tables.apriori import hst_applied
from sekisho.tables.audit import Audit
from sekisho.tables.certificate import certificate
from sekisho.tables.insider import Leak, leaks
from sekisho.tables.pattern import frozen, pattern_frame, patterned
from sekisho.tables.primary import primaries
from sekisho.tables.table import Table
from sekisho.tables.verify import check

app = typer.Typer(no_args_is_help=True, help="Cell suppression: optimal, audited, with a certificate.")
app.command("tabulate")(tabulate)
app.command("link")(link)
app.command("audit-linked")(audit_linked)
app.command("difference")(difference)
app.command("audit-difference")(audit_difference)
app.command("convert")(convert)

CellsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The cells: CSV or Parquet, inner cells or all; or a .tab or .jj file.")
]


@app.command("suppress")
def suppress(
    source: CellsFile,
    *,
    dims: OwnDims = "",
    out: Annotated[Path, typer.Option("--out", help="The pattern file to write.")],
    count: Counted = "",
    value: Summed = "",
    min_count: MinCount = None,
    width: Width = 10.0,
    rules: Rules = None,
    contributors: Contributed = "",
    cost: Cost = Price.ONE,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    earlier: Annotated[Path | None, typer.Option("--frozen", help="An earlier pattern that stays in force.")] = None,
    apriori: Annotated[Path | None, typer.Option("--apriori", help="A τ-ARGUS a-priori file (.hst).")] = None,
    microdata: Annotated[bool, typer.Option("--microdata", help="FILE holds records, to be tabulated.")] = False,
    contributor: Contributor = "",
    holding: Holding = "",
    weight: SampleWeight = "",
    request: Request = "",
    waiver: Waiver = "",
    seconds: Seconds = None,
    solver: Engine = Solver.HIGHS,
    report: Report = None,
    proof: Annotated[Path | None, typer.Option("--certificate", help="Where to write the certificate.")] = None,
    as_json: AsJson = False,
) -> None:
    """Suppress unsafe cells and the fewest others that protect them; write the pattern and its certificate.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table suppress t.csv --dims v1,v2 --count n --min-count 5 --width 10 --out p.csv`
    """
    micro = MicroFile(
        dims=dims,
        trees=trees or [],
        groupings=groupings or [],
        value=value,
        contributor=contributor,
        holding=holding,
        weight=weight,
        request=request,
        waiver=waiver,
    )
    read = reading(
        dims,
        count=COUNT if microdata and not value else count,
        value=value,
        contributors=contributors,
        trees=trees or [],
        groupings=groupings or [],
        source=source,
    )
    table = _charged(micro.table(source) if microdata else read.table(source), cost)
    asked = asked_rules(rules or [], min_count, width, counts=read.counts, flagged=bool(table.primary.any()))
    table = primaries(table, asked)
    if apriori is not None:
        table = hst_applied(table, decode(read_bytes(apriori), apriori), source=apriori)
    if earlier is not None:
        table = frozen(table, read_frame(earlier).frame, value=read.value, trees=read.trees, source=earlier)
    try:
        answer = followed(table, searching(seconds, solver))
    except InfeasibleError as error:
        keys = {"cells": len(table), "primary": int(table.primary.sum()), "status": "infeasible", "reason": str(error)}
        give(keys, f"infeasible: {error}", as_json=as_json, good=False)
        return
    told = {"dims": dims, "rules": [repr(each) for each in asked], "cost": cost.value}
    read_too = [source, *files_of([*(trees or []), *(groupings or [])])]
    made = Provenance(name="table suppress", parameters=told, inputs={path.name: digest(path) for path in read_too})
    beside = proof or out.with_name(out.name + ".certificate.json")
    held = json.dumps(
        certificate(answer, provenance=made, seconds=proving(seconds)), ensure_ascii=False, separators=(",", ":")
    )
    files = {out: frame_bytes(pattern_frame(answer.table, value=read.value), out), beside: held.encode()}
    if report is not None:
        files[report] = suppression_page(answer, origin=made)
    write_whole(files)
    keys = {**figures(answer), "out": str(out), "certificate": str(beside)}
    words = "\n".join(f"{key:<12}{said}" for key, said in keys.items())
    give(keys, words, as_json=as_json)


@app.command("audit")
def audit_pattern(
    source: CellsFile,
    *,
    dims: OwnDims = "",
    pattern: Annotated[Path, typer.Option("--pattern", help="The pattern: a row per cell with its status.")],
    count: Counted = "",
    value: Summed = "",
    width: Width = 10.0,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    whole: Annotated[bool, typer.Option("--integer", help="Consider whole tables only: counts.")] = False,
    insiders: Annotated[
        int, typer.Option("--insiders", min=0, help="Also ask what so many contributors of one cell know.")
    ] = 0,
    seconds: Annotated[
        float | None,
        typer.Option("--time", help="Seconds after which cells are left unsettled; the answer is then no."),
    ] = None,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Tell the interval in which an attacker can place each suppressed cell of any pattern.

    An audit cut short, by --time or by an interruption, tells what is certain, calls no pattern safe and writes no page.

    Example: `sekisho table audit t.csv --pattern p.csv --dims v1,v2 --count n --width 10`
    """
    read = reading(
        dims,
        count=count,
        value=value,
        contributors="",
        trees=trees or [],
        groupings=groupings or [],
        source=source,
        guess=True,
    )
    plain = read.table(source)
    table = patterned(plain, read_frame(pattern).frame, value=read.value, trees=read.trees, source=pattern)
    table = table.flagged(table.primary, sliding=width)
    found = audited(table, whole=whole, seconds=seconds)
    inside = leaks(table, coalition=insiders) if insiders else []
    cells = [interval(found, at) for at in range(len(found.cells))]
    keys: dict[str, object] = {
        "suppressed": len(cells),
        "disclosed": len(found.disclosed),
        "narrow": len(found.narrow),
        "unsettled": len(found.unsettled),
        "insider": [_leak(table, leak) for leak in inside],
        "cells": cells,
    }
    if report is not None and not found.unsettled.size:
        made = Provenance(
            name="table audit",
            parameters={"dims": dims, "width": width, "integer": whole},
            inputs={path.name: digest(path) for path in (source, pattern)},
        )
        write_whole({report: audit_page(found, origin=made)})
    good = not (found.disclosed.size or found.narrow.size or found.unsettled.size or inside)
    give(keys, "\n".join(_audit_words(found, inside)), as_json=as_json, good=good)


@app.command("verify")
def verify(
    source: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="The certificate.")], as_json: AsJson = False
) -> None:
    """Check a certificate in exact arithmetic, without the optimiser or a solver.

    Example: `sekisho table verify p.csv.certificate.json`
    """
    checked = check(decode(read_bytes(source), source))
    keys: dict[str, object] = {"valid": checked.valid, "errors": list(checked.errors)}
    if checked.valid and checked.claimed is not None:
        keys |= certified(checked.claimed)
    words = "\n".join(proven_words(keys)) if checked.valid else "invalid:\n" + "\n".join(checked.errors[:20])
    if len(checked.errors) > 20:
        words += f"\nand {len(checked.errors) - 20} more"
    give(keys, words, as_json=as_json, good=checked.valid)


def _charged(table: Table, cost: Price) -> Table:
    """Return the table with the costs asked for."""
    if cost is Price.ONE:
        return table
    return replace(table, weight=np.abs(table.value) if cost is Price.VALUE else table.frequency.astype(np.float64))


def _leak(table: Table, leak: Leak) -> dict[str, object]:
    return {"insider": table.named(leak.insider), "exposed": [table.named(cell) for cell in leak.exposed]}


def _audit_words(found: Audit, inside: list[Leak]) -> Iterator[str]:
    table = found.table
    yield f"{len(found.cells)} suppressed, {len(found.disclosed)} disclosed exactly, {len(found.narrow)} primaries too narrow"
    if found.unsettled.size:
        yield f"unfinished: {len(found.unsettled)} of {len(found.cells)} cells are not settled, so nothing is called safe"
    for name, cells in (("disclosed", found.disclosed), ("too narrow", found.narrow)):
        for cell in cells[:20]:
            at = int(np.searchsorted(found.cells, cell))
            yield f"{name}: {table.named(cell)} lies in [{found.low[at]:g}, {found.high[at]:g}]"
    for leak in inside[:20]:
        yield f"contributors of {table.named(leak.insider)} can narrow {', '.join(map(table.named, leak.exposed))}"

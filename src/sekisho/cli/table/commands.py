"""``sekisho table``: suppress cells at the least cost, audit any pattern, verify a certificate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give
from sekisho.cli.table.cell_files import (
    Categories,
    Contributed,
    Cost,
    Counted,
    Decimal,
    Encoding,
    Groupings,
    OwnDims,
    Price,
    Separator,
    Summed,
    Totals,
    TreeFiles,
    Written,
    charged,
    files_of,
    margins_of,
    reading,
)
from sekisho.cli.table.convert import convert
from sekisho.cli.table.difference import audit_difference, difference
from sekisho.cli.table.levels import MinCount, Rules, Width, asked_rules, guarded
from sekisho.cli.table.link import audit_linked, link
from sekisho.cli.table.microdata import (
    COUNT,
    Contributor,
    Holding,
    MicroFile,
    Request,
    SampleWeight,
    Waiver,
    tabulate,
)
from sekisho.cli.table.run import (
    AuditTime,
    Engine,
    Seconds,
    Solver,
    audited,
    certified,
    figures,
    interval,
    placed,
    proven_words,
    run_optimiser,
    sealed,
    searching,
    worded,
)
from sekisho.cli.table.story import Explain, Report, explanation, paged, spoken, suppression_story, told
from sekisho.data.files.frames import frame_bytes, read_frame
from sekisho.data.files.places import check_places, place_beside
from sekisho.data.files.whole import decode_found, read_bytes, write_whole
from sekisho.errors import InfeasibleError
from sekisho.provenance import Provenance, digest
from sekisho.tables.audit.insider import Leak, leaks
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.check.checker import check
from sekisho.tables.files.apriori import hst_applied
from sekisho.tables.files.pattern import frozen, pattern_frame
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.levels import judge_pattern
from sekisho.tables.rules.primary import primaries
from sekisho.tables.rules.reach import COUNT_WIDTH

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
    width: Width = None,
    rules: Rules = None,
    contributors: Contributed = "",
    cost: Cost = Price.ONE,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    total: Totals = None,
    category: Categories = None,
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
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    report: Report = None,
    explain: Explain = False,
    proof: Annotated[Path | None, typer.Option("--certificate", help="Where to write the certificate.")] = None,
    as_json: AsJson = False,
) -> None:
    """Suppress unsafe cells and the fewest others that protect them; write the pattern and its certificate.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table suppress t.csv --dims v1,v2 --count n --min-count 5 --width 10 --out p.csv`
    """
    beside = proof or place_beside(out, ".certificate.json")
    read_too = [source, *files_of(trees, groupings), *(path for path in (apriori, earlier) if path is not None)]
    check_places(reads=read_too, writes={"--out": out, "--certificate": beside, "--report": report})
    written = Written(separator=separator, encoding=encoding, decimal=decimal, margins=margins_of(total, category))
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
        written=written,
    )
    read = reading(
        dims,
        count=COUNT if microdata and not value else count,
        value=value,
        contributors=contributors,
        trees=trees or [],
        groupings=groupings or [],
        source=source,
        written=written,
    )
    table = charged(micro.table(source) if microdata else read.table(source), cost)
    asked = asked_rules(rules or [], min_count, width, counts=read.counts, flagged=bool(table.primary.any()))
    table = primaries(table, asked)
    if apriori is not None:
        text, usual = decode_found(read_bytes(apriori), apriori)[0], COUNT_WIDTH if read.counts else None
        table = hst_applied(table, text, width=usual if width is None else width, source=apriori)
    table = guarded(table, width)
    if earlier is not None:
        table = frozen(table, read_frame(earlier).frame, value=read.value, trees=read.trees, source=earlier)
    try:
        answer = run_optimiser(table, searching(seconds, solver))
    except InfeasibleError as error:
        reason = str(error) + _bound_by(table)
        keys = {"cells": len(table), "primary": int(table.primary.sum()), "status": "infeasible", "reason": reason}
        give(keys, f"infeasible: {reason}", as_json=as_json, good=False)
        return
    options = {
        "dims": dims,
        "rules": [repr(each) for each in asked],
        "cost": cost.value,
        "width": width,
    } | written.options
    made = Provenance(name="table suppress", parameters=options, inputs={path.name: digest(path) for path in read_too})
    held = sealed(answer, made, seconds)
    files = {out: frame_bytes(pattern_frame(answer.table, value=read.value), out)}
    if held.data is not None:
        files[beside] = held.data
    keys = {**figures(answer), "out": str(out), **held.figures(beside)}
    words = worded(keys)
    story = suppression_story(answer, certified=held.bound) if report is not None or explain else None
    if story is not None:
        if report is not None:
            files[report] = paged([story], origin=made)
        if explain:
            keys |= explanation(story)
            words += "\n\n" + spoken([story])
    write_whole(files)
    give(keys, words, as_json=as_json, review=not held.complete)


@app.command("audit")
def audit_pattern(
    source: CellsFile,
    *,
    dims: OwnDims = "",
    pattern: Annotated[
        Path | None,
        typer.Option("--pattern", help="The pattern: CSV, Parquet, .tab or .jj; if not given, FILE's own statuses."),
    ] = None,
    count: Counted = "",
    value: Summed = "",
    contributors: Contributed = "",
    min_count: MinCount = None,
    rules: Rules = None,
    width: Width = None,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    total: Totals = None,
    category: Categories = None,
    whole: Annotated[bool, typer.Option("--integer", help="Consider whole tables only: counts.")] = False,
    insiders: Annotated[
        int, typer.Option("--insiders", min=0, help="Also ask what so many contributors of one cell know.")
    ] = 0,
    seconds: AuditTime = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    report: Report = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Tell the interval in which an attacker can place each suppressed cell of any pattern.

    Without rules the cells that the pattern calls primary need the width (10 for counts) or the levels that their .tab or .jj file tells.
    With rules (--rule, --min-count) the rules say what is unsafe and how far an attacker must stay, and what the pattern shows
    against them is told too; for counts a minimum frequency of 5 is then one of them. An audit cut short, by --time or by an
    interruption, tells what is certain, calls no pattern safe and writes no page.

    Example: `sekisho table audit t.csv --pattern p.csv --dims v1,v2 --count n --width 10`
    """
    check_places(reads=[source, pattern, *files_of(trees, groupings)], writes={"--report": report})
    written = Written(separator=separator, encoding=encoding, decimal=decimal, margins=margins_of(total, category))
    read = reading(
        dims,
        count=count,
        value=value,
        contributors=contributors,
        trees=trees or [],
        groupings=groupings or [],
        source=source,
        guess=True,
        written=written,
    )
    given = min_count is not None or bool(rules)
    asked = asked_rules(rules or [], min_count, width, counts=read.counts) if given else []
    hidden = read.hidden(read.table(source), pattern, source)
    judgement = judge_pattern(hidden, asked, counts=read.counts, width=width)
    table = judgement.table
    found = audited(table, whole=whole, seconds=seconds)
    inside = leaks(table, coalition=insiders) if insiders else []
    cells = [interval(found, at) for at in range(len(found.cells))]
    keys: dict[str, object] = {
        "suppressed": len(cells),
        "disclosed": len(found.disclosed),
        "narrow": len(found.narrow),
        "unsettled": len(found.unsettled),
        "shown": [table.named(cell) for cell in judgement.shown],
        "insider": [_leak(table, leak) for leak in inside],
        "cells": cells,
    }
    words = "\n".join(_audit_words(found, inside, judgement.shown))
    if (report is not None or explain) and not found.unsettled.size:
        story = told(found)
        if report is not None:
            made = Provenance(
                name="table audit",
                parameters={"dims": dims, "width": width, "rules": [repr(each) for each in asked], "integer": whole}
                | written.options,
                inputs={path.name: digest(path) for path in (source, *([] if pattern is None else [pattern]))},
            )
            write_whole({report: paged([story], origin=made)})
        if explain:
            keys |= explanation(story)
            words += "\n\n" + spoken([story])
    unsafe = found.disclosed.size or found.narrow.size or inside or judgement.shown
    good = not (unsafe or found.unsettled.size)
    give(keys, words, as_json=as_json, good=good)


@app.command("verify")
def verify(
    source: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="The certificate.")], as_json: AsJson = False
) -> None:
    """Check a certificate in exact arithmetic, without the optimiser or a solver.

    Example: `sekisho table verify p.csv.certificate.json`
    """
    checked = check(decode_found(read_bytes(source), source)[0])
    keys: dict[str, object] = {"valid": checked.valid, "errors": list(checked.errors)}
    if checked.valid and checked.claimed is not None:
        keys |= certified(checked.claimed)
    words = "\n".join(proven_words(keys)) if checked.valid else "invalid:\n" + "\n".join(checked.errors[:20])
    if len(checked.errors) > 20:
        words += f"\nand {len(checked.errors) - 20} more"
    give(keys, words, as_json=as_json, good=checked.valid)


def _bound_by(table: Table) -> str:
    """Say how many cells are shown whatever happens: that may be why nothing helps."""
    count = int((table.status == Status.PUBLISH).sum())
    return f" ({count} cells must be shown: by the earlier publication or the a-priori file)" if count else ""


def _leak(table: Table, leak: Leak) -> dict[str, object]:
    return {"insider": table.named(leak.insider), "exposed": [table.named(cell) for cell in leak.exposed]}


def _audit_words(found: Audit, inside: list[Leak], shown: Sequence[int]) -> Iterator[str]:
    table = found.table
    yield f"{len(found.cells)} suppressed, {len(found.disclosed)} disclosed exactly, {len(found.narrow)} primaries too narrow"
    if found.unsettled.size:
        yield f"unfinished: {len(found.unsettled)} of {len(found.cells)} cells are not settled, so nothing is called safe"
    for cell in shown[:20]:
        yield f"shown though unsafe: {table.named(cell)}"
    yield from placed(found, "disclosed", found.disclosed.tolist())
    yield from placed(found, "too narrow", found.narrow.tolist())
    for leak in inside[:20]:
        yield f"contributors of {table.named(leak.insider)} can narrow {', '.join(map(table.named, leak.exposed))}"

"""``sekisho table link``: suppress several linked tables at once; ``table audit-linked``: what their patterns together give away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import AsJson, give
from sekisho.cli.table.cell_files import (
    Categories,
    Contributed,
    Cost,
    Counted,
    Decimal,
    Dims,
    Encoding,
    Groupings,
    Price,
    Separator,
    Summed,
    Totals,
    TreeFiles,
    Written,
    charged,
    files_of,
    margins_of,
)
from sekisho.cli.table.joint import UseJoint, covered, unasked_limit
from sekisho.cli.table.levels import MinCount, Rules, Width, asked_rules, guarded
from sekisho.cli.table.linked_files import reading_all
from sekisho.cli.table.run import (
    AuditTime,
    Engine,
    Seconds,
    Solver,
    audited,
    counted,
    figures,
    interval,
    placed,
    run_optimiser,
    sealed,
    searching,
    worded,
)
from sekisho.cli.table.story import (
    Explain,
    Report,
    explanation,
    linked_stories,
    paged,
    restricted,
    spoken,
    suppression_story,
    told,
)
from sekisho.data.files.frames import frame_bytes
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.provenance import Provenance, digest
from sekisho.report.pages.table_grid import Intervals
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.files.pattern import pattern_frame
from sekisho.tables.model.cover import NOTHING_MORE
from sekisho.tables.model.join import joined
from sekisho.tables.model.linked import parted, places, seen, seen_from
from sekisho.tables.model.table import Table
from sekisho.tables.rules.levels import judge_pattern
from sekisho.tables.rules.primary import primaries

Sources = Annotated[list[Path], typer.Argument(metavar="FILE…", help="Tables of one population, as CSV or Parquet.")]


def link(
    sources: Sources,
    *,
    dims: Dims,
    out: Annotated[Path, typer.Option("--out", help="The folder to write the patterns to.")],
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
    use_joint: UseJoint = None,
    seconds: Seconds = None,
    solver: Engine = Solver.HIGHS,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    report: Report = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Suppress linked tables together, as one system in which a shared cell is one cell.

    Each file has those of the dimensions --dims that are among its columns. The patterns are written under the files' names, beside
    them linked.certificate.json, which holds true values. Tables that form a cycle (region x job, region x age, job x age) are protected
    against whoever uses that the joint table has no cell below 0 as well; where it is too large for that, the answer names the limit
    and the status is 3.

    Example: `sekisho table link jobs.csv ages.csv --dims region,job,age --count n --out patterns`
    """
    targets, proof = [out / source.name for source in sources], out / "linked.certificate.json"
    check_places(
        reads=[*sources, *files_of(trees, groupings)],
        writes={**{f"--out {path.name}": path for path in (*targets, proof)}, "--report": report},
        folder=out,
    )
    written = Written(separator=separator, encoding=encoding, decimal=decimal, margins=margins_of(total, category))
    how = reading_all(
        sources,
        dims,
        count=count,
        value=value,
        contributors=contributors,
        trees=trees or [],
        groupings=groupings or [],
        written=written,
    )
    asked = asked_rules(rules or [], min_count, width, counts=bool(count))
    tables = [guarded(primaries(charged(table, cost), asked), width) for table in how.tables()]
    system = joined(tables, joint=use_joint)
    try:
        answer = run_optimiser(system, searching(seconds, solver))
    except InfeasibleError as error:
        keys: dict[str, object] = {"cells": system.own, "primary": int(system.primary.sum()), "status": "infeasible"}
        keys |= {"reason": str(error), **covered(system.joint)}
        give(keys, f"infeasible: {error}", as_json=as_json, good=False)
        return
    made = Provenance(
        name="table link",
        parameters={
            "dims": dims,
            "rules": [repr(each) for each in asked],
            "cost": cost.value,
            "width": width,
            "joint": system.joint.cover.value,
        }
        | written.options,
        inputs={path.name: digest(path) for path in (*sources, *files_of(trees, groupings))},
    )
    parts = parted(answer.table, tables)
    files = {
        target: frame_bytes(pattern_frame(part, value=how.readings[0].value), target)
        for target, part in zip(targets, parts, strict=True)
    }
    held = sealed(answer, made, seconds)
    if held.data is not None:
        files[proof] = held.data
    each = [counted(part, target) for part, target in zip(parts, targets, strict=True)]
    keys = {**figures(answer), **covered(system.joint), **held.figures(proof)}
    words = worded(keys)
    words += "".join(f"\n{one['out']}: {one['primary']} primary, {one['secondary']} secondary" for one in each)
    keys["tables"] = each
    story = suppression_story(answer, certified=held.bound) if report is not None or explain else None
    if story is not None:
        stories = linked_stories(story, _parts(story.found, parts, sources))
        if report is not None:
            files[report] = paged(stories, origin=made)
        if explain:
            keys |= explanation(story)
            words += "\n\n" + spoken(stories)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(files)
    give(keys, words, as_json=as_json, review=not held.complete or unasked_limit(system.joint))


def audit_linked(
    sources: Sources,
    *,
    patterns: Annotated[
        list[Path], typer.Option("--pattern", help="The pattern of each file, in the files' order; repeated.")
    ],
    dims: Dims,
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
    use_joint: UseJoint = None,
    whole: Annotated[bool, typer.Option("--integer", help="Consider whole tables only: counts.")] = False,
    seconds: AuditTime = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    report: Report = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Tell what an attacker who reads all the tables can place each suppressed cell in.

    Where the tables form a cycle he uses that the joint table has no cell below 0; if it is too large for that, the answer names the
    limit, and nothing found is status 3.

    Example: `sekisho table audit-linked jobs.csv ages.csv --pattern pj.csv --pattern pa.csv --dims region,job,age --count n`
    """
    if len(patterns) != len(sources):
        raise ParameterError("pattern", f"be given once for each of the {len(sources)} files", len(patterns))
    check_places(reads=[*sources, *patterns, *files_of(trees, groupings)], writes={"--report": report})
    written = Written(separator=separator, encoding=encoding, decimal=decimal, margins=margins_of(total, category))
    how = reading_all(
        sources,
        dims,
        count=count,
        value=value,
        contributors=contributors,
        trees=trees or [],
        groupings=groupings or [],
        written=written,
    )
    given = min_count is not None or bool(rules)
    asked = asked_rules(rules or [], min_count, width, counts=bool(count)) if given else []
    judgements = [
        judge_pattern(read.hidden(table, pattern, source), asked, counts=read.counts, width=width)
        for table, read, pattern, source in zip(how.tables(), how.readings, patterns, sources, strict=True)
    ]
    tables = [judgement.table for judgement in judgements]
    view = seen(tables, joint=use_joint)
    found = audited(view.table, whole=whole, seconds=seconds)
    against = {view.table.named(cell) for cell in np.flatnonzero(view.shown)}
    for judgement in judgements:
        at = places(judgement.table, view.table)
        against |= {view.table.named(at[cell]) for cell in judgement.shown}
    shown = sorted(against)
    keys: dict[str, object] = {
        "suppressed": len(found.cells),
        "disclosed": len(found.disclosed),
        "narrow": len(found.narrow),
        "unsettled": len(found.unsettled),
        **covered(view.table.joint),
        "shown": shown,
        "cells": [interval(found, at) for at in range(len(found.cells))],
    }
    words = "\n".join(
        [
            (
                f"{len(found.cells)} suppressed everywhere, {len(found.disclosed)} disclosed exactly, "
                f"{len(found.narrow)} primaries too narrow, {len(shown)} unsafe cells shown by a table"
            ),
            *placed(found, "disclosed", found.disclosed.tolist()),
            *placed(found, "too narrow", found.narrow.tolist()),
            *(f"shown: {name}" for name in shown[:20]),
            *([f"limit: {view.table.joint.limit}"] if view.table.joint.limit else []),
        ]
    )
    if (report is not None or explain) and not found.unsettled.size:
        hidden = [seen_from(table, view.table) for table in tables]
        story = told(found)
        stories = linked_stories(story, _parts(found, hidden, sources))
        if report is not None:
            made = Provenance(
                name="table audit-linked",
                parameters={
                    "dims": dims,
                    "width": width,
                    "rules": [repr(each) for each in asked],
                    "integer": whole,
                    "joint": view.table.joint.cover.value,
                }
                | written.options,
                inputs={path.name: digest(path) for path in (*sources, *patterns)},
            )
            write_whole({report: paged(stories, origin=made)})
        if explain:
            keys |= explanation(story)
            words += "\n\n" + spoken(stories)
    good = not (found.disclosed.size or found.narrow.size or found.unsettled.size or shown)
    give(keys, words, as_json=as_json, good=good, review=unasked_limit(view.table.joint))


def _parts(found: Intervals, parts: Sequence[Table], sources: Sequence[Path]) -> list[tuple[str, Audit]]:
    """Return each table's view of a joint audit; a limit of that is one of each."""
    known = found.table.joint if found.table.joint.limit else NOTHING_MORE
    return [
        (source.name, restricted(found, replace(part, joint=known), places(part, found.table).tolist()))
        for source, part in zip(sources, parts, strict=True)
    ]

"""``sekisho table difference``: suppress two populations' tables so that subtracting them tells nothing; and the audit of such a pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import AsJson, give
from sekisho.cli.table.cell_files import (
    Categories,
    Decimal,
    Dims,
    Encoding,
    Groupings,
    Reading,
    Separator,
    Totals,
    TreeFiles,
    Written,
    files_of,
    margins_of,
    reading,
)
from sekisho.cli.table.levels import MinCount, Width, asked_rules
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
    difference_story,
    explanation,
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
from sekisho.tables import CellRule
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.files.pattern import pattern_frame
from sekisho.tables.model.join import differenced
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.levels import JudgedPattern, judge_pattern, switched_off
from sekisho.tables.rules.primary import primaries

Larger = Annotated[Path, typer.Argument(metavar="LARGER", help="The cells of a population: CSV or Parquet.")]
Smaller = Annotated[Path, typer.Argument(metavar="SMALLER", help="The same cells of a part of it.")]
Counts = Annotated[str, typer.Option("--count", help="The column of counts.")]
REST = "difference"


def difference(
    larger: Larger,
    smaller: Smaller,
    *,
    dims: Dims,
    count: Counts,
    out: Annotated[Path, typer.Option("--out", help="The folder to write the patterns to.")],
    min_count: MinCount = None,
    width: Width = None,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    total: Totals = None,
    category: Categories = None,
    seconds: Seconds = None,
    solver: Engine = Solver.HIGHS,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    report: Report = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Suppress the counts of a population and of a part of it together, so that their difference is safe too.

    Whoever reads both tables subtracts them: all less the adults are the children. Each difference falls under the same rule. The
    patterns are written under the files' names, beside them difference.certificate.json, which holds true values.

    Example: `sekisho table difference all.csv adults.csv --dims region,job --count n --out patterns`
    """
    targets, proof = [out / path.name for path in (larger, smaller)], out / "difference.certificate.json"
    check_places(
        reads=[larger, smaller, *files_of(trees, groupings)],
        writes={**{f"--out {path.name}": path for path in (*targets, proof)}, "--report": report},
        folder=out,
    )
    written = Written(separator=separator, encoding=encoding, decimal=decimal, margins=margins_of(total, category))
    pair, how = _pair(larger, smaller, dims, count, trees or [], groupings or [], written)
    asked = _rules(min_count, width)
    joint = primaries(differenced(*pair, names=(larger.name, smaller.name, REST)), asked)
    rest = _population(joint, 2)
    keys: dict[str, object] = {"differences": int(joint.primary[rest].sum())}
    try:
        answer = run_optimiser(joint, searching(seconds, solver))
    except InfeasibleError as error:
        keys |= {"status": "infeasible", "reason": str(error)}
        give(keys, f"infeasible: {error}", as_json=as_json, good=False)
        return
    made = Provenance(
        name="table difference",
        parameters={"dims": dims, "rules": [repr(each) for each in asked]} | written.options,
        inputs={path.name: digest(path) for path in (larger, smaller, *files_of(trees, groupings))},
    )
    parts = [_part(answer.table, at, table) for at, table in enumerate(pair)]
    files = {
        target: frame_bytes(pattern_frame(part, value=how.value), target)
        for target, part in zip(targets, parts, strict=True)
    }
    held = sealed(answer, made, seconds)
    if held.data is not None:
        files[proof] = held.data
    each = [counted(part, target) for part, target in zip(parts, targets, strict=True)]
    hidden, unsafe = (
        sum(int((part.status == kind).sum()) for part in parts) for kind in (Status.SECONDARY, Status.PRIMARY)
    )
    keys |= {**figures(answer), "cells": 2 * len(pair[0]), "primary": unsafe, "secondary": hidden}
    keys |= held.figures(proof)
    words = worded(keys)
    words += "".join(f"\n{one['out']}: {one['primary']} primary, {one['secondary']} secondary" for one in each)
    keys["tables"] = each
    story = suppression_story(answer, certified=held.bound, among=~rest) if report is not None or explain else None
    if story is not None:
        stories, more = difference_story(story, rest, _parts(story.found, parts, (larger, smaller)))
        if report is not None:
            files[report] = paged(stories, origin=made, more=more)
        if explain:
            keys |= explanation(story)
            words += "\n\n" + spoken(stories, more=more)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(files)
    give(keys, words, as_json=as_json, review=not held.complete)


def audit_difference(
    larger: Larger,
    smaller: Smaller,
    *,
    patterns: Annotated[list[Path], typer.Option("--pattern", help="The larger's pattern, then the smaller's.")],
    dims: Dims,
    count: Counts,
    min_count: MinCount = None,
    width: Width = None,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    total: Totals = None,
    category: Categories = None,
    whole: Annotated[bool, typer.Option("--integer", help="Consider whole tables only.")] = False,
    seconds: AuditTime = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    report: Report = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Tell what two populations' patterns give away to whoever subtracts them; the unsafe differences are those of few people.

    A cell of few people that a pattern shows is named too.

    Example: `sekisho table audit-difference all.csv adults.csv --pattern pa.csv --pattern pb.csv --dims region,job --count n`
    """
    if len(patterns) != 2:
        raise ParameterError("pattern", "be given twice, for the larger and the smaller", len(patterns))
    check_places(reads=[larger, smaller, *patterns, *files_of(trees, groupings)], writes={"--report": report})
    written = Written(separator=separator, encoding=encoding, decimal=decimal, margins=margins_of(total, category))
    pair, how = _pair(larger, smaller, dims, count, trees or [], groupings or [], written)
    asked = _rules(min_count, width)
    judgements = [
        judge_pattern(how.hidden(table, pattern, path), asked, counts=True, width=width)
        for table, pattern, path in zip(pair, patterns, (larger, smaller), strict=True)
    ]
    hidden = [judgement.table for judgement in judgements]
    joint = differenced(hidden[0], hidden[1], names=(larger.name, smaller.name, REST))
    rest = _population(joint, 2)
    joint = primaries(joint, asked, waived=~rest)
    shown = _shown(joint, judgements)
    found = audited(joint, whole=whole, seconds=seconds)
    cells = [
        interval(found, at) for at, cell in enumerate(found.cells.tolist()) if joint.primary[cell] or not rest[cell]
    ]
    narrow, disclosed = found.narrow, [cell for cell in found.disclosed.tolist() if not rest[cell]]
    keys: dict[str, object] = {
        "suppressed": int((joint.suppressed & ~rest).sum()),
        "differences": int((joint.primary & rest).sum()),
        "disclosed": len(disclosed),
        "narrow": len(narrow),
        "unsettled": len(found.unsettled),
        "shown": shown,
        "cells": cells,
    }
    words = "\n".join(
        [
            (
                f"{keys['suppressed']} suppressed, {len(disclosed)} disclosed exactly, "
                f"{keys['differences']} unsafe differences, {len(narrow)} too narrow"
            ),
            *(f"shown though unsafe: {name}" for name in shown[:20]),
            *placed(found, "disclosed", disclosed),
            *placed(found, "too narrow", narrow.tolist()),
        ]
    )
    if (report is not None or explain) and not found.unsettled.size:
        story = told(found, among=~rest)
        stories, more = difference_story(story, rest, _parts(found, hidden, (larger, smaller)))
        if report is not None:
            made = Provenance(
                name="table audit-difference",
                parameters={"dims": dims, "rules": [repr(each) for each in asked], "integer": whole} | written.options,
                inputs={path.name: digest(path) for path in (larger, smaller, *patterns)},
            )
            write_whole({report: paged(stories, origin=made, more=more)})
        if explain:
            keys |= explanation(story)
            words += "\n\n" + spoken(stories, more=more)
    give(keys, words, as_json=as_json, good=not (narrow.size or disclosed or shown or found.unsettled.size))


def _rules(min_count: int | None, width: float | None) -> list[CellRule]:
    """Return the minimum frequency, which here is the only rule there is.

    Raises:
        ParameterError: it is switched off.
    """
    if min_count is not None and switched_off(min_count):
        raise ParameterError("min_count", "be at least 2, for differences have no other rule", min_count)
    return asked_rules([], min_count, width, counts=True)


def _shown(joint: Table, judgements: Sequence[JudgedPattern]) -> list[str]:
    """Return the names of the populations' cells that the rule forbids and their patterns show."""
    places = [np.flatnonzero(_population(joint, at)) for at in range(len(judgements))]
    return [joint.named(at[cell]) for at, judgement in zip(places, judgements, strict=True) for cell in judgement.shown]


def _parts(found: Intervals, parts: Sequence[Table], sources: Sequence[Path]) -> list[tuple[str, Audit]]:
    """Return each population's view of the joint audit."""
    return [
        (source.name, restricted(found, part, np.flatnonzero(_population(found.table, at)).tolist()))
        for at, (source, part) in enumerate(zip(sources, parts, strict=True))
    ]


def _pair(
    larger: Path, smaller: Path, dims: str, count: str, trees: list[str], groupings: list[str], written: Written
) -> tuple[tuple[Table, Table], Reading]:
    if larger.name == smaller.name:
        raise ParameterError("SMALLER", "have another name than the larger's file", smaller.name)
    how = reading(dims, count=count, value="", contributors="", trees=trees, groupings=groupings, written=written)
    return (how.table(larger), how.table(smaller)), how


def _population(joint: Table, at: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which cells of a joint table are one population's: the larger's come first, the difference's last."""
    names = list(dict.fromkeys(key[0] for key in joint.keys))
    return np.array([key[0] == names[at] for key in joint.keys], dtype=np.bool_)


def _part(joint: Table, at: int, table: Table) -> Table:
    """Return one population's table with the statuses and levels of the joint one."""
    own = _population(joint, at)
    lower, upper, sliding = (level[own] for level in (joint.lower_level, joint.upper_level, joint.sliding_level))
    return table.marked(joint.status[own], lower=lower, upper=upper, sliding=sliding)

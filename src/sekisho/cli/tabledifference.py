"""``sekisho table difference``: suppress two populations' tables so that subtracting them tells nothing; and the audit of such a pair."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.answer import AsJson, give
from sekisho.cli.cellfiles import Dims, Groupings, Reading, TreeFiles, reading
from sekisho.cli.tablerun import (
    Engine,
    MinCount,
    Seconds,
    Solver,
    Width,
    asked_rules,
    audited,
    figures,
    followed,
    interval,
    proving,
    searching,
)
from sekisho.data.frames import frame_bytes, read_frame
from sekisho.data.io import write_whole
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.provenance import Provenance, digest
from sekisho.tables.certificate import certificate
from sekisho.tables.join import differenced
from sekisho.tables.pattern import pattern_frame, patterned
from sekisho.tables.primary import primaries
from sekisho.tables.table import Status, Table

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
    width: Width = 10.0,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    seconds: Seconds = None,
    solver: Engine = Solver.HIGHS,
    as_json: AsJson = False,
) -> None:
    """Suppress the counts of a population and of a part of it together, so that their difference is safe too.

    Whoever reads both tables subtracts them: all less the adults are the children. Each difference falls under the same rule.

    Example: `sekisho table difference all.csv adults.csv --dims region,job --count n --out patterns`
    """
    pair, how = _pair(larger, smaller, dims, count, trees or [], groupings or [])
    asked = asked_rules([], min_count, width, counts=True)
    joint = primaries(differenced(*pair, names=(larger.name, smaller.name, REST)), asked)
    rest = _population(joint, 2)
    keys: dict[str, object] = {"differences": int(joint.primary[rest].sum())}
    try:
        answer = followed(joint, searching(seconds, solver))
    except InfeasibleError as error:
        keys |= {"status": "infeasible", "reason": str(error)}
        give(keys, f"infeasible: {error}", as_json=as_json, good=False)
        return
    made = Provenance(
        name="table difference",
        parameters={"dims": dims, "rules": [repr(each) for each in asked]},
        inputs={path.name: digest(path) for path in (larger, smaller)},
    )
    parts = [replace(table, status=_published(answer.table, at)) for at, table in enumerate(pair)]
    targets = [out / path.name for path in (larger, smaller)]
    files = {
        target: frame_bytes(pattern_frame(part, value=how.value), target)
        for target, part in zip(targets, parts, strict=True)
    }
    proof = out / "difference.certificate.json"
    files[proof] = json.dumps(
        certificate(answer, provenance=made, seconds=proving(seconds)), ensure_ascii=False, separators=(",", ":")
    ).encode()  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    write_whole(files)
    hidden = [int((part.status == Status.SECONDARY).sum()) for part in parts]
    unsafe = [int(part.primary.sum()) for part in parts]
    keys |= {**figures(answer), "cells": 2 * len(pair[0]), "primary": sum(unsafe), "secondary": sum(hidden)}
    keys["certificate"] = str(proof)
    words = "\n".join(f"{key:<12}{said}" for key, said in keys.items())
    lines = "\n".join(
        f"{target}: {few} primary, {more} secondary" for target, few, more in zip(targets, unsafe, hidden, strict=True)
    )
    give(keys, f"{words}\n{lines}", as_json=as_json)


def audit_difference(
    larger: Larger,
    smaller: Smaller,
    *,
    patterns: Annotated[list[Path], typer.Option("--pattern", help="The larger's pattern, then the smaller's.")],
    dims: Dims,
    count: Counts,
    min_count: MinCount = None,
    width: Width = 10.0,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    as_json: AsJson = False,
) -> None:
    """Tell what two populations' patterns give away to whoever subtracts them; the unsafe differences are those of few people.

    Example: `sekisho table audit-difference all.csv adults.csv --pattern pa.csv --pattern pb.csv --dims region,job --count n`
    """
    if len(patterns) != 2:
        raise ParameterError("pattern", "be given twice, for the larger and the smaller", len(patterns))
    pair, how = _pair(larger, smaller, dims, count, trees or [], groupings or [])
    hidden = [
        patterned(table, read_frame(pattern).frame, value=how.value, trees=how.trees, source=pattern)
        for table, pattern in zip(pair, patterns, strict=True)
    ]
    seen = [table.flagged(table.primary, sliding=width) for table in hidden]
    joint = differenced(seen[0], seen[1], names=(larger.name, smaller.name, REST))
    rest = _population(joint, 2)
    asked = asked_rules([], min_count, width, counts=True)
    joint = primaries(joint, asked, waived=~rest)
    found = audited(joint)
    cells = [
        interval(found, at) for at, cell in enumerate(found.cells.tolist()) if joint.primary[cell] or not rest[cell]
    ]
    narrow = found.narrow
    keys: dict[str, object] = {
        "suppressed": int((joint.suppressed & ~rest).sum()),
        "differences": int((joint.primary & rest).sum()),
        "narrow": len(narrow),
        "unsettled": len(found.unsettled),
        "cells": cells,
    }
    words = [f"{keys['suppressed']} suppressed, {keys['differences']} unsafe differences, {len(narrow)} too narrow"]
    for cell in narrow[:20].tolist():
        at = int(np.searchsorted(found.cells, cell))
        words.append(f"too narrow: {joint.named(cell)} lies in [{found.low[at]:g}, {found.high[at]:g}]")
    give(keys, "\n".join(words), as_json=as_json, good=not (narrow.size or found.unsettled.size))


def _pair(
    larger: Path, smaller: Path, dims: str, count: str, trees: list[str], groupings: list[str]
) -> tuple[tuple[Table, Table], Reading]:
    if larger.name == smaller.name:
        raise ParameterError("SMALLER", "have another name than the larger's file", smaller.name)
    how = reading(dims, count=count, value="", contributors="", trees=trees, groupings=groupings)
    return (how.table(larger), how.table(smaller)), how


def _population(joint: Table, at: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which cells of a joint table are one population's: the larger's come first, the difference's last."""
    names = list(dict.fromkeys(key[0] for key in joint.keys))
    return np.array([key[0] == names[at] for key in joint.keys], dtype=np.bool_)


def _published(joint: Table, at: int) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    """Return the statuses of one population's cells, in the order of its table."""
    return joint.status[_population(joint, at)]

"""``sekisho table link``: suppress several linked tables at once; ``table audit-linked``: what their patterns together give away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.answer import AsJson, give
from sekisho.cli.cellfiles import Contributed, Counted, Dims, Reading, Summed, TreeFiles, reading
from sekisho.cli.tablerun import (
    Engine,
    MinCount,
    Rules,
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
from sekisho.cli.tablestory import Report, linked_page, restricted
from sekisho.data.frames import frame_bytes, read_frame
from sekisho.data.io import write_whole
from sekisho.errors import InfeasibleError, InputError, ParameterError
from sekisho.provenance import Provenance, digest
from sekisho.tables.audit import Audit, audit
from sekisho.tables.certificate import certificate
from sekisho.tables.join import joined
from sekisho.tables.linked import parted, places, seen
from sekisho.tables.pattern import pattern_frame, patterned
from sekisho.tables.primary import primaries
from sekisho.tables.suppress import Suppression
from sekisho.tables.table import Status, Table

Sources = Annotated[list[Path], typer.Argument(metavar="FILE…", help="Tables of one population, as CSV or Parquet.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Several files and how each is read: its dimensions are those of the given names that it has."""

    sources: tuple[Path, ...]
    readings: tuple[Reading, ...]

    def tables(self) -> list[Table]:
        """Return the tables."""
        return [how.table(source) for how, source in zip(self.readings, self.sources, strict=True)]


def link(
    sources: Sources,
    *,
    dims: Dims,
    out: Annotated[Path, typer.Option("--out", help="The folder to write the patterns to.")],
    count: Counted = "",
    value: Summed = "",
    min_count: MinCount = None,
    width: Width = 10.0,
    rules: Rules = None,
    contributors: Contributed = "",
    trees: TreeFiles = None,
    seconds: Seconds = None,
    solver: Engine = Solver.HIGHS,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Suppress linked tables together, as one system in which a shared cell is one cell.

    Each file has those of the dimensions --dims that are among its columns. The patterns are written under the files' names.

    Example: `sekisho table link jobs.csv ages.csv --dims region,job,age --count n --out patterns`
    """
    linked = _linked(sources, dims, count, value, contributors, trees or [])
    asked = asked_rules(rules or [], min_count, width, counts=bool(count))
    tables = [primaries(table, asked) for table in linked.tables()]
    try:
        answer = followed(joined(tables), searching(seconds, solver))
    except InfeasibleError as error:
        give({"status": "infeasible", "reason": str(error)}, f"infeasible: {error}", as_json=as_json, good=False)
        return
    made = Provenance(
        name="table link",
        parameters={"dims": dims, "rules": [repr(each) for each in asked]},
        inputs={source.name: digest(source) for source in sources},
    )
    parts = parted(answer.table, tables)
    targets = [out / source.name for source in sources]
    files = {
        target: frame_bytes(pattern_frame(part, value=linked.readings[0].value), target)
        for target, part in zip(targets, parts, strict=True)
    }
    proof = out / "linked.certificate.json"
    held = json.dumps(
        certificate(answer, provenance=made, seconds=proving(seconds)), ensure_ascii=False, separators=(",", ":")
    )
    files[proof] = held.encode()
    if report is not None:
        files[report] = _page(audit(answer.table), parts, sources, answer=answer, origin=made)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(files)
    each = [_counted(part, target) for part, target in zip(parts, targets, strict=True)]
    keys = {**figures(answer), "certificate": str(proof), "tables": each}
    words = "\n".join(f"{key:<12}{said}" for key, said in keys.items() if key != "tables")
    lines = "\n".join(f"{one['out']}: {one['primary']} primary, {one['secondary']} secondary" for one in each)
    give(keys, f"{words}\n{lines}", as_json=as_json)


def audit_linked(
    sources: Sources,
    *,
    patterns: Annotated[
        list[Path], typer.Option("--pattern", help="The pattern of each file, in the files' order; repeated.")
    ],
    dims: Dims,
    count: Counted = "",
    value: Summed = "",
    width: Width = 10.0,
    trees: TreeFiles = None,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Tell what an attacker who reads all the tables can place each suppressed cell in.

    Example: `sekisho table audit-linked jobs.csv ages.csv --pattern pj.csv --pattern pa.csv --dims region,job,age --count n`
    """
    if len(patterns) != len(sources):
        raise ParameterError("pattern", f"be given once for each of the {len(sources)} files", len(patterns))
    linked = _linked(sources, dims, count, value, "", trees or [])
    tables = [
        patterned(table, read_frame(pattern).frame, value=how.value, trees=how.trees, source=pattern)
        for table, how, pattern in zip(linked.tables(), linked.readings, patterns, strict=True)
    ]
    view = seen([table.flagged(table.primary, sliding=width) for table in tables])
    found = audited(view.table)
    shown = np.flatnonzero(view.shown)
    keys: dict[str, object] = {
        "suppressed": len(found.cells),
        "disclosed": len(found.disclosed),
        "narrow": len(found.narrow),
        "unsettled": len(found.unsettled),
        "shown": [view.table.named(cell) for cell in shown],
        "cells": [interval(found, at) for at in range(len(found.cells))],
    }
    if report is not None and not found.unsettled.size:
        made = Provenance(
            name="table audit-linked",
            parameters={"dims": dims, "width": width},
            inputs={path.name: digest(path) for path in (*sources, *patterns)},
        )
        hidden = [replace(table, status=view.table.status[places(table, view.table)]) for table in tables]
        write_whole({report: _page(found, hidden, sources, answer=None, origin=made)})
    words = [
        (
            f"{len(found.cells)} suppressed everywhere, {len(found.disclosed)} disclosed exactly, "
            f"{len(found.narrow)} primaries too narrow, {len(shown)} primaries shown by another table"
        ),
        *(f"too narrow: {_told(found, cell)}" for cell in found.narrow[:20].tolist()),
        *(f"shown: {view.table.named(cell)}" for cell in shown[:20]),
    ]
    good = not (found.disclosed.size or found.narrow.size or found.unsettled.size or shown.size)
    give(keys, "\n".join(words), as_json=as_json, good=good)


def _linked(
    sources: Sequence[Path], dims: str, count: str, value: str, contributors: str, trees: Sequence[str]
) -> Linked:
    names = [source.name for source in sources]
    if len(set(names)) != len(names) or len(names) < 2:
        raise ParameterError("FILE", "be at least two files of different names", ", ".join(names))
    asked = [part.strip() for part in dims.split(",") if part.strip()]
    how: list[Reading] = []
    for source in sources:
        held = frozenset(read_frame(source).frame.columns)
        own = [name for name in asked if name in held]
        if not own:
            raise InputError(source, f"has none of the dimensions {', '.join(asked)}")
        fitting = [tree for tree in trees if tree.partition("=")[0].strip() in own]
        how.append(reading(",".join(own), count=count, value=value, contributors=contributors, trees=fitting))
    return Linked(sources=tuple(sources), readings=tuple(how))


def _page(
    found: Audit, parts: Sequence[Table], sources: Sequence[Path], *, answer: Suppression | None, origin: Provenance
) -> bytes:
    seen_by = [
        (source.name, restricted(found, part, places(part, found.table).tolist()))
        for source, part in zip(sources, parts, strict=True)
    ]
    return linked_page(found, seen_by, answer, origin=origin)


def _counted(table: Table, target: Path) -> dict[str, object]:
    return {
        "out": str(target),
        "cells": len(table),
        "primary": int(table.primary.sum()),
        "secondary": int((table.status == Status.SECONDARY).sum()),
    }


def _told(found: Audit, cell: int) -> str:
    at = int(np.searchsorted(found.cells, cell))
    return f"{found.table.named(cell)} lies in [{found.low[at]:g}, {found.high[at]:g}]"

"""``sekisho table audit --said``: what a reader concludes of every cell of a release that any program made."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer
from sekisho.cli.kit.progress import show_progress, watch_counted
from sekisho.cli.table.options import AuditOptions, RuleOptions, StoryOptions, read_aloud, say_notices
from sekisho.cli.table.run import read_rules
from sekisho.errors import ParameterError
from sekisho.gate.tables.said import SaidMethod, SaidRelease
from sekisho.gate.tables.said_audit import SaidFinding, build_case
from sekisho.tables.audit.statement_audit import Possible, StatementAudit
from sekisho.tables.audit.statements import ReaderKnowledge, StatementKind
from sekisho.tables.files.released import read_released
from sekisho.tables.files.source import CellSource
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words, name_setting

LISTED = 20
"""Of so many disclosed cells the words tell the name; the keys tell all."""
AGAINST = {
    ReaderKnowledge.RULE: Said(
        "this is what a reader concludes who knows the rule, and nothing of what it was chosen by"
    ),
    ReaderKnowledge.LEAST: Said("this is what a reader concludes who also knows that the change is least"),
    ReaderKnowledge.TIE: Said(
        "this is what a reader concludes who also knows that the change is least and how ties are broken"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOptions:
    """What is said of a release, and what its reader knows."""

    said: Annotated[
        str,
        typer.Option(
            "--said", help="How the numbers came about: round:B or round:B,K, nearest:B, small:B, noise:FILE, column."
        ),
    ] = ""
    released: Annotated[
        Path | None,
        typer.Option("--released", help="With --said: the release of FILE's table; if not given, FILE itself."),
    ] = None
    knows: Annotated[
        ReaderKnowledge,
        typer.Option("--knows", help="What the reader knows: the rule; also that the change is least; also its ties."),
    ] = ReaderKnowledge.RULE


def refuse_beside_said(*, pattern: Path | None, mark: str | None, story: StoryOptions) -> None:
    """Refuse options that speak of suppression only."""
    given = {"pattern": pattern, "mark": mark, "report": story.report if story.asked else None}
    for name, value in given.items():
        if value is not None or (name == "report" and story.asked):
            raise ParameterError(name, Said("not be given with --said"), str(value))


def answer_said(how: CellSource, source: Path, options: SaidOptions, asked: RuleOptions, audit: AuditOptions) -> Answer:
    """Return what a reader concludes of a release, by what is said of it."""
    if how.cells is None:
        raise ParameterError("said", Said("be given with a file of cells that names its columns"), options.said)
    rule = SaidRelease.parse(options.said)
    released = read_released(how.cells, how.form, options.released or source, ends=rule.method is SaidMethod.COLUMN)
    say_notices([released.notice])
    truth = None if options.released is None else read_aloud(how.read_table(source))
    rules = read_rules(asked)
    case = build_case(released, rule, truth=truth, rules=rules, knows=options.knows, counts=how.counts)
    audited = watch_counted(case.steps(seconds=audit.seconds), doing=Said("auditing")).audit
    with show_progress(Said("auditing")):
        finding = case.finish(audited, seconds=audit.seconds)
    found, table = finding.audit, released.table
    keys: dict[str, object] = {
        "said": options.said,
        "against": [options.knows.value],
        "possible": found.possible.value,
        "disclosed": len(found.disclosed),
        "narrow": len(finding.narrow),
        "unsettled": len(found.unsettled),
        "outside": len(case.outside),
        "outer": found.outer,
        **({} if finding.tables is None else {"tables": finding.tables}),
        "cells": [_describe(found, table, cell) for cell in range(len(table))],
    }
    return Answer(keys=keys, words=_word(finding)).judged(finding.verdict)


def _describe(found: StatementAudit, table: Table, cell: int) -> dict[str, object]:
    low, high, shown = float(found.low[cell]), float(found.high[cell]), float(found.statements.shown[cell])
    return {
        **dict(zip(table.dims, table.keys[cell], strict=True)),
        "statement": StatementKind(int(found.statements.kind[cell])).word,
        "shown": shown if isfinite(shown) else None,
        "low": low if isfinite(low) else None,
        "high": high if isfinite(high) else None,
        **({} if found.certain[cell] else {"settled": False}),
    }


def _word(finding: SaidFinding) -> str:
    found, table, outside = finding.audit, finding.case.released.table, len(finding.case.outside)
    if found.possible is Possible.NO:
        return Said("what is shown contradicts itself: no table agrees with all of it, so it was not made as is said")
    cells, disclosed = len(table), len(found.disclosed)
    lines = [
        Said(
            "{cells} cells, {disclosed} disclosed exactly, {narrow} closer than the width",
            cells=cells,
            disclosed=disclosed,
            narrow=len(finding.narrow),
        )
        if finding.case.asked
        else Said(
            "{cells} cells, {disclosed} disclosed exactly; how close others may be was not asked ({width}, or rules "
            "beside the true table)",
            cells=cells,
            disclosed=disclosed,
            width=name_setting("width"),
        ),
        AGAINST[finding.case.knows],
    ]
    hidden = int((found.statements.kind == StatementKind.SUPPRESSED).sum())
    if hidden:
        lines.append(Said("{hidden} cells show no number and are taken for hidden", hidden=hidden))
    if finding.tables is not None:
        lines.append(Said("{tables:,} tables are possible", tables=finding.tables))
    if outside:
        lines.append(Said("{outside} true values are outside what is said: it was not made so", outside=outside))
    if found.unsettled.size:
        lines.append(Said("{cells} intervals are not certain", cells=len(found.unsettled)))
    lines += [
        Said("{name} is {value:g}", name=table.named(cell), value=float(found.low[cell]))
        for cell in found.disclosed[:LISTED].tolist()
    ]
    lines += [
        Said("{name} is from {low:g} to {high:g}", name=table.named(cell), low=found.low[cell], high=found.high[cell])
        for cell in finding.narrow[:LISTED].tolist()
    ]
    return join_words(lines, "\n")

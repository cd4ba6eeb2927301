"""``sekisho table difference``: suppress populations' tables so that subtracting them tells nothing.

And the audit of such tables.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.describe import answer_infeasible, describe_finding, describe_suppression, list_faults
from sekisho.cli.table.files.cell_files import code_files, read_columns, read_form
from sekisho.cli.table.files.linked_files import PatternFiles
from sekisho.cli.table.files.microdata import COUNT, MicroFile
from sekisho.cli.table.files.population_files import PopulationFiles, describe_populations
from sekisho.cli.table.files.public import read_public
from sekisho.cli.table.options import (
    AuditOptions,
    CodeOptions,
    ColumnOptions,
    CsvOptions,
    Dims,
    EachPattern,
    Microdata,
    MicroOptions,
    PatternFolder,
    PopulationOptions,
    PublicFolder,
    RuleOptions,
    SearchOptions,
    StoryOptions,
)
from sekisho.cli.table.rules import read_rules
from sekisho.cli.table.run import certify, read_search, run_audit, run_optimiser
from sekisho.cli.table.story import add_story, tell_finding, tell_suppression
from sekisho.data.files.output_paths import check_paths
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.tables.differences import judge_populations, subtract_populations
from sekisho.gate.tables.system import TableSystem
from sekisho.provenance import Provenance, digest_file
from sekisho.tables.model.linked.populations import Populations
from sekisho.tables.model.table import Status
from sekisho.tables.rules.words import write_rule
from sekisho.words import Said, join_words

Sources = Annotated[
    list[Path],
    typer.Argument(metavar="FILE…", help="A population, then its parts: the same cells of each, as CSV or Parquet."),
]


@expand_options
def difference(
    sources: Sources,
    *,
    dims: Dims,
    columns: ColumnOptions,
    declared: PopulationOptions,
    out: PatternFolder,
    published: PublicFolder,
    asked: RuleOptions,
    codes: CodeOptions,
    microdata: Microdata = False,
    micro: MicroOptions,
    search: SearchOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Suppress the tables of a population and of parts of it together, so that their differences are safe too.

    Whoever reads the tables subtracts them: all less the adults are the children. Each difference falls under the same
    rules. Without --within and --split each file is a part of the one before it. The patterns are written under the
    files' names, beside them difference.certificate.json, which holds true values.

    Example: `sekisho table difference all.csv adults.csv --dims region,job --count n --out patterns`
    """
    proof = out / "difference.certificate.json"
    targets = PatternFiles(sources=tuple(sources), folder=out, certificate=proof, public=read_public(published))
    targets.check(codes, story.report)
    files = _read_files(sources, dims, columns, codes, csv, declared, micro if microdata else _no_records(micro))
    counts, looking = files.how.counts, read_search(search)
    rules = read_rules(asked).of_differences(counts=counts)
    populations, surveyed = files.read()
    system = subtract_populations(populations, rules, counts=counts, surveyed=surveyed)
    unsafe = {"differences": int(system.table.primary[system.derived].sum()), **_describe_formed(populations, system)}
    try:
        suppression = run_optimiser(system.table, looking)
    except InfeasibleError as error:
        answer_infeasible(error, unsafe).deliver(as_json=as_json)
    origin = Provenance(
        name="table difference",
        parameters={
            "dims": dims,
            "rules": [write_rule(each) for each in rules.choose(counts=counts)],
            "insiders": looking.insiders,
            "differences": [each.name for each in populations.differences],
            **({} if system.basis is None else {"basis": system.basis.value}),
        }
        | files.how.form.options,
        inputs={path.name: digest_file(path) for path in (*sources, *code_files(codes))},
    )
    certified = certify(looking, suppression, origin, partial(targets.list_files, system, value=files.how.value))
    suppression, sealed = certified.answer, certified.sealed
    parts = system.mark_parts(suppression.table)
    own = {
        "cells": sum(map(len, parts)),
        "primary": sum(int(part.primary.sum()) for part in parts),
        "secondary": sum(int((part.status == Status.SECONDARY).sum()) for part in parts),
    }
    answer = targets.answer(parts, {**unsafe, **describe_suppression(suppression), **own}, sealed, files.how.value)
    system_story = tell_suppression(system, suppression, sealed, files.names) if story.asked else None
    answer = add_story(answer, system_story, story, origin)
    targets.make_folders()
    answer.deliver(as_json=as_json)


@expand_options
def audit_difference(
    sources: Sources,
    *,
    patterns: EachPattern,
    dims: Dims,
    columns: ColumnOptions,
    declared: PopulationOptions,
    asked: RuleOptions,
    codes: CodeOptions,
    microdata: Microdata = False,
    micro: MicroOptions,
    audit: AuditOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Tell what several populations' patterns give away to whoever subtracts them.

    The unsafe differences are those of few people, and those in which the rules find a contributor told too closely.
    An unsafe cell that a pattern shows is named too.

    Example: `sekisho table audit-difference all.csv adults.csv --pattern pa.csv --pattern pb.csv --dims region,job
    --count n`
    """
    if len(patterns) != len(sources):
        raise ParameterError(
            "pattern", Said("be given once for each of the {sources} files", sources=len(sources)), len(patterns)
        )
    check_paths(reads=[*sources, *patterns, *code_files(codes)], writes={"--report": story.report})
    files = _read_files(sources, dims, columns, codes, csv, declared, micro if microdata else _no_records(micro))
    counts = files.how.counts
    rules = read_rules(asked).of_differences(counts=counts)
    populations, surveyed = files.read()
    hidden = files.apply_patterns(populations, patterns)
    case = judge_populations(hidden, rules, counts=counts, surveyed=surveyed)
    finding = run_audit(case, audit)
    unsafe = int((finding.table.primary & finding.system.derived).sum())
    formed = _describe_formed(populations, finding.system)
    head = Said(
        "{hidden} suppressed, {disclosed} disclosed exactly, {unsafe} unsafe differences, {narrow} too narrow",
        hidden=len(finding.hidden),
        disclosed=len(finding.disclosed),
        unsafe=unsafe,
        narrow=len(finding.audit.narrow),
    )
    condition = (
        [Said("promised if {promised_if}", promised_if=formed["promised_if"])] if "promised_if" in formed else []
    )
    answer = Answer(
        keys={**describe_finding(finding), "differences": unsafe, **formed},
        words=join_words([head, *condition, *list_faults(finding)], "\n"),
        good=finding.safe,
    )
    if story.asked and not finding.audit.unsettled.size:
        chosen = [write_rule(each) for each in rules.choose(counts=counts)]
        origin = Provenance(
            name="table audit-difference",
            parameters={"dims": dims, "rules": chosen, "integer": audit.whole, "insiders": audit.insiders}
            | files.how.form.options,
            inputs={path.name: digest_file(path) for path in (*sources, *patterns)},
        )
        answer = add_story(answer, tell_finding(finding, files.names), story, origin)
    answer.deliver(as_json=as_json)


def _no_records(micro: MicroOptions) -> None:
    """Refuse what only suits records."""
    if micro != MicroOptions():
        raise ParameterError("microdata", Said("be said where columns of records are named"), repr(micro))


def _read_files(
    sources: list[Path],
    dims: str,
    columns: ColumnOptions,
    codes: CodeOptions,
    csv: CsvOptions,
    declared: PopulationOptions,
    micro: MicroOptions | None,
) -> PopulationFiles:
    form = read_form(codes, csv)
    counted = replace(columns, count=COUNT) if micro is not None and not columns.value else columns
    records = None if micro is None else MicroFile(dims=dims, value=columns.value, columns=micro, form=form)
    how = read_columns(dims, counted, form)
    return PopulationFiles(sources=tuple(sources), how=how, micro=records, declared=declared)


def _describe_formed(populations: Populations, system: TableSystem) -> dict[str, object]:
    cells = np.flatnonzero(system.derived & system.table.primary).tolist()
    unsafe = Counter(system.table.keys[cell][0] for cell in cells)
    return describe_populations(populations, unsafe, "" if system.basis is None else system.basis.condition)

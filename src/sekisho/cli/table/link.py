"""``sekisho table link``: suppress several linked tables at once.

``table audit-linked``: what their patterns together give away.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.describe import (
    answer_infeasible,
    describe_finding,
    describe_joint,
    describe_suppression,
    list_faults,
)
from sekisho.cli.table.files.cell_files import code_files
from sekisho.cli.table.files.linked_files import PatternFiles, read_linked
from sekisho.cli.table.files.public import read_public
from sekisho.cli.table.options import (
    AuditOptions,
    CodeOptions,
    ColumnOptions,
    Cost,
    CsvOptions,
    Dims,
    EachPattern,
    MarginCare,
    Margins,
    PatternFolder,
    PublicFolder,
    RuleOptions,
    SearchOptions,
    StoryOptions,
    UseJoint,
)
from sekisho.cli.table.rules import guard_aloud, read_rules_aloud
from sekisho.cli.table.run import certify, read_search, run_audit, run_optimiser
from sekisho.cli.table.story import add_story, tell_finding, tell_suppression
from sekisho.data.files.output_paths import check_paths
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.tables.system import judge_linked, link_tables
from sekisho.provenance import Provenance, digest_file
from sekisho.tables.rules.costs import Price
from sekisho.tables.rules.words import write_rule
from sekisho.words import Said, join_words

Sources = Annotated[list[Path], typer.Argument(metavar="FILE…", help="Tables of one population, as CSV or Parquet.")]


@expand_options
def link(
    sources: Sources,
    *,
    dims: Dims,
    out: PatternFolder,
    published: PublicFolder,
    columns: ColumnOptions,
    asked: RuleOptions,
    cost: Cost = Price.ONE,
    margins: Margins = MarginCare.KEEP,
    codes: CodeOptions,
    use_joint: UseJoint = None,
    search: SearchOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Suppress linked tables together, as one system in which a shared cell is one cell.

    Each file has those of the dimensions --dims that are among its columns. The patterns are written under the files'
    names, beside them linked.certificate.json, which holds true values. Tables that form a cycle (region x job, region
    x age, job x age) are protected against whoever uses that the joint table has no cell below 0 as well; where it is
    too large for that, the answer names the limit and the status is 3.

    Example: `sekisho table link jobs.csv ages.csv --dims region,job,age --count n --out patterns`
    """
    proof = out / "linked.certificate.json"
    targets = PatternFiles(sources=tuple(sources), folder=out, certificate=proof, public=read_public(published))
    targets.check(codes, story.report)
    files = read_linked(sources, dims, columns, codes, csv)
    counts, looking = bool(columns.count), read_search(search, margins)
    rules = read_rules_aloud(asked, counts=counts, cost=cost)
    marked = [rules.mark(table, counts=counts) for table in files.read_tables()]
    system = link_tables([guard_aloud(table, rules.width) for table in marked], joint=use_joint)
    covered = describe_joint(system.table.joint)
    try:
        suppression = run_optimiser(system.table, looking)
    except InfeasibleError as error:
        keys = {"cells": system.table.own, "primary": int(system.table.primary.sum()), **covered}
        answer_infeasible(error, keys).deliver(as_json=as_json)
    origin = Provenance(
        name="table link",
        parameters={
            "dims": dims,
            "rules": [write_rule(each) for each in rules.choose(counts=counts)],
            "cost": cost.value,
            "margins": margins.value,
            "width": rules.width,
            "insiders": looking.insiders,
            "joint": system.table.joint.cover.value,
        }
        | files.form.options,
        inputs={path.name: digest_file(path) for path in (*sources, *code_files(codes))},
    )
    certified = certify(looking, suppression, origin, partial(targets.list_files, system, value=files.value))
    suppression, sealed = certified.answer, certified.sealed
    answer = targets.answer(
        system.mark_parts(suppression.table), {**describe_suppression(suppression), **covered}, sealed, files.value
    )
    answer = replace(answer, review=answer.review or system.table.joint.overlooked)
    system_story = (
        tell_suppression(system, suppression, sealed, [path.name for path in sources]) if story.asked else None
    )
    answer = add_story(answer, system_story, story, origin)
    targets.make_folders()
    answer.deliver(as_json=as_json)


@expand_options
def audit_linked(
    sources: Sources,
    *,
    patterns: EachPattern,
    dims: Dims,
    columns: ColumnOptions,
    asked: RuleOptions,
    codes: CodeOptions,
    use_joint: UseJoint = None,
    audit: AuditOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Tell what an attacker who reads all the tables can place each suppressed cell in.

    Where the tables form a cycle he uses that the joint table has no cell below 0; if it is too large for that, the
    answer names the limit, and nothing found is status 3.

    Example: `sekisho table audit-linked jobs.csv ages.csv --pattern pj.csv --pattern pa.csv --dims region,job,age
    --count n`
    """
    if len(patterns) != len(sources):
        raise ParameterError(
            "pattern", Said("be given once for each of the {sources} files", sources=len(sources)), len(patterns)
        )
    check_paths(reads=[*sources, *patterns, *code_files(codes)], writes={"--report": story.report})
    files = read_linked(sources, dims, columns, codes, csv)
    counts = bool(columns.count)
    rules = read_rules_aloud(asked, counts=counts)
    case = judge_linked(files.apply_patterns(patterns), rules, counts=counts, joint=use_joint)
    finding = run_audit(case, audit)
    joint = finding.table.joint
    head = Said(
        "{hidden} suppressed everywhere, {disclosed} disclosed exactly, {narrow} primaries too "
        "narrow, {shown} unsafe cells shown by a table",
        hidden=len(finding.hidden),
        disclosed=len(finding.disclosed),
        narrow=len(finding.audit.narrow),
        shown=len(case.shown),
    )
    answer = Answer(
        keys={**describe_finding(finding), **describe_joint(joint)},
        words=join_words([head, *list_faults(finding)], "\n"),
        good=finding.safe,
        review=joint.overlooked,
    )
    if story.asked and not finding.audit.unsettled.size:
        origin = Provenance(
            name="table audit-linked",
            parameters={
                "dims": dims,
                "width": rules.width,
                "rules": [write_rule(each) for each in rules.choose(counts=counts)] if rules.stated else [],
                "integer": audit.whole,
                "insiders": audit.insiders,
                "joint": joint.cover.value,
            }
            | files.form.options,
            inputs={path.name: digest_file(path) for path in (*sources, *patterns)},
        )
        answer = add_story(answer, tell_finding(finding, [path.name for path in sources]), story, origin)
    answer.deliver(as_json=as_json)
